# SPDX-License-Identifier: Apache-2.0
# Compiles the kernels of devices to PTX, the assembly language of NVIDIA's GPUs. The compiler is clang 19 or newer,
# which needs no software of NVIDIA, or else nvcc. PTX for compute capability 8.0 also runs on later chips, because
# NVIDIA's driver compiles it for the chip.
set(RINGFORT_PTX_FOLDER "" CACHE PATH
  "Takes FAMILY.ptx from here: kernels that another machine has compiled from this source")
set(RINGFORT_CHIPS "" CACHE STRING
  "Compute capabilities of machine code in the library, e.g. 80;90; needs ptxas and fatbinary")
# clang 19 comes first, because tests/gpu has counts of the code that it makes.
find_program(RINGFORT_PTX_COMPILER NAMES clang++-19 clang++-20 clang++-21 clang++-22 clang++ DOC
  "clang with the NVPTX target; empty: nvcc compiles")
find_program(RINGFORT_NVCC nvcc HINTS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin DOC
  "NVIDIA's compiler, for kernels where clang is missing")
set(RINGFORT_PTX_FLAGS
  -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-feature=+ptx80
  -std=c++20 -O3 -ffreestanding -nostdinc -fno-exceptions -fno-rtti -Wall -Wextra -Wno-pass-failed
  -I${ringfort_SOURCE_DIR}/src
  # The first two options inline all calls of a kernel, so that its points stay in registers. The third option keeps
  # stores to different registers apart.
  -mllvm -inline-threshold=100000 -mllvm -locally-hot-callsite-threshold=100000 -mllvm -simplifycfg-sink-common=false)
# nvcc compiles a function for GPUs if it is constexpr, as the functions of kernels are. Without -Werror, a call of any
# other function would only cause a warning, and the kernel would end at the call.
set(RINGFORT_NVCC_FLAGS
  -ptx -x cu -std=c++20 --expt-relaxed-constexpr -arch=compute_80 -ccbin ${CMAKE_CXX_COMPILER}
  -allow-unsupported-compiler -Werror cross-execution-space-call -Xcompiler -ffreestanding -I${ringfort_SOURCE_DIR}/src)

# Sets RINGFORT_PTX_COMMAND to the command that compiles to PTX. It stays empty if no program of this machine can
# compile to PTX. Old versions of clang, and versions without the target NVPTX, cannot do so. If the program is nvcc,
# RINGFORT_NVCC_CHIPS are the chips for which it makes machine code.
function(ringfort_find_ptx_compiler)
  set(source ${CMAKE_BINARY_DIR}/ptx_works.cpp)
  file(WRITE ${source} "extern \"C\" __attribute__((global)) void works(int* x) { *x = 1; }\n")
  foreach(program ${RINGFORT_PTX_COMPILER} ${RINGFORT_NVCC})
    set(command ${program} ${RINGFORT_PTX_FLAGS} -S)
    set(chips "")
    if(program STREQUAL RINGFORT_NVCC)
      set(command ${program} ${RINGFORT_NVCC_FLAGS})
      execute_process(COMMAND ${program} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
      string(REGEX MATCHALL "sm_(80|90|120)" chips "${known}")   # an older nvcc does not know all of them
      list(TRANSFORM chips REPLACE "^sm_" "")
    endif()
    execute_process(COMMAND ${command} ${source} -o ${CMAKE_BINARY_DIR}/ptx_works.ptx
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(RINGFORT_PTX_COMMAND ${command} PARENT_SCOPE)
      set(RINGFORT_NVCC_CHIPS ${chips} PARENT_SCOPE)
      message(STATUS "kernels for NVIDIA GPUs: ${program}")
      return()
    endif()
  endforeach()
endfunction()
set(RINGFORT_PTX_COMMAND "")
set(RINGFORT_NVCC_CHIPS "")
if(RINGFORT_PTX)
  ringfort_find_ptx_compiler()
endif()

# Compiles a source to PTX. With WITHOUT_LOOPS, clang unrolls every loop over a constant number of steps. With CLUSTERS,
# the PTX is for compute capability 9.0.
function(ringfort_ptx source ptx)
  set(flags "")
  if("WITHOUT_LOOPS" IN_LIST ARGN AND NOT RINGFORT_NVCC_CHIPS)
    set(flags -mllvm -unroll-threshold=1000000)
  endif()
  set(command ${RINGFORT_PTX_COMMAND})
  if("CLUSTERS" IN_LIST ARGN)
    list(TRANSFORM command REPLACE "=(sm|compute)_80$" "=\\1_90")
  endif()
  add_custom_command(OUTPUT ${ptx} DEPENDS ${source} DEPFILE ${ptx}.d COMMENT "Compiling to PTX: ${source}"
    COMMAND ${command} ${flags} -MD -MF ${ptx}.d -MT ${ptx} ${source} -o ${ptx})
endfunction()

# Assembles PTX for all RINGFORT_CHIPS into one file ("fatbin"), which has the PTX, too.
function(ringfort_fatbin ptx fatbin)
  cmake_path(GET RINGFORT_NVCC PARENT_PATH of_nvcc)
  set(programs ${ringfort_SOURCE_DIR}/build/ptxas/nvidia/cu13/bin ${of_nvcc})   # ./dev makes the first one
  find_program(RINGFORT_PTXAS ptxas HINTS ${programs} REQUIRED)
  find_program(RINGFORT_FATBINARY fatbinary HINTS ${programs} REQUIRED)
  set(commands "")
  set(images --image3=kind=ptx,sm=80,file=${ptx})
  foreach(chip ${RINGFORT_CHIPS})
    list(APPEND commands COMMAND ${RINGFORT_PTXAS} -arch=sm_${chip} ${ptx} -o ${fatbin}.${chip})
    list(APPEND images --image3=kind=elf,sm=${chip},file=${fatbin}.${chip})
  endforeach()
  add_custom_command(OUTPUT ${fatbin} DEPENDS ${ptx} COMMENT
    "Assembling for compute capabilities ${RINGFORT_CHIPS}: ${ptx}"
    ${commands} COMMAND ${RINGFORT_FATBINARY} -64 --create=${fatbin} ${images})
endfunction()

# Adds to the target a source that has the file's bytes under the name `symbol`, and a zero byte after them.
function(ringfort_bytes target symbol file)
  set(source ${RINGFORT_KERNEL_FOLDER}/${symbol}.c)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global @symbol@\n"
        ".hidden @symbol@\n"
        "@symbol@:\n"
        ".incbin \"@file@\"\n"
        ".byte 0\n"
        ".previous\n");
]])
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${file} SKIP_UNITY_BUILD_INCLUSION ON
                                SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${source})
endfunction()

# Adds to the target the PTX of all families as data, and the lists of these data (src/backend/cuda/modules.h). Without
# a compiler for PTX, and without a folder of compiled PTX, the property ringfort_ptx_families is empty.
function(ringfort_ptx_modules target)
  set(families "")
  if(RINGFORT_PTX)
    if(RINGFORT_PTX_COMMAND OR RINGFORT_PTX_FOLDER)
      get_property(families GLOBAL PROPERTY ringfort_kernel_families)
      get_property(shaped GLOBAL PROPERTY ringfort_shaped_families)
      get_property(clusters GLOBAL PROPERTY ringfort_cluster_families)
      list(APPEND families ${shaped})
    else()
      message(WARNING "no kernels for NVIDIA GPUs: neither clang 19 nor nvcc is here; apt-get install clang-19")
    endif()
  endif()
  if(NOT RINGFORT_CHIPS)
    set(RINGFORT_CHIPS ${RINGFORT_NVCC_CHIPS})   # the driver may be older than nvcc, and refuse its PTX
  endif()
  set(declarations "")
  set(rows "")
  set(images "")
  foreach(family ${families})
    set(ptx ${RINGFORT_KERNEL_FOLDER}/${family}.ptx)
    if(RINGFORT_PTX_FOLDER)
      set(ptx ${RINGFORT_PTX_FOLDER}/${family}.ptx)
    else()
      set(flags "")
      if(family IN_LIST shaped)
        set(flags WITHOUT_LOOPS)
      endif()
      if(family IN_LIST clusters)
        set(flags WITHOUT_LOOPS CLUSTERS)
      endif()
      ringfort_ptx(${RINGFORT_KERNEL_FOLDER}/${family}_gpu.cpp ${ptx} ${flags})
    endif()
    ringfort_bytes(${target} ringfort_ptx_${family} ${ptx})
    string(APPEND declarations "extern \"C\" const char ringfort_ptx_${family}[];\n")
    string(APPEND rows "ringfort_ptx_${family}, ")
    # Kernels of variants, which only benchmarks run, have no machine code: NVIDIA's driver compiles them when it loads
    # them. So the program of ./dev gpu-bundle stays small.
    if(RINGFORT_CHIPS AND NOT family MATCHES "^(variants|wide_variants|shuffles|clusters|products)_")
      ringfort_fatbin(${ptx} ${RINGFORT_KERNEL_FOLDER}/${family}.fatbin)
      ringfort_bytes(${target} ringfort_fatbin_${family} ${RINGFORT_KERNEL_FOLDER}/${family}.fatbin)
      string(APPEND declarations "extern \"C\" const char ringfort_fatbin_${family}[];\n")
      string(APPEND images "ringfort_fatbin_${family}, ")
    else()
      string(APPEND images "ringfort_ptx_${family}, ")
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY ringfort_ptx_families ${families})
  list(LENGTH families count)
  file(CONFIGURE OUTPUT ${RINGFORT_KERNEL_FOLDER}/ptx_modules.cpp @ONLY CONTENT [[
#include <array>
#include "backend/cuda/modules.h"
@declarations@
namespace ringfort::cuda {
std::span<const char* const> modules() noexcept {
  static const std::array<const char*, @count@> all{@rows@};
  return all;
}
std::span<const char* const> images() noexcept {
  static const std::array<const char*, @count@> all{@images@};
  return all;
}
}  // namespace ringfort::cuda
]])
  target_sources(${target} PRIVATE ${RINGFORT_KERNEL_FOLDER}/ptx_modules.cpp)
endfunction()
