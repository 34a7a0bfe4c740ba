# msda_embed_sources(<target> NAMESPACE <ns> ROOT <dir> FILES <path>...)
#
# Compiles text files into <target> as `extern const msda::EmbeddedSource <ns>::kSources[]`, each under
# its path relative to ROOT with PREFIX before it.
function(msda_embed_sources target)
  cmake_parse_arguments(ARG "" "NAMESPACE;ROOT;PREFIX" "FILES" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_sources.cpp)
  set(inputs "")
  foreach(file IN LISTS ARG_FILES)
    list(APPEND inputs ${ARG_ROOT}/${file})
  endforeach()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${ARG_NAMESPACE} -DROOT=${ARG_ROOT}
            -DPREFIX=${ARG_PREFIX} "-DFILES=${ARG_FILES}" -P ${MSDA_EMBED_SCRIPT}
    DEPENDS ${inputs} ${MSDA_EMBED_SCRIPT}
    COMMENT "Embedding device headers of ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
set(MSDA_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
