// SPDX-License-Identifier: Apache-2.0
// Functions on sets of DPUs and iterators of these sets, on the simulated clock and its events, and on the texts of
// errors. hw/pim/README.md explains the terms.
#include "system.h"
#include "sim/words.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ringfort::pim {
namespace {

thread_local std::pair<dpu_error_t, std::string> latest{DPU_OK, ""};

const char* sentence(dpu_error_t status) {
  switch (status) {
    case DPU_OK: return "success";
    case DPU_ERR_INTERNAL: return "internal error";
    case DPU_ERR_SYSTEM: return "system error";
    case DPU_ERR_DRIVER: return "driver error";
    case DPU_ERR_ALLOCATION: return "allocation error";
    case DPU_ERR_INVALID_DPU_SET: return "invalid dpu_set_t";
    case DPU_ERR_INVALID_WRAM_ACCESS: return "invalid wram access";
    case DPU_ERR_INVALID_IRAM_ACCESS: return "invalid iram access";
    case DPU_ERR_INVALID_MRAM_ACCESS: return "invalid mram access";
    case DPU_ERR_INVALID_SYMBOL_ACCESS: return "invalid symbol access";
    case DPU_ERR_MRAM_BUSY: return "mram is busy";
    case DPU_ERR_TRANSFER_ALREADY_SET: return "transfer is already set";
    case DPU_ERR_NO_PROGRAM_LOADED: return "no program loaded in the DPU";
    case DPU_ERR_DIFFERENT_DPU_PROGRAMS: return "cannot access symbol on DPUs with different programs";
    case DPU_ERR_DPU_ALREADY_RUNNING: return "dpu is already running";
    case DPU_ERR_INVALID_MEMORY_TRANSFER: return "invalid memory transfer";
    case DPU_ERR_INVALID_LAUNCH_POLICY: return "invalid launch policy";
    case DPU_ERR_DPU_FAULT: return "dpu is in fault";
    case DPU_ERR_ELF_INVALID_FILE: return "invalid ELF file";
    case DPU_ERR_ELF_NO_SUCH_FILE: return "file not found";
    case DPU_ERR_INVALID_PROFILE: return "invalid profile";
    case DPU_ERR_UNKNOWN_SYMBOL: return "undefined symbol";
    case DPU_ERR_INVALID_BUFFER_SIZE: return "invalid buffer size";
    case DPU_ERR_SG_NOT_ACTIVATED: return "scatter gather transfers are not activated";
    case DPU_ERR_SG_LENGTH_MISMATCH: return "the blocks of a scatter gather transfer have a different total length";
    case DPU_ERR_SG_TOO_MANY_BLOCKS: return "too many blocks in a scatter gather transfer";
    default: return "unknown error";
  }
}

// Returns the iterator's current rank, or null at the end.
dpu_rank_t* rank_at(const dpu_set_iterator_t& iterator) {
  if (iterator.set.kind == DPU_SET_DPU) return iterator.rank == 0 ? iterator.set.dpu->rank : nullptr;
  return iterator.rank < iterator.set.list.nr_ranks ? iterator.set.list.ranks[iterator.rank] : nullptr;
}

void settle_on_dpu(dpu_set_iterator_t& iterator) {
  if (iterator.set.kind == DPU_SET_DPU) {
    iterator.has_next = iterator.dpu == 0;
    iterator.next = iterator.set;
    return;
  }
  while (rank_at(iterator) != nullptr && iterator.dpu >= rank_at(iterator)->dpus.size())
    ++iterator.rank, iterator.dpu = 0;
  iterator.has_next = rank_at(iterator) != nullptr;
  iterator.next = {};
  iterator.next.kind = DPU_SET_DPU;
  if (iterator.has_next) iterator.next.dpu = rank_at(iterator)->dpus[iterator.dpu].get();
}

void settle_on_rank(dpu_set_iterator_t& iterator) {
  iterator.has_next = iterator.set.kind == DPU_SET_RANKS && rank_at(iterator) != nullptr;
  iterator.next = {};
  iterator.next.kind = DPU_SET_RANKS;
  if (iterator.has_next) iterator.next.list = {1, iterator.set.list.ranks + iterator.rank};
}

}  // namespace

System* system_of(const dpu_set_t& set) noexcept {
  if (set.kind == DPU_SET_DPU) return set.dpu == nullptr ? nullptr : set.dpu->rank->system;
  return set.list.nr_ranks == 0 || set.list.ranks == nullptr ? nullptr : set.list.ranks[0]->system;
}

Members members_of(const dpu_set_t& set) {
  Members members;
  if (set.kind == DPU_SET_DPU && set.dpu != nullptr) {
    members = {set.dpu->rank->system, {set.dpu}, {set.dpu->rank}};
  } else if (set.kind == DPU_SET_RANKS && set.list.nr_ranks != 0 && set.list.ranks != nullptr) {
    members.system = set.list.ranks[0]->system;
    members.ranks.assign(set.list.ranks, set.list.ranks + set.list.nr_ranks);
    for (const auto* rank : members.ranks) {
      for (const auto& dpu : rank->dpus) members.dpus.push_back(dpu.get());
    }
  }
  return members;
}

void advance(const Members& members, const Action& action) {
  System& system = *members.system;
  double start = system.host_ms;
  for (const auto* rank : members.ranks) start = std::max(start, rank->free_ms);
  double end = start + action.duration_ms;
  if (action.shared_ms > 0) {
    end = std::max(end, std::max(start, system.bus_ms) + action.shared_ms);
    system.bus_ms = std::max(start, system.bus_ms) + action.shared_ms;
  }
  for (auto* rank : members.ranks) rank->free_ms = end;
  system.host_ms = action.asynchronous ? system.host_ms + system.profile.dispatch_ms : end;
  Total& total = system.totals[action.kind];
  total.count += 1, total.bytes += action.bytes, total.cycles += action.cycles;
  total.ms += end - start;
  total.estimated = total.estimated || action.estimated;
  if (!system.keeps_events) return;
  system.events.push_back({action.kind, start, end, action.bytes, action.cycles, static_cast<u32>(members.ranks.size()),
                           static_cast<u32>(members.dpus.size()), action.simulated, action.estimated});
}

dpu_error_t fail(dpu_error_t code, std::string text) {
  latest = {code, std::move(text)};
  return code;
}

}  // namespace ringfort::pim

using ringfort::pim::guarded;
using ringfort::pim::members_of;

extern "C" {

char* dpu_error_to_string(dpu_error_t status) {
  std::string text = ringfort::pim::sentence(status);
  if (ringfort::pim::latest.first == status && !ringfort::pim::latest.second.empty())
    text += ": " + ringfort::pim::latest.second;
  return strdup(text.c_str());
}

dpu_set_iterator_t dpu_set_dpu_iterator_from(dpu_set_t* set) {
  dpu_set_iterator_t iterator{};
  iterator.set = *set;
  ringfort::pim::settle_on_dpu(iterator);
  return iterator;
}

dpu_set_iterator_t dpu_set_rank_iterator_from(dpu_set_t* set) {
  dpu_set_iterator_t iterator{};
  iterator.set = *set;
  ringfort::pim::settle_on_rank(iterator);
  return iterator;
}

void dpu_set_dpu_iterator_next(dpu_set_iterator_t* iterator) {
  ++iterator->dpu;
  ++iterator->count;
  ringfort::pim::settle_on_dpu(*iterator);
}

void dpu_set_rank_iterator_next(dpu_set_iterator_t* iterator) {
  ++iterator->rank;
  ++iterator->count;
  ringfort::pim::settle_on_rank(*iterator);
}

dpu_error_t ringfort_pim_clock_ms(dpu_set_t set, double* ms) {
  return guarded([&] {
    const auto* system = ringfort::pim::system_of(set);
    if (system == nullptr)
      return ringfort::pim::fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated, so it has no clock");
    *ms = system->host_ms;
    return DPU_OK;
  });
}

dpu_error_t ringfort_pim_free_ms(dpu_set_t set, double* ms) {
  return guarded([&] {
    const auto members = members_of(set);
    if (members.system == nullptr)
      return ringfort::pim::fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated, so it has no clock");
    *ms = 0;
    for (const auto* rank : members.ranks) *ms = std::max(*ms, rank->free_ms);
    return DPU_OK;
  });
}

dpu_error_t ringfort_pim_event_count(dpu_set_t set, size_t* count) {
  return guarded([&] {
    const auto members = members_of(set);
    if (members.system == nullptr)
      return ringfort::pim::fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated, so it has no events");
    *count = members.system->events.size();
    return DPU_OK;
  });
}

dpu_error_t ringfort_pim_event(dpu_set_t set, size_t index, ringfort_pim_event_t* event) {
  return guarded([&] {
    const auto members = members_of(set);
    if (members.system == nullptr || index >= members.system->events.size())
      return ringfort::pim::fail(DPU_ERR_INVALID_DPU_SET, "there is no event " + std::to_string(index));
    *event = members.system->events[index];
    return DPU_OK;
  });
}

}  // extern "C"
