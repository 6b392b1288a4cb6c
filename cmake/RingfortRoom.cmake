# SPDX-License-Identifier: Apache-2.0
# ringfort_room(NAME [DEPENDS room...] [LINKS lib...]): a static library of all *.cpp beside the caller,
# which sees the public headers, src/, and the rooms it names, nothing else.
# ringfort_test(NAME SOURCES file... LINKS room...): one GoogleTest program; ctest runs it as one test.
function(ringfort_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-psabi -ffp-contract=off)
  if(RINGFORT_SANITIZE)
    # Secrets are followed through the code that is shipped; the others look for faults of the source.
    set(level -O1)
    if(RINGFORT_SANITIZE STREQUAL "memory")
      set(level -O2 "SHELL:-mllvm -msan-poison-stack=0")   # only what is hidden on purpose counts
    endif()
    target_compile_options(${target} PRIVATE ${level} -fsanitize=${RINGFORT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${RINGFORT_SANITIZE})
    target_compile_definitions(${target} PUBLIC RINGFORT_ASSERTS=1)
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
endfunction()

function(ringfort_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LINKS" ${ARGN})
  if(NOT T_SOURCES)
    return()
  endif()
  add_executable(test_${name} ${T_SOURCES})
  list(TRANSFORM T_LINKS PREPEND ringfort_)
  target_link_libraries(test_${name} PRIVATE ${T_LINKS} GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${ringfort_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE RINGFORT_VECTORS="${ringfort_SOURCE_DIR}/tests/vectors")
  ringfort_flags(test_${name})
  target_compile_options(test_${name} PRIVATE -O1)   # of the test's own code: compiling it is most of a build
  add_test(NAME ${name} COMMAND test_${name})
endfunction()
