# cmake -DTOOL=<file> -DOUT=<page.1> -DVERSION=<v> -P WriteManPage.cmake: the man
# page of a tool, which is its --help in the chapters of a man page.
cmake_path(GET TOOL FILENAME name)
# For a build with sanitizers, as the tests are run.
set(ENV{ASAN_OPTIONS} allow_user_poisoning=0:detect_leaks=0)
execute_process(COMMAND ${TOOL} --help OUTPUT_VARIABLE help
                COMMAND_ERROR_IS_FATAL ANY)

# "kiln-run: what it does" of Kiln's tools, "OVERVIEW: what it is" of LLVM's.
if(NOT help MATCHES "^(${name}|OVERVIEW): ([^\n]+)\n+(.*)$")
  message(FATAL_ERROR "${name} --help: expected '${name}: what it does' in the "
                      "first line")
endif()
set(summary "${CMAKE_MATCH_2}")
set(rest "${CMAKE_MATCH_3}")
set(synopsis "")
if(rest MATCHES "(^|\n)(usage|USAGE): ([^\n]+)\n")
  set(synopsis "${CMAKE_MATCH_3}")
  string(REPLACE "${CMAKE_MATCH_0}" "\n" rest "${rest}")
endif()
string(STRIP "${rest}" rest)

# Text that roff takes as it is.
foreach(text summary synopsis rest)
  string(REPLACE "\\" "\\e" ${text} "${${text}}")
  string(REPLACE "-" "\\-" ${text} "${${text}}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" ${text} "${${text}}")
endforeach()
string(REPLACE "-" "\\-" escaped "${name}")
string(TOUPPER "${name}" title)
file(WRITE ${OUT} ".TH ${title} 1 \"\" \"Kiln ${VERSION}\" \"Kiln\"
.SH NAME
${escaped} \\- ${summary}
.SH SYNOPSIS
.nf
${synopsis}
.fi
.SH DESCRIPTION
.nf
${rest}
.fi
")
