// SPDX-License-Identifier: Apache-2.0
// What all transfers share: which bytes of a DPU a symbol, an offset and a length mean, whether they may be touched
// now, moving them, and the time it takes.
#pragma once

#include <cstddef>
#include <vector>

#include "system.h"
#include "sim/words.h"

namespace ringfort::pim {

struct Window {
  u32 address = 0;  // in the DPU
  std::size_t length = 0;
};

inline bool in_mram(u32 address) { return address >= kMramBase && address < kMramBase + kMramBytes; }

inline Direction direction_of(dpu_xfer_t xfer) {
  return xfer == DPU_XFER_TO_DPU ? Direction::to_dpu : Direction::from_dpu;
}

// The symbol that all DPUs of the set agree on.
dpu_error_t find_symbol(const dpu_set_t& set, const char* name, dpu_symbol_t& symbol);
dpu_error_t window_of(const dpu_symbol_t& symbol, u32 offset, std::size_t length, Window& window);
dpu_error_t check_access(const Members& members, const Window& window, bool asynchronous);
void move(dpu_t& dpu, const Window& window, void* host, Direction direction);
// The time of moving window.length bytes a DPU for `dpus`, on the ranks they lie on.
void spend_push(const std::vector<dpu_t*>& dpus, const Window& window, Direction direction, bool asynchronous);

}  // namespace ringfort::pim
