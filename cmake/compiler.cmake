# Compiler options of all targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# -ffp-contract=off leaves fused multiply-add to the source: the compiler would fuse one copy of a kernel
# and not another, and a single row would differ from the same row in a batch.
function(rwa_options)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${ARGN}>")  # nvcc names these options differently
endfunction()
rwa_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
if(RWA_WERROR)
  rwa_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  rwa_options(-Wno-restrict)  # GCC 12 sees overlaps in std::string's own code (its bug 105651)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)  # and overflows, once std::string comes from a precompiled header
    rwa_options(-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()

if(RWA_SANITIZE)
  rwa_options(-fsanitize=${RWA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RWA_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # As ccache's manual recommends for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
