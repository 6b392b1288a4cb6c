# SPDX-License-Identifier: Apache-2.0
# The target for C++ programs: ringfort::ringfort, one archive of every room with all kernels and the operating system's
# entropy. Its installation (component `ringfort`) has headers, archive, package for find_package and file for
# pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# An archive does not contain the libraries that it links, so every room is listed, followed by its object libraries.
set(rooms base math entropy backend backend_verbs backend_options backend_deferred backend_dry backend_ref backend_cpu
  backend_pim backend_rpu backend_device backend_device_emu backend_cuda backend_opencl runtime ring rlwe scheme_rgsw
  scheme_ckks scheme_bfv scheme_bgv circuit io matmul search statistics rpu_sim rpu_codegen pim_sim pim_native pim_host)
add_library(ringfort STATIC)
foreach(room ${rooms})
  get_target_property(objects ringfort_${room} SOURCES)
  list(FILTER objects INCLUDE REGEX TARGET_OBJECTS)
  target_sources(ringfort PRIVATE $<TARGET_OBJECTS:ringfort_${room}> ${objects})
endforeach()
add_library(ringfort::ringfort ALIAS ringfort)
set_target_properties(ringfort PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(ringfort PUBLIC cxx_std_20)
target_include_directories(ringfort INTERFACE $<BUILD_INTERFACE:${ringfort_SOURCE_DIR}/include>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(ringfort PRIVATE Sodium::Sodium ${CMAKE_DL_LIBS})
set(ringfort_openmp "")         # for the pkg-config file
if(OpenMP_CXX_FOUND)
  target_link_libraries(ringfort PRIVATE OpenMP::OpenMP_CXX)
  set(ringfort_openmp ${OpenMP_CXX_FLAGS})
endif()
ringfort_flags(ringfort)

if(NOT PROJECT_IS_TOP_LEVEL)   # another project decides what it installs
  return()
endif()
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/ringfort)
install(TARGETS ringfort EXPORT ringfort-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ringfort)
install(DIRECTORY ${ringfort_SOURCE_DIR}/include/ringfort DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ringfort
        FILES_MATCHING PATTERN "*.h")
install(EXPORT ringfort-targets NAMESPACE ringfort:: DESTINATION ${folder} COMPONENT ringfort)
configure_package_config_file(cmake/ringfort-config.cmake.in ${PROJECT_BINARY_DIR}/ringfort-config.cmake
  INSTALL_DESTINATION ${folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ringfort-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ringfort-config.cmake ${PROJECT_BINARY_DIR}/ringfort-config-version.cmake
        cmake/FindSodium.cmake DESTINATION ${folder} COMPONENT ringfort)
# Paths are relative to the file: the prefix is known only at installation, and may move later.
file(RELATIVE_PATH ringfort_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/ringfort.pc.in ${PROJECT_BINARY_DIR}/ringfort.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ringfort.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ringfort)
