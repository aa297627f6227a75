# cmake -DDIR=<docs> -P WriteDocsIndex.cmake: the list of the pages that
# DIR/pages.txt names, a chapter a folder.
file(STRINGS ${DIR}/pages.txt PAGES)
set(text "# Kiln's reference\n\nWritten by `ninja docs` from the records of the \
dialects, passes and interfaces and\nfrom the tools' help. The pages that people \
wrote start at the tree's `README.md`.\n")
set(chapter "")
foreach(page IN LISTS PAGES)
  cmake_path(GET page PARENT_PATH folder)
  cmake_path(GET page FILENAME name)
  if(NOT folder STREQUAL chapter)
    string(APPEND text "\n## ${folder}\n\n")
    set(chapter ${folder})
  endif()
  # The first line of prose: neither a title nor a comment.
  file(STRINGS ${DIR}/${page}.md lines)
  set(what "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^[A-Za-z_`*].*")
      string(REGEX REPLACE "^_(.*)_$" "\\1" what "${line}")
      break()
    endif()
  endforeach()
  string(APPEND text "- [${name}](${page}.md): ${what}\n")
endforeach()
file(WRITE ${DIR}/README.md "${text}")
