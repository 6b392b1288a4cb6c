// SPDX-License-Identifier: Apache-2.0
// The simulated system that the functions of dpu.h use: ranks of DPUs, loaded programs, and the clock. Each call of
// dpu_alloc makes one System. The set that dpu_alloc returns owns the System. The clock counts simulated milliseconds.
// The host acts in order. Each rank has a time until which it is busy. All pushes share the host's memory bandwidth.
// hw/pim/README.md explains the terms.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "include/dpu.h"
#include "include/ringfort_pim.h"
#include "profile.h"
#include "sdk/native/native.h"
#include "sim/dpu.h"
#include "sim/words.h"

namespace ringfort::pim {
struct System;
}

struct dpu_program_t {
  std::shared_ptr<const std::vector<std::uint8_t>> file;
  std::shared_ptr<const ringfort::pim::Program> program;  // handles of equal files share one program
  const ringfort::pim::NativeKernel* native = nullptr;
};

namespace ringfort::pim {
// A launch of a DPU that the host computes with native code (native.h), and has not computed yet. The host computes it
// at the next access to the DPU's MRAM.
struct Owed {
  const NativeKernel* kernel;
  std::vector<u8> arguments;
  u32 heap;
};
}  // namespace ringfort::pim

struct dpu_t {
  std::unique_ptr<ringfort::pim::Dpu> sim;
  dpu_rank_t* rank = nullptr;
  dpu_program_t* program = nullptr;
  void* prepared = nullptr;
  ringfort::pim::Fault fault;
  std::vector<ringfort::pim::Owed> owed;
};

struct dpu_rank_t {
  ringfort::pim::System* system = nullptr;
  std::vector<std::unique_ptr<dpu_t>> dpus;  // the enabled DPUs
  double free_ms = 0;                        // simulated time at which the rank's asynchronous work ends
  bool running = false;                      // true from an asynchronous launch until the host learns of its end
};

namespace ringfort::pim {

// The cycles that DPUs with this work take.
struct MeasuredShape {
  Work work;
  u64 cycles;
};

// Sums over all actions of a kind.
struct Total {
  u64 count = 0, bytes = 0, cycles = 0;
  double ms = 0;
  bool estimated = false;
};

enum class Fidelity : u8 { full, shapes, once };

struct System {
  HostProfile profile;
  Chip chip;
  Fidelity fidelity = Fidelity::full;
  std::vector<MeasuredShape> shapes;  // shapes of all launches (Fidelity::once), or of the latest (Fidelity::shapes)
  u64 launches = 0;
  bool scatter_gather = false;
  u32 most_blocks = 0;
  std::vector<std::unique_ptr<dpu_rank_t>> ranks;
  std::vector<dpu_rank_t*> rank_list;
  std::vector<std::unique_ptr<dpu_program_t>> programs;
  double host_ms = 0;
  double bus_ms = 0;    // simulated time until which pushes occupy the host's memory bandwidth
  u64 cycle_limit = 0;  // the most cycles that one launch may take
  Total totals[5];      // one for each ringfort_pim_event_kind_t
  u32 report_number = 0;
  bool keeps_events = true;
  std::vector<ringfort_pim_event_t> events;
};

// The system of a set, its DPUs in order, and its ranks. Empty if the set is empty.
struct Members {
  System* system = nullptr;
  std::vector<dpu_t*> dpus;
  std::vector<dpu_rank_t*> ranks;
};
Members members_of(const dpu_set_t& set);
System* system_of(const dpu_set_t& set) noexcept;  // allocates no lists, unlike members_of()

// An action of the host or its ranks, with its duration.
struct Action {
  ringfort_pim_event_kind_t kind;
  double duration_ms;
  double shared_ms = 0;  // part of the duration that needs the memory bus of all ranks
  u64 bytes = 0;
  u64 cycles = 0;
  bool asynchronous = false;
  bool estimated = false;
  u32 simulated = 0;
};
void advance(const Members& members, const Action& action);

// Stores the text for dpu_error_to_string and returns the code.
dpu_error_t fail(dpu_error_t code, std::string text);

// Runs `body`, and turns exceptions into error codes, because C programs call the functions of dpu.h.
template <class Body>
dpu_error_t guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) { return DPU_ERR_ALLOCATION; } catch (...) {
    return DPU_ERR_INTERNAL;
  }
}

}  // namespace ringfort::pim
