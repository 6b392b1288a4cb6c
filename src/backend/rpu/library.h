// SPDX-License-Identifier: Apache-2.0
// The kernels for one machine. A machine is a set of parameters of the ring processor. A kernel is generated when it is
// first requested, and then kept. Kernels do not depend on a modulus. Therefore all plans, and all processors of equal
// machines, share them. The functions may be called from several threads.
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
  // Returns a kernel. `words` is the number of words of an operand or, for a transform, its degree. `count` is the
  // number of terms of a sum or, for a transform, the number of polynomials. Throws rpu::Refusal if the machine cannot
  // hold the program.
  [[nodiscard]] std::shared_ptr<const Kernel> kernel(Routine routine, u32 words, u32 count = 1);

 private:
  struct Key {
    Routine routine;
    u32 words, count;
    auto operator<=>(const Key&) const = default;
  };
  [[nodiscard]] Kernel generate(const Key& key) const;

  const rpu::Machine machine_;
  ForkMutex mutex_{ForkMutex::Order::device};
  std::map<Key, std::shared_ptr<const Kernel>> kernels_;
};

// Number of libraries that are kept even if no processor uses them. The least recently requested libraries are dropped,
// so that a caller who tries many machines does not fill the memory.
inline constexpr std::size_t kKeptLibraries = 8;
[[nodiscard]] std::shared_ptr<Library> library_of(const rpu::Machine& machine);

}  // namespace ringfort::rpu_host
