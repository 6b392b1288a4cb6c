// SPDX-License-Identifier: Apache-2.0
// The kernels of one machine, generated at the first request and kept. They depend on no modulus, so plans share them.
// A library serves all processors of equal machines, from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "backend/rpu/routines.h"

namespace ringfort::rpu_host {

class Library {
 public:
  explicit Library(const rpu::Machine& machine) : machine_(machine) {}

  [[nodiscard]] const rpu::Machine& machine() const noexcept { return machine_; }
  // Returns a kernel. words: of an operand, or the degree of a transform. count: terms of a sum, or polynomials of a
  // transform. Throws rpu::Refusal if the machine cannot hold the program.
  [[nodiscard]] std::shared_ptr<const Kernel> kernel(Routine routine, u32 words, u32 count = 1);

 private:
  struct Key {
    Routine routine;
    u32 words, count;
    auto operator<=>(const Key&) const = default;
  };
  [[nodiscard]] Kernel made(const Key& key) const;

  const rpu::Machine machine_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Kernel>> kernels_;
};

// Equal machines share a library, however their parameters were written. The libraries requested last are kept even
// without processors; the limit stops callers that try many machines from filling memory with programs.
inline constexpr std::size_t kKeptLibraries = 8;
[[nodiscard]] std::shared_ptr<Library> library_of(const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
