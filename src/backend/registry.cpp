// SPDX-License-Identifier: Apache-2.0
// The list of devices (devices.h). It is an error to open a device that the machine does not have, such as "cpu:ifma"
// without IFMA. RINGFORT_CPU limits only "cpu". "cpu:avx2" and the like ignore it.
#include <array>
#include <cstdlib>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "backend/backend.h"
#include "backend/cpu/cpu.h"
#include "backend/cuda/device.h"
#include "backend/deferred/deferred.h"
#include "backend/devices.h"
#include "backend/dry/dry.h"
#include "backend/opencl/device.h"
#include "backend/options/options.h"
#include "backend/ref/ref.h"
#include "base/cpu.h"
// a build may omit the simulated devices
#if RINGFORT_SIMULATORS
#include "backend/device/emu/device.h"
#include "backend/pim/pim.h"
#include "backend/rpu/rpu.h"
#endif

namespace ringfort {
namespace {

constexpr std::array<std::pair<std::string_view, Isa>, 5> kCpuDevices = {{{"cpu:generic", Isa::generic},
                                                                          {"cpu:avx2", Isa::avx2},
                                                                          {"cpu:avx2-fma", Isa::fma},
                                                                          {"cpu:avx512", Isa::avx512},
                                                                          {"cpu:ifma", Isa::ifma}}};

std::shared_ptr<Backend> make_ref(std::string_view device, std::string& refusal) {
  refusal = read_options(device, {});
  return refusal.empty() ? ref::make() : nullptr;
}

// Opens a device of the named instruction set, such as "cpu:avx2". For "cpu", opens the best set of the machine that
// RINGFORT_CPU allows.
std::shared_ptr<Backend> make_cpu(std::string_view device, std::string& refusal) {
  if (device == "cpu" && !chosen_isa().known) {
    refusal = "RINGFORT_CPU=" + chosen_isa().requested + " is not an instruction set; unset it";
    return nullptr;
  }
  std::pair<std::string_view, Isa> chosen{"cpu", chosen_isa().used};
  std::vector<std::string_view> sets;
  for (const auto& [name, isa] : kCpuDevices) {
    if (isa <= machine_isa()) sets.push_back(name.substr(name.find(':') + 1));
  }
  Option set = choice_option("instruction set", sets, [&](std::size_t i) { chosen = kCpuDevices[i]; });
  set.is_bare = true;
  refusal = read_options(device, {&set, 1});
  if (!refusal.empty()) return nullptr;
  return chosen.second == Isa::ref ? ref::make() : cpu::make(chosen.first, chosen.second);
}

std::shared_ptr<Backend> make_deferred(std::string_view device, std::string& refusal) {
  return deferred::make(device, ref::make(), refusal);
}

std::shared_ptr<Backend> make_dry(std::string_view device, std::string& refusal) {
  refusal = read_options(device, {});
  return refusal.empty() ? dry::make() : nullptr;
}

struct Kind {
  std::string_view name;
  // On failure, returns nullptr and sets `refusal`. May throw std::bad_alloc.
  std::shared_ptr<Backend> (*make)(std::string_view device, std::string& refusal);
};

#if RINGFORT_SIMULATORS
constexpr Kind kSimulated[] = {{"pim", pim_host::make}, {"rpu", rpu_host::make}};
constexpr Kind kEmulated[] = {{"emu", emu::make}};
#else
constexpr std::array<Kind, 0> kSimulated = {}, kEmulated = {};
#endif
constexpr Kind kKinds[] = {{"ref", make_ref},        {"cpu", make_cpu},           {"cuda", cuda::make},
                           {"opencl", opencl::make}, {"deferred", make_deferred}, {"dry", make_dry}};

const Kind* kind_of(std::string_view device) noexcept {
  const std::string_view name = device.substr(0, device.find(':'));
  for (const std::span<const Kind> kinds : {std::span<const Kind>(kKinds), {kSimulated}, {kEmulated}}) {
    for (const Kind& kind : kinds) {
      if (kind.name == name) return &kind;
    }
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<Backend> open_backend(std::string_view device, std::string* refusal) noexcept {
  try {
    const Kind* const kind = kind_of(device);
    if (kind == nullptr) return nullptr;
    std::string why;
    auto backend = kind->make(device, why);
    if (refusal != nullptr) *refusal = why;
    return backend;
  } catch (const std::bad_alloc&) { return nullptr; }
}

bool is_known_device(std::string_view device) noexcept { return kind_of(device) != nullptr; }

std::vector<std::string_view> backend_names() {
  std::vector<std::string_view> names = {"ref", "cpu"};
  for (const auto& [name, isa] : kCpuDevices) {
    if (isa <= machine_isa()) names.push_back(name);
  }
  for (const Kind& kind : kSimulated) names.push_back(kind.name);
  return names;
}

std::vector<std::string> gpu_names(std::string& refusal) {
  std::string other;
  std::vector<std::string> names = cuda::names(refusal), more = opencl::names(other);
  names.insert(names.end(), more.begin(), more.end());
  refusal = names.empty() ? refusal + "; " + other : "";
  return names;
}

std::string_view environment_device() noexcept {
  const char* name = std::getenv("RINGFORT_DEVICE");
  return name == nullptr || *name == '\0' ? "cpu" : name;
}

CpuChoice cpu_choice() noexcept {
  const IsaChoice& choice = chosen_isa();
  return {choice.requested, isa_name(choice.used), choice.known, choice.lowered};
}

}  // namespace ringfort
