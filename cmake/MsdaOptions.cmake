# msda::options carries what every target of ours is compiled with.
add_library(msda_options INTERFACE)
add_library(msda::options ALIAS msda_options)
target_compile_features(msda_options INTERFACE cxx_std_20)
target_compile_options(msda_options INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${MSDA_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives inside std::string and std::variant at -O2 (GCC bugs 105329, 105562).
  target_compile_options(msda_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  # From GCC 13 on a reference that a function returns is taken to be into its temporary arguments.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(msda_options INTERFACE -Wno-dangling-reference)
  endif()
  # Collecting garbage from 128 MB on takes the compiler a tenth of its time. clang-tidy, which reads the commands
  # of a Debug build, does not know the option.
  target_compile_options(msda_options INTERFACE
    "$<$<AND:$<CONFIG:Release,RelWithDebInfo>,$<COMPILE_LANGUAGE:C,CXX>>:SHELL:--param ggc-min-heapsize=400000>")
endif()
# Programs and plugins are moved to other machines: no path of this one in messages and assertions.
target_compile_options(msda_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(MSDA_SANITIZE)
  target_compile_options(msda_options INTERFACE -fsanitize=${MSDA_SANITIZE} -fno-omit-frame-pointer)
  # By itself this one says what it finds and goes on to succeed.
  if(MSDA_SANITIZE MATCHES "undefined")
    target_compile_options(msda_options INTERFACE -fno-sanitize-recover=undefined)
  endif()
  # Debian's and Ubuntu's GCC links as needed by default, and not with a sanitizer: programs would then need
  # the driver, which CUDA::nvrtc names, on machines without a GPU.
  target_link_options(msda_options INTERFACE -fsanitize=${MSDA_SANITIZE} LINKER:--as-needed)
endif()

# msda_cold(<target>): code that waits for files, compilers and people is optimized little, which takes a third
# less time to compile. What numbers go through keeps the preset's level.
function(msda_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()

# msda_precompile(<name> [COLD] LIBRARIES <target>... HEADERS <header>...) makes a set of precompiled headers,
# which lie in the standard folders or those of the libraries, and msda_use_precompiled(<target> <name>)
# compiles with it. With MSDA_PRECOMPILE off neither does anything.
option(MSDA_PRECOMPILE "Precompile the headers that most files include" ON)
function(msda_precompile name)
  if(NOT MSDA_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(ARG "COLD" "" "LIBRARIES;HEADERS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  if(ARG_COLD)
    msda_cold(${name})
  endif()
endfunction()

function(msda_use_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# ccache keeps what was compiled with precompiled headers only when it is told that macros which these do not
# read may differ.
if(MSDA_PRECOMPILE AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$")
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# msda_unity(<target> [BATCH <n>] [APART <file>...]) compiles the target's sources several at a time, which more
# than halves a clean build: 32, or fewer where helpers of many files have one name. Files that do not go together
# with others stay APART. Presets for development switch it off, so that a change compiles one file.
option(MSDA_UNITY "Compile several sources of a library at a time" ON)
function(msda_unity target)
  cmake_parse_arguments(ARG "" "BATCH" "APART" ${ARGN})
  if(NOT ARG_BATCH)
    set(ARG_BATCH 32)
    if(MSDA_SANITIZE)  # such code costs the compiler more than in proportion: 400 s and 3.6 GB for 32
      set(ARG_BATCH 16)
    endif()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MSDA_UNITY} UNITY_BUILD_BATCH_SIZE ${ARG_BATCH})
  set_source_files_properties(${ARG_APART} TARGET_DIRECTORY ${target}
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
