# SPDX-License-Identifier: Apache-2.0
# Compiles the kernels of devices with clang 22 to SPIR-V, which drivers of OpenCL compile for their device. For drivers
# that read only SPIR, the predecessor of SPIR-V, llvm-spirv translates the SPIR-V.
find_program(RINGFORT_SPIRV_COMPILER NAMES clang++-22 clang++ DOC "clang with the SPIR-V target")
find_program(RINGFORT_SPIR_TRANSLATOR NAMES llvm-spirv-15 llvm-spirv-14 DOC "translator from SPIR-V to SPIR")
find_program(RINGFORT_SPIR_PYTHON NAMES python3 DOC "Python, which runs spirv_to_spir.py")
set(RINGFORT_SPIRV_FLAGS
  --target=spirv64v1.2-unknown-unknown -x c++ -std=c++20 -O3 -ffreestanding -nostdinc -fno-exceptions -fno-rtti -Wall
  -Wextra
  -I${ringfort_SOURCE_DIR}/src
  # The first two options inline all calls of a kernel. Without the third option the compiler writes additions with a
  # carry, which translators of LLVM 15 do not know.
  -mllvm -inline-threshold=100000 -mllvm -locally-hot-callsite-threshold=100000 -mllvm -disable-cgp)

# Sets OUT to whether the compiler makes SPIR-V.
function(ringfort_spirv_works out)
  set(${out} FALSE PARENT_SCOPE)
  if(NOT RINGFORT_SPIRV_COMPILER)
    return()
  endif()
  set(source ${CMAKE_BINARY_DIR}/spirv_works.cpp)
  file(WRITE ${source}
    "extern \"C\" [[clang::device_kernel]] void works(__attribute__((address_space(1))) int* x) { *x = 1; }\n")
  execute_process(COMMAND ${RINGFORT_SPIRV_COMPILER} ${RINGFORT_SPIRV_FLAGS} -Werror -c ${source} -o
    ${CMAKE_BINARY_DIR}/spirv_works.spv
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set(${out} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Adds the modules of all families to the target (src/backend/opencl/modules.h): SPIR-V and, if RINGFORT_SPIR is on,
# SPIR. The properties ringfort_spirv_families and ringfort_spir_families are empty if no program can make the modules.
function(ringfort_spirv_modules target)
  set(families "")
  set(translated "")
  if(RINGFORT_SPIRV)
    ringfort_spirv_works(works)
    if(works)
      get_property(families GLOBAL PROPERTY ringfort_kernel_families)
      get_property(clusters GLOBAL PROPERTY ringfort_cluster_families)
      if(clusters)
        list(REMOVE_ITEM families ${clusters})
      endif()
    else()
      message(STATUS "no kernels for OpenCL: clang 22 is missing; install it with: apt-get install clang-22")
    endif()
  endif()
  if(RINGFORT_SPIR AND RINGFORT_SPIR_TRANSLATOR AND RINGFORT_SPIR_PYTHON)
    set(translated ${families})
  endif()
  foreach(family ${families})
    set(source ${RINGFORT_KERNEL_FOLDER}/${family}_opencl.cpp)
    set(spirv ${RINGFORT_KERNEL_FOLDER}/${family}.spv)
    set(flags ${RINGFORT_SPIRV_FLAGS})
    if(family MATCHES "^shuffles_")
      list(TRANSFORM flags REPLACE "spirv64v1.2" "spirv64v1.3")   # the first version in which sub-groups shuffle
    endif()
    add_custom_command(OUTPUT ${spirv} DEPENDS ${source} DEPFILE ${spirv}.d COMMENT "Compiling to SPIR-V: ${source}"
      COMMAND ${RINGFORT_SPIRV_COMPILER} ${flags} -c -MD -MF ${spirv}.d -MT ${spirv} ${source} -o ${spirv})
  endforeach()
  foreach(family ${translated})
    set(spir ${RINGFORT_KERNEL_FOLDER}/${family}.bc)
    set(script ${ringfort_SOURCE_DIR}/cmake/spirv_to_spir.py)
    add_custom_command(OUTPUT ${spir} DEPENDS ${RINGFORT_KERNEL_FOLDER}/${family}.spv ${script}
      COMMAND ${RINGFORT_SPIR_PYTHON} ${script} ${RINGFORT_KERNEL_FOLDER}/${family}.spv ${spir}
      ${RINGFORT_SPIR_TRANSLATOR})
  endforeach()
  set_property(GLOBAL PROPERTY ringfort_spirv_families ${families})
  set_property(GLOBAL PROPERTY ringfort_spir_families ${translated})
  ringfort_embed(${target} spv opencl::spirv_modules backend/opencl/modules.h "${families}")
  ringfort_embed(${target} bc opencl::spir_modules backend/opencl/modules.h "${translated}")
endfunction()
