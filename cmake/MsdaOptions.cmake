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
  target_link_options(msda_options INTERFACE -fsanitize=${MSDA_SANITIZE})
endif()
