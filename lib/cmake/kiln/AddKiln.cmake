# The functions that Kiln's folders are built with.
#
#   add_kiln_runtime_component(KilnArchive SOURCES Zip.cpp [LINK_LIBS ...])
#     A part of libKilnRuntime.so: exceptions on, no LLVM, a precompiled
#     header. May be linked alone by unit tests below the line.
#   add_kiln_c_runtime(kiln-c-runtime SOURCES ... EXPORTS Symbols.map)
#     The components behind a C interface, in a shared library of their own.
#   add_kiln_library(KilnLoopDialect SOURCES ... [DEPENDS <tablegen targets>]
#                    [LINK_LIBS ...] [SHARED])
#     A library above the line: LLVM's flags, precompiled header. Static, so
#     that tools, plugin and compiler library share one libMLIR.
#   add_kiln_tablegen(<target> <file.td> [TOOL kiln-tblgen]
#                     GEN <output> <flags>... [GEN ...])
#   add_kiln_dialect(<Name> <namespace> [DIALECT x.td] [OPS x.td...]
#                    [ATTRS x.td...] [TYPES x.td...] [ENUMS x.td...]
#                    [RECORDS x.td])
#     Target Kiln<Name>IncGen with <x>.{h,cpp}.inc beside the .td's mirror; RECORDS
#     has those of kiln-tblgen, for the reference.
#   add_kiln_interface(<Name>)  OP (default), ATTR or TYPE interface <Name>.td
#   add_kiln_passes(<Name> [x.td])  Passes.h.inc; target Kiln<Name>PassIncGen
#   add_kiln_tool(kiln-run SOURCES ... [LINK_LIBS ...] [RUNTIME_ONLY|TBLGEN]
#                 [NO_INSTALL])
#     The global property KILN_COMPILER_LIBS lists the static libraries so far.
#   add_kiln_plugin(KilnPlugin SOURCES ... [LINK_LIBS ...])
#   add_kiln_unittest(KilnBaseTests [OPTIMIZED] [PARTS (name filter)...] SOURCES ...
#                     LINK_LIBS KilnBase)
#     OPTIMIZED: computes much itself. Others are compiled without optimization.
#     PARTS: what a filter of GoogleTest selects is a test of its own, unit.<...>.<name>.
#
# Several sources of a target are one unit of compilation (kiln_units below).
#
# Libraries and tools are installed where KilnInstall.cmake says; plugins are not,
# unless their folder asks for it.
#
# A .td is looked for in include/kiln/<folder below lib>, then in the folder
# itself; what is generated from it goes to include/kiln/<folder> of the build.

# What each component below the line uses of the others.
set(KILN_BELOW_LINE KilnBase KilnOptions KilnArchive KilnPackage KilnRuntimeCore
                    KilnRuntimeCUDA KilnEager KilnCache KilnSession)
set(KilnBase_USES "")
set(KilnOptions_USES KilnBase)
set(KilnArchive_USES KilnBase)
set(KilnPackage_USES KilnBase)
set(KilnRuntimeCore_USES KilnPackage KilnBase)
set(KilnRuntimeCUDA_USES KilnRuntimeCore KilnPackage KilnBase)
set(KilnEager_USES KilnRuntimeCore KilnPackage KilnBase)
set(KilnCache_USES KilnPackage KilnBase)
set(KilnSession_USES KilnOptions KilnArchive KilnCache KilnEager KilnRuntimeCUDA
                     KilnRuntimeCore KilnPackage KilnBase)
set(KILN_BELOW_PACKAGES OpenSSL::Crypto nlohmann_json::nlohmann_json Kiln::zstd
                        spdlog::spdlog fmt::fmt Threads::Threads)

# Folder below lib/ (or tools/) as the generated headers mirror it.
function(kiln_mirror out)
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/lib ${CMAKE_CURRENT_SOURCE_DIR})
  if(path MATCHES "^\\.\\.")
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(${out} ${path} PARENT_SCOPE)
endfunction()

# <out> becomes what is compiled of a target's sources: units that include up to
# KILN_SOURCES_A_UNIT of them each, because most of the time goes into what sources
# include alike. So the names of a library's sources are different from each other,
# those in anonymous namespaces, too; and a source includes what it uses, which
# KILN_SOURCES_A_UNIT=1 checks (the preset 'debug' has it). A unit names its sources
# relative to itself: its text is part of ccache's key.
function(kiln_units out name)
  set(units ${ARGN})
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(REMOVE_ITEM units ${sources})
  list(LENGTH sources left)
  # As equal as possible, since the largest one is waited for.
  math(EXPR count "(${left} + ${KILN_SOURCES_A_UNIT} - 1) / ${KILN_SOURCES_A_UNIT}")
  while(count GREATER 0)
    math(EXPR size "(${left} + ${count} - 1) / ${count}")
    list(SUBLIST sources 0 ${size} part)
    list(REMOVE_ITEM sources ${part})
    if(size EQUAL 1)
      list(APPEND units ${part})
    else()
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}.${count}.cpp)
      set(text "")
      foreach(source IN LISTS part)
        get_filename_component(path ${source} ABSOLUTE)
        file(RELATIVE_PATH path ${CMAKE_CURRENT_BINARY_DIR} ${path})
        string(APPEND text "#include \"${path}\"\n")
      endforeach()
      file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
      list(APPEND units ${unit})
    endif()
    math(EXPR left "${left} - ${size}")
    math(EXPR count "${count} - 1")
  endwhile()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# The precompiled header <pch> for the sources of a target.
function(kiln_use_pch target pch pch_target)
  target_compile_options(${target} PRIVATE -Winvalid-pch
                         "SHELL:-include-pch ${pch}")
  add_dependencies(${target} ${pch_target})
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY
               OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/${pch})
endfunction()

# Flags, include folders and precompiled header below the line; those of unit tests
# with TESTS.
function(kiln_below target)
  target_compile_options(${target} PRIVATE ${KILN_BELOW_OPTIONS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  if("TESTS" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE ${KILN_TEST_OPTIONS})
    kiln_use_pch(${target} kiln-below-tests.pch KilnBelowTestsPch)
  else()
    kiln_use_pch(${target} ${KILN_BELOW_PCH} KilnBelowPch)
  endif()
endfunction()

# Flags, include folders and precompiled header above the line.
function(kiln_above target)
  target_compile_options(${target} PRIVATE ${KILN_ABOVE_OPTIONS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
  target_include_directories(${target} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    "$<BUILD_INTERFACE:${KILN_LLVM_INCLUDES}>")
  if("TESTS" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE ${KILN_TEST_OPTIONS})
    kiln_use_pch(${target} kiln-tests.pch KilnTestsPch)
  else()
    kiln_use_pch(${target} ${KILN_PCH} KilnPch)
  endif()
endfunction()

# Above the line the components are used through libKilnRuntime.so, so that a
# process holds each of them once.
function(kiln_through_runtime out)
  set(libs "")
  foreach(lib IN LISTS ARGN)
    if(lib IN_LIST KILN_BELOW_LINE)
      set(lib KilnRuntime)
    endif()
    list(APPEND libs ${lib})
  endforeach()
  list(REMOVE_DUPLICATES libs)
  set(${out} "${libs}" PARENT_SCOPE)
endfunction()

function(kiln_check_arguments function name)
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kiln: ${function}(${name}) does not know "
                        "'${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "kiln: ${function}(${name}) has no SOURCES")
  endif()
endfunction()

function(add_kiln_runtime_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK_LIBS" ${ARGN})
  kiln_check_arguments(add_kiln_runtime_component ${name})
  kiln_units(units ${name} ${ARG_SOURCES})
  if(NOT name IN_LIST KILN_BELOW_LINE)
    message(FATAL_ERROR "kiln: '${name}' is not in KILN_BELOW_LINE of "
                        "AddKiln.cmake, expected one of ${KILN_BELOW_LINE}")
  endif()
  add_library(${name} STATIC ${units})
  kiln_below(${name})
  target_link_libraries(${name} PUBLIC ${${name}_USES} ${ARG_LINK_LIBS}
                        ${KILN_BELOW_PACKAGES})
  # Of its own packages only: other components join the shared library anyway.
  list(FILTER ARG_LINK_LIBS EXCLUDE REGEX "^Kiln[A-Z]")
  set_property(GLOBAL APPEND PROPERTY KILN_COMPONENT_LINK_LIBS ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY KILN_COMPONENTS ${name})
endfunction()

# What the components use of others, for a shared library of them.
function(kiln_link_packages target)
  get_property(uses GLOBAL PROPERTY KILN_COMPONENT_LINK_LIBS)
  foreach(lib IN LISTS uses KILN_BELOW_PACKAGES CMAKE_DL_LIBS)
    set(type "")
    if(TARGET ${lib})
      get_target_property(type ${lib} TYPE)
    endif()
    # By file: by name, users of an installed Kiln would have to find it too.
    if(type STREQUAL SHARED_LIBRARY)
      set(lib $<TARGET_LINKER_FILE:${lib}>)
    endif()
    target_link_libraries(${target} PRIVATE ${lib})
  endforeach()
endfunction()

# libKilnRuntime.so of all components added so far.
function(add_kiln_runtime)
  get_property(components GLOBAL PROPERTY KILN_COMPONENTS)
  list(TRANSFORM components REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>"
       OUTPUT_VARIABLE objects)
  add_library(KilnRuntime SHARED ${objects})
  set_target_properties(KilnRuntime PROPERTIES LINKER_LANGUAGE CXX)
  kiln_link_packages(KilnRuntime)
  target_include_directories(KilnRuntime PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  target_link_options(KilnRuntime PRIVATE -Wl,-soname,libKilnRuntime.so)
  kiln_install_library(KilnRuntime Runtime)
endfunction()

# A shared library of the same components with a C interface: it stands alone and
# exports what the version script EXPORTS lists.
function(add_kiln_c_runtime name)
  cmake_parse_arguments(ARG "" "EXPORTS" "SOURCES" ${ARGN})
  kiln_check_arguments(add_kiln_c_runtime ${name})
  kiln_units(units ${name} ${ARG_SOURCES})
  get_property(components GLOBAL PROPERTY KILN_COMPONENTS)
  list(TRANSFORM components REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>"
       OUTPUT_VARIABLE objects)
  add_library(${name} SHARED ${units} ${objects})
  kiln_below(${name})
  kiln_link_packages(${name})
  target_compile_definitions(${name} PRIVATE KILN_VERSION="${PROJECT_VERSION}")
  kiln_export(${name} ${ARG_EXPORTS})
  kiln_install_library(${name} Runtime)
endfunction()

# Exports what a version script lists, under a versioned name.
function(kiln_export name script)
  set(path ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  target_link_options(${name} PRIVATE -Wl,--version-script=${path})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${path}
    VERSION 1.0 SOVERSION 1)
endfunction()

function(add_kiln_library name)
  cmake_parse_arguments(ARG "SHARED;APART" "" "SOURCES;DEPENDS;LINK_LIBS" ${ARGN})
  kiln_check_arguments(add_kiln_library ${name})
  if(ARG_APART)
    set(units ${ARG_SOURCES})
  else()
    kiln_units(units ${name} ${ARG_SOURCES})
  endif()
  kiln_through_runtime(libs ${ARG_LINK_LIBS})
  if(ARG_SHARED)
    add_library(${name} SHARED ${units})
    target_link_libraries(${name} PRIVATE ${libs} MLIR LLVM)
    kiln_install_library(${name} Compiler)
  else()
    add_library(${name} STATIC ${units})
    target_link_libraries(${name} PUBLIC ${libs})
    kiln_install_library(${name} MLIR)
    set_property(GLOBAL APPEND PROPERTY KILN_COMPILER_LIBS ${name})
  endif()
  kiln_above(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# The path of a .td of the current folder.
function(kiln_find_td out td)
  kiln_mirror(mirror)
  set(source ${CMAKE_SOURCE_DIR}/include/kiln/${mirror}/${td})
  if(NOT EXISTS ${source})
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${td})
  endif()
  if(IS_ABSOLUTE ${td})
    set(source ${td})
  endif()
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "kiln: '${td}' is neither in include/kiln/${mirror} "
                        "nor in ${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  set(${out} ${source} PARENT_SCOPE)
endfunction()

function(add_kiln_tablegen target td)
  set(tool ${KILN_MLIR_TBLGEN})
  set(outputs "")
  set(flags "")
  kiln_mirror(mirror)
  kiln_find_td(source ${td})
  set(dir ${CMAKE_BINARY_DIR}/include/kiln/${mirror})
  set(includes -I ${CMAKE_SOURCE_DIR}/include)
  foreach(include IN LISTS KILN_LLVM_INCLUDES)
    list(APPEND includes -I ${include})
  endforeach()
  # CMake makes no depfile of one that lists nothing, and Ninja would run again.
  file(STRINGS ${source} includes_others REGEX "^include " LIMIT_COUNT 1)
  set(expect "")
  foreach(arg IN LISTS ARGN ITEMS GEN)
    if(arg STREQUAL "TOOL")
      set(expect TOOL)
    elseif(expect STREQUAL "TOOL")
      set(tool ${arg})
      set(expect "")
    elseif(arg STREQUAL "GEN")
      if(flags)
        list(POP_FRONT flags out)
        set(depfile "")
        if(includes_others)
          set(depfile DEPFILE ${dir}/${out}.d)
        endif()
        add_custom_command(OUTPUT ${dir}/${out}
          COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
          COMMAND ${tool} ${flags} ${includes} ${source} --write-if-changed
                  -o ${dir}/${out} -d ${dir}/${out}.d
          DEPENDS ${source} ${tool} ${depfile}
          COMMENT "Generating ${mirror}/${out}" VERBATIM)
        list(APPEND outputs ${dir}/${out})
        set(flags "")
      endif()
    else()
      list(APPEND flags ${arg})
    endif()
  endforeach()
  if(TARGET ${target})
    # A second .td for the same target: hang its files under the first.
    string(MAKE_C_IDENTIFIER "${target}_${td}" part)
    add_custom_target(${part} DEPENDS ${outputs})
    add_dependencies(${target} ${part})
  else()
    add_custom_target(${target} DEPENDS ${outputs})
  endif()
endfunction()

function(add_kiln_dialect name namespace)
  cmake_parse_arguments(ARG "" "" "DIALECT;OPS;ATTRS;TYPES;ENUMS;RECORDS" ${ARGN})
  set(target Kiln${name}IncGen)
  set(only --dialect=${namespace})
  set(sources "")
  foreach(kind DIALECT OPS ATTRS TYPES ENUMS)
    foreach(td IN LISTS ARG_${kind})
      kiln_find_td(source ${td})
      list(APPEND sources ${source})
      cmake_path(GET td STEM LAST_ONLY x)
      if(kind STREQUAL DIALECT)
        add_kiln_tablegen(${target} ${td}
          GEN ${x}.h.inc -gen-dialect-decls ${only}
          GEN ${x}.cpp.inc -gen-dialect-defs ${only})
      elseif(kind STREQUAL OPS)
        add_kiln_tablegen(${target} ${td} GEN ${x}.h.inc -gen-op-decls
          GEN ${x}.cpp.inc -gen-op-defs)
      elseif(kind STREQUAL ENUMS)
        add_kiln_tablegen(${target} ${td} GEN ${x}.h.inc -gen-enum-decls
          GEN ${x}.cpp.inc -gen-enum-defs)
      else()
        string(TOLOWER "${kind}" word)
        string(REGEX REPLACE "s$" "def" word "${word}")
        add_kiln_tablegen(${target} ${td}
          GEN ${x}.h.inc -gen-${word}-decls --${word}s-dialect=${namespace}
          GEN ${x}.cpp.inc -gen-${word}-defs --${word}s-dialect=${namespace})
      endif()
    endforeach()
  endforeach()
  kiln_docs_of_dialect(${namespace} ${sources})
  if(ARG_RECORDS)
    kiln_find_td(source ${ARG_RECORDS})
    kiln_docs_of_overloads(${namespace} ${source})
  endif()
endfunction()

function(add_kiln_interface name)
  set(kind op)
  if(ARGN)
    string(TOLOWER "${ARGN}" kind)
  endif()
  add_kiln_tablegen(Kiln${name}IncGen ${name}.td
    GEN ${name}.h.inc -gen-${kind}-interface-decls
    GEN ${name}.cpp.inc -gen-${kind}-interface-defs)
  kiln_find_td(source ${name}.td)
  kiln_docs_of_interface(${name} ${source})
endfunction()

function(add_kiln_passes name)
  set(td Passes.td)
  if(ARGN)
    list(GET ARGN 0 td)
  endif()
  cmake_path(GET td STEM LAST_ONLY x)
  add_kiln_tablegen(Kiln${name}PassIncGen ${td}
    GEN ${x}.h.inc -gen-pass-decls -name=${name})
  kiln_find_td(source ${td})
  kiln_docs_of_passes(${name} ${source})
endfunction()

function(add_kiln_tool name)
  cmake_parse_arguments(ARG "RUNTIME_ONLY;TBLGEN;NO_INSTALL" ""
                        "SOURCES;DEPENDS;LINK_LIBS" ${ARGN})
  kiln_check_arguments(add_kiln_tool ${name})
  kiln_units(units ${name} ${ARG_SOURCES})
  kiln_through_runtime(libs ${ARG_LINK_LIBS})
  add_executable(${name} ${units})
  if(ARG_RUNTIME_ONLY)
    kiln_below(${name})
    target_link_libraries(${name} PRIVATE ${libs} ${KILN_BELOW_PACKAGES})
  else()
    kiln_above(${name})
    if(ARG_TBLGEN)
      # By file: the imported targets would pull in the static closure.
      target_link_libraries(${name} PRIVATE $<TARGET_FILE:MLIRTblgenLib>
        $<TARGET_FILE:MLIRTableGen> $<TARGET_FILE:LLVMTableGen>)
    endif()
    target_link_libraries(${name} PRIVATE ${libs} MLIR LLVM)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY KILN_TOOLS ${name})
  if(ARG_NO_INSTALL)
    return()
  elseif(ARG_RUNTIME_ONLY)
    kiln_install_tool(${name} Runtime)
  elseif(ARG_TBLGEN)
    kiln_install_tool(${name} MLIR)
  else()
    kiln_install_tool(${name} Compiler)
  endif()
endfunction()

function(add_kiln_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK_LIBS" ${ARGN})
  kiln_check_arguments(add_kiln_plugin ${name})
  kiln_units(units ${name} ${ARG_SOURCES})
  kiln_through_runtime(libs ${ARG_LINK_LIBS})
  add_library(${name} MODULE ${units})
  set_target_properties(${name} PROPERTIES PREFIX "")
  kiln_above(${name})
  target_link_libraries(${name} PRIVATE ${libs} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# Below the line when it links components (or KilnRuntime) only: then without
# LLVM. KILN_TEST_INPUTS and KILN_FIXTURES name the data folders at run time;
# as definitions they would put paths into the compiler's command line.
function(add_kiln_unittest name)
  cmake_parse_arguments(ARG "OPTIMIZED" "" "PARTS;SOURCES;DEPENDS;LINK_LIBS"
                        ${ARGN})
  set(flags TESTS)
  if(ARG_OPTIMIZED)
    set(flags "")
  endif()
  kiln_check_arguments(add_kiln_unittest ${name})
  kiln_units(units ${name} ${ARG_SOURCES})
  add_executable(${name} ${units})
  set(libs ${ARG_LINK_LIBS})
  set(above ${libs})
  list(REMOVE_ITEM above ${KILN_BELOW_LINE} KilnRuntime)
  list(FILTER above INCLUDE REGEX "^(Kiln[A-Z]|MLIR$|LLVM$)")
  if(above)
    kiln_through_runtime(libs ${libs})
    kiln_above(${name} ${flags})
    target_link_libraries(${name} PRIVATE ${libs} MLIR LLVM)
  else()
    kiln_below(${name} ${flags})
    target_link_libraries(${name} PRIVATE ${libs} ${KILN_BELOW_PACKAGES})
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock
                        GTest::gtest_main)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests
    BUILD_RPATH "$ORIGIN/../lib")
  set(tests unit.${name})
  set(rest "")
  while(ARG_PARTS)
    list(POP_FRONT ARG_PARTS part filter)
    list(APPEND tests unit.${name}.${part})
    add_test(NAME unit.${name}.${part} COMMAND ${name} --gtest_filter=${filter})
    list(APPEND rest ${filter})
  endwhile()
  list(JOIN rest ":" rest)
  list(TRANSFORM rest PREPEND "--gtest_filter=-")
  add_test(NAME unit.${name} COMMAND ${name} ${rest})
  set_tests_properties(${tests} PROPERTIES
    ENVIRONMENT "${KILN_TEST_ENVIRONMENT}")
endfunction()
