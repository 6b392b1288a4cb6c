# SPDX-License-Identifier: Apache-2.0
# ringfort_room(NAME [DEPENDS room...] [LINKS lib...]) makes a static library of all *.cpp in the caller's folder. The
# library sees only the public headers, src/ and the listed rooms. ringfort_test(NAME SOURCES file... LINKS room...)
# makes one GoogleTest program, which ctest runs as one test. Its sources are not optimised, because compiling them
# takes most of a build: -O0 takes 0.7 of the time of -O1. OPTIMISED (-O1) is for programs whose own code computes for
# long.
function(ringfort_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-psabi -ffp-contract=off)
  # Clang may replace conditional moves by branches to save time, but the conditions here are secrets.
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT RINGFORT_SANITIZE)
    target_compile_options(${target} PRIVATE "SHELL:-mllvm -x86-cmov-converter=false"
      "SHELL:-mllvm -disable-cgp-select2branch")
  endif()
  if(RINGFORT_SANITIZE)
    # Tests mark secrets as uninitialised memory. MemorySanitizer follows them through the code as shipped; the other
    # sanitizers look for faults in the source, and CMAKE_CXX_FLAGS has their level of optimisation.
    set(level "")
    if(RINGFORT_SANITIZE STREQUAL "memory")
      # These options have three effects: stack memory is not secret before a test marks it; a secret may be passed by
      # value; the program shows all findings and then fails.
      set(level -O2 "SHELL:-mllvm -msan-poison-stack=0" -fno-sanitize-memory-param-retval)
      set(recover -fsanitize-recover=memory -fpass-plugin=${RINGFORT_CARRIES})
      add_dependencies(${target} carries)
    endif()
    target_compile_options(${target} PRIVATE ${level} -fsanitize=${RINGFORT_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all ${recover})
    target_link_options(${target} PUBLIC -fsanitize=${RINGFORT_SANITIZE})
    target_compile_definitions(${target} PUBLIC RINGFORT_ASSERTS=1)
  endif()
endfunction()

# For the directories in which sanitized tests spend most of their time: there, sanitized builds are optimised too.
macro(ringfort_computes)
  if(RINGFORT_SANITIZE)
    add_compile_options(-O1)
  endif()
endmacro()

# Simulators and emulators are as fast with -O2 as with -O3, and compile in a sixth less time.
function(ringfort_simulator target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
endfunction()

if(RINGFORT_SANITIZE STREQUAL "memory")
  find_path(LLVM_HEADERS llvm/Passes/PassPlugin.h PATHS /usr/lib/llvm-19/include REQUIRED)
  set(source ${ringfort_SOURCE_DIR}/tests/constant_time/carries/carries.cpp)
  file(SHA256 ${source} version)   # part of the name: objects that another version compiled are out of date
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  string(SUBSTRING ${version} 0 16 version)
  set(RINGFORT_CARRIES ${ringfort_BINARY_DIR}/carries-${version}.so)
  add_custom_command(OUTPUT ${RINGFORT_CARRIES} DEPENDS ${source} COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -O1 -fPIC
    -shared -fno-rtti
                     -Wall -Wextra -isystem ${LLVM_HEADERS} ${source} -o ${RINGFORT_CARRIES})
  add_custom_target(carries DEPENDS ${RINGFORT_CARRIES})
endif()

# If there are headers that are parsed once (CMakeLists.txt), the sources of the target reuse them.
function(ringfort_reuses_headers target)
  if(TARGET ringfort_headers)
    target_precompile_headers(${target} REUSE_FROM ringfort_headers)
  endif()
endfunction()

function(ringfort_room name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;LINKS" ${ARGN})
  list(TRANSFORM ROOM_DEPENDS PREPEND ringfort_)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    add_library(ringfort_${name} INTERFACE)
    target_include_directories(ringfort_${name} INTERFACE ${ringfort_SOURCE_DIR}/include ${ringfort_SOURCE_DIR}/src)
    target_link_libraries(ringfort_${name} INTERFACE ${ROOM_DEPENDS} ${ROOM_LINKS})
    return()
  endif()
  add_library(ringfort_${name} STATIC ${sources})
  target_include_directories(ringfort_${name} PUBLIC ${ringfort_SOURCE_DIR}/include ${ringfort_SOURCE_DIR}/src)
  target_link_libraries(ringfort_${name} PUBLIC ${ROOM_DEPENDS} ${ROOM_LINKS})
  ringfort_flags(ringfort_${name})
  ringfort_reuses_headers(ringfort_${name})
endfunction()

function(ringfort_test name)
  cmake_parse_arguments(T "OPTIMISED" "" "SOURCES;LINKS" ${ARGN})
  if(NOT T_SOURCES)
    return()
  endif()
  add_executable(test_${name} ${T_SOURCES})
  list(TRANSFORM T_LINKS PREPEND ringfort_)
  target_link_libraries(test_${name} PRIVATE ${T_LINKS} GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${ringfort_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE RINGFORT_VECTORS="${ringfort_SOURCE_DIR}/tests/vectors")
  ringfort_flags(test_${name})
  target_compile_options(test_${name} PRIVATE $<IF:$<BOOL:${T_OPTIMISED}>,-O1,-O0>)
  add_test(NAME ${name} COMMAND test_${name})
endfunction()
