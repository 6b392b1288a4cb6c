// SPDX-License-Identifier: Apache-2.0
// Scatter-gather transfers. For every DPU the caller lists blocks of host memory; in MRAM the blocks are consecutive.
// hw/pim/README.md explains the terms. size-exempt: the vendor's signature of dpu_push_sg_xfer has seven parameters
#include <string>
#include <vector>

#include "transfer.h"
#include "sim/words.h"

namespace ringfort::pim {
namespace {

// Collects the blocks of one DPU. Fails if there are too many.
dpu_error_t gather_blocks(const System& system, const get_block_t& get, u32 dpu_index,
                          std::vector<sg_block_info>& blocks) {
  sg_block_info block{};
  while (get.f(&block, dpu_index, static_cast<u32>(blocks.size()), get.args)) {
    if (blocks.size() == system.most_blocks)
      return fail(DPU_ERR_SG_TOO_MANY_BLOCKS, "a DPU may have " + std::to_string(system.most_blocks) +
                                                  " blocks; allocate with a larger sgXferMaxBlocksPerDpu");
    if (const dpu_error_t status = check_buffer(block.addr, block.length); status != DPU_OK) return status;
    blocks.push_back(block);
  }
  return DPU_OK;
}

dpu_error_t check_blocks(const std::vector<sg_block_info>& blocks, std::size_t length, bool exact) {
  u64 total = 0;
  for (const auto& block : blocks) total += block.length;
  if (total > length || (exact && total != length))
    return fail(DPU_ERR_SG_LENGTH_MISMATCH,
                "the blocks have " + std::to_string(total) + " bytes, but the transfer has " + std::to_string(length));
  return DPU_OK;
}

// Moves the blocks to or from consecutive addresses of the DPU.
void move_blocks(dpu_t& dpu, Window window, const std::vector<sg_block_info>& blocks, Direction direction) {
  for (const auto& block : blocks) {
    window.length = block.length;
    move(dpu, window, block.addr, direction);
    window.address += block.length;
  }
}

dpu_error_t push_blocks(const Members& members, const Window& window, Direction direction, const get_block_t& get,
                        dpu_sg_xfer_flags_t flags) {
  std::vector<std::vector<sg_block_info>> blocks(members.dpus.size());
  for (u32 i = 0; i < blocks.size(); ++i) {
    if (const dpu_error_t status = gather_blocks(*members.system, get, i, blocks[i]); status != DPU_OK) return status;
    const bool exact = (flags & DPU_SG_XFER_DISABLE_LENGTH_CHECK) == 0;
    if (const dpu_error_t status = check_blocks(blocks[i], window.length, exact); status != DPU_OK) return status;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) move_blocks(*members.dpus[i], window, blocks[i], direction);
  spend_push(members.dpus, window, direction, (flags & DPU_SG_XFER_ASYNC) != 0);
  return DPU_OK;
}

}  // namespace
}  // namespace ringfort::pim

using namespace ringfort::pim;

extern "C" {

dpu_error_t dpu_push_sg_xfer(dpu_set_t set, dpu_xfer_t xfer, const char* name, uint32_t offset, size_t length,
                             get_block_t* get_block, dpu_sg_xfer_flags_t flags) {
  return guarded([&] {
    dpu_symbol_t symbol{};
    if (const dpu_error_t status = find_symbol(set, name, symbol); status != DPU_OK) return status;
    if (get_block == nullptr || get_block->f == nullptr)
      return fail(DPU_ERR_INVALID_MEMORY_TRANSFER, "the function that lists the blocks is a null pointer");
    Window window;
    if (const dpu_error_t status = window_of(symbol, offset, length, window); status != DPU_OK) return status;
    const Members members = members_of(set);
    if (!members.system->scatter_gather)
      return fail(DPU_ERR_SG_NOT_ACTIVATED, "allocate with the profile sgXferEnable=true");
    if (!in_mram(window.address))
      return fail(DPU_ERR_INVALID_MEMORY_TRANSFER, "blocks are scattered to and gathered from MRAM only");
    if (const dpu_error_t status = check_access(members, window, (flags & DPU_SG_XFER_ASYNC) != 0); status != DPU_OK)
      return status;
    return push_blocks(members, window, direction_of(xfer), *get_block, flags);
  });
}

}  // extern "C"
