// SPDX-License-Identifier: Apache-2.0
// Errors as values. A LoadFailure says why a program cannot be loaded. A Fault says which rule of the machine a running
// program broke and, if known, in which tasklet and source line. A text states what was found and, if possible, how to
// fix it. hw/pim/README.md explains the terms.
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
  division_by_zero,
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
  std::string text;  // the complete message
};

}  // namespace ringfort::pim
