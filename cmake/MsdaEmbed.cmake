# msda_embed_sources(<target> NAMESPACE <ns> ROOT <dir> [PREFIX <prefix>] [FILES <path>...])
#
# Compiles text files into <target> as `const msda::EmbeddedSource <ns>::kSources[]`, byte for byte,
# each under its path relative to ROOT with PREFIX before it; an entry of null pointers ends the list.
# Whoever uses the list declares it: `namespace <ns> { extern const msda::EmbeddedSource kSources[]; }`.
# May be called from another directory than the one that made <target>, once for each namespace.
set(MSDA_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

function(msda_embed_sources target)
  cmake_parse_arguments(ARG "" "NAMESPACE;ROOT;PREFIX" "FILES" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_NAMESPACE OR NOT ARG_ROOT)
    message(FATAL_ERROR "msda_embed_sources(${target}): NAMESPACE or ROOT missing, or unknown words: "
                        "${ARG_UNPARSED_ARGUMENTS}")
  endif()
  string(MAKE_C_IDENTIFIER "${target}_${ARG_NAMESPACE}_sources" stem)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp)
  # The script lists the files as what the output depends on: one that is missing then fails this target
  # alone, not the configuration of all others.
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${ARG_NAMESPACE} -DROOT=${ARG_ROOT}
            -DPREFIX=${ARG_PREFIX} "-DFILES=${ARG_FILES}" -DTARGET=${target} -P ${MSDA_EMBED_SCRIPT}
    DEPENDS ${MSDA_EMBED_SCRIPT}
    DEPFILE ${output}.d
    COMMENT "Embedding source text into ${target}"
    VERBATIM)
  # A library of its own, because a custom command's output belongs to the directory of its target.
  add_library(${stem} OBJECT ${output})
  target_link_libraries(${stem} PRIVATE msda::plugin)
  target_compile_features(${stem} PRIVATE cxx_std_20)
  set_target_properties(${stem} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${stem}>)
endfunction()
