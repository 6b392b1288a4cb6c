// SPDX-License-Identifier: Apache-2.0
// The list of devices (registry.cpp), by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort {

class Backend;

// "ref", "cpu", "cpu:generic", "cpu:avx2", "cpu:avx512", "cpu:ifma", "pim", "rpu". Options follow a colon
// (backend/options): "rpu:hples=64,banks=64". "deferred:SEED", a device for tests, is in no list. nullptr for an
// unknown name, and for options that a device refuses: `refusal` then says which and why. "cpu" obeys RINGFORT_CPU; a
// cap above the machine is lowered, and cpu_choice() says so.
[[nodiscard]] std::shared_ptr<Backend> open_backend(std::string_view device, std::string* refusal = nullptr) noexcept;
[[nodiscard]] std::vector<std::string_view> backend_names();

// RINGFORT_DEVICE, or "cpu" where it is not set or empty: the device of everything that names none.
[[nodiscard]] std::string_view environment_device() noexcept;

struct CpuChoice {
  std::string_view requested;  // the variable's text; empty when unset
  std::string_view used;       // "ref", "generic", "avx2", "avx512", "ifma"
  bool known = true;           // false: not one of the five names
  bool lowered = false;        // the machine has less than was asked for
};
[[nodiscard]] CpuChoice cpu_choice() noexcept;

}  // namespace ringfort
