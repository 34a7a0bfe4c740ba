# msda_add_variant(<name>
#   SOURCES <file.cpp>...        # one of them ends with MSDA_PLUGIN(Class); .cu for nvcc, in a project with CUDA
#   [DEVICE <file.cuh>...]       # device headers, relative to device/; embedded as <name_>/<file>
#   [VERSION <x.y.z>]            # default 1.0.0
#   [LIBRARIES <target>...])     # link static ones: a plugin is one file
#
# Builds one plugin: <name>.so with hidden visibility and one exported symbol, as the target
# variant-<name>. <name_> is the name with '-' replaced by '_': also the C++ namespace of the device code.
# Used alike by this tree and by plugins outside it after find_package(msda). The file is written to and
# installed to lib/msda/variants, of the build tree and of the install tree.
include(${CMAKE_CURRENT_LIST_DIR}/MsdaEmbed.cmake)

function(msda_add_variant name)
  cmake_parse_arguments(ARG "" "VERSION" "SOURCES;DEVICE;LIBRARIES" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "msda_add_variant(${name}): SOURCES missing or unknown words: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT name MATCHES "^[a-z0-9-]+$")
    message(FATAL_ERROR "msda_add_variant(${name}): use lower-case letters, digits and '-' in the name")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(ARG_SOURCES MATCHES "[.]cu(;|$)" AND NOT CUDA IN_LIST languages)
    message(FATAL_ERROR "msda_add_variant(${name}): a .cu file is for a project of its own with the language CUDA: "
                        "project(${name} LANGUAGES CXX CUDA), see docs/cuda-plugin")
  endif()
  if(NOT ARG_VERSION)
    set(ARG_VERSION 1.0.0)
  endif()
  set(build_tree ${CMAKE_BINARY_DIR})
  if(DEFINED msda_BINARY_DIR)  # set by project(msda): this tree, perhaps inside another one
    set(build_tree ${msda_BINARY_DIR})
  endif()
  string(REPLACE "-" "_" identifier ${name})
  list(LENGTH ARG_DEVICE count)
  set(target variant-${name})
  add_library(${target} MODULE ${ARG_SOURCES})
  msda_embed_sources(${target} NAMESPACE msda::embedded ROOT ${CMAKE_CURRENT_SOURCE_DIR}/device
                     PREFIX ${identifier}/ FILES ${ARG_DEVICE})
  target_compile_definitions(${target} PRIVATE MSDA_VARIANT_NAME="${name}"
    MSDA_VARIANT_VERSION="${ARG_VERSION}" MSDA_SOURCE_COUNT=${count}
    MSDA_BUILD_TYPE="$<CONFIG>")
  target_compile_features(${target} PRIVATE cxx_std_20)
  # CMake 3.25 knows C++20 and nvcc, and not both together.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  target_link_libraries(${target} PRIVATE msda::plugin ${ARG_LIBRARIES})
  # A project around this one has its own options. Where the work is a device's, the host's code waits for it.
  if(PROJECT_NAME STREQUAL "msda" AND COMMAND msda_cold AND ARG_DEVICE)
    msda_cold(${target})
    msda_use_precompiled(${target} msda_plugin_headers)
  endif()
  # What the standard library marks as visible stays inside as well: two plugins share nothing by chance.
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${target}.exports)
  file(CONFIGURE OUTPUT ${exports} CONTENT "{ global: msda_plugin_manifest; local: *; };\n")
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
  if(NOT MSDA_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:-z,defs)  # a missing symbol is an error when linking
  endif()
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} SUFFIX .so
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    # One CUDA runtime for the program and its plugins.
    CUDA_VISIBILITY_PRESET hidden CUDA_RUNTIME_LIBRARY Shared
    LIBRARY_OUTPUT_DIRECTORY ${build_tree}/lib/msda/variants)
  install(TARGETS ${target} LIBRARY DESTINATION lib/msda/variants)
endfunction()

# msda_test_variant(<name> DEVICE <id> [OPERATOR <operator>])   # default forward
#
# Adds the test verify-<name>, which runs the plugin on the device (cpu, cuda:0, simt, simt:SEED:races) and
# compares it with the float64 reference of the operator that it computes. A variant that the device or the
# problem leaves out makes a skipped test, no passed one. For projects outside this tree, whose own tests find every
# plugin.
function(msda_test_variant name)
  cmake_parse_arguments(ARG "" "DEVICE;OPERATOR" "" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_DEVICE)
    message(FATAL_ERROR "msda_test_variant(${name}): DEVICE missing or unknown words: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_OPERATOR)
    set(ARG_OPERATOR forward)
  endif()
  add_test(NAME verify-${name}
    COMMAND ${msda_EXECUTABLE} verify ${name} --device ${ARG_DEVICE} --operator ${ARG_OPERATOR}
            --plugin-dir $<TARGET_FILE_DIR:variant-${name}>)
  set_tests_properties(verify-${name} PROPERTIES SKIP_REGULAR_EXPRESSION "(^|\n)skipped  *${name} ")
endfunction()
