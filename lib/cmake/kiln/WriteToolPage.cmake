# cmake -DTOOL=<file> -DOUT=<page> [-DFLAG=<flag>] -P WriteToolPage.cmake: the page
# that `TOOL FLAG` prints; without a flag, what `TOOL --help` says.
cmake_path(GET TOOL FILENAME name)
if(FLAG)
  execute_process(COMMAND ${TOOL} ${FLAG} OUTPUT_VARIABLE page
                  COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${OUT} "${page}")
  return()
endif()
execute_process(COMMAND ${TOOL} --help OUTPUT_VARIABLE help
                COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${OUT} "# ${name}\n\nWhat `${name} --help` says:\n\n```text\n${help}```\n")
