# cmake -DTOOL=<file> -DOUT=<page> -P WriteToolPage.cmake: what `TOOL --help`
# says, as a page.
cmake_path(GET TOOL FILENAME name)
execute_process(COMMAND ${TOOL} --help OUTPUT_VARIABLE help
                COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${OUT} "# ${name}\n\nWhat `${name} --help` says:\n\n```text\n${help}```\n")
