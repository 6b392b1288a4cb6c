// SPDX-License-Identifier: Apache-2.0
// The ranks of DPUs (processors in memory banks) on which device `pim` computes. The class loads programs and launches
// them, with separate arguments for every DPU. One push copies words from the host to several DPUs, and one pull
// copies words back. The class counts the time of all this.
//
// Requests are queued, and synchronize() waits for them. A rank works in order. Ranks work in parallel. The class
// collects launches of one program until the rank gets another kind of request. Therefore consecutive verbs on
// different DPUs share a launch. Offsets are bytes from the start of MRAM, the memory of a DPU. In one push, the offset
// is the same on every DPU.
//
// The time of a stream is the moment at which its rank has completed the requests of the stream. A rank works in order,
// and the host waits for words that go from one rank to another. Therefore accesses to a word never change their order.
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

// Bytes that were transferred between the host and the DPUs since the system was opened.
struct Traffic {
  u64 data_in = 0, data_out = 0;  // words of polynomials
  u64 arguments = 0, tables = 0, programs = 0;
  [[nodiscard]] u64 data() const noexcept { return data_in + data_out; }
};

enum class Load : u8 { data, tables };

// Host memory for one DPU in a push. All buffers of a push have equal length.
struct TransferBuffer {
  u32 dpu;
  void* host;
};

class System {
 public:
  explicit System(const Options& options);  // throws std::bad_alloc if the simulator cannot allocate
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  [[nodiscard]] u32 ranks() const noexcept { return static_cast<u32>(ranks_.size()); }
  [[nodiscard]] u32 dpus() const noexcept { return dpus_; }  // DPUs of one rank
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }
  [[nodiscard]] double clock_us() const noexcept;
  [[nodiscard]] const Options& options() const noexcept { return options_; }

  void work_for(Stream s);  // from now on, time belongs to this stream; throws std::bad_alloc
  [[nodiscard]] Ticket mark(Stream s) const noexcept;
  void report_to(const LaunchListener* listener) noexcept { listener_ = listener; }

  // Queues a launch on one DPU. A DPU runs its requests in order. In a launch, a DPU without a request gets the
  // arguments `idle`. If this function throws std::bad_alloc, it queues nothing.
  template <class Arguments>
  Status ask(u32 rank, Kernel kernel, const Arguments& idle, u32 dpu, const Arguments& arguments) {
    return ask_bytes(rank, kernel, std::as_bytes(std::span(&idle, 1)), dpu, std::as_bytes(std::span(&arguments, 1)));
  }
  Status flush(u32 rank) noexcept;   // launches all queued requests
  Status finish(u32 rank) noexcept;  // calls flush(); returns the last failure of a launch since the previous finish()
  [[nodiscard]] bool is_waiting(u32 rank) const noexcept { return ranks_[rank].longest != 0; }
  // Queues a ticket. The next flush sets it to the time at which the requests that are queued now have ended.
  void tell(u32 rank, Ticket& ticket) { ranks_[rank].tickets.push_back(&ticket); }
  Status push(u32 rank, u32 offset, std::size_t bytes, std::span<const TransferBuffer> buffers,
              Load load = Load::data) noexcept;
  // Waits for the rank, then copies words to the host.
  Status pull(u32 rank, u32 offset, std::size_t bytes, std::span<const TransferBuffer> buffers) noexcept;
  Status broadcast(u32 rank, u32 offset, std::span<const u32> words, Load load = Load::data) noexcept;
  Status synchronize(u32 rank) noexcept;
  Status settle(u32 rank) noexcept;  // the simulator does its deferred work; no time passes

 private:
  struct Rank {
    dpu_set_t set{};
    std::vector<dpu_set_t> dpus;
    std::array<bool, kKernels> loaded{};  // for each program: true if it is in the DPUs
    bool any_loaded = false;
    // Requests that are not launched yet: the arguments of each DPU, in order.
    Kernel kernel = Kernel::elementwise;
    std::vector<std::byte> idle;
    std::vector<std::vector<std::byte>> asked;
    std::size_t longest = 0;
    std::vector<Ticket*> tickets;
    Status failed = Status::ok;
  };
  Status load(Rank& rank, Kernel kernel) noexcept;
  Status any_program(Rank& rank) noexcept;  // loads a program if there is none: transfers name a variable of a program
  Status transfer(Rank& rank, dpu_xfer_t direction, u32 offset, std::size_t bytes,
                  std::span<const TransferBuffer> buffers) noexcept;
  Status ask_bytes(u32 rank, Kernel kernel, std::span<const std::byte> idle, u32 dpu,
                   std::span<const std::byte> arguments);
  Status launch_bytes(u32 rank, Kernel kernel, std::span<std::byte> arguments) noexcept;
  // Runs an action on a rank, adds its time to the stream, and returns its status. `computing` tells whether the time
  // counts as computation, and whether it also counts as transforms.
  enum class Computing : u8 { no, yes, transform };
  template <class Action>
  Status act(Rank& rank, std::string_view name, Computing computing, Action action) noexcept;
  Status keep(dpu_error_t error) noexcept;  // remembers a lost DPU

  Options options_;
  dpu_set_t all_{};
  std::vector<Rank> ranks_;
  u32 dpus_ = 0;
  Traffic traffic_;
  bool lost_ = false;
  std::map<u32, Ticket> ends_;  // key: stream
  Ticket* end_ = nullptr;       // end of the current stream
  u32 stream_ = 0;
  const LaunchListener* listener_ = nullptr;
};

}  // namespace ringfort::pim_host
