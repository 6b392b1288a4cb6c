// SPDX-License-Identifier: Apache-2.0
// Loads libcuda.so.1 (library.h), and checks the version of CUDA that the driver supports. Counts the GPUs that the
// driver finds. Gives the names of the results that the library's functions return.
#include "backend/cuda/library.h"

#include "backend/device/library_file.h"

namespace ringfort::cuda {
namespace {

// Drivers for CUDA 12.0 or later read PTX 8.0, the version that RingfortPtx.cmake requests from clang. nvcc writes PTX
// of its own version, which may need a newer driver.
constexpr int kLeastVersion = 12'000;          // 1000 times the major version of CUDA, plus 10 times the minor version
constexpr const char* kFile = "libcuda.so.1";  // installed with NVIDIA's driver

std::string look_up_functions(Library& out) {
  device::LibraryFile file(kFile);
  if (!file.is_open()) return std::string("NVIDIA's driver library cannot be opened: ").append(dlerror());
  file.find(out.init, "cuInit");
  file.find(out.driver_version, "cuDriverGetVersion");
  file.find(out.error_name, "cuGetErrorName");
  file.find(out.device_count, "cuDeviceGetCount");
  file.find(out.device, "cuDeviceGet");
  file.find(out.device_name, "cuDeviceGetName");
  file.find(out.device_attribute, "cuDeviceGetAttribute");
  file.find(out.device_memory, "cuDeviceTotalMem_v2");
  file.find(out.retain_context, "cuDevicePrimaryCtxRetain");
  file.find(out.release_context, "cuDevicePrimaryCtxRelease_v2");
  file.find(out.push_context, "cuCtxPushCurrent_v2");
  file.find(out.pop_context, "cuCtxPopCurrent_v2");
  file.find(out.load_module, "cuModuleLoadDataEx");
  file.find(out.unload_module, "cuModuleUnload");
  file.find(out.function, "cuModuleGetFunction");
  file.find(out.set_attribute, "cuFuncSetAttribute");
  file.find(out.allocate, "cuMemAlloc_v2");
  file.find(out.release, "cuMemFree_v2");
  file.find(out.register_host, "cuMemHostRegister_v2");
  file.find(out.unregister_host, "cuMemHostUnregister");
  file.find(out.create_stream, "cuStreamCreate");
  file.find(out.destroy_stream, "cuStreamDestroy_v2");
  file.find(out.finish_stream, "cuStreamSynchronize");
  file.find(out.wait_for_event, "cuStreamWaitEvent");
  file.find(out.create_event, "cuEventCreate");
  file.find(out.destroy_event, "cuEventDestroy_v2");
  file.find(out.record_event, "cuEventRecord");
  file.find(out.query_event, "cuEventQuery");
  file.find(out.finish_event, "cuEventSynchronize");
  file.find(out.elapsed, "cuEventElapsedTime");
  file.find(out.copy_in, "cuMemcpyHtoDAsync_v2");
  file.find(out.copy_out, "cuMemcpyDtoHAsync_v2");
  file.find(out.copy, "cuMemcpyDtoDAsync_v2");
  file.find(out.fill, "cuMemsetD8Async");
  file.find(out.launch, "cuLaunchKernel");
  file.find(out.launch_with, "cuLaunchKernelEx");
  return file.refusal();
}

}  // namespace

std::string open_library(Library& out, int& gpus) {
  gpus = 0;
  if (std::string why = look_up_functions(out); !why.empty()) return why;
  int version = 0;
  Result result = out.init(0);
  if (result == kSuccess) result = out.driver_version(&version);
  if (result == kSuccess && version < kLeastVersion) {
    return "NVIDIA's driver is for CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) +
           "; it must be for 12.0 or later";
  }
  if (result == kSuccess) result = out.device_count(&gpus);
  if (result != kSuccess) return std::string("NVIDIA's driver reports ").append(name_of(out, result));
  return gpus == 0 ? "NVIDIA's driver finds no GPU" : "";
}

const char* name_of(const Library& library, Result result) noexcept {
  const char* name = nullptr;
  return library.error_name(result, &name) == kSuccess && name != nullptr ? name : "an error without a name";
}

}  // namespace ringfort::cuda
