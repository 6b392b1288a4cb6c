// SPDX-License-Identifier: Apache-2.0
// Allocates DPUs by rank, and reads the profile: the text of keys and values that configures a system. The keys select,
// for instance, the timing profile and the number of enabled DPUs per rank. The timing profile has the number of ranks.
// An allocation of n DPUs takes ceil(n / enabled) ranks. It may use only some DPUs of the last rank. hw/pim/README.md
// explains the terms.
#include <algorithm>
#include <charconv>
#include <climits>
#include <map>
#include <string>

#include "report.h"
#include "system.h"
#include "sim/words.h"

namespace ringfort::pim {
namespace {

struct Wish {
  std::string timing = "mwaisela-4210R";
  std::string chip;  // empty: the chip of the timing profile
  u32 dpus_per_rank = 64;
  Fidelity fidelity = Fidelity::full;
  bool events = true;
  bool checks_dma = false;
  u64 cycles = 10'000'000'000;  // limit of a launch; half a minute at 350 MHz
  bool scatter_gather = false;
  u32 most_blocks = 16;
};

template <class Number>
bool parse_number(const std::string& text, Number least, Number most, Number& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
}

// Sets one key. Returns false if the key or its value is invalid. The vendor's keys for numbers of threads are
// accepted. They do not affect simulated time.
bool accept(Wish& wish, const std::string& key, const std::string& value) {
  u32 ignored = 0;
  constexpr u32 kMostThreads = 1024;
  if (key == "timing") return wish.timing = value, find_profile(value).has_value();
  if (key == "chip") return wish.chip = value, find_chip(value) != nullptr;
  if (key == "fidelity") {
    wish.fidelity = value == "once" ? Fidelity::once : value == "shapes" ? Fidelity::shapes : Fidelity::full;
    return value == "full" || value == "shapes" || value == "once";
  }
  if (key == "dma") return wish.checks_dma = value == "checked", value == "checked" || value == "hardware";
  if (key == "cycles") return parse_number(value, u64{1}, ~u64{0}, wish.cycles);
  if (key == "events") return wish.events = value == "on", value == "on" || value == "off";
  if (key == "backend") return value == "simulator";
  if (key == "dpusPerRank") return parse_number(value, 1u, 64u, wish.dpus_per_rank);
  if (key == "sgXferEnable") return wish.scatter_gather = value == "true", value == "true" || value == "false";
  if (key == "sgXferMaxBlocksPerDpu") return parse_number(value, 1u, UINT_MAX, wish.most_blocks);
  if (key == "nrThreadsPerRank" || key == "nrThreadPerPool" || key == "nrJobsPerRank")
    return parse_number(value, 1u, kMostThreads, ignored);
  return false;
}

std::string known_profiles() {
  std::string text;
  for (const auto& name : profile_names()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

dpu_error_t parse_profile(const char* profile, Wish& wish) {
  std::string rest = profile == nullptr ? "" : profile;
  if (const std::string added = added_profile(); !added.empty()) rest += (rest.empty() ? "" : ",") + added;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string entry = rest.substr(0, comma);
    rest.erase(0, comma + 1);
    const std::size_t equals = std::min(entry.find('='), entry.size());
    const std::string value = equals < entry.size() ? entry.substr(equals + 1) : "";
    if (!accept(wish, entry.substr(0, equals), value)) {
      return fail(DPU_ERR_INVALID_PROFILE,
                  "'" + entry + "' is not understood; keys are timing (" + known_profiles() +
                      "), chip (v1A, v1B), fidelity (full, shapes, once), events (on, off), dma (hardware, checked), "
                      "cycles (1 or more), dpusPerRank (1 .. 64), "
                      "backend (simulator), sgXferEnable, "
                      "sgXferMaxBlocksPerDpu, nrThreadsPerRank, nrThreadPerPool, nrJobsPerRank");
    }
  }
  return DPU_OK;
}

void add_rank(System& system, u32 dpus, bool checks_dma) {
  auto rank = std::make_unique<dpu_rank_t>();
  rank->system = &system;
  for (u32 i = 0; i < dpus; ++i) {
    auto dpu = std::make_unique<dpu_t>();
    dpu->sim = std::make_unique<Dpu>(system.chip, Timing{});
    dpu->sim->check_dma(checks_dma);
    dpu->rank = rank.get();
    rank->dpus.push_back(std::move(dpu));
  }
  system.rank_list.push_back(rank.get());
  system.ranks.push_back(std::move(rank));
}

// Allocates `dpus` DPUs on `ranks` ranks. If `dpus` is DPU_ALLOCATE_ALL, allocates every DPU of the ranks.
dpu_error_t allocate(u32 ranks, u32 dpus, const Wish& wish, dpu_set_t* set) {
  auto system = std::make_unique<System>();
  system->profile = *find_profile(wish.timing);
  const std::string chip = wish.chip.empty() ? system->profile.chip : wish.chip;
  system->chip = *find_chip(chip);
  system->fidelity = wish.fidelity;
  system->cycle_limit = wish.cycles;
  system->keeps_events = wish.events;
  system->scatter_gather = wish.scatter_gather;
  system->most_blocks = wish.most_blocks;
  if (ranks == DPU_ALLOCATE_ALL) ranks = system->profile.ranks;
  if (ranks == 0 || dpus == 0 || ranks > system->profile.ranks) {
    return fail(DPU_ERR_ALLOCATION, std::to_string(ranks) + " ranks were requested, but a system of profile " +
                                        system->profile.name + " has " + std::to_string(system->profile.ranks) +
                                        " ranks of " + std::to_string(wish.dpus_per_rank) +
                                        " DPUs each; request at least one DPU, and no more than these");
  }
  for (u32 r = 0; r < ranks; ++r) {
    const u32 count = std::min(wish.dpus_per_rank, dpus);
    add_rank(*system, count, wish.checks_dma);
    if (dpus != DPU_ALLOCATE_ALL) dpus -= count;
  }
  if (!begin_report(*system))
    return fail(DPU_ERR_SYSTEM, "the file that RINGFORT_PIM_REPORT names cannot be written; choose another path");
  *set = {};
  set->kind = DPU_SET_RANKS;
  set->list = {ranks, system->rank_list.data()};
  (void)system.release();  // from here on the set owns the system, until dpu_free deletes it
  return DPU_OK;
}

}  // namespace
}  // namespace ringfort::pim

using namespace ringfort::pim;

extern "C" {

dpu_error_t dpu_alloc(uint32_t nr_dpus, const char* profile, dpu_set_t* set) {
  return guarded([&] {
    Wish wish;
    if (const dpu_error_t status = parse_profile(profile, wish); status != DPU_OK) return status;
    const std::uint32_t ranks = nr_dpus == DPU_ALLOCATE_ALL
                                    ? DPU_ALLOCATE_ALL
                                    : nr_dpus / wish.dpus_per_rank + (nr_dpus % wish.dpus_per_rank != 0);
    return allocate(ranks, nr_dpus, wish, set);
  });
}

dpu_error_t dpu_alloc_ranks(uint32_t nr_ranks, const char* profile, dpu_set_t* set) {
  return guarded([&] {
    Wish wish;
    if (const dpu_error_t status = parse_profile(profile, wish); status != DPU_OK) return status;
    return allocate(nr_ranks, DPU_ALLOCATE_ALL, wish, set);
  });
}

dpu_error_t dpu_free(dpu_set_t set) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr || set.kind != DPU_SET_RANKS || set.list.ranks != members.system->rank_list.data() ||
        set.list.nr_ranks != members.system->rank_list.size())
      return fail(DPU_ERR_INVALID_DPU_SET, "only the whole set that dpu_alloc returned can be freed");
    end_report(*members.system);
    delete members.system;
    return DPU_OK;
  });
}

dpu_error_t dpu_get_nr_ranks(dpu_set_t set, uint32_t* nr_ranks) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
    *nr_ranks = static_cast<std::uint32_t>(members.ranks.size());
    return DPU_OK;
  });
}

dpu_error_t dpu_get_nr_dpus(dpu_set_t set, uint32_t* nr_dpus) {
  return guarded([&] {
    const Members members = members_of(set);
    if (members.system == nullptr) return fail(DPU_ERR_INVALID_DPU_SET, "the set was not allocated");
    *nr_dpus = static_cast<std::uint32_t>(members.dpus.size());
    return DPU_OK;
  });
}

}  // extern "C"
