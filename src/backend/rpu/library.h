// SPDX-License-Identifier: Apache-2.0
// The kernels for one machine (a set of parameters of the ring processor). A kernel is generated at the first request
// and kept. Kernels do not depend on a modulus: all plans, and all processors of equal machines, share them.
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "backend/rpu/routines.h"
#include "base/fork_mutex.h"

namespace ringfort::rpu_host {

class Library {
 public:
  explicit Library(const rpu::Machine& machine) : machine_(machine) {}

  [[nodiscard]] const rpu::Machine& machine() const noexcept { return machine_; }
  // Returns a kernel. words: number of words of an operand, or the degree of a transform. count: number of terms of a
  // sum, or of polynomials of a transform. Throws rpu::Refusal if the machine cannot hold the program.
  [[nodiscard]] std::shared_ptr<const Kernel> kernel(Routine routine, u32 words, u32 count = 1);

 private:
  struct Key {
    Routine routine;
    u32 words, count;
    auto operator<=>(const Key&) const = default;
  };
  [[nodiscard]] Kernel made(const Key& key) const;

  const rpu::Machine machine_;
  ForkMutex mutex_{ForkMutex::Order::device};
  std::map<Key, std::shared_ptr<const Kernel>> kernels_;
};

// Number of libraries that are kept without a processor, so that a caller who tries many machines does not fill the
// memory. The least recently requested libraries are dropped.
inline constexpr std::size_t kKeptLibraries = 8;
[[nodiscard]] std::shared_ptr<Library> library_of(const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
