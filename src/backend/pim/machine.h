// SPDX-License-Identifier: Apache-2.0
// State that plans and verbs of device `pim` share: the ranks of processors in memory (system.h), their memory, and the
// mutex that guards them. The driver of a real system also serves one thread at a time.
#pragma once

#include <mutex>

#include "backend/pim/memory.h"
#include "base/fork_mutex.h"

namespace ringfort::pim_host {

struct Machine {
  explicit Machine(const Options& options) : system(options), memory(system) {}
  ForkMutex mutex{ForkMutex::Order::device};
  System system;
  Memory memory;
};

}  // namespace ringfort::pim_host
