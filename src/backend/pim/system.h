// SPDX-License-Identifier: Apache-2.0
// The ranks of DPUs behind the backend: programs, launches with arguments of their own for every DPU, transfers that
// are one push for all DPUs with something to move, and what all that has cost. A rank works in order; ranks work side
// by side. Everything is queued; synchronize() waits. Launches of one program wait for one another until something else
// is asked of their rank: what verbs in turn want of different DPUs is then one launch. Offsets are bytes from the
// start of MRAM, the same on every DPU of a push.
//
// Time. A stream's is when its rank has done what the stream asked for. Since a rank works in order, and since words go
// from one rank to another through the host, which waits for them, no stream is ahead of the last writer of what it
// reads, nor of the readers of what it writes.
#pragma once

#include <ringfort_pim.h>

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/pim/kernels.h"
#include "backend/pim/options.h"
#include "base/status.h"

namespace ringfort::pim_host {

// Bytes between host and DPUs since the system was opened.
struct Traffic {
  u64 data_in = 0, data_out = 0;  // words of polynomials
  u64 arguments = 0, tables = 0, programs = 0;
  [[nodiscard]] u64 data() const noexcept { return data_in + data_out; }
};

enum class Load : u8 { data, tables };

// Host memory of one DPU in a push; all of a push have equal length.
struct TransferBuffer {
  u32 dpu;
  void* host;
};

class System {
 public:
  explicit System(const Options& options);  // throws std::bad_alloc where the simulator cannot allocate
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  [[nodiscard]] u32 ranks() const noexcept { return static_cast<u32>(ranks_.size()); }
  [[nodiscard]] u32 dpus() const noexcept { return dpus_; }  // of a rank
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }
  [[nodiscard]] double clock_us() const noexcept;
  [[nodiscard]] const Options& options() const noexcept { return options_; }

  void work_for(Stream s);  // from now on, time is this stream's; throws std::bad_alloc
  [[nodiscard]] Ticket mark(Stream s) const noexcept;
  void report_to(const LaunchListener* listener) noexcept { listener_ = listener; }

  // A DPU runs what it was asked for in order; while others run, it has `idle`. Throws std::bad_alloc; nothing is asked
  // for then.
  template <class Arguments>
  Status ask(u32 rank, Kernel kernel, const Arguments& idle, u32 dpu, const Arguments& arguments) {
    return ask_bytes(rank, kernel, std::as_bytes(std::span(&idle, 1)), dpu, std::as_bytes(std::span(&arguments, 1)));
  }
  Status flush(u32 rank) noexcept;   // launches all that was asked for
  Status finish(u32 rank) noexcept;  // the same; and whether a launch has failed since the last time
  [[nodiscard]] bool is_waiting(u32 rank) const noexcept { return ranks_[rank].longest != 0; }
  // `ticket` is told when what the rank has been asked for until now has ended.
  void tell(u32 rank, Ticket& ticket) { ranks_[rank].tickets.push_back(&ticket); }
  Status push(u32 rank, u32 offset, std::size_t bytes, std::span<const TransferBuffer> buffers,
              Load load = Load::data) noexcept;
  // waits for the rank
  Status pull(u32 rank, u32 offset, std::size_t bytes, std::span<const TransferBuffer> buffers) noexcept;
  Status broadcast(u32 rank, u32 offset, std::span<const u32> words, Load load = Load::data) noexcept;
  Status synchronize(u32 rank) noexcept;
  Status settle(u32 rank) noexcept;  // what the simulator has put off, it does; no time passes

 private:
  struct Rank {
    dpu_set_t set{};
    std::vector<dpu_set_t> dpus;
    std::array<bool, 8> loaded{};  // the program that is in the DPUs
    bool any_loaded = false;
    // What was asked for and not launched: arguments by DPU, in order.
    Kernel kernel = Kernel::elementwise;
    std::vector<std::byte> idle;
    std::vector<std::vector<std::byte>> asked;
    std::size_t longest = 0;
    std::vector<Ticket*> tickets;
    Status failed = Status::ok;
  };
  Status load(Rank& rank, Kernel kernel) noexcept;
  Status any_program(Rank& rank) noexcept;  // transfers name a variable of one
  Status transfer(Rank& rank, dpu_xfer_t direction, u32 offset, std::size_t bytes,
                  std::span<const TransferBuffer> buffers) noexcept;
  Status ask_bytes(u32 rank, Kernel kernel, std::span<const std::byte> idle, u32 dpu,
                   std::span<const std::byte> arguments);
  Status launch_bytes(u32 rank, Kernel kernel, std::span<std::byte> arguments) noexcept;
  // What an action on a rank gave; what it took is the stream's time. `computing`: of it, whole or in transforms.
  enum class Computing : u8 { no, yes, transform };
  template <class Action>
  Status act(Rank& rank, std::string_view name, Computing computing, Action action) noexcept;
  Status keep(dpu_error_t error) noexcept;  // a DPU that is lost stays so

  Options options_;
  dpu_set_t all_{};
  std::vector<Rank> ranks_;
  u32 dpus_ = 0;
  Traffic traffic_;
  bool lost_ = false;
  std::map<u32, Ticket> ends_;  // by stream
  Ticket* end_ = nullptr;       // of the stream that work is for
  u32 stream_ = 0;
  const LaunchListener* listener_ = nullptr;
};

}  // namespace ringfort::pim_host
