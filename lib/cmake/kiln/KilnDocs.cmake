# The reference, `ninja docs`: pages made of the TableGen records and of what the
# tools say of themselves, in docs/ of the build.
#
#   kiln_docs_of_dialect(<namespace> <file.td>...)   dialects/<namespace>.md
#   kiln_docs_of_overloads(<namespace> <file.td>)    dialects/<namespace>-overloads.md
#   kiln_docs_of_interface(<Name> <file.td>)         interfaces/<Name>.md
#   kiln_docs_of_passes(<Name> <file.td>)            passes/<Name>.md
#   kiln_docs_of_tool(<tool>)                        tools/<tool>.md
#   kiln_docs_of_options(<tool>)                     tools/options.md
#
# The functions of AddKiln.cmake call the first four, so what is built has a
# page. kiln_docs_index(), called last, writes README.md, which lists the pages
# by the first line of each.

set(KILN_DOCS_DIR ${CMAKE_BINARY_DIR}/docs)
add_custom_target(docs)

# Hangs a page, made by COMMAND, under the target.
function(kiln_docs_page page)
  cmake_parse_arguments(ARG "" "DEPFILE" "COMMAND;DEPENDS" ${ARGN})
  set(out ${KILN_DOCS_DIR}/${page}.md)
  cmake_path(GET out PARENT_PATH dir)
  set(depfile "")
  if(ARG_DEPFILE)
    set(depfile DEPFILE ${ARG_DEPFILE})
  endif()
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
    COMMAND ${ARG_COMMAND}
    DEPENDS ${ARG_DEPENDS} ${depfile}
    COMMENT "Writing docs/${page}.md" VERBATIM)
  string(MAKE_C_IDENTIFIER "docs_${page}" target)
  add_custom_target(${target} DEPENDS ${out})
  add_dependencies(docs ${target})
  set_property(GLOBAL APPEND PROPERTY KILN_DOCS_PAGES ${page})
  set_property(GLOBAL APPEND PROPERTY KILN_DOCS_FILES ${out})
endfunction()

# A page of mlir-tblgen, or of another tool.
function(kiln_docs_of_records page source)
  cmake_parse_arguments(ARG "" "TOOL" "" ${ARGN})
  if(NOT ARG_TOOL)
    set(ARG_TOOL ${KILN_MLIR_TBLGEN})
  endif()
  set(includes -I ${CMAKE_SOURCE_DIR}/include)
  foreach(include IN LISTS KILN_LLVM_INCLUDES)
    list(APPEND includes -I ${include})
  endforeach()
  set(out ${KILN_DOCS_DIR}/${page}.md)
  kiln_docs_page(${page}
    COMMAND ${ARG_TOOL} ${ARG_UNPARSED_ARGUMENTS} ${includes} ${source} -o ${out}
            -d ${out}.d
    DEPENDS ${source} ${ARG_TOOL} DEPFILE ${out}.d)
endfunction()

# The page of a dialect is of one file, which includes those of its records.
function(kiln_docs_of_dialect namespace)
  set(text "// What docs/dialects/${namespace}.md is made of.\n")
  string(APPEND text "include \"mlir/IR/OpBase.td\"\n") # of a dialect without
  foreach(td IN LISTS ARGN)
    string(APPEND text "include \"${td}\"\n")
  endforeach()
  set(all ${KILN_DOCS_DIR}/dialects/${namespace}.td)
  file(CONFIGURE OUTPUT ${all} CONTENT "${text}" @ONLY)
  kiln_docs_of_records(dialects/${namespace} ${all} -gen-dialect-doc
                       --dialect=${namespace})
endfunction()

function(kiln_docs_of_overloads namespace source)
  kiln_docs_of_records(dialects/${namespace}-overloads ${source} --gen-aten-doc
                       TOOL kiln-tblgen)
endfunction()

function(kiln_docs_of_interface name source)
  kiln_docs_of_records(interfaces/${name} ${source} -gen-op-interface-docs)
endfunction()

function(kiln_docs_of_passes name source)
  kiln_docs_of_records(passes/${name} ${source} -gen-pass-doc)
endfunction()

function(kiln_docs_of_tool tool)
  set(out ${KILN_DOCS_DIR}/tools/${tool}.md)
  kiln_docs_page(tools/${tool}
    COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:${tool}> -DOUT=${out}
            -P ${CMAKE_SOURCE_DIR}/lib/cmake/kiln/WriteToolPage.cmake
    DEPENDS ${tool} ${CMAKE_SOURCE_DIR}/lib/cmake/kiln/WriteToolPage.cmake)
endfunction()

# The table of compile options, as a tool prints it.
function(kiln_docs_of_options tool)
  set(out ${KILN_DOCS_DIR}/tools/options.md)
  kiln_docs_page(tools/options
    COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:${tool}> -DOUT=${out}
            -DFLAG=--print-options
            -P ${CMAKE_SOURCE_DIR}/lib/cmake/kiln/WriteToolPage.cmake
    DEPENDS ${tool} ${CMAKE_SOURCE_DIR}/lib/cmake/kiln/WriteToolPage.cmake)
endfunction()

function(kiln_docs_index)
  get_property(pages GLOBAL PROPERTY KILN_DOCS_PAGES)
  get_property(files GLOBAL PROPERTY KILN_DOCS_FILES)
  list(SORT pages)
  list(JOIN pages "\n" pages)
  file(CONFIGURE OUTPUT ${KILN_DOCS_DIR}/pages.txt CONTENT "${pages}\n" @ONLY)
  set(script ${CMAKE_SOURCE_DIR}/lib/cmake/kiln/WriteDocsIndex.cmake)
  kiln_docs_page(README
    COMMAND ${CMAKE_COMMAND} -DDIR=${KILN_DOCS_DIR} -P ${script}
    DEPENDS ${files} ${KILN_DOCS_DIR}/pages.txt ${script})
endfunction()
