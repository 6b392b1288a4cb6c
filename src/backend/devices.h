// SPDX-License-Identifier: Apache-2.0
// The list of devices (registry.cpp), by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort {

class Backend;

// Opens a device by name: "ref", "cpu", "cpu:generic", "cpu:avx2", "cpu:avx2-fma", "cpu:avx512", "cpu:ifma", "pim",
// "rpu". Options follow a colon (backend/options): "rpu:hples=64,banks=64". "cuda:0" is NVIDIA's first GPU, "opencl:0"
// the first device of OpenCL. No list contains "dry" or the devices for tests, "deferred:SEED" and "emu:0" .. "emu:3".
// Returns nullptr for an unknown name, or for invalid options; `refusal` then contains the option and the reason. The
// variable RINGFORT_CPU names the highest instruction set that "cpu" may use. If the machine lacks this set, "cpu" uses
// the machine's best; cpu_choice() reports it.
[[nodiscard]] std::shared_ptr<Backend> open_backend(std::string_view device, std::string* refusal = nullptr) noexcept;
[[nodiscard]] std::vector<std::string_view> backend_names();
// Returns the GPUs of this machine: "cuda:0" .., then those of OpenCL. If there are none, `refusal` contains the
// reasons. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::string> gpu_names(std::string& refusal);
// Tells whether open_backend() knows devices of this name, with any options. If open_backend() returns nullptr for such
// a device without a refusal, memory ran out.
[[nodiscard]] bool is_known_device(std::string_view device) noexcept;

// Returns RINGFORT_DEVICE, or "cpu" if it is not set or empty: the default device.
[[nodiscard]] std::string_view environment_device() noexcept;

struct CpuChoice {
  std::string_view requested;  // the variable's text; empty when unset
  std::string_view used;       // "ref", "generic", "avx2", "avx2-fma", "avx512", "ifma"
  bool known = true;           // false: not one of these names
  bool lowered = false;        // the machine lacks the requested set
};
[[nodiscard]] CpuChoice cpu_choice() noexcept;

}  // namespace ringfort
