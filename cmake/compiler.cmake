# How every target is compiled.
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

# Fusing a product into a sum is left to the source: the compiler would fuse one copy of a kernel and not
# another, and a row alone would differ from the same row in a batch.
function(rwa_options)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${ARGN}>")  # nvcc has other words for these
endfunction()
rwa_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
if(RWA_WERROR)
  rwa_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  rwa_options(-Wno-restrict)  # GCC 12 sees overlaps in std::string's own operator+ (its bug 105651)
endif()

if(RWA_SANITIZE)
  rwa_options(-fsanitize=${RWA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RWA_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # As ccache's manual says for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
