# Finds what Kiln is built from. Everything that is missing is collected and
# reported at once, with the name of the Debian package that brings it.

set(KILN_MISSING "")

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "kiln: expected Clang as the C++ compiler, but found "
    "${CMAKE_CXX_COMPILER_ID}; use 'cmake --preset default --fresh'")
endif()

# Notes `what` as missing, from `package`, unless `target` exists.
function(kiln_require target what package)
  if(NOT TARGET ${target})
    set(KILN_MISSING "${KILN_MISSING}\n  ${what} (package ${package})"
        PARENT_SCOPE)
  endif()
endfunction()

# Libraries that bring no CMake package: a header and a library become an
# imported target.
function(kiln_find_library target header library)
  string(MAKE_C_IDENTIFIER "${target}" id)
  find_path(${id}_INCLUDE ${header})
  find_library(${id}_LIBRARY ${library})
  mark_as_advanced(${id}_INCLUDE ${id}_LIBRARY)
  if(${id}_INCLUDE AND ${id}_LIBRARY)
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION "${${id}_LIBRARY}"
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${${id}_INCLUDE}")
  endif()
endfunction()

# Below the line.
find_package(Threads QUIET)
find_package(OpenSSL QUIET)
find_package(ZLIB QUIET)
find_package(nlohmann_json QUIET)
find_package(fmt QUIET)
find_package(spdlog QUIET)
kiln_find_library(Kiln::zstd zstd.h zstd)
kiln_find_library(Kiln::hiredis hiredis/hiredis.h hiredis)
kiln_require(Threads::Threads "POSIX threads" libc6-dev)
kiln_require(OpenSSL::Crypto "OpenSSL" libssl-dev)
kiln_require(ZLIB::ZLIB "zlib" zlib1g-dev)
kiln_require(nlohmann_json::nlohmann_json "nlohmann-json" nlohmann-json3-dev)
kiln_require(fmt::fmt "fmt" libfmt-dev)
kiln_require(spdlog::spdlog "spdlog" libspdlog-dev)
kiln_require(Kiln::zstd "zstd" libzstd-dev)
kiln_require(Kiln::hiredis "hiredis" libhiredis-dev)

# Above the line. "22" alone is refused: MLIR's version file wants the minor.
# What LLVM's own archives would be linked with is not looked for: the shared
# libraries bring it, and configuring depends on nothing that happens to be here.
foreach(package CURL FFI LibEdit LibXml2 httplib)
  set(CMAKE_DISABLE_FIND_PACKAGE_${package} ON)
endforeach()
set(KILN_MLIR_VERSION 22.1)
find_package(MLIR ${KILN_MLIR_VERSION} QUIET CONFIG HINTS /usr/lib/llvm-22)
kiln_require(MLIR "MLIR 22.1, the shared library" libmlir-22-dev)
kiln_require(LLVM "LLVM 22.1, the shared library" llvm-22-dev)
find_program(KILN_MLIR_TBLGEN mlir-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR}
             PATHS /usr/lib/llvm-22/bin)
if(NOT KILN_MLIR_TBLGEN)
  string(APPEND KILN_MISSING "\n  mlir-tblgen (package mlir-22-tools)")
endif()

# Tests.
if(KILN_BUILD_TESTS)
  find_package(GTest QUIET)
  kiln_require(GTest::gtest "GoogleTest" libgtest-dev)
  kiln_require(GTest::gmock "GoogleMock" libgmock-dev)
  # lit names its interpreter itself.
  if(NOT EXISTS /usr/bin/python3)
    string(APPEND KILN_MISSING "\n  an interpreter for lit (package python3)")
  endif()
  foreach(tool lit FileCheck not count split-file)
    string(TOUPPER "KILN_${tool}" var)
    string(REPLACE "-" "_" var "${var}")
    find_program(${var} ${tool} PATHS ${LLVM_TOOLS_BINARY_DIR}
                 /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
    if(NOT ${var})
      string(APPEND KILN_MISSING "\n  ${tool} (package llvm-22-tools)")
    endif()
  endforeach()
endif()

if(KILN_MISSING)
  message(FATAL_ERROR "kiln: cannot be built, because this is missing:"
    "${KILN_MISSING}\n'tools/install-packages.sh' installs all of it")
endif()
