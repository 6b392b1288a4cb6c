// SPDX-License-Identifier: Apache-2.0
// A simulated system behind the host interface: ranks of DPUs, loaded programs, and the clock. One System an
// allocation, owned by the set that dpu_alloc returned. The clock is in simulated milliseconds: the host acts in order;
// a rank is busy until its own time; all pushes share what the host's memory bandwidth allows.
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
  std::shared_ptr<const ringfort::pim::Program> program;  // one for all loads of equal files
  const ringfort::pim::NativeKernel* native = nullptr;
};

namespace ringfort::pim {
// A launch whose effect on memory nobody has looked at yet.
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
  std::vector<std::unique_ptr<dpu_t>> dpus;  // the enabled ones
  double free_ms = 0;                        // asynchronous work ends
  bool running = false;                      // an asynchronous launch that nobody has waited for
};

namespace ringfort::pim {

// How long DPUs of equal work take.
struct MeasuredShape {
  Work work;
  u64 cycles;
};

enum class Fidelity : u8 { full, shapes, once };

struct System {
  HostProfile profile;
  Chip chip;
  Fidelity fidelity = Fidelity::full;
  std::vector<MeasuredShape> shapes;  // Fidelity::once: of all launches until now
  u64 launches = 0;
  bool scatter_gather = false;
  u32 most_blocks = 0;
  std::vector<std::unique_ptr<dpu_rank_t>> ranks;
  std::vector<dpu_rank_t*> rank_list;
  std::vector<std::unique_ptr<dpu_program_t>> programs;
  double host_ms = 0;
  double bus_ms = 0;
  bool keeps_events = true;
  std::vector<ringfort_pim_event_t> events;
};

// What a set means: its system, its DPUs in order, its ranks. Empty where the set is none of ours.
struct Members {
  System* system = nullptr;
  std::vector<dpu_t*> dpus;
  std::vector<dpu_rank_t*> ranks;
};
Members members_of(const dpu_set_t& set);
System* system_of(const dpu_set_t& set) noexcept;  // the same, without memory for lists

// An action's place in time.
struct Action {
  ringfort_pim_event_kind_t kind;
  double duration_ms;
  double shared_ms = 0;  // of it, time during which no other push moves data
  u64 bytes = 0;
  u64 cycles = 0;
  bool asynchronous = false;
  bool estimated = false;
  u32 simulated = 0;
};
void advance(const Members& members, const Action& action);

// Remembers the text for dpu_error_to_string and returns the code.
dpu_error_t fail(dpu_error_t code, std::string text);

// Runs `body`; no exception leaves the C interface.
template <class Body>
dpu_error_t guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) { return DPU_ERR_ALLOCATION; } catch (...) {
    return DPU_ERR_INTERNAL;
  }
}

}  // namespace ringfort::pim
