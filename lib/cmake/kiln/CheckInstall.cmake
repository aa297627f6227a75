# cmake -DBUILD=<build> -DSOURCE=<tree> -DINSTALLED=<folder> -DMOVED=<folder>
#       -DLIBRARIES=<lib> -P CheckInstall.cmake
#
# Installs into INSTALLED, moves that to MOVED, and fails if a file that CMake reads
# or the search path of a program or library names a folder of this build.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${INSTALLED} ${MOVED})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${INSTALLED}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${INSTALLED} ${MOVED})

file(GLOB exported ${MOVED}/${LIBRARIES}/cmake/Kiln/*.cmake)
if(NOT exported)
  message(FATAL_ERROR "no CMake package in ${MOVED}/${LIBRARIES}/cmake/Kiln")
endif()
foreach(file IN LISTS exported)
  foreach(folder ${SOURCE} ${BUILD} ${INSTALLED})
    file(READ ${file} text)
    string(FIND "${text}" "${folder}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names '${folder}', expected paths below its own")
    endif()
  endforeach()
endforeach()

file(GLOB objects ${MOVED}/${LIBRARIES}/*.so ${MOVED}/bin/*)
foreach(object IN LISTS objects)
  file(READ_ELF ${object} RUNPATH runpath CAPTURE_ERROR problem)
  foreach(folder IN LISTS runpath)
    if(NOT folder MATCHES "^(\\$ORIGIN|/usr/)")
      message(FATAL_ERROR "${object} searches '${folder}', expected \$ORIGIN")
    endif()
  endforeach()
endforeach()
list(LENGTH objects count)
message(STATUS "installed and moved: ${count} programs and libraries")
