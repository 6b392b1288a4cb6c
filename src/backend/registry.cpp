// SPDX-License-Identifier: Apache-2.0
// The list of devices. A name that the machine cannot serve ("cpu:ifma" without IFMA) is treated as unknown; the cap
// RINGFORT_CPU speaks to "cpu" alone, so that a test or a user can still name an instruction set.
#include <array>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "backend/backend.h"
#include "backend/cpu/cpu.h"
#include "backend/pim/pim.h"
#include "backend/ref/ref.h"
#include "backend/rpu/rpu.h"
#include "base/cpu.h"

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

std::shared_ptr<Backend> open_pim(std::string_view device, std::string* refusal) {
  std::string why;
  auto backend = pim_host::make(device, why);
  if (refusal != nullptr) *refusal = why;
  return backend;
}

}  // namespace

std::shared_ptr<Backend> open_backend(std::string_view device, std::string* refusal) noexcept {
  try {
    if (device == "ref") return ref::make();
    if (device == "cpu") return open_cpu("cpu", chosen_isa().used);
    for (const auto& [name, isa] : kCpuDevices) {
      if (device == name && isa <= machine_isa()) return open_cpu(name, isa);
    }
    if (is_device(device, "pim")) return open_pim(device, refusal);
    if (is_device(device, "rpu")) return rpu_host::make(device);
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
  names.push_back("pim");
  names.push_back("rpu");
  return names;
}

CpuChoice cpu_choice() noexcept {
  const IsaChoice& choice = chosen_isa();
  return {choice.requested, isa_name(choice.used), choice.known, choice.lowered};
}

}  // namespace ringfort
