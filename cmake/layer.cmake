# A layer is one folder of src/ and one static library. It sees include/, src/, and what its LINKS bring.
function(rwa_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;LINKS" ${ARGN})
  add_library(rwa_${name} STATIC ${LAYER_SOURCES})
  target_include_directories(rwa_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(rwa_${name} PUBLIC ${LAYER_LINKS})
endfunction()
