# Fails unless a library with a C interface exports what the version script of its
# folder lists, each under its version, and its headers declare all of that. Run as
#
#   cmake -DROOT=<tree> -DPART=runtime|compiler -DLIBRARY=<file> -DNM=<llvm-nm>
#         -P CheckSymbols.cmake
cmake_minimum_required(VERSION 3.25)
set(headers_runtime Runtime.h)
set(headers_compiler Compiler.h Dialects.h)
set(folder_runtime Runtime)
set(folder_compiler Compiler)

# "name@@VERSION" for each name of the script.
file(STRINGS ${ROOT}/lib/CAPI/${folder_${PART}}/Symbols.map lines)
set(listed "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Z_0-9]+) {")
    set(version ${CMAKE_MATCH_1})
  elseif(line MATCHES "^ +([A-Za-z_0-9]+);")
    list(APPEND listed "${CMAKE_MATCH_1}@@${version}")
  endif()
endforeach()

execute_process(COMMAND ${NM} -D --defined-only --format=just-symbols ${LIBRARY}
                OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" exported "${found}")

set(declared "")
foreach(header IN LISTS headers_${PART})
  file(READ ${ROOT}/include/kiln-c/${header} text)
  string(REGEX REPLACE "static inline[^{]*{[^}]*}" "" text "${text}")
  string(REGEX REPLACE "/[*][^*]*[*]+([^/*][^*]*[*]+)*/" "" text "${text}")
  string(REGEX MATCHALL "kiln[A-Z][A-Za-z0-9]*\\(" names "${text}")
  list(TRANSFORM names REPLACE "\\(" "@@${version}")
  list(APPEND declared ${names})
  # What upstream's macro declares for a dialect.
  string(REGEX MATCHALL "REGISTRATION\\([A-Za-z]+, [a-z]+" dialects "${text}")
  list(TRANSFORM dialects REPLACE ".*, ([a-z]+)"
       "mlirGetDialectHandle__\\1__@@${version}")
  list(APPEND declared ${dialects})
endforeach()

foreach(list listed exported declared)
  list(REMOVE_DUPLICATES ${list})
  list(SORT ${list})
endforeach()
list(LENGTH listed count)
if(count EQUAL 0 OR NOT listed STREQUAL exported OR NOT listed STREQUAL declared)
  message(FATAL_ERROR "listed:\n${listed}\nexported:\n${exported}\n"
                      "declared:\n${declared}")
endif()
message(STATUS "${count} symbols")
