# msda_add_variant(<name>
#   SOURCES <file.cpp>...        # one of them ends with MSDA_PLUGIN(Class)
#   [DEVICE <file.cuh>...]       # device headers, relative to device/; embedded as <name_>/<file>
#   [VERSION <x.y.z>]            # default 1.0.0
#   [LIBRARIES <target>...])
#
# Builds one plugin: lib/msda/variants/<name>.so with hidden visibility and one exported symbol. <name_>
# is the name with '-' replaced by '_': also the C++ namespace of the device code. Used alike by this
# tree and by plugins outside it after find_package(msda).
function(msda_add_variant name)
  cmake_parse_arguments(ARG "" "VERSION" "SOURCES;DEVICE;LIBRARIES" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "msda_add_variant(${name}): SOURCES missing or unknown words: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_VERSION)
    set(ARG_VERSION 1.0.0)
  endif()
  string(REPLACE "-" "_" identifier ${name})
  list(LENGTH ARG_DEVICE count)
  set(target variant-${name})
  add_library(${target} MODULE ${ARG_SOURCES})
  msda_embed_sources(${target} NAMESPACE msda::embedded ROOT ${CMAKE_CURRENT_SOURCE_DIR}/device
                     PREFIX ${identifier}/ FILES ${ARG_DEVICE})
  target_compile_definitions(${target} PRIVATE MSDA_VARIANT_NAME="${name}"
    MSDA_VARIANT_VERSION="${ARG_VERSION}" MSDA_SOURCE_COUNT=${count})
  target_link_libraries(${target} PRIVATE msda::plugin ${ARG_LIBRARIES})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/msda/variants)
  install(TARGETS ${target} LIBRARY DESTINATION lib/msda/variants)
endfunction()
