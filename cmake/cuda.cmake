# Sets RWA_HAS_CUDA: whether the CUDA backend is built. If not, src/backend/no_cuda replaces it.
if(NOT RWA_CUDA)
  rwa_optional(CUDA "CUDA backend" OFF "")
  return()
endif()
# The default for targets that set none. CMake 3.25's own default is unknown to nvcc 13.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER)
  unset(CMAKE_CUDA_COMPILER CACHE)  # look again: it may have been installed since
endif()
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know nvcc's C++20
endif()
rwa_optional(CUDA "CUDA backend" "${CMAKE_CUDA_COMPILER}" "CUDA compiler")

# Compiles kernels for these ARCHITECTURES into an object library that becomes part of TARGET.
function(rwa_kernels target name)
  cmake_parse_arguments(KERNELS "" "" "SOURCES;ARCHITECTURES;OPTIONS" ${ARGN})
  add_library(${name} OBJECT ${KERNELS_SOURCES})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${KERNELS_ARCHITECTURES}")
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${name} PRIVATE --expt-relaxed-constexpr --expt-extended-lambda ${KERNELS_OPTIONS})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()
