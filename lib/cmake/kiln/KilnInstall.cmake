# What is installed, and how others find it.
#
#   component   package        has
#   runtime     kiln-runtime   libKilnRuntime.so, the same behind a C interface, and
#                              the tools that need no LLVM
#   compiler    kiln-tools     libKilnCompiler.so, the same behind a C interface,
#                              KilnPlugin.so, the other tools
#   dev         libkiln-dev    headers and records, generated ones too, the static
#                              libraries, kiln-tblgen, examples, the CMake package
#
#   kiln_install_library(<target> <Runtime|Compiler|MLIR>)
#   kiln_install_tool(<target> <Runtime|Compiler|MLIR>)
#     The last argument is the component of find_package(Kiln) that exports it:
#     Kiln::Runtime, Kiln::Compiler, Kiln::MLIR<Name> of Kiln<Name>, Kiln::C<Name> of
#     kiln-c-<name>, and tools by their names, such as Kiln::kiln-run. A tool gets a man page of its --help,
#     save kiln-tblgen, whose help is MLIR's and does not say what it is.
#   kiln_install_plugin(<target>)
#   kiln_install_package()
#     Called last: headers, the CMake package, CPack. Examples install themselves.
#
# The installed tree may be moved: tools and libraries find each other by $ORIGIN,
# and the CMake package by where it lies. LLVM stays where Debian has it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KILN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Kiln)
set(KILN_EXAMPLES_DIR ${CMAKE_INSTALL_DATADIR}/kiln/examples)
set(KILN_COMPONENT_OF_Runtime runtime)
set(KILN_COMPONENT_OF_Compiler compiler)
set(KILN_COMPONENT_OF_MLIR dev)
add_custom_target(man ALL)

# The way from one folder below the prefix to another.
function(kiln_origin out from)
  file(RELATIVE_PATH way /prefix/${from} /prefix/${CMAKE_INSTALL_LIBDIR})
  string(REGEX REPLACE "/$" "" rpath "$ORIGIN/${way}")
  set(${out} "${rpath}" PARENT_SCOPE)
endfunction()

# Where an installed target looks for what it loads.
function(kiln_install_rpath target folder exported)
  kiln_origin(rpath ${folder})
  if(NOT exported STREQUAL Runtime)
    list(APPEND rpath $<TARGET_FILE_DIR:MLIR>)
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${rpath}")
endfunction()

function(kiln_install_library target exported)
  set(component ${KILN_COMPONENT_OF_${exported}})
  if(target MATCHES "^kiln-c-(.)(.*)$")
    string(TOUPPER ${CMAKE_MATCH_1} first)
    set(name C${first}${CMAKE_MATCH_2})
  else()
    string(REGEX REPLACE "^Kiln" "" name ${target})
    target_compile_features(${target} INTERFACE cxx_std_17)
  endif()
  if(exported STREQUAL MLIR)
    set(name MLIR${name})
    target_link_libraries(${target} PUBLIC $<INSTALL_INTERFACE:Kiln::LLVM>)
  else()
    kiln_install_rpath(${target} ${CMAKE_INSTALL_LIBDIR} ${exported})
  endif()
  if(exported STREQUAL Compiler)
    target_link_libraries(${target} INTERFACE
      $<INSTALL_INTERFACE:KilnRuntime> $<INSTALL_INTERFACE:Kiln::LLVM>)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT Kiln${exported}Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
            NAMELINK_COMPONENT dev
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

function(kiln_install_tool target exported)
  set(component ${KILN_COMPONENT_OF_${exported}})
  kiln_install_rpath(${target} ${CMAKE_INSTALL_BINDIR} ${exported})
  install(TARGETS ${target} EXPORT Kiln${exported}Targets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  if(exported STREQUAL MLIR)
    return()
  endif()
  set(page ${CMAKE_BINARY_DIR}/man/${target}.1)
  set(script ${CMAKE_SOURCE_DIR}/lib/cmake/kiln/WriteManPage.cmake)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:${target}> -DOUT=${page}
            -DVERSION=${PROJECT_VERSION} -P ${script}
    DEPENDS ${target} ${script} COMMENT "Writing man/${target}.1" VERBATIM)
  add_custom_target(man-${target} DEPENDS ${page})
  add_dependencies(man man-${target})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          COMPONENT ${component})
endfunction()

# A program that libraries start and nobody else: beside them, without a page.
function(kiln_install_program target)
  kiln_install_rpath(${target} ${CMAKE_INSTALL_LIBDIR} Runtime)
  install(TARGETS ${target}
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
endfunction()

function(kiln_install_plugin target)
  kiln_install_rpath(${target} ${CMAKE_INSTALL_LIBDIR} Compiler)
  install(TARGETS ${target}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)
endfunction()

function(kiln_install_package)
  # Sources, and what was generated of them.
  foreach(tree ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
    install(DIRECTORY ${tree}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
      COMPONENT dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.td"
      PATTERN "*.def" PATTERN "*.h.inc")
  endforeach()

  foreach(exported Runtime Compiler MLIR)
    install(EXPORT Kiln${exported}Targets NAMESPACE Kiln::
      DESTINATION ${KILN_CMAKE_DIR} COMPONENT dev)
  endforeach()
  configure_package_config_file(
    ${CMAKE_SOURCE_DIR}/lib/cmake/kiln/KilnConfig.cmake.in
    ${CMAKE_BINARY_DIR}/KilnConfig.cmake INSTALL_DESTINATION ${KILN_CMAKE_DIR}
    PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/KilnConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/KilnConfig.cmake
                ${CMAKE_BINARY_DIR}/KilnConfigVersion.cmake
    DESTINATION ${KILN_CMAKE_DIR} COMPONENT dev)

  # Debian wants the licence of each package in its own folder.
  include(KilnPackaging)
  foreach(component runtime compiler dev)
    install(FILES ${CMAKE_SOURCE_DIR}/LICENSE RENAME copyright COMPONENT ${component}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${KILN_PACKAGE_OF_${component}})
  endforeach()
endfunction()
