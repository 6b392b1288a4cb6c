// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/library.h"

#include <dlfcn.h>

namespace ringfort::cuda {
namespace {

constexpr int kLeastVersion = 12'000;          // version of the PTX that cmake/RingfortPtx.cmake makes
constexpr const char* kFile = "libcuda.so.1";  // installed with NVIDIA's driver

// Looks functions up by name and keeps the first name that is missing.
struct Lookup {
  void* file;
  const char* missing = nullptr;

  template <class Pointer>
  void operator()(Pointer& out, const char* name) {
    void* const found = dlsym(file, name);
    if (found == nullptr && missing == nullptr) missing = name;
    out = reinterpret_cast<Pointer>(found);
  }
};

std::string look_up_functions(Library& out) {
  void* const file = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) return std::string("there is no driver of NVIDIA's: ").append(dlerror());
  Lookup look_up{file};
  look_up(out.init, "cuInit");
  look_up(out.driver_version, "cuDriverGetVersion");
  look_up(out.error_name, "cuGetErrorName");
  look_up(out.device_count, "cuDeviceGetCount");
  look_up(out.device, "cuDeviceGet");
  look_up(out.device_name, "cuDeviceGetName");
  look_up(out.device_attribute, "cuDeviceGetAttribute");
  look_up(out.device_memory, "cuDeviceTotalMem_v2");
  look_up(out.retain_context, "cuDevicePrimaryCtxRetain");
  look_up(out.release_context, "cuDevicePrimaryCtxRelease_v2");
  look_up(out.push_context, "cuCtxPushCurrent_v2");
  look_up(out.pop_context, "cuCtxPopCurrent_v2");
  look_up(out.load_module, "cuModuleLoadDataEx");
  look_up(out.unload_module, "cuModuleUnload");
  look_up(out.function, "cuModuleGetFunction");
  look_up(out.set_attribute, "cuFuncSetAttribute");
  look_up(out.allocate, "cuMemAlloc_v2");
  look_up(out.release, "cuMemFree_v2");
  look_up(out.allocate_host, "cuMemHostAlloc");
  look_up(out.release_host, "cuMemFreeHost");
  look_up(out.create_stream, "cuStreamCreate");
  look_up(out.destroy_stream, "cuStreamDestroy_v2");
  look_up(out.finish_stream, "cuStreamSynchronize");
  look_up(out.wait_for_event, "cuStreamWaitEvent");
  look_up(out.create_event, "cuEventCreate");
  look_up(out.destroy_event, "cuEventDestroy_v2");
  look_up(out.record_event, "cuEventRecord");
  look_up(out.query_event, "cuEventQuery");
  look_up(out.finish_event, "cuEventSynchronize");
  look_up(out.elapsed, "cuEventElapsedTime");
  look_up(out.copy_in, "cuMemcpyHtoDAsync_v2");
  look_up(out.copy_out, "cuMemcpyDtoHAsync_v2");
  look_up(out.copy, "cuMemcpyDtoDAsync_v2");
  look_up(out.fill, "cuMemsetD8Async");
  look_up(out.launch, "cuLaunchKernel");
  if (look_up.missing == nullptr) return {};
  return std::string(kFile).append(" has no function ").append(look_up.missing).append(": install a newer driver");
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
