// SPDX-License-Identifier: Apache-2.0
// The ranks of a simulated system (system.h). The simulator copies words during the call of a push. Therefore the host
// memory may be freed after the call. A driver of real ranks would need the memory until synchronize().
#include "backend/pim/system.h"

#include <algorithm>
#include <new>
#include <utility>

namespace ringfort::pim_host {
namespace {

constexpr dpu_xfer_flags_t kQueued = DPU_XFER_ASYNC;

constexpr std::string_view kNames[kKernels] = {
    "elementwise",   "ntt",   "tensor",   "automorphism",   "decompose",   "inner_product",   "convert",   "expand",
    "elementwise64", "ntt64", "tensor64", "automorphism64", "decompose64", "inner_product64", "convert64", "expand64"};

Status status_of(dpu_error_t error) noexcept {
  return error == DPU_OK ? Status::ok : error == DPU_ERR_ALLOCATION ? Status::out_of_memory : Status::device_lost;
}

// Clears the prepared buffers in its destructor. If a failed transfer left them, every later transfer would fail.
class PreparedBuffers {
 public:
  explicit PreparedBuffers(dpu_set_t rank) : rank_(rank) {}
  ~PreparedBuffers() { ringfort_pim_forget_xfer(rank_); }
  PreparedBuffers(const PreparedBuffers&) = delete;
  PreparedBuffers& operator=(const PreparedBuffers&) = delete;

 private:
  dpu_set_t rank_;
};

}  // namespace

System::System(const Options& options) : options_(options) {
  if (dpu_alloc_ranks(options.ranks, options.profile.c_str(), &all_) != DPU_OK) throw std::bad_alloc();
  dpu_set_t rank, dpu;
  DPU_RANK_FOREACH(all_, rank) {
    ranks_.emplace_back();
    ranks_.back().set = rank;
    DPU_FOREACH(rank, dpu) ranks_.back().dpus.push_back(dpu);
  }
  dpus_ = static_cast<u32>(ranks_.front().dpus.size());
  for (Rank& each : ranks_) each.asked.resize(dpus_);
  work_for({});
}

System::~System() { (void)dpu_free(all_); }

double System::clock_us() const noexcept {
  double ms = 0;
  (void)ringfort_pim_clock_ms(all_, &ms);
  return ms * 1e3;
}

void System::work_for(Stream s) {
  end_ = &ends_[s.index];
  stream_ = s.index;
}

Ticket System::mark(Stream s) const noexcept {
  const auto found = ends_.find(s.index);
  Ticket now = found == ends_.end() ? Ticket{} : found->second;
  now.us = std::max(now.us, clock_us());
  return now;
}

Status System::keep(dpu_error_t error) noexcept {
  const Status status = status_of(error);
  lost_ = lost_ || status == Status::device_lost;
  return status;
}

template <class Action>
Status System::act(Rank& rank, std::string_view name, Computing computing, Action action) noexcept {
  const auto free_us = [&] {
    double ms = 0;
    (void)ringfort_pim_free_ms(rank.set, &ms);
    return ms * 1e3;
  };
  Ticket begin = *end_;
  begin.us = std::max(clock_us(), free_us());
  if (const dpu_error_t error = action(); error != DPU_OK) return keep(error);
  end_->us = free_us();
  const double computed = computing == Computing::no ? 0 : std::max(0.0, end_->us - begin.us - options_.launch_us);
  end_->compute_us += computed;
  if (computing == Computing::transform) end_->transform_us += computed;
  if (listener_ != nullptr) listener_->launched({name, stream_, begin, *end_});
  return Status::ok;
}

Status System::load(Rank& rank, Kernel kernel) noexcept {
  bool& present = rank.loaded[static_cast<std::size_t>(kernel)];
  if (present) return Status::ok;
  if (const Status waited = keep(dpu_sync(rank.set)); waited != Status::ok) return waited;
  rank.loaded = {};
  rank.any_loaded = false;
  dpu_incbin_t& program = program_of(kernel);
  if (const Status status =
          act(rank, "load", Computing::no, [&] { return dpu_load_from_incbin(rank.set, &program, nullptr); });
      status != Status::ok)
    return status;
  traffic_.programs += program.size * rank.dpus.size();
  present = rank.any_loaded = true;
  return Status::ok;
}

Status System::any_program(Rank& rank) noexcept {
  if (lost_) return Status::device_lost;
  return rank.any_loaded ? Status::ok : load(rank, Kernel::elementwise);
}

Status System::ask_bytes(u32 number, Kernel kernel, std::span<const std::byte> idle, u32 dpu,
                         std::span<const std::byte> arguments) {
  Rank& rank = ranks_[number];
  if (rank.longest != 0 && rank.kernel != kernel) {
    if (const Status flushed = flush(number); flushed != Status::ok) return flushed;
  }
  if (rank.longest == 0) rank.idle.assign(idle.begin(), idle.end());
  rank.kernel = kernel;
  rank.asked[dpu].insert(rank.asked[dpu].end(), arguments.begin(), arguments.end());
  rank.longest = std::max(rank.longest, rank.asked[dpu].size() / idle.size());
  return Status::ok;
}

Status System::flush(u32 number) noexcept {
  Rank& rank = ranks_[number];
  const std::size_t turns = std::exchange(rank.longest, 0), each = rank.idle.size();
  Status status = Status::ok;
  try {
    for (std::size_t turn = 0; turn < turns && status == Status::ok; ++turn) {
      std::vector<std::byte> all;
      all.reserve(each * rank.asked.size());
      for (const auto& asked : rank.asked) {
        const auto from =
            turn * each < asked.size() ? asked.begin() + static_cast<std::ptrdiff_t>(turn * each) : rank.idle.begin();
        all.insert(all.end(), from, from + static_cast<std::ptrdiff_t>(each));
      }
      status = launch_bytes(number, rank.kernel, all);
    }
  } catch (const std::bad_alloc&) { status = Status::out_of_memory; }
  for (auto& asked : rank.asked) asked.clear();
  for (Ticket* ticket : rank.tickets) *ticket = mark({stream_, 1});
  rank.tickets.clear();
  if (status != Status::ok) rank.failed = status;
  return status;
}

Status System::finish(u32 rank) noexcept {
  (void)flush(rank);
  return std::exchange(ranks_[rank].failed, Status::ok);
}

Status System::launch_bytes(u32 number, Kernel kernel, std::span<std::byte> arguments) noexcept {
  if (lost_) return Status::device_lost;
  Rank& rank = ranks_[number];
  if (const Status loaded = load(rank, kernel); loaded != Status::ok) return loaded;
  if (const Status waited = keep(dpu_sync(rank.set)); waited != Status::ok)
    return waited;  // the library does not queue launches
  const PreparedBuffers prepared(rank.set);
  const std::size_t each = arguments.size() / rank.dpus.size();
  for (std::size_t i = 0; i < rank.dpus.size(); ++i) {
    if (const dpu_error_t error = dpu_prepare_xfer(rank.dpus[i], arguments.data() + i * each); error != DPU_OK)
      return keep(error);
  }
  const Status pushed = act(rank, "arguments", Computing::no,
                            [&] { return dpu_push_xfer(rank.set, DPU_XFER_TO_DPU, "arguments", 0, each, kQueued); });
  if (pushed != Status::ok) return pushed;
  traffic_.arguments += arguments.size();
  const Computing computing = kernel == Kernel::ntt || kernel == Kernel::ntt64 ? Computing::transform : Computing::yes;
  return act(rank, kNames[static_cast<std::size_t>(kernel)], computing,
             [&] { return dpu_launch(rank.set, DPU_ASYNCHRONOUS); });
}

Status System::transfer(Rank& rank, dpu_xfer_t direction, u32 offset, std::size_t bytes,
                        std::span<const TransferBuffer> buffers) noexcept {
  const PreparedBuffers prepared(rank.set);
  const bool there = direction == DPU_XFER_TO_DPU;
  for (const TransferBuffer& buffer : buffers) {
    if (const dpu_error_t error = dpu_prepare_xfer(rank.dpus[buffer.dpu], buffer.host); error != DPU_OK)
      return keep(error);
  }
  return act(rank, there ? "push" : "pull", Computing::no, [&] {
    return dpu_push_xfer(rank.set, direction, DPU_MRAM_HEAP_POINTER_NAME, offset, bytes,
                         there ? kQueued : DPU_XFER_DEFAULT);
  });
}

Status System::push(u32 number, u32 offset, std::size_t bytes, std::span<const TransferBuffer> buffers,
                    Load load) noexcept {
  if (const Status flushed = flush(number); flushed != Status::ok) return flushed;
  Rank& rank = ranks_[number];
  if (const Status loaded = any_program(rank); loaded != Status::ok) return loaded;
  (load == Load::data ? traffic_.data_in : traffic_.tables) += bytes * buffers.size();
  return transfer(rank, DPU_XFER_TO_DPU, offset, bytes, buffers);
}

Status System::pull(u32 number, u32 offset, std::size_t bytes, std::span<const TransferBuffer> buffers) noexcept {
  if (const Status flushed = flush(number); flushed != Status::ok) return flushed;
  Rank& rank = ranks_[number];
  if (const Status loaded = any_program(rank); loaded != Status::ok) return loaded;
  if (const Status waited = synchronize(number); waited != Status::ok) return waited;
  traffic_.data_out += bytes * buffers.size();
  return transfer(rank, DPU_XFER_FROM_DPU, offset, bytes, buffers);
}

Status System::broadcast(u32 number, u32 offset, std::span<const u32> words, Load load) noexcept {
  if (const Status flushed = flush(number); flushed != Status::ok) return flushed;
  Rank& rank = ranks_[number];
  if (const Status loaded = any_program(rank); loaded != Status::ok) return loaded;
  (load == Load::data ? traffic_.data_in : traffic_.tables) += words.size_bytes() * rank.dpus.size();
  return act(rank, "broadcast", Computing::no, [&] {
    return dpu_broadcast_to(rank.set, DPU_MRAM_HEAP_POINTER_NAME, offset, words.data(), words.size_bytes(), kQueued);
  });
}

Status System::synchronize(u32 rank) noexcept {
  if (const Status flushed = flush(rank); flushed != Status::ok) return flushed;
  const Status status = keep(dpu_sync(ranks_[rank].set));
  return lost_ ? Status::device_lost : status;
}

Status System::settle(u32 rank) noexcept {
  const Status flushed = flush(rank);
  return flushed == Status::ok ? keep(ringfort_pim_settle(ranks_[rank].set)) : flushed;
}

}  // namespace ringfort::pim_host
