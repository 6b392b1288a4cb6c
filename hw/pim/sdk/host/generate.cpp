// SPDX-License-Identifier: Apache-2.0
// Fills the memory of DPUs with words of a seed. The words are computed when the memory is read. Therefore hundreds of
// thousands of ciphertexts fit a host with little memory. hw/pim/README.md explains the terms.
#include <string>

#include "run.h"
#include "transfer.h"

using namespace ringfort::pim;

namespace {

std::uint64_t seed_of(std::uint64_t seed, std::uint32_t dpu_index) {
  return seed ^ (std::uint64_t{dpu_index} + 1) * 0xd6e8feb86659fd93;
}

}  // namespace

extern "C" {

uint32_t ringfort_pim_word(uint64_t seed, uint32_t dpu_index, uint32_t word_index, uint32_t bound) {
  return generated_word(seed_of(seed, dpu_index), word_index, bound);
}

dpu_error_t ringfort_pim_generate(dpu_set_t set, uint32_t offset, size_t length, uint64_t seed,
                                  const uint32_t* bounds) {
  return guarded([&] {
    dpu_symbol_t symbol{};
    if (const dpu_error_t status = find_symbol(set, DPU_MRAM_HEAP_POINTER_NAME, symbol); status != DPU_OK)
      return status;
    Window window;
    if (const dpu_error_t status = window_of(symbol, offset, length, window); status != DPU_OK) return status;
    const Members members = members_of(set);
    if (const dpu_error_t status = check_access(members, window, false); status != DPU_OK) return status;
    for (std::uint32_t i = 0; i < members.dpus.size(); ++i) {
      settle(*members.dpus[i]);
      members.dpus[i]->sim->mram().generate(window.address - kMramBase, static_cast<std::uint32_t>(length),
                                            seed_of(seed, i), bounds[i]);
    }
    members.system->host_ms += members.system->profile.prepare_ms(members.dpus.size());
    spend_push(members.dpus, window, Direction::to_dpu, false);
    return DPU_OK;
  });
}

dpu_error_t ringfort_pim_settle(dpu_set_t set) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
    for (dpu_t* dpu : members.dpus) settle(*dpu);
    return DPU_OK;
  });
}

}  // extern "C"
