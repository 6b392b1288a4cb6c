// SPDX-License-Identifier: Apache-2.0
// Copies data between the host and the memories of DPUs: one buffer to or from one DPU, one buffer to all DPUs, or one
// buffer for each DPU. All checks precede the first move. Therefore a call that a check refuses changes nothing, and
// prepared buffers stay prepared. hw/pim/README.md explains the terms.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "run.h"
#include "transfer.h"
#include "sim/words.h"

namespace ringfort::pim {
namespace {

// Returns the end of the accessible range of `symbol`. The symbol of the heap has no size. Its range extends to the end
// of MRAM.
u64 end_of(const dpu_symbol_t& symbol) {
  if (symbol.size == 0 && in_mram(symbol.address)) return u64{kMramBase} + kMramBytes;
  return u64{symbol.address} + symbol.size;
}

dpu_error_t check_alignment(const dpu_symbol_t& symbol, u32 offset, std::size_t length) {
  const bool mram = in_mram(symbol.address);
  const u32 unit = mram ? 8 : 4;
  if ((symbol.address + offset) % unit == 0 && length % unit == 0) return DPU_OK;
  return fail(mram ? DPU_ERR_INVALID_MRAM_ACCESS : DPU_ERR_INVALID_WRAM_ACCESS,
              "offset " + std::to_string(offset) + " and length " + std::to_string(length) + " must be multiples of " +
                  std::to_string(unit));
}

}  // namespace

dpu_error_t window_of(const dpu_symbol_t& symbol, u32 offset, std::size_t length, Window& window) {
  if (symbol.address >= kIramBase)
    return fail(DPU_ERR_INVALID_IRAM_ACCESS, "the symbol is code; only variables are copied");
  if (const dpu_error_t status = check_alignment(symbol, offset, length); status != DPU_OK) return status;
  const u64 begin = u64{symbol.address} + offset;
  if (begin > end_of(symbol) || length > end_of(symbol) - begin) {
    return fail(DPU_ERR_INVALID_SYMBOL_ACCESS, std::to_string(length) + " bytes at offset " + std::to_string(offset) +
                                                   " exceed the symbol, which has " +
                                                   std::to_string(end_of(symbol) - symbol.address) + " bytes");
  }
  window = {static_cast<u32>(begin), length};
  return DPU_OK;
}

dpu_error_t check_buffer(const void* buffer, std::size_t length) {
  if (buffer != nullptr || length == 0) return DPU_OK;
  return fail(DPU_ERR_INVALID_MEMORY_TRANSFER, "the buffer of the host is a null pointer");
}

dpu_error_t find_symbol(const dpu_set_t& set, const char* name, dpu_symbol_t& symbol) {
  const Members members = members_of(set);
  if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
  if (name == nullptr) return fail(DPU_ERR_UNKNOWN_SYMBOL, "the name of the variable is a null pointer");
  dpu_program_t* program = members.dpus.front()->program;
  for (const dpu_t* dpu : members.dpus) {
    if (dpu->program == nullptr)
      return fail(DPU_ERR_NO_PROGRAM_LOADED, std::string("no program is loaded that could have a variable ") + name);
    if (dpu->program != program)
      return fail(DPU_ERR_DIFFERENT_DPU_PROGRAMS,
                  std::string("DPUs of the set run different programs; ") + name + " may differ");
  }
  return dpu_get_symbol(program, name, &symbol);
}

dpu_error_t check_access(const Members& members, const Window& window, bool asynchronous) {
  if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
  const bool running =
      std::any_of(members.ranks.begin(), members.ranks.end(), [](const dpu_rank_t* rank) { return rank->running; });
  if (running && in_mram(window.address) && !asynchronous)
    return fail(DPU_ERR_MRAM_BUSY,
                "MRAM belongs to the DPUs while they run; call dpu_sync, or transfer with DPU_XFER_ASYNC to queue "
                "it after the launch");
  return DPU_OK;
}

void move(dpu_t& dpu, const Window& window, void* host, Direction direction) {
  auto* bytes = static_cast<u8*>(host);
  if (in_mram(window.address)) settle(dpu);
  if (direction == Direction::to_dpu) {
    dpu.sim->write(window.address, {bytes, window.length});
  } else {
    dpu.sim->read(window.address, {bytes, window.length});
  }
}

namespace {

ringfort_pim_event_kind_t kind_of(Direction direction) {
  return direction == Direction::to_dpu ? RINGFORT_PIM_TO_DPU : RINGFORT_PIM_FROM_DPU;
}

}  // namespace

void spend_push(const std::vector<dpu_t*>& dpus, const Window& window, Direction direction, bool asynchronous) {
  Members taking{dpus.front()->rank->system, dpus, {}};
  for (const dpu_t* dpu : dpus) {
    if (taking.ranks.empty() || taking.ranks.back() != dpu->rank) taking.ranks.push_back(dpu->rank);
  }
  const HostProfile& profile = taking.system->profile;
  const auto ranks = static_cast<u32>(taking.ranks.size());
  const auto bytes = static_cast<double>(window.length);
  advance(taking, {kind_of(direction), profile.push_ms(direction, bytes, ranks),
                   profile.shared_ms(direction, bytes, ranks), window.length * dpus.size(), 0, asynchronous});
}

namespace {

dpu_error_t broadcast(const Members& members, const Window& window, const void* source, bool asynchronous) {
  for (dpu_t* dpu : members.dpus) move(*dpu, window, const_cast<void*>(source), Direction::to_dpu);
  const auto ranks = static_cast<u32>(members.ranks.size());
  const double ms = members.system->profile.broadcast_ms(static_cast<double>(window.length), ranks);
  advance(members, {RINGFORT_PIM_BROADCAST, ms, 0, window.length * members.dpus.size(), 0, asynchronous});
  return DPU_OK;
}

dpu_error_t serial_copy(const Members& members, const Window& window, void* host, Direction direction) {
  move(*members.dpus.front(), window, host, direction);
  const double ms = members.system->profile.serial_ms(direction, static_cast<double>(window.length));
  advance(members, {kind_of(direction), ms, 0, window.length, 0, false});
  return DPU_OK;
}

}  // namespace
}  // namespace ringfort::pim

using namespace ringfort::pim;

extern "C" {

dpu_error_t dpu_copy_to_symbol(dpu_set_t set, dpu_symbol_t symbol, uint32_t offset, const void* src, size_t length) {
  return guarded([&] {
    Window window;
    if (const dpu_error_t status = window_of(symbol, offset, length, window); status != DPU_OK) return status;
    if (const dpu_error_t status = check_buffer(src, length); status != DPU_OK) return status;
    const Members members = members_of(set);
    if (const dpu_error_t status = check_access(members, window, false); status != DPU_OK) return status;
    if (members.dpus.size() != 1) return broadcast(members, window, src, false);
    return serial_copy(members, window, const_cast<void*>(src), Direction::to_dpu);
  });
}

dpu_error_t dpu_copy_from_symbol(dpu_set_t set, dpu_symbol_t symbol, uint32_t offset, void* dst, size_t length) {
  return guarded([&] {
    Window window;
    if (const dpu_error_t status = window_of(symbol, offset, length, window); status != DPU_OK) return status;
    if (const dpu_error_t status = check_buffer(dst, length); status != DPU_OK) return status;
    const Members members = members_of(set);
    if (const dpu_error_t status = check_access(members, window, false); status != DPU_OK) return status;
    if (members.dpus.size() != 1)
      return fail(DPU_ERR_INVALID_DPU_SET, "dpu_copy_from takes one DPU; use dpu_push_xfer for many");
    return serial_copy(members, window, dst, Direction::from_dpu);
  });
}

dpu_error_t dpu_copy_to(dpu_set_t set, const char* name, uint32_t offset, const void* src, size_t length) {
  return guarded([&] {
    dpu_symbol_t symbol{};
    const dpu_error_t status = find_symbol(set, name, symbol);
    return status != DPU_OK ? status : dpu_copy_to_symbol(set, symbol, offset, src, length);
  });
}

dpu_error_t dpu_copy_from(dpu_set_t set, const char* name, uint32_t offset, void* dst, size_t length) {
  return guarded([&] {
    dpu_symbol_t symbol{};
    const dpu_error_t status = find_symbol(set, name, symbol);
    return status != DPU_OK ? status : dpu_copy_from_symbol(set, symbol, offset, dst, length);
  });
}

dpu_error_t dpu_prepare_xfer(dpu_set_t set, void* buffer) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
    for (const dpu_t* dpu : members.dpus) {
      if (dpu->prepared != nullptr)
        return fail(DPU_ERR_TRANSFER_ALREADY_SET,
                    "a DPU of the set has a buffer already; push it before preparing another");
    }
    for (dpu_t* dpu : members.dpus) dpu->prepared = buffer;
    members.system->host_ms += members.system->profile.prepare_ms(members.dpus.size());
    return DPU_OK;
  });
}

void ringfort_pim_forget_xfer(dpu_set_t set) {
  if (set.kind == DPU_SET_DPU) {
    if (set.dpu != nullptr) set.dpu->prepared = nullptr;
    return;
  }
  for (uint32_t r = 0; r < set.list.nr_ranks; ++r) {
    for (const auto& dpu : set.list.ranks[r]->dpus) dpu->prepared = nullptr;
  }
}

dpu_error_t dpu_push_xfer_symbol(dpu_set_t set, dpu_xfer_t xfer, dpu_symbol_t symbol, uint32_t offset, size_t length,
                                 dpu_xfer_flags_t flags) {
  return guarded([&] {
    Window window;
    if (const dpu_error_t status = window_of(symbol, offset, length, window); status != DPU_OK) return status;
    const Members members = members_of(set);
    const bool asynchronous = (flags & DPU_XFER_ASYNC) != 0;
    if (const dpu_error_t status = check_access(members, window, asynchronous); status != DPU_OK) return status;
    if ((flags & DPU_XFER_PARALLEL) != 0 && in_mram(window.address))
      return fail(DPU_ERR_INVALID_MEMORY_TRANSFER, "DPU_XFER_PARALLEL is only for variables in WRAM");
    std::vector<dpu_t*> taking;
    std::copy_if(members.dpus.begin(), members.dpus.end(), std::back_inserter(taking),
                 [](const dpu_t* dpu) { return dpu->prepared != nullptr; });
    if (taking.empty()) return DPU_OK;
    for (dpu_t* dpu : taking) move(*dpu, window, dpu->prepared, direction_of(xfer));
    spend_push(taking, window, direction_of(xfer), asynchronous);
    if ((flags & DPU_XFER_NO_RESET) != 0) return DPU_OK;
    for (dpu_t* dpu : taking) dpu->prepared = nullptr;
    return DPU_OK;
  });
}

dpu_error_t dpu_push_xfer(dpu_set_t set, dpu_xfer_t xfer, const char* name, uint32_t offset, size_t length,
                          dpu_xfer_flags_t flags) {
  return guarded([&] {
    dpu_symbol_t symbol{};
    const dpu_error_t status = find_symbol(set, name, symbol);
    return status != DPU_OK ? status : dpu_push_xfer_symbol(set, xfer, symbol, offset, length, flags);
  });
}

dpu_error_t dpu_broadcast_to_symbol(dpu_set_t set, dpu_symbol_t symbol, uint32_t offset, const void* src, size_t length,
                                    dpu_xfer_flags_t flags) {
  return guarded([&] {
    Window window;
    if (const dpu_error_t status = window_of(symbol, offset, length, window); status != DPU_OK) return status;
    if (const dpu_error_t status = check_buffer(src, length); status != DPU_OK) return status;
    const Members members = members_of(set);
    const bool asynchronous = (flags & DPU_XFER_ASYNC) != 0;
    if (const dpu_error_t status = check_access(members, window, asynchronous); status != DPU_OK) return status;
    return broadcast(members, window, src, asynchronous);
  });
}

dpu_error_t dpu_broadcast_to(dpu_set_t set, const char* name, uint32_t offset, const void* src, size_t length,
                             dpu_xfer_flags_t flags) {
  return guarded([&] {
    dpu_symbol_t symbol{};
    const dpu_error_t status = find_symbol(set, name, symbol);
    return status != DPU_OK ? status : dpu_broadcast_to_symbol(set, symbol, offset, src, length, flags);
  });
}

}  // extern "C"
