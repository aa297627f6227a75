# `cpack`, in the build folder: three Debian packages of the three components.
# What the shared objects need of other packages is found by dpkg-shlibdeps.
set(KILN_PACKAGE_OF_runtime kiln-runtime)
set(KILN_PACKAGE_OF_compiler kiln-tools)
set(KILN_PACKAGE_OF_dev libkiln-dev)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime compiler dev)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_VENDOR Kiln)
set(CPACK_PACKAGE_CONTACT "The Kiln maintainers")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_PROJECT_CONFIG_FILE
    ${CMAKE_SOURCE_DIR}/lib/cmake/kiln/CheckPackageTools.cmake)
foreach(component RUNTIME COMPILER DEV)
  string(TOLOWER ${component} lower)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${KILN_PACKAGE_OF_${lower}})
  set(CPACK_DEBIAN_${component}_FILE_NAME DEB-DEFAULT)
endforeach()

# Of the same build: libraries have no version of their own.
set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "kiln-runtime ${same}")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "kiln-runtime ${same}, kiln-tools ${same}, libmlir-22-dev, llvm-22-dev, mlir-22-tools")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "PyTorch programs without Python, runtime
 Runs programs that Kiln has compiled: libKilnRuntime and kiln-run. It needs no
 LLVM; with kiln-tools installed it compiles what it has not seen.")
set(CPACK_COMPONENT_COMPILER_DESCRIPTION
    "PyTorch programs without Python, compiler
 libKilnCompiler and the tools around it: kiln-compile, kiln-opt, kiln-translate,
 kiln-check and a plugin for mlir-opt.")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "PyTorch programs without Python, for developers
 Headers, TableGen records, static libraries of the dialects and passes, a CMake
 package and examples.")
include(CPack)
