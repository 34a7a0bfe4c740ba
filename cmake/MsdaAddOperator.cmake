# msda_add_operator(<target> <folder> [EMBED_IN <target>])
#
# Compiles the operator in <folder> of the current directory into <target>: its *.cpp, and the device
# headers <folder>/device/*.cuh as text, which compositions of its skeletons include as
# <folder_/NAME.cuh>. Its Operator::sources() returns msda::embedded::<folder_>::kSources. <folder_> is the
# name with '-' replaced by '_'. EMBED_IN: the target that is linked, where <target> is made of objects alone.
# The program's own operators (core/src/operators) and those of tests come in by the same way.
function(msda_add_operator target folder)
  cmake_parse_arguments(ARG "" "EMBED_IN" "" ${ARGN})
  string(MAKE_C_IDENTIFIER ${folder} identifier)
  set(root ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${root}/*.cpp)
  target_sources(${target} PRIVATE ${sources})
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${root}/device ${root}/device/*.cuh)
  if(headers)
    set(embed_in ${target})
    if(ARG_EMBED_IN)
      set(embed_in ${ARG_EMBED_IN})
    endif()
    msda_embed_sources(${embed_in} NAMESPACE msda::embedded::${identifier} ROOT ${root}/device
                       PREFIX ${identifier}/ FILES ${headers})
  endif()
endfunction()
