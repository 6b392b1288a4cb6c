// SPDX-License-Identifier: Apache-2.0
// Opens and lists devices by name. registry.cpp contains the list.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringfort {

class Backend;

// Opens a device by name. The names are "ref", "cpu", "cpu:generic", "cpu:avx2", "cpu:avx2-fma", "cpu:avx512",
// "cpu:ifma", "pim" and "rpu". "cuda:0" is NVIDIA's first GPU. "opencl:0" is the first device of OpenCL. Options follow
// a colon (backend/options): "rpu:hples=64,banks=64". backend_names() and gpu_names() list neither "dry" nor the
// devices for tests, which are "deferred:SEED" and "emu:0" .. "emu:3".
// Returns nullptr if the name is unknown, an option is invalid, or the machine lacks the device. If the name is known,
// `refusal` then contains the reason.
// The variable RINGFORT_CPU names the highest instruction set that "cpu" may use. If the machine lacks this set, "cpu"
// uses the machine's best set, and cpu_choice() reports this.
[[nodiscard]] std::shared_ptr<Backend> open_backend(std::string_view device, std::string* refusal = nullptr) noexcept;
[[nodiscard]] std::vector<std::string_view> backend_names();
// Returns the names of the GPUs of this machine: first "cuda:0" and so on, then the names of OpenCL's GPUs. If the
// machine has no GPU, `refusal` contains the reasons. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::string> gpu_names(std::string& refusal);
// Tells whether open_backend() knows devices of this name, with or without options. If open_backend() returns nullptr
// for such a device and `refusal` is empty, memory ran out.
[[nodiscard]] bool is_known_device(std::string_view device) noexcept;

// Returns the default device: the value of RINGFORT_DEVICE, or "cpu" if it is not set or empty.
[[nodiscard]] std::string_view environment_device() noexcept;

struct CpuChoice {
  std::string_view requested;  // the text of RINGFORT_CPU; empty if it is not set
  std::string_view used;       // "ref", "generic", "avx2", "avx2-fma", "avx512", "ifma"
  bool known = true;           // false: the text is not one of these names
  bool lowered = false;        // the machine lacks the requested set
};
[[nodiscard]] CpuChoice cpu_choice() noexcept;

}  // namespace ringfort
