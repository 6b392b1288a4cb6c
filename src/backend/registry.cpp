// SPDX-License-Identifier: Apache-2.0
// The list of devices. A name that the machine cannot serve ("cpu:ifma" without IFMA) is treated as unknown; the cap
// RINGFORT_CPU speaks to "cpu" alone, so that a test or a user can still name an instruction set.
#include <array>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "backend/backend.h"
#include "backend/cpu/cpu.h"
#include "backend/deferred/deferred.h"
#include "backend/devices.h"
#include "backend/ref/ref.h"
#include "base/cpu.h"
#if RINGFORT_SIMULATORS                                // builds for sanitizers and fuzzers leave the simulated devices out
#include "backend/pim/pim.h"
#include "backend/rpu/rpu.h"
#endif

namespace ringfort {
namespace {

constexpr std::array<std::pair<std::string_view, Isa>, 4> kCpuDevices = {
    {{"cpu:generic", Isa::generic}, {"cpu:avx2", Isa::avx2}, {"cpu:avx512", Isa::avx512}, {"cpu:ifma", Isa::ifma}}};

std::shared_ptr<Backend> open_cpu(std::string_view name, Isa isa) {
  return isa == Isa::ref ? ref::make() : cpu::make(name, isa);
}

// "pim" and "pim:options", not "pims".
bool is_device(std::string_view device, std::string_view name) {
  return device == name || (device.starts_with(name) && device[name.size()] == ':');
}

template <class Make>
std::shared_ptr<Backend> open_with(Make make, std::string_view device, std::string* refusal) {
  std::string why;
  auto backend = make(device, why);
  if (refusal != nullptr) *refusal = why;
  return backend;
}

std::shared_ptr<Backend> make_deferred(std::string_view device, std::string& refusal) { return deferred::make(device, ref::make(), refusal); }

#if RINGFORT_SIMULATORS
constexpr std::array<std::string_view, 2> kSimulated = {"pim", "rpu"};

std::shared_ptr<Backend> open_simulated(std::string_view device, std::string* refusal) {
  if (is_device(device, "pim")) return open_with(pim_host::make, device, refusal);
  return is_device(device, "rpu") ? rpu_host::make(device) : nullptr;
}
#else
constexpr std::array<std::string_view, 0> kSimulated = {};

std::shared_ptr<Backend> open_simulated(std::string_view, std::string*) { return nullptr; }
#endif

}  // namespace

std::shared_ptr<Backend> open_backend(std::string_view device, std::string* refusal) noexcept {
  try {
    if (device == "ref") return ref::make();
    if (device == "cpu") return open_cpu("cpu", chosen_isa().used);
    for (const auto& [name, isa] : kCpuDevices) {
      if (device == name && isa <= machine_isa()) return open_cpu(name, isa);
    }
    if (is_device(device, "deferred")) return open_with(make_deferred, device, refusal);
    return open_simulated(device, refusal);
  } catch (const std::bad_alloc&) {
  } catch (const std::runtime_error& wrong) {          // options that a device refuses
    if (refusal != nullptr) *refusal = wrong.what();
  }
  return nullptr;
}

std::vector<std::string_view> backend_names() {
  std::vector<std::string_view> names = {"ref", "cpu"};
  for (const auto& [name, isa] : kCpuDevices) {
    if (isa <= machine_isa()) names.push_back(name);
  }
  names.insert(names.end(), kSimulated.begin(), kSimulated.end());
  return names;
}

std::string_view default_device() noexcept {
  const char* name = std::getenv("RINGFORT_DEVICE");
  return name == nullptr || *name == '\0' ? "cpu" : name;
}

CpuChoice cpu_choice() noexcept {
  const IsaChoice& choice = chosen_isa();
  return {choice.requested, isa_name(choice.used), choice.known, choice.lowered};
}

}  // namespace ringfort
