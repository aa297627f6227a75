# Shows that CheckLayering.cmake fails when it must: each case adds one file to
# a copy of the tree and expects the rule to fail naming that file. Run as
#
#   cmake -DROOT=<tree> -DSCRATCH=<folder> -P CheckLayeringSelfTest.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
file(COPY ${ROOT}/include ${ROOT}/lib DESTINATION ${SCRATCH})

function(run_rule rule code output)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -DRULE=${rule}
            -P ${CMAKE_CURRENT_LIST_DIR}/CheckLayering.cmake
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  set(${code} ${status} PARENT_SCOPE)
  set(${output} "${out}${err}" PARENT_SCOPE)
endfunction()

function(expect_violation rule file content)
  get_filename_component(folder ${SCRATCH}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(WRITE ${SCRATCH}/${file} "${content}")
  run_rule(${rule} code output)
  file(REMOVE ${SCRATCH}/${file})
  string(FIND "${output}" "${file}" at)
  if(code EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "rule '${rule}' did not report ${file}:\n${output}")
  endif()
  message(STATUS "caught: ${rule} ${file}")
endfunction()

function(expect_clean rule file content)
  get_filename_component(folder ${SCRATCH}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(WRITE ${SCRATCH}/${file} "${content}")
  run_rule(${rule} code output)
  file(REMOVE ${SCRATCH}/${file})
  string(FIND "${output}" "${file}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "rule '${rule}' reported ${file}:\n${output}")
  endif()
  message(STATUS "let pass: ${rule} ${file}")
endfunction()

foreach(area Base Archive Package Runtime RuntimeCUDA Eager Cache Session)
  expect_violation(includes lib/${area}/Injected.cpp
                   "#include \"mlir/IR/Dialect.h\"\n")
  expect_violation(includes include/kiln/${area}/Injected.h
                   "#  include <llvm/ADT/StringRef.h>\n")
endforeach()
expect_violation(includes lib/Runtime/Injected.cpp
                 "#include \"kiln/Cache/Store.h\"\n")
expect_violation(includes lib/Cache/Injected.cpp
                 "#include \"kiln/Runtime/Tensor.h\"\n")
expect_violation(includes lib/Base/Injected.cpp
                 "#include \"kiln/Compiler/CompilerSession.h\"\n")
expect_violation(includes lib/Dialect/Aten/IR/Injected.cpp
                 "#include \"kiln/Dialect/Loop/IR/Loop.h\"\n")
expect_violation(includes lib/Dialect/Aten/IR/Injected.cpp
                 "#include \"kiln/Analysis/CostModel.h\"\n")
expect_violation(includes include/kiln/Dialect/Loop/IR/Injected.td
                 "include \"kiln/Dialect/Joint/IR/JointOps.td\"\n")
expect_violation(includes include/kiln/ABI/Injected.h "#include <vector>\n")
expect_violation(includes lib/Runtime/Injected.cpp
                 "#include <nlohmann/json.hpp>\n")
expect_violation(includes lib/Unheard/Injected.cpp "#include <vector>\n")
expect_violation(includes tools/kiln-run/Injected.cpp
                 "#include \"llvm/ADT/StringRef.h\"\n")
expect_violation(includes lib/Conversion/LoopToLinalg/Injected.cpp
                 "#include \"kiln/Conversion/LoopToScf/Passes.h\"\n")
expect_violation(includes include/kiln/Conversion/AtenToLoop/Injected.h
                 "#include \"kiln/Conversion/ToProgram/Passes.h\"\n")
expect_violation(includes lib/Conversion/LoopToLinalg/Injected.cpp
                 "#include \"../LoopToScf/ScheduleEmitters.h\"\n")
expect_violation(includes include/kiln-c/Runtime.h
                 "#include \"mlir-c/IR.h\"\n")
expect_violation(includes include/kiln-c/Injected.h
                 "#include \"kiln/Package/Package.h\"\n")
expect_violation(includes lib/CAPI/Runtime/Injected.cpp
                 "#include \"mlir/IR/Dialect.h\"\n")
expect_clean(includes include/kiln-c/Injected.h "#include <mlir-c/IR.h>\n")
expect_clean(includes lib/Conversion/LoopToScf/Injected.cpp
             "#include \"kiln/Conversion/LoopToScf/Passes.h\"\n")
expect_clean(includes lib/Conversion/AtenToLoop/Injected.cpp
             "#include \"kiln/Conversion/AtenToLoop.h\"\n")
expect_clean(includes include/kiln/ABI/Injected.h "#include <stdint.h>\n")
expect_clean(includes lib/Dialect/Loop/Transforms/Injected.cpp
  "#include \"kiln/Dialect/Guard/IR/Guard.h\"\n#include \"kiln/Analysis/A.h\"\n")
expect_clean(includes tools/kiln-run/Injected.cpp
             "#include \"kiln/Cache/Store.h\"\n")

expect_violation(pass-purity lib/Dialect/Loop/Transforms/Injected.cpp
                 "bool b = getenv(\"KILN_X\");\n")
expect_violation(pass-purity lib/Conversion/Injected/Injected.cpp
                 "auto t = std::chrono::steady_clock::now();\n")
expect_clean(pass-purity lib/Conversion/Injected/Injected.cpp
             "// never calls getenv\n")

expect_violation(header-examples include/kiln/Base/Injected.h
                 "// Adds numbers.\n// f(1);\n/// The sum.\nint f(int a);\n")
expect_clean(header-examples include/kiln/Base/Injected.h
             "// Adds numbers.\n//\n//   f(1);\n//\nint f(int a);\n")
expect_clean(header-examples include/kiln/Base/Injected.h
             "struct A {\n  /// The sum:\n  ///   a.f(1);\n  int f(int a);\n};\n")

expect_violation(top-level injected.mlir "module {}\n")
expect_clean(top-level README.md "# Kiln\n")
expect_clean(top-level .injected "x\n")

string(REPEAT "int x;\n" 601 long)
expect_violation(file-size lib/Base/Injected.cpp "${long}")
string(REPEAT "int x;\n" 600 fits)
expect_clean(file-size lib/Base/Injected.cpp "${fits}")

string(REPEAT "  f(a[0], ';');\n" 98 fits)
expect_violation(function-size lib/Base/Injected.cpp
                 "static int f(int x,\n             int y) {\n${fits}\n}\n")
expect_clean(function-size lib/Base/Injected.cpp "int f() {\n${fits}}\n")
string(REPEAT "    f();\n" 99 body)
expect_violation(function-size lib/Base/Injected.h
                 "class A {\npublic:\n  int f() {\n${body}  }\n};\n")
file(REMOVE_RECURSE ${SCRATCH})
