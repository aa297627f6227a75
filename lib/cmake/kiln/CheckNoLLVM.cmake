# Fails when one of the comma-separated FILES needs libLLVM or libMLIR,
# directly or through another library.
string(REPLACE "," ";" files "${FILES}")
foreach(file IN LISTS files)
  execute_process(COMMAND ldd ${file} RESULT_VARIABLE status
                  OUTPUT_VARIABLE needed ERROR_VARIABLE needed)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "ldd ${file}: ${needed}")
  endif()
  if(needed MATCHES "lib(LLVM|MLIR)[^ \n]*")
    message(FATAL_ERROR "${file} needs '${CMAKE_MATCH_0}', expected no LLVM")
  endif()
  message(STATUS "free of LLVM: ${file}")
endforeach()
