# Compiler flags, ccache and the precompiled header.
#
# Nothing here may contain the path of the source or build tree: the flags are
# part of ccache's key, and another clone shall hit the entries of this one.

# --- Flags of both worlds ---------------------------------------------------

set(KILN_COMMON_OPTIONS -Wall -Wextra -fPIC -fcolor-diagnostics)
if(KILN_WERROR)
  list(APPEND KILN_COMMON_OPTIONS -Werror)
endif()
if(KILN_SANITIZE)
  list(APPEND KILN_COMMON_OPTIONS -fsanitize=${KILN_SANITIZE})
  add_link_options(-fsanitize=${KILN_SANITIZE})
endif()
if(KILN_FUZZ)
  # Readers report what they cover; a finding ends the process.
  list(APPEND KILN_COMMON_OPTIONS -fsanitize=fuzzer-no-link
       -fno-sanitize-recover=all)
endif()
# The build ids of the libraries are part of the cache key.
add_link_options(-Wl,--build-id=sha1 -Wl,-z,defs)
if(KILN_SANITIZE)
  # Shared libraries get the sanitizer's symbols from the executable.
  add_link_options(-Wl,-z,undefs)
endif()

# Below the line: exceptions and RTTI, and assertions unless this is Release.
set(KILN_BELOW_OPTIONS ${KILN_COMMON_OPTIONS} -fexceptions)
if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
  list(APPEND KILN_BELOW_OPTIONS -UNDEBUG)
endif()

# Above the line: as the installed LLVM was built (RTTI, no exceptions), with
# its definitions. LLVM's own HandleLLVMOptions is not included, because it
# changes the flags of the whole directory, and half of ours is not LLVM's.
# Rewrite patterns rarely use all of their parameters; LLVM switches that
# warning off for the same reason.
separate_arguments(llvm_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
set(KILN_ABOVE_OPTIONS ${KILN_COMMON_OPTIONS} -fno-exceptions
    -Wno-unused-parameter ${llvm_definitions})
if(NOT LLVM_ENABLE_RTTI)
  list(APPEND KILN_ABOVE_OPTIONS -fno-rtti)
endif()
set(llvm_includes ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
list(REMOVE_DUPLICATES llvm_includes)
set(KILN_LLVM_INCLUDES ${llvm_includes})

# --- ccache -----------------------------------------------------------------

# Paths under the base folder are made relative to the build folder, so that
# two clones ask for the same thing. A build folder outside of the tree shares
# with others of the same depth.
find_program(KILN_CCACHE ccache)
if(KILN_USE_CCACHE AND KILN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  cmake_path(IS_PREFIX CMAKE_SOURCE_DIR "${CMAKE_BINARY_DIR}" inside)
  set(base "/")
  if(inside)
    set(base ${CMAKE_SOURCE_DIR})
  endif()
  set(sloppiness
      pch_defines,time_macros,include_file_mtime,include_file_ctime)
  # The locale is part of ccache's key, as messages depend on it.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      --unset=LC_ALL --unset=LC_CTYPE --unset=LC_MESSAGES LANG=C.UTF-8
      CCACHE_SLOPPINESS=${sloppiness} CCACHE_BASEDIR=${base}
      CCACHE_NOHASHDIR=1 ${KILN_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# --- The precompiled headers ------------------------------------------------

# One above the line, of MLIR's headers, and one below it, of the standard
# library's alone; and the same two with GoogleTest for unit tests. Only installed headers, named on the command line: a header of
# ours would put the path of this tree into the file. Its own time stamp stays out,
# too. The users name it relative to the build folder, which is where Ninja runs.
set(KILN_PCH_HEADERS
  mlir/Dialect/Arith/IR/Arith.h
  mlir/Dialect/Func/IR/FuncOps.h
  mlir/Dialect/LLVMIR/LLVMDialect.h
  mlir/Dialect/Math/IR/Math.h
  mlir/Dialect/SCF/IR/SCF.h
  mlir/Dialect/Vector/IR/VectorOps.h
  mlir/Bytecode/BytecodeOpInterface.h
  mlir/IR/BuiltinDialect.h
  mlir/IR/DialectImplementation.h
  mlir/IR/IRMapping.h
  mlir/IR/Matchers.h
  mlir/IR/OpImplementation.h
  mlir/IR/PatternMatch.h
  mlir/IR/Remarks.h
  mlir/Interfaces/InferTypeOpInterface.h
  mlir/Interfaces/SideEffectInterfaces.h
  mlir/Interfaces/FunctionInterfaces.h
  mlir/Pass/Pass.h
  mlir/Pass/PassManager.h
  mlir/Pass/PassRegistry.h
  mlir/Transforms/DialectConversion.h
  mlir/Transforms/GreedyPatternRewriteDriver.h
  llvm/ADT/MapVector.h
  llvm/ADT/SetVector.h
  llvm/ADT/StringMap.h
  llvm/ADT/TypeSwitch.h
  llvm/Support/FormatVariadic.h
  algorithm
  cmath
  cstdint
  map
  optional
  string
  string_view
  unordered_map
  variant
  vector)
set(KILN_BELOW_PCH_HEADERS algorithm array atomic chrono cmath complex cstdint
    cstring functional limits map memory mutex numeric optional set string
    string_view unordered_map unordered_set utility variant)

# Makes `<name>.pch` of <main> and the HEADERS, and a target for it.
function(kiln_precompile name target main)
  cmake_parse_arguments(ARG "" "" "OPTIONS;INCLUDES;HEADERS" ${ARGN})
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(config_flags UNIX_COMMAND
                     "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  set(command ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER}
      ${config_flags} -std=c++17 ${ARG_OPTIONS}
      -Xclang -fno-pch-timestamp -fpch-instantiate-templates)
  foreach(dir IN LISTS ARG_INCLUDES)
    list(APPEND command -isystem ${dir})
  endforeach()
  foreach(header IN LISTS ARG_HEADERS)
    list(APPEND command -include ${header})
  endforeach()
  add_custom_command(
    OUTPUT ${CMAKE_BINARY_DIR}/${name}
    COMMAND ${command} -x c++-header ${main}
            -MD -MT ${name} -MF ${name}.d -o ${name}
    DEPFILE ${CMAKE_BINARY_DIR}/${name}.d
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
    COMMENT "Precompiling ${name}" VERBATIM)
  add_custom_target(${target} DEPENDS ${CMAKE_BINARY_DIR}/${name})
endfunction()

set(KILN_PCH kiln.pch)
list(GET KILN_LLVM_INCLUDES 0 first)
kiln_precompile(${KILN_PCH} KilnPch ${first}/mlir/IR/Builders.h
  OPTIONS ${KILN_ABOVE_OPTIONS} INCLUDES ${KILN_LLVM_INCLUDES}
  HEADERS ${KILN_PCH_HEADERS})
set(KILN_BELOW_PCH kiln-below.pch)
# The last one is the file that is compiled, and empty.
kiln_precompile(${KILN_BELOW_PCH} KilnBelowPch /dev/null
  OPTIONS ${KILN_BELOW_OPTIONS} HEADERS ${KILN_BELOW_PCH_HEADERS} vector)

# Unit tests are compiled more often than they are run, and their time is that of the
# libraries: without optimization they take half of the time.
set(KILN_TEST_OPTIONS -O0 -DGTEST_HAS_PTHREAD=1)
set(KILN_TEST_HEADERS gmock/gmock.h gtest/gtest.h)
kiln_precompile(kiln-tests.pch KilnTestsPch ${first}/mlir/IR/Builders.h
  OPTIONS ${KILN_ABOVE_OPTIONS} ${KILN_TEST_OPTIONS}
  INCLUDES ${KILN_LLVM_INCLUDES} HEADERS ${KILN_PCH_HEADERS} ${KILN_TEST_HEADERS})
kiln_precompile(kiln-below-tests.pch KilnBelowTestsPch /dev/null
  OPTIONS ${KILN_BELOW_OPTIONS} ${KILN_TEST_OPTIONS}
  HEADERS ${KILN_BELOW_PCH_HEADERS} ${KILN_TEST_HEADERS} vector)
