# cmake -DBUILD=<build> -DCPACK=<cpack> -DSCRATCH=<folder> -DMODEL=<folder>
#       -P CheckDebianPackages.cmake
#
# Makes the Debian packages and fails if the runtime's asks for LLVM, if one has a
# file of another, if a program of the three needs a library that none of them nor
# a package they depend on has, or if what is unpacked does not run a model.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH}/root)
execute_process(COMMAND ${CPACK} -G DEB -B ${SCRATCH} --config
                        ${BUILD}/CPackConfig.cmake -D CPACK_DEBIAN_COMPRESSION_TYPE=none
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# field(<out> <package file> <name>), of the control file.
function(field out deb name)
  execute_process(COMMAND dpkg-deb -f ${deb} ${name} OUTPUT_VARIABLE value
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

set(files "")
foreach(package kiln-runtime kiln-tools libkiln-dev)
  file(GLOB deb ${SCRATCH}/${package}_*.deb)
  if(NOT deb)
    message(FATAL_ERROR "cpack made no package ${package}")
  endif()
  field(depends ${deb} Depends)
  field(version ${deb} Version)
  message(STATUS "${package} ${version}: ${depends}")
  if(package STREQUAL kiln-runtime)
    if(depends MATCHES "llvm|mlir" OR NOT depends MATCHES "libc6 \\(>= ")
      message(FATAL_ERROR "kiln-runtime depends on '${depends}', expected libraries "
                          "of Debian, without LLVM")
    endif()
  elseif(NOT depends MATCHES "kiln-runtime \\(= ${version}\\)")
    message(FATAL_ERROR "${package} depends on '${depends}', expected kiln-runtime "
                        "of the same version")
  endif()
  execute_process(COMMAND dpkg-deb -x ${deb} ${SCRATCH}/${package}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE here RELATIVE ${SCRATCH}/${package} ${SCRATCH}/${package}/*)
  foreach(file IN LISTS here)
    if(file IN_LIST files)
      message(FATAL_ERROR "'${file}' is in ${package} and in another package")
    endif()
  endforeach()
  list(APPEND files ${here})
  file(COPY ${SCRATCH}/${package}/usr DESTINATION ${SCRATCH}/root)
endforeach()

# What is said to be needed brings all that is loaded.
file(GLOB objects ${SCRATCH}/root/usr/bin/* ${SCRATCH}/root/usr/lib/*.so)
foreach(object IN LISTS objects)
  execute_process(COMMAND ldd ${object} OUTPUT_VARIABLE needed ERROR_VARIABLE needed)
  if(needed MATCHES "[^\n]*not found")
    message(FATAL_ERROR "${object}: '${CMAKE_MATCH_0}'")
  endif()
endforeach()
execute_process(
  COMMAND ${SCRATCH}/root/usr/bin/kiln-run ${MODEL}/train.pt2
          --inputs=${MODEL}/io.json --check --no-cache
  COMMAND_ERROR_IS_FATAL ANY)
