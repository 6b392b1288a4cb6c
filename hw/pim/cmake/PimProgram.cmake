# SPDX-License-Identifier: Apache-2.0
# pim_flags(TARGET) sets warnings and sanitizers. pim_program(NAME SOURCES file... [FLAGS flag...]) compiles NAME.dpu
# with sdk/pimcc in the build folder. PIM_PROGRAMS lists the targets. PIM_COMPILER is empty if pimcc finds no compiler.
set(PIM_ROOT ${CMAKE_CURRENT_LIST_DIR}/..)
execute_process(COMMAND ${PIM_ROOT}/sdk/pimcc --check RESULT_VARIABLE pimcc_status ERROR_VARIABLE pimcc_message)
if(pimcc_status EQUAL 0)
  set(PIM_COMPILER ${PIM_ROOT}/sdk/pimcc)
  file(GLOB pim_runtime CONFIGURE_DEPENDS ${PIM_ROOT}/sdk/dpu/*.h ${PIM_ROOT}/sdk/runtime/*)
  # All programs share the objects of the run-time library.
  set(PIM_RUNTIME ${CMAKE_CURRENT_BINARY_DIR}/runtime)
  add_custom_command(OUTPUT ${PIM_RUNTIME}/start.o
                     COMMAND ${PIM_COMPILER} --runtime ${PIM_RUNTIME} -Wall -Wextra -Werror
                     DEPENDS ${pim_runtime} ${PIM_COMPILER} COMMENT "Run-time library of DPU programs" VERBATIM)
  add_custom_target(pim_runtime DEPENDS ${PIM_RUNTIME}/start.o)
else()
  message(WARNING "${pimcc_message}DPU programs are not built; their tests are skipped.")
  set(PIM_COMPILER "")
endif()

function(pim_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-psabi)
  # -O3 gains nothing.
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O2>)
  if(RINGFORT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${RINGFORT_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${RINGFORT_SANITIZE})
  endif()
endfunction()

function(pim_program name)
  cmake_parse_arguments(P "" "" "SOURCES;FLAGS" ${ARGN})
  if(NOT PIM_COMPILER)
    return()
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.dpu)
  file(GLOB headers CONFIGURE_DEPENDS ${PIM_ROOT}/sdk/dpu/*.h ${PIM_ROOT}/kernels/*.h)
  list(TRANSFORM P_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${output}
    COMMAND ${PIM_COMPILER} --runtime-from=${PIM_RUNTIME} ${P_FLAGS} -Wall -Wextra -Werror -o ${output} ${P_SOURCES}
    DEPENDS ${P_SOURCES} ${headers} ${PIM_RUNTIME}/start.o ${PIM_COMPILER} COMMENT "DPU program ${name}" VERBATIM)
  add_custom_target(pim_program_${name} DEPENDS ${output})
  add_dependencies(pim_program_${name} pim_runtime)
  set_property(GLOBAL APPEND PROPERTY PIM_PROGRAMS pim_program_${name})
endfunction()
