# The install tree, the CMake package for plugins outside this tree, and the relocatable archive.
#
#   bin/msda                    the program
#   lib/msda/variants/*.so      plugins, installed by msda_add_variant()
#   lib/cmake/msda              find_package(msda): msda::plugin and msda_add_variant()
#   include/msda                public headers: all that a plugin may include
#   share/msda/device           CUDA device headers, for reading and for editors
#   share/msda/experiments      experiments with their inputs, installed by experiments/
#   share/doc/msda              README, docs, licence
include(CMakePackageConfigHelpers)

set(MSDA_CMAKE_DIR lib/cmake/msda)
set(MSDA_DOC_DIR share/doc/msda)
# What is installed is the target `program`; tests need not be built for it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# cudart and NVRTC belong to the toolkit of the machine that the program runs on. They are looked for in
# LD_LIBRARY_PATH, beside our own libraries, where the toolkit lies by default, and in the system.
set_target_properties(msda PROPERTIES INSTALL_RPATH
  "$ORIGIN/../lib/msda;/usr/local/cuda/lib64;/usr/local/cuda/targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib")
install(TARGETS msda RUNTIME DESTINATION bin)

install(DIRECTORY core/include/msda DESTINATION include
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(DIRECTORY core/device/msda DESTINATION share/msda/device FILES_MATCHING PATTERN "*.cuh")
install(FILES README.md LICENSE NOTICE CHANGELOG.md CONTRIBUTING.md DESTINATION ${MSDA_DOC_DIR})
install(DIRECTORY docs DESTINATION ${MSDA_DOC_DIR} FILES_MATCHING REGEX "\\.(md|zst|svg|sbatch)$"
  REGEX "/docs/tests$" EXCLUDE)
install(FILES experiments/cli/completion.bash DESTINATION share/bash-completion/completions RENAME msda)
install(DIRECTORY docs/external docs/cuda-plugin docs/exercises DESTINATION ${MSDA_DOC_DIR}/docs)
install(CODE "execute_process(COMMAND \"$<TARGET_FILE:msda>\" schema --records
  OUTPUT_FILE \"${PROJECT_BINARY_DIR}/record.schema.json\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${PROJECT_BINARY_DIR}/record.schema.json DESTINATION share/msda)
# The manual page is the program's help.
find_program(MSDA_HELP2MAN help2man)
if(MSDA_HELP2MAN)
  install(CODE "execute_process(COMMAND ${MSDA_HELP2MAN} --no-info --name=\"${PROJECT_DESCRIPTION}\"
    --version-string=${PROJECT_VERSION} --output=${PROJECT_BINARY_DIR}/msda.1 $<TARGET_FILE:msda>
    COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${PROJECT_BINARY_DIR}/msda.1 DESTINATION share/man/man1)
endif()

# What plugins outside this tree get of our own compile options is the language alone.
target_compile_features(msda_plugin INTERFACE cxx_std_20)
set_target_properties(msda_plugin PROPERTIES EXPORT_NAME plugin)
install(TARGETS msda_plugin EXPORT msdaTargets)
install(EXPORT msdaTargets NAMESPACE msda:: DESTINATION ${MSDA_CMAKE_DIR})
configure_package_config_file(cmake/msdaConfig.cmake.in ${PROJECT_BINARY_DIR}/msdaConfig.cmake
  INSTALL_DESTINATION ${MSDA_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/msdaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/msdaConfig.cmake
  ${PROJECT_BINARY_DIR}/msdaConfigVersion.cmake
  cmake/MsdaAddVariant.cmake
  cmake/MsdaEmbed.cmake
  cmake/embed.cmake
  DESTINATION ${MSDA_CMAKE_DIR})

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME msda)
set(CPACK_PACKAGE_VENDOR "The MSDA Lab authors")
set(CPACK_PACKAGE_CONTACT "The MSDA Lab authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" platform)
set(CPACK_PACKAGE_FILE_NAME msda-${PROJECT_VERSION}-${platform})
set(CPACK_STRIP_FILES ON)
# The archive's needs, in Debian's words; the CUDA toolkit comes from where its user has it.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6, libgcc-s1")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")  # the device simt compiles kernels with it
set(CPACK_DEBIAN_PACKAGE_SECTION science)
include(CPack)

# A sanitizer's run-time library is shared, so what this test asks for cannot hold there.
if(MSDA_BUILD_TESTS AND NOT MSDA_SANITIZE)
  add_test(NAME package
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/tests/package_test.sh
            ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND})
  set_tests_properties(package PROPERTIES LABELS slow TIMEOUT 300)
endif()
