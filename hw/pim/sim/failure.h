// SPDX-License-Identifier: Apache-2.0
// What can go wrong, as values: a program that cannot be loaded (LoadFailure), and one that breaks a rule of the
// machine while it runs (Fault), with the tasklet and the source line. Every text says what was asked, what was found,
// what to do.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "words.h"

namespace ringfort::pim {

enum class LoadError : u8 {
  unreadable,
  truncated,
  not_dpu_elf,
  malformed,
  iram_overflow,
  wram_overflow,
  mram_overflow,
  too_many_tasklets,
  bad_symbols
};

struct LoadFailure {
  LoadError error;
  std::string text;
};

template <class T>
using Loaded = std::variant<T, LoadFailure>;

enum class FaultCode : u8 {
  none,
  instruction,
  iram_access,
  wram_access,
  unaligned,
  mram_dereference,
  stack_overflow,
  heap_overflow,
  dma_size,
  dma_alignment,
  dma_range,
  atomic_bit,
  bad_tasklet,
  barrier,
  assertion,
  deadlock,
  cycle_limit,
  native_differs,
  unknown_cost,
  one_counter
};

struct Fault {
  FaultCode code = FaultCode::none;
  unsigned tasklet = 0;
  u32 pc = 0;
  std::string text;  // complete: tasklet, source line, rule, remedy
};

}  // namespace ringfort::pim
