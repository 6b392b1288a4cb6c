// SPDX-License-Identifier: Apache-2.0
// The ranks of DPUs behind the backend: programs, launches with arguments of their own for every DPU, transfers that are one push
// for all DPUs with something to move, and what all that has cost. A rank works in order; ranks work side by side.
// Everything is queued; synchronize() waits. Offsets are bytes from the start of MRAM, the same on every DPU of a push.
#pragma once

#include <ringfort_pim.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "backend/pim/kernels.h"
#include "backend/pim/options.h"
#include "base/status.h"

namespace ringfort::pim_host {

// Bytes between host and DPUs since the system was opened.
struct Traffic {
  u64 data_in = 0, data_out = 0;     // words of polynomials
  u64 arguments = 0, tables = 0, programs = 0;
  [[nodiscard]] u64 data() const noexcept { return data_in + data_out; }
};

enum class Load : u8 { data, tables };

// Host memory of one DPU in a push; all of a push have equal length.
struct Piece {
  u32 dpu;
  void* host;
};

class System {
 public:
  explicit System(const Options& options);     // throws std::bad_alloc where the simulator cannot allocate
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  [[nodiscard]] u32 ranks() const noexcept { return static_cast<u32>(ranks_.size()); }
  [[nodiscard]] u32 dpus() const noexcept { return dpus_; }          // of a rank
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }
  [[nodiscard]] double clock_us() const noexcept;

  // `arguments`: of every DPU of the rank, one after the other. A DPU without work has arguments that say so.
  template <class Arguments>
  Status launch(u32 rank, Kernel kernel, std::vector<Arguments>& arguments) noexcept {
    return launch_bytes(rank, kernel, {reinterpret_cast<u8*>(arguments.data()), arguments.size() * sizeof(Arguments)});
  }
  Status push(u32 rank, u32 offset, std::size_t bytes, std::span<const Piece> pieces, Load load = Load::data) noexcept;
  Status pull(u32 rank, u32 offset, std::size_t bytes, std::span<const Piece> pieces) noexcept;      // waits for the rank
  Status broadcast(u32 rank, u32 offset, std::span<const u32> words, Load load = Load::data) noexcept;
  Status synchronize(u32 rank) noexcept;
  Status settle(u32 rank) noexcept;             // what the simulator has put off, it does; no time passes

 private:
  struct Rank {
    dpu_set_t set{};
    std::vector<dpu_set_t> dpus;
    std::array<bool, 8> loaded{};               // the program that is in the DPUs
    bool any_loaded = false;
  };
  Status load(Rank& rank, Kernel kernel) noexcept;
  Status any_program(Rank& rank) noexcept;      // transfers name a variable of one
  Status transfer(Rank& rank, dpu_xfer_t direction, u32 offset, std::size_t bytes, std::span<const Piece> pieces) noexcept;
  Status launch_bytes(u32 rank, Kernel kernel, std::span<u8> arguments) noexcept;

  dpu_set_t all_{};
  std::vector<Rank> ranks_;
  u32 dpus_ = 0;
  Traffic traffic_;
};

}  // namespace ringfort::pim_host
