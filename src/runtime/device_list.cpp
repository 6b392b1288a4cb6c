// SPDX-License-Identifier: Apache-2.0
// Implements ringfort/device.h: the public functions on devices, on their memory, and on profiles.
#include "ringfort/device.h"

#include "backend/backend.h"
#include "backend/devices.h"
#include "ringfort/error.h"
#include "runtime/device.h"
#include "runtime/memory_cache.h"
#include "runtime/profiler.h"

namespace ringfort {

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> found;
  for (const std::string_view name : backend_names()) {
    const auto backend = open_backend(name);
    if (backend == nullptr) continue;
    found.push_back({std::string(name), std::string(backend->capabilities().instruction_set)});
  }
  std::string refusal;
  for (const std::string& name : gpu_names(refusal)) found.push_back({name, {}});
  return found;
}

std::string default_device() { return std::string(environment_device()); }

bool is_gpu(std::string_view device) noexcept {
  const std::string_view kind = device.substr(0, device.find(':'));
  return kind == "cuda" || kind == "opencl" || kind == "emu";
}

std::string first_gpu() {
  if (is_gpu(environment_device())) return default_device();
  std::string refusal;
  const std::vector<std::string> names = gpu_names(refusal);
  if (names.empty()) throw Error(Code::device_unknown, "there is no GPU", refusal);
  return names.front();
}

std::string device_refusal(const std::string& device) {
  try {
    (void)Device::open(device);
    return {};
  } catch (const Error& error) { return error.what(); }
}

CpuCap cpu_cap() {
  const CpuChoice choice = cpu_choice();
  if (!choice.known) {
    throw Error(Code::invalid_argument, "RINGFORT_CPU=" + std::string(choice.requested) + " is not an instruction set",
                "set it to ref, generic, avx2, avx2-fma, avx512 or ifma, or unset it");
  }
  return {std::string(choice.requested), std::string(choice.used), choice.lowered};
}

Frame::Frame() : thread_(std::this_thread::get_id()) { ThreadFrames::begin(); }

Frame::~Frame() {
  if (thread_ == std::this_thread::get_id()) ThreadFrames::end();
}

void Frame::end() {
  if (thread_ != std::this_thread::get_id()) {
    const bool ended = thread_ == std::thread::id();
    throw Error(Code::invalid_argument,
                ended ? "a frame was ended twice" : "a frame was ended by a thread that did not begin it",
                ended ? "end it once" : "begin and end a frame in one thread");
  }
  thread_ = std::thread::id();
  ThreadFrames::end();
}

Profile::Profile() : state_(std::make_shared<ProfileState>()) {}

std::vector<VerbRecord> Profile::records() const {
  std::vector<VerbRecord> records;
  for (const VerbEvent& e : state_->profiler->events()) {
    records.push_back({std::string(e.verb), e.stream, e.start_us, e.end_us, e.bytes, e.multiplications, e.simulated,
                       e.energy_uj, e.compute_us, e.transform_us, std::string(e.device), std::string(e.section),
                       e.transform_multiplications});
  }
  return records;
}

std::vector<LaunchRecord> Profile::launches() const {
  std::vector<LaunchRecord> records;
  for (const LaunchEvent& e : state_->profiler->launches()) {
    records.push_back({std::string(e.name), std::string(e.verb), e.stream, e.start_us, e.end_us, e.energy_uj,
                       std::string(e.device), std::string(e.section), e.cost.bytes, e.cost.multiplications});
  }
  return records;
}

std::uint64_t Profile::lost() const noexcept { return state_->profiler->lost(); }

std::string Profile::chrome_trace(const std::string& title) const { return state_->profiler->chrome_trace(title); }

Profile::Section Profile::section(const std::string& name) {
  if (name.empty()) throw Error(Code::invalid_argument, "a section of a profile has no name", "give it one");
  state_->profiler->open_section(name);
  return Section(state_);
}

Profile::Section::~Section() {
  if (state_ != nullptr) state_->profiler->close_section();
}

}  // namespace ringfort
