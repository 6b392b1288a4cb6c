# SPDX-License-Identifier: Apache-2.0
# Makes the sources that instantiate the kernels of devices. src/backend/device/kernels/catalog.cmake lists the kernels.
# FAMILY_emu.cpp has a table for the emulator. FAMILY_gpu.cpp and FAMILY_opencl.cpp have an entry point for each kernel.
set(RINGFORT_KERNEL_FOLDER ${CMAKE_BINARY_DIR}/kernels)

# Call this function for a target that includes kernels. It turns off GCC's warning about `#pragma unroll`, which only
# the compilers for GPUs know.
function(ringfort_includes_kernels target)
  target_compile_options(${target} PRIVATE -Wno-unknown-pragmas)
endfunction()

# Sets OUT to a list of "name = type": the instances of a line of the catalog for one word type, u32 or u64.
function(ringfort_instances line word out)
  if(NOT line MATCHES "^([a-z0-9_]+)( RULES)? = (.+)$")
    message(FATAL_ERROR "catalog.cmake: write a kernel as \"name = type\" or \"name RULES = type\", not: ${line}")
  endif()
  set(name ${CMAKE_MATCH_1}_${word})
  string(REPLACE Word ${word} type "${CMAKE_MATCH_3}")
  set(made "")
  if(NOT CMAKE_MATCH_2)
    list(APPEND made "${name} = ${type}")
  else()
    foreach(rules Lazy Strict)
      if(word STREQUAL u64 AND rules STREQUAL Strict)
        continue()
      endif()
      string(TOLOWER ${rules} suffix)
      string(REPLACE Rules "${rules}<${word}>" instance "${type}")
      list(APPEND made "${name}_${suffix} = ${instance}")
    endforeach()
  endif()
  set(${out} "${made}" PARENT_SCOPE)
endfunction()

# ringfort_kernels(FAMILY [CLUSTERS] HEADERS file_of_kernels/... LANES largest_block KERNELS line...) writes the sources
# of a family of kernels, for words of 32 and of 64 bits. catalog.cmake calls it. CLUSTERS: the kernels need clusters of
# blocks, which OpenCL does not have and NVIDIA's GPUs have from compute capability 9.0 on.
function(ringfort_kernels name)
  cmake_parse_arguments(K "CLUSTERS" "LANES" "HEADERS;KERNELS" ${ARGN})
  set(includes "")
  foreach(header ${K_HEADERS})
    string(APPEND includes "#include \"backend/device/kernels/${header}.h\"\n")
  endforeach()
  foreach(word u32 u64)
    set(family ${name}_${word})
    set(rows "")
    set(ptx_entries "")
    set(opencl_entries "")
    foreach(line IN LISTS K_KERNELS)
      ringfort_instances("${line}" ${word} instances)
      foreach(instance IN LISTS instances)
        # NVIDIA's assembler uses at most 64 registers, and spills other values to memory, unless the launch bounds
        # require only one block at a time. Of the kernels with 32-bit words and lazy ranges (values below 4q), only the
        # kernels named here need more registers.
        set(bounds ${K_LANES})
        if(K_CLUSTERS AND word STREQUAL u32)
          string(APPEND bounds ", 2")   # 64 registers suffice
        elseif(instance MATCHES "^(intt|key_product|ntt_quotient)_" OR NOT instance MATCHES "^[a-z_]+_u32_lazy ")
          string(APPEND bounds ", 1")
        endif()
        string(REGEX MATCH "^([a-z0-9_]+) = (.+)$" found "${instance}")
        string(APPEND rows "    {\"${CMAKE_MATCH_1}\", run_kernel<${CMAKE_MATCH_2}>},\n")
        string(APPEND ptx_entries "extern \"C\" __attribute__((global)) __attribute__((launch_bounds(${bounds})))\n"
                                  "void ${CMAKE_MATCH_1}(const ArgsOf<${CMAKE_MATCH_2}> args) {\n"
                                  "  Team<Ptx> team;\n  ${CMAKE_MATCH_2}::run_team(team, args);\n}\n")
        string(APPEND opencl_entries
          "extern \"C\" [[clang::device_kernel]]\n"
          "void ${CMAKE_MATCH_1}(WordsOf<ArgsOf<${CMAKE_MATCH_2}>> args, SharedBytes shared) {\n"
          "  run_kernel<${CMAKE_MATCH_2}>(args, shared);\n}\n")
      endforeach()
    endforeach()
    file(CONFIGURE OUTPUT ${RINGFORT_KERNEL_FOLDER}/${family}_emu.cpp @ONLY CONTENT [[
#include "backend/device/emu/team.h"
@includes@
namespace ringfort::emu {
std::span<const EmuKernel> @family@() noexcept {
  using namespace device;
  static constexpr EmuKernel kKernels[] = {
@rows@  };
  return kKernels;
}
}  // namespace ringfort::emu
]])
    file(CONFIGURE OUTPUT ${RINGFORT_KERNEL_FOLDER}/${family}_gpu.cpp @ONLY CONTENT [[
#pragma clang force_cuda_host_device begin
@includes@#include "backend/device/gpu/ptx.h"
namespace ringfort::gpu {
@ptx_entries@}  // namespace ringfort::gpu
#pragma clang force_cuda_host_device end
]])
    file(CONFIGURE OUTPUT ${RINGFORT_KERNEL_FOLDER}/${family}_opencl.cpp @ONLY CONTENT [[
@includes@#include "backend/device/gpu/opencl.h"
namespace ringfort::gpu {
@opencl_entries@}  // namespace ringfort::gpu
]])
    set_property(GLOBAL APPEND PROPERTY ringfort_kernel_families ${family})
    if(K_CLUSTERS)
      set_property(GLOBAL APPEND PROPERTY ringfort_cluster_families ${family})
    endif()
  endforeach()
endfunction()

# ringfort_shaped_kernels(HEADERS file... SHAPES shape... KERNELS line... FIRST_KERNELS line... LAST_KERNELS line...)
# adds kernels with constant shapes for GPUs of NVIDIA. A kernel computes one part of a transform. A shape is
# LOGN_FIRST_LOG_SETSLOG, the numbers of struct NttPart (kernels/ntt_shape.h): a transform of 2^LOGN points, the number
# of the part's first stage, the number of its stages, and log2 of the sub-transforms of a block. The kernels of a shape
# are NAME_WORD_lazy_LOGN_FIRST_LOG. FIRST_KERNELS exist for parts that begin a transform, and LAST_KERNELS for the
# second of two parts. Kernels of one degree are a family, because a driver that finds no machine code for its chip
# compiles a whole family. The headers are files of kernels/.
function(ringfort_shaped_kernels)
  cmake_parse_arguments(K "" "" "HEADERS;SHAPES;KERNELS;FIRST_KERNELS;LAST_KERNELS" ${ARGN})
  set(includes "")
  foreach(header ${K_HEADERS})
    string(APPEND includes "#include \"backend/device/kernels/${header}.h\"\n")
  endforeach()
  foreach(word u32 u64)
    foreach(shape ${K_SHAPES})
      string(REGEX MATCH "^([0-9]+)_([0-9]+)_([0-9]+)_([0-9]+)$" found ${shape})
      set(log_n ${CMAKE_MATCH_1})
      set(first ${CMAKE_MATCH_2})
      set(log ${CMAKE_MATCH_3})
      string(REPLACE "_" ", " constants ${shape})
      math(EXPR lanes "1 << (${log} + ${CMAKE_MATCH_4} - 4)")
      set(lines ${K_KERNELS})
      if(first EQUAL 0)
        list(APPEND lines ${K_FIRST_KERNELS})
      endif()
      if(NOT first EQUAL 0)
        list(APPEND lines ${K_LAST_KERNELS})
      endif()
      set(family shapes${log_n}_${word})
      foreach(line IN LISTS lines)
        ringfort_instances("${line}" ${word} instances)
        list(GET instances 0 instance)   # the instance with lazy ranges
        string(REGEX MATCH "^([a-z0-9_]+) = (.+)$" found "${instance}")
        set(kernel "${CMAKE_MATCH_1}_${log_n}_${first}_${log}")
        set(type "Shaped<${CMAKE_MATCH_2}, ${constants}>")
        ringfort_shape_bounds(${kernel} ${word} ${lanes} bounds)
        string(APPEND entries_of_${family}
          "extern \"C\" __attribute__((global)) __attribute__((launch_bounds(${bounds})))\n"
          "void ${kernel}(const ArgsOf<${type}> args) {\n"
          "  Team<Ptx> team;\n  ${type}::run_team(team, args);\n}\n")
      endforeach()
      list(APPEND families ${family})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES families)
  foreach(family ${families})
    set(entries "${entries_of_${family}}")
    file(CONFIGURE OUTPUT ${RINGFORT_KERNEL_FOLDER}/${family}_gpu.cpp @ONLY CONTENT [[
#pragma clang force_cuda_host_device begin
@includes@#include "backend/device/gpu/ptx.h"
namespace ringfort::gpu {
@entries@}  // namespace ringfort::gpu
#pragma clang force_cuda_host_device end
]])
    set_property(GLOBAL APPEND PROPERTY ringfort_shaped_families ${family})
  endforeach()
endfunction()

# Sets OUT to the bounds of a launch: the lanes of a block, and the blocks that a multiprocessor should hold at once.
# The number of blocks limits the registers of a lane. It is as large as the registers of the kernel allow.
function(ringfort_shape_bounds kernel word lanes out)
  set(blocks Ptx::kBlocksOf64Bits)
  if(word STREQUAL u32)
    set(blocks 4)
  endif()
  if(kernel MATCHES "^ntt(_digits)?_u64_lazy_(12_0_12|16_0_8)$|^ntt_u64_lazy_14_7_7$"
     OR kernel MATCHES "^ntt_quotient_u64|^intt_from_u64_lazy_1[56]_[78]_8$")
    set(blocks 2)   # NVIDIA's assembler would spill
  endif()
  if(kernel MATCHES "^key_product")
    set(blocks 2)
  elseif(lanes EQUAL 512)
    set(blocks 1)
  endif()
  set(${out} "${lanes}, ${blocks}" PARENT_SCOPE)
endfunction()

# Reads the catalog, writes the sources, and sets RINGFORT_KERNEL_FAMILIES.
macro(ringfort_kernel_catalog)
  set(catalog ${ringfort_SOURCE_DIR}/src/backend/device/kernels/catalog.cmake)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${catalog})
  include(${catalog})
  get_property(RINGFORT_KERNEL_FAMILIES GLOBAL PROPERTY ringfort_kernel_families)
  set(families "")
  set(calls "")
  foreach(family ${RINGFORT_KERNEL_FAMILIES})
    string(APPEND families "std::span<const EmuKernel> ${family}() noexcept;\n")
    string(APPEND calls "${family}(), ")
  endforeach()
  file(CONFIGURE OUTPUT ${RINGFORT_KERNEL_FOLDER}/families_emu.cpp @ONLY CONTENT [[
#include <array>
#include "backend/device/emu/catalog.h"
namespace ringfort::emu {
@families@
std::span<const std::span<const EmuKernel>> kernel_families() noexcept {
  static const std::array families{@calls@};
  return families;
}
}  // namespace ringfort::emu
]])
endmacro()

# Adds to the target the modules FAMILY.EXTENSION (compiled kernels) of all families as data. A generated source defines
# FUNCTION, which returns them: std::span<const std::string_view> FUNCTION() noexcept, declared in HEADER. A zero byte
# follows each module.
function(ringfort_embed target extension function header families)
  set(declarations "")
  set(rows "")
  foreach(family ${families})
    set(module ${RINGFORT_KERNEL_FOLDER}/${family}.${extension})
    set(symbol ringfort_${extension}_${family})
    set(source ${RINGFORT_KERNEL_FOLDER}/${family}_${extension}.c)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
__asm__(".section .rodata\n"
        ".global @symbol@, @symbol@_end\n"
        ".hidden @symbol@, @symbol@_end\n"
        ".balign 8\n"
        "@symbol@:\n"
        ".incbin \"@module@\"\n"
        "@symbol@_end:\n"
        ".byte 0\n"
        ".previous\n");
]])
    set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${module} SKIP_UNITY_BUILD_INCLUSION ON
                                SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE ${source})
    string(APPEND declarations "extern \"C\" const char ${symbol}[], ${symbol}_end[];\n")
    string(APPEND rows "std::string_view(${symbol}, ${symbol}_end), ")
  endforeach()
  list(LENGTH families count)
  set(list ${RINGFORT_KERNEL_FOLDER}/${extension}_modules.cpp)
  file(CONFIGURE OUTPUT ${list} @ONLY CONTENT [[
#include <array>
#include "@header@"
@declarations@
std::span<const std::string_view> ringfort::@function@() noexcept {
  static const std::array<std::string_view, @count@> all{@rows@};
  return all;
}
]])
  target_sources(${target} PRIVATE ${list})
endfunction()
