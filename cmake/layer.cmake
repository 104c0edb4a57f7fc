# Adds a layer: one folder of src/ and one static library. It sees include/, src/ and its LINKS.
function(rwa_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;LINKS" ${ARGN})
  add_library(rwa_${name} STATIC ${LAYER_SOURCES})
  target_include_directories(rwa_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(rwa_${name} PUBLIC ${LAYER_LINKS})
  if(NOT name STREQUAL base)
    rwa_precompiled(rwa_${name})
  endif()
endfunction()

# The headers that most files include are parsed once, with rwa_base, the lowest layer. Every file still includes what
# it uses: the tidy preset compiles without this.
function(rwa_precompiled target)
  target_precompile_headers(${target} REUSE_FROM rwa_base)
endfunction()
function(rwa_precompile_base)
  target_precompile_headers(rwa_base PRIVATE
    <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <optional> <span> <sstream>
    <string> <string_view> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
endfunction()
