# `make install`: the program, the libraries, the headers, and the files for CMake and pkg-config.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rwa)

install(TARGETS rwa EXPORT rwa-targets)
if(TARGET rwa_program)
  install(TARGETS rwa_program)
  install(TARGETS rwa_c EXPORT rwa-targets)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rwa DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(peer rwa_bench_onednn rwa_bench_cudnn rwa_bench_floors)
  if(TARGET ${peer})
    install(TARGETS ${peer} DESTINATION libexec/rwa)
  endif()
endforeach()
install(EXPORT rwa-targets NAMESPACE rwa:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rwa-config.cmake.in
                              ${PROJECT_BINARY_DIR}/rwa-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rwa-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rwa-config.cmake ${PROJECT_BINARY_DIR}/rwa-config-version.cmake
        DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(library rwa rwa_c)
  if(TARGET ${library})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/rwa.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endforeach()
