# msda::options carries what every target of ours is compiled with.
add_library(msda_options INTERFACE)
add_library(msda::options ALIAS msda_options)
target_compile_features(msda_options INTERFACE cxx_std_20)
target_compile_options(msda_options INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives inside std::string and std::variant at -O2 (GCC bugs 105329, 105562).
  target_compile_options(msda_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
# Programs and plugins are moved to other machines: no path of this one in messages and assertions.
target_compile_options(msda_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(MSDA_SANITIZE)
  target_compile_options(msda_options INTERFACE -fsanitize=${MSDA_SANITIZE} -fno-omit-frame-pointer)
  # Debian's and Ubuntu's GCC links as needed by default, and not with a sanitizer: programs would then need
  # the driver, which CUDA::nvrtc names, on machines without a GPU.
  target_link_options(msda_options INTERFACE -fsanitize=${MSDA_SANITIZE} LINKER:--as-needed)
endif()

# msda_unity(<target> [APART <file>...]) compiles the target's sources several at a time, which more than
# halves a clean build; files that do not go together with others stay APART. Presets for development
# switch it off, so that a change compiles one file.
option(MSDA_UNITY "Compile several sources of a library at a time" ON)
function(msda_unity target)
  cmake_parse_arguments(ARG "" "" "APART" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MSDA_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${ARG_APART} TARGET_DIRECTORY ${target}
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
