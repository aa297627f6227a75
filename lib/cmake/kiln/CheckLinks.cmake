# Fails when a relative link of a Markdown file leads nowhere. Run as
#
#   cmake -DROOT=<tree> -P CheckLinks.cmake
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE pages ${ROOT}/include/*.md ${ROOT}/lib/*.md ${ROOT}/tools/*.md
     ${ROOT}/test/*.md ${ROOT}/bench/*.md ${ROOT}/python-free-examples/*.md
     ${ROOT}/.github/*.md)
list(PREPEND pages ${ROOT}/README.md)
set(broken 0)
foreach(page IN LISTS pages)
  file(READ ${page} text)
  # List brackets would swallow separators.
  string(REPLACE "[" "<" text "${text}")
  string(REPLACE "]" ">" text "${text}")
  string(REPLACE ";" "," text "${text}")
  string(REGEX MATCHALL ">\\([^() \n]+\\)" links "${text}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^>\\(([^)#]*).*\\)$" "\\1" target "${link}")
    if(target STREQUAL "" OR target MATCHES "^[a-z]+:")
      continue()
    endif()
    cmake_path(GET page PARENT_PATH folder)
    if(NOT EXISTS ${folder}/${target})
      message(STATUS "${page}: no '${target}'")
      math(EXPR broken "${broken} + 1")
    endif()
  endforeach()
endforeach()
if(broken GREATER 0)
  message(FATAL_ERROR "${broken} links lead nowhere")
endif()
