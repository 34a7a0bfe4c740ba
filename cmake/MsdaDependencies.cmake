# Everything we use from outside. Linked statically or header-only, so that a package runs on a machine
# that has only the CUDA toolkit; cudart and NVRTC are the shared libraries of that toolkit.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.74 REQUIRED COMPONENTS context filesystem program_options)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)

# yaml-cpp's CMake target is the shared library; Debian's static one lies beside it. Where there is none, as in
# many other distributions, packages need the shared one on the machine that they run on. The target was called
# yaml-cpp up to yaml-cpp 0.7.
find_package(yaml-cpp 0.7 REQUIRED)
find_library(MSDA_YAML_CPP_STATIC NAMES libyaml-cpp.a)
add_library(msda_yaml INTERFACE)
if(MSDA_YAML_CPP_STATIC)
  target_link_libraries(msda_yaml INTERFACE ${MSDA_YAML_CPP_STATIC})
elseif(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(msda_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(msda_yaml INTERFACE yaml-cpp)
endif()

# xxHash: the header alone (XXH_INLINE_ALL).
find_path(MSDA_XXHASH_INCLUDE NAMES xxhash.h REQUIRED)

# Zstandard, for archives of runs: the static library where there is one.
find_path(MSDA_ZSTD_INCLUDE NAMES zstd.h REQUIRED)
find_library(MSDA_ZSTD NAMES libzstd.a zstd REQUIRED)
add_library(msda_zstd INTERFACE)
target_include_directories(msda_zstd SYSTEM INTERFACE ${MSDA_ZSTD_INCLUDE})
target_link_libraries(msda_zstd INTERFACE ${MSDA_ZSTD})

# Mustache templates: a header alone, without a CMake package.
find_path(MSDA_MUSTACHE_INCLUDE NAMES kainjow/mustache.hpp REQUIRED)
add_library(msda_mustache INTERFACE)
target_include_directories(msda_mustache SYSTEM INTERFACE ${MSDA_MUSTACHE_INCLUDE})

if(MSDA_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()

set(MSDA_CUDA_MISSING "")
if(NOT MSDA_WITH_CUDA)
  set(MSDA_CUDA_MISSING "built with MSDA_WITH_CUDA=OFF")
else()
  # CMake knows CUDA_PATH by itself; CUDA_HOME is as common.
  if(NOT CUDAToolkit_ROOT AND NOT DEFINED ENV{CUDA_PATH} AND DEFINED ENV{CUDA_HOME})
    set(CUDAToolkit_ROOT $ENV{CUDA_HOME})
  endif()
  find_package(CUDAToolkit 12.0 QUIET)
  if(NOT CUDAToolkit_FOUND)
    set(MSDA_CUDA_MISSING "the CUDA toolkit (12.0 or newer) was not found at build time")
  elseif(NOT TARGET CUDA::cudart OR NOT TARGET CUDA::nvrtc)
    set(MSDA_CUDA_MISSING "the CUDA toolkit at build time lacked libcudart or libnvrtc")
  endif()
endif()
if(MSDA_CUDA_MISSING)
  message(STATUS "CUDA device: no (${MSDA_CUDA_MISSING})")
else()
  message(STATUS "CUDA device: yes (toolkit ${CUDAToolkit_VERSION})")
endif()
