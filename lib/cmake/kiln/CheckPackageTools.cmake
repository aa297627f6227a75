# Read by cpack first. Without these it would make packages that depend on nothing.
foreach(tool dpkg-shlibdeps:dpkg-dev file:file)
  string(REPLACE ":" ";" tool ${tool})
  list(GET tool 0 program)
  list(GET tool 1 package)
  find_program(path_of_${program} ${program})
  if(NOT path_of_${program})
    message(FATAL_ERROR "kiln: a package cannot be made without '${program}' "
                        "(package ${package})")
  endif()
endforeach()
