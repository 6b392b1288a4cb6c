// SPDX-License-Identifier: Apache-2.0
// Functions that all transfers use. They find the bytes of a DPU that a symbol, an offset and a length select (a
// Window), check whether the Window may be accessed now, move the bytes, and add the time of the move. hw/pim/README.md
// explains the terms.
#pragma once

#include <cstddef>
#include <vector>

#include "system.h"
#include "sim/words.h"

namespace ringfort::pim {

struct Window {
  u32 address = 0;  // address in the DPU
  std::size_t length = 0;
};

inline bool in_mram(u32 address) { return address >= kMramBase && address < kMramBase + kMramBytes; }

inline Direction direction_of(dpu_xfer_t xfer) {
  return xfer == DPU_XFER_TO_DPU ? Direction::to_dpu : Direction::from_dpu;
}

// Finds a symbol. Fails if DPUs of the set have different programs.
dpu_error_t find_symbol(const dpu_set_t& set, const char* name, dpu_symbol_t& symbol);
// Fails if the buffer of a transfer of `length` bytes is a null pointer.
dpu_error_t check_buffer(const void* buffer, std::size_t length);
dpu_error_t window_of(const dpu_symbol_t& symbol, u32 offset, std::size_t length, Window& window);
dpu_error_t check_access(const Members& members, const Window& window, bool asynchronous);
void move(dpu_t& dpu, const Window& window, void* host, Direction direction);
// Adds the time of a push to the ranks of the DPUs `dpus`. The push moves window.length bytes per DPU.
void spend_push(const std::vector<dpu_t*>& dpus, const Window& window, Direction direction, bool asynchronous);

}  // namespace ringfort::pim
