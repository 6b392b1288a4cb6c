# SPDX-License-Identifier: Apache-2.0
# The target for C++ programs is ringfort::ringfort. It is one library of all rooms, with all kernels and the operating
# system's entropy. It is an archive or, with RINGFORT_SHARED, a shared library. Its installation (component `ringfort`)
# has the headers, the library, a package for find_package, and a file for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
option(RINGFORT_SHARED "ringfort::ringfort is a shared library" OFF)

# An archive does not contain the libraries that it links. Therefore ringfort_library() adds the objects of every room
# in this list, and of the room's object libraries.
set(RINGFORT_ROOMS base math entropy backend backend_verbs backend_options backend_deferred backend_dry backend_ref
  backend_cpu backend_pim backend_rpu backend_device backend_device_emu backend_cuda backend_opencl runtime ring rlwe
  scheme_rgsw scheme_ckks scheme_bfv scheme_bgv circuit io compat_hexl compat_seal matmul search statistics rpu_sim
  rpu_codegen pim_sim pim_native pim_host)

# ringfort_library(TARGET STATIC|SHARED [install() option...]) adds the library and installs it as component TARGET.
function(ringfort_library target type)
  add_library(${target} ${type})
  foreach(room ${RINGFORT_ROOMS})
    get_target_property(objects ringfort_${room} SOURCES)
    list(FILTER objects INCLUDE REGEX TARGET_OBJECTS)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:ringfort_${room}> ${objects})
  endforeach()
  # Programs of one minor version may use the shared library of another patch version.
  set_target_properties(${target} PROPERTIES
                        LINKER_LANGUAGE CXX OUTPUT_NAME ringfort EXPORT_NAME ringfort UNITY_BUILD OFF
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${ringfort_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE Sodium::Sodium ${CMAKE_DL_LIBS})
  # Programs need the runtime of this compiler's OpenMP, but not its options. Another compiler, whose options name
  # another runtime, can then compile them.
  if(OpenMP_CXX_FOUND)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_CXX>)
    foreach(library ${OpenMP_CXX_LIB_NAMES})
      target_link_libraries(${target} PRIVATE $<INSTALL_INTERFACE:${library}>)
    endforeach()
  endif()
  foreach(library ZLIB Zstd)
    if(TARGET ${library}::${library})
      target_link_libraries(${target} PRIVATE ${library}::${library})
    endif()
  endforeach()
  ringfort_flags(${target})
  if(type STREQUAL SHARED)   # exports what the public headers declare; its own calls do not go through a table
    set(map ${ringfort_SOURCE_DIR}/cmake/ringfort.map)
    target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,-Bsymbolic-functions -Wl,-z,defs)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
  endif()
  if(PROJECT_IS_TOP_LEVEL)   # another project decides what it installs
    ringfort_install(${target} ${type} ${ARGN})
  endif()
endfunction()

function(ringfort_install target type)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/ringfort)
  set(made ${PROJECT_BINARY_DIR}/${target}-package)
  set(of COMPONENT ${target} ${ARGN})
  install(TARGETS ${target} EXPORT ${target}-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${of}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ${of})
  install(DIRECTORY ${ringfort_SOURCE_DIR}/include/ringfort DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${of}
          FILES_MATCHING PATTERN "*.h")
  install(EXPORT ${target}-targets FILE ringfort-targets.cmake NAMESPACE ringfort:: DESTINATION ${folder} ${of})
  # A shared library names the libraries that it needs. Therefore its users link nothing else.
  set(ringfort_requires "Requires: libsodium")
  set(ringfort_libs "-ldl")
  set(ringfort_dependencies "find_dependency(Sodium)")
  if(OpenMP_CXX_FOUND)
    list(TRANSFORM OpenMP_CXX_LIB_NAMES PREPEND " -l" OUTPUT_VARIABLE openmp)
    string(APPEND ringfort_libs ${openmp})
  endif()
  if(TARGET ZLIB::ZLIB)
    string(APPEND ringfort_requires ", zlib")
    string(APPEND ringfort_dependencies "\nfind_dependency(ZLIB)")
  endif()
  if(TARGET Zstd::Zstd)
    string(APPEND ringfort_requires ", libzstd")
    string(APPEND ringfort_dependencies "\nfind_dependency(Zstd)")
  endif()
  if(type STREQUAL SHARED)
    string(REPLACE "Requires:" "Requires.private:" ringfort_requires "${ringfort_requires}")
    set(ringfort_libs "")
    set(ringfort_dependencies "")
  endif()
  configure_package_config_file(${ringfort_SOURCE_DIR}/cmake/ringfort-config.cmake.in ${made}/ringfort-config.cmake
                                INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(${made}/ringfort-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${made}/ringfort-config.cmake ${made}/ringfort-config-version.cmake
          ${ringfort_SOURCE_DIR}/cmake/FindSodium.cmake ${ringfort_SOURCE_DIR}/cmake/FindZstd.cmake
          DESTINATION ${folder} ${of})
  # Paths are relative to the file, because the prefix is known only at installation, and may move later.
  file(RELATIVE_PATH ringfort_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${ringfort_SOURCE_DIR}/cmake/ringfort.pc.in ${made}/ringfort.pc @ONLY)
  install(FILES ${made}/ringfort.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${of})
  ringfort_install_hexl()
  ringfort_install_seal()
endfunction()

# Installs the interface of Intel HEXL (compat/hexl) with the names of HEXL: find_package(HEXL), HEXL::hexl, hexl.pc.
macro(ringfort_install_hexl)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/hexl)
  set(ringfort_hexl_version 1.2.5)   # the latest version of HEXL with this interface
  install(DIRECTORY ${ringfort_SOURCE_DIR}/compat/hexl/include/hexl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${of}
          FILES_MATCHING PATTERN "*.hpp")
  configure_package_config_file(${ringfort_SOURCE_DIR}/cmake/hexl-config.cmake.in ${made}/hexl-config.cmake
                                INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file(${made}/hexl-config-version.cmake VERSION ${ringfort_hexl_version}
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${made}/hexl-config.cmake ${made}/hexl-config-version.cmake DESTINATION ${folder} ${of})
  configure_file(${ringfort_SOURCE_DIR}/cmake/hexl.pc.in ${made}/hexl.pc @ONLY)
  install(FILES ${made}/hexl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${of})
endmacro()

# Installs the interface of SEAL (compat/seal) with the names of SEAL: find_package(SEAL), SEAL::seal, seal.pc.
macro(ringfort_install_seal)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/SEAL)
  set(ringfort_seal_version 4.1.2)   # SEAL_VERSION in compat/seal/include/seal/util/config.h
  install(DIRECTORY ${ringfort_SOURCE_DIR}/compat/seal/include/seal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${of}
          FILES_MATCHING PATTERN "*.h")
  install(FILES ${ringfort_BINARY_DIR}/compat/seal/include/seal/util/compression.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/seal/util ${of})
  foreach(library ZLIB Zstd)
    string(TOUPPER seal_${library} macro)
    set(${macro} OFF)
    if(TARGET ${library}::${library})
      set(${macro} ON)
    endif()
  endforeach()
  configure_package_config_file(${ringfort_SOURCE_DIR}/cmake/seal-config.cmake.in ${made}/SEALConfig.cmake
                                INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  configure_file(${ringfort_SOURCE_DIR}/cmake/seal-config-version.cmake.in ${made}/SEALConfigVersion.cmake @ONLY)
  install(FILES ${made}/SEALConfig.cmake ${made}/SEALConfigVersion.cmake DESTINATION ${folder} ${of})
  configure_file(${ringfort_SOURCE_DIR}/cmake/seal.pc.in ${made}/seal.pc @ONLY)
  install(FILES ${made}/seal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${of})
endmacro()

if(RINGFORT_SHARED)
  ringfort_library(ringfort SHARED)
else()
  ringfort_library(ringfort STATIC)
endif()
add_library(ringfort::ringfort ALIAS ringfort)
