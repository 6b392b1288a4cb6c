// SPDX-License-Identifier: Apache-2.0
// The simulator copies when it is called, so that host memory of a queued push may end with the call; a driver of real ranks would
// have to keep it until synchronize().
#include "backend/pim/system.h"

#include <new>

namespace ringfort::pim_host {
namespace {

constexpr dpu_xfer_flags_t kQueued = DPU_XFER_ASYNC;

Status status_of(dpu_error_t error) noexcept { return error == DPU_OK ? Status::ok : error == DPU_ERR_ALLOCATION ? Status::out_of_memory : Status::device_lost; }

// Buffers that a failed transfer leaves behind would fail every later one.
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

System::System(const Options& options) {
  if (dpu_alloc_ranks(options.ranks, options.profile.c_str(), &all_) != DPU_OK) throw std::bad_alloc();
  dpu_set_t rank, dpu;
  DPU_RANK_FOREACH(all_, rank) {
    ranks_.push_back({rank, {}, {}, false});
    DPU_FOREACH(rank, dpu) ranks_.back().dpus.push_back(dpu);
  }
  dpus_ = static_cast<u32>(ranks_.front().dpus.size());
}

System::~System() { (void)dpu_free(all_); }

double System::clock_us() const noexcept {
  double ms = 0;
  (void)ringfort_pim_clock_ms(all_, &ms);
  return ms * 1e3;
}

Status System::load(Rank& rank, Kernel kernel) noexcept {
  bool& present = rank.loaded[static_cast<std::size_t>(kernel)];
  if (present) return Status::ok;
  if (const Status waited = status_of(dpu_sync(rank.set)); waited != Status::ok) return waited;
  rank.loaded = {};
  rank.any_loaded = false;
  dpu_incbin_t& program = program_of(kernel);
  if (const dpu_error_t error = dpu_load_from_incbin(rank.set, &program, nullptr); error != DPU_OK) return status_of(error);
  traffic_.programs += program.size * rank.dpus.size();
  present = rank.any_loaded = true;
  return Status::ok;
}

Status System::any_program(Rank& rank) noexcept { return rank.any_loaded ? Status::ok : load(rank, Kernel::elementwise); }

Status System::launch_bytes(u32 number, Kernel kernel, std::span<u8> arguments) noexcept {
  Rank& rank = ranks_[number];
  if (const Status loaded = load(rank, kernel); loaded != Status::ok) return loaded;
  if (const dpu_error_t error = dpu_sync(rank.set); error != DPU_OK) return status_of(error);      // launches do not queue
  const PreparedBuffers buffers(rank.set);
  const std::size_t each = arguments.size() / rank.dpus.size();
  for (std::size_t i = 0; i < rank.dpus.size(); ++i) {
    if (const dpu_error_t error = dpu_prepare_xfer(rank.dpus[i], arguments.data() + i * each); error != DPU_OK) return status_of(error);
  }
  if (const dpu_error_t error = dpu_push_xfer(rank.set, DPU_XFER_TO_DPU, "arguments", 0, each, kQueued); error != DPU_OK) return status_of(error);
  traffic_.arguments += arguments.size();
  return status_of(dpu_launch(rank.set, DPU_ASYNCHRONOUS));
}

Status System::transfer(Rank& rank, dpu_xfer_t direction, u32 offset, std::size_t bytes, std::span<const Piece> pieces) noexcept {
  const PreparedBuffers buffers(rank.set);
  for (const Piece& piece : pieces) {
    if (const dpu_error_t error = dpu_prepare_xfer(rank.dpus[piece.dpu], piece.host); error != DPU_OK) return status_of(error);
  }
  return status_of(dpu_push_xfer(rank.set, direction, DPU_MRAM_HEAP_POINTER_NAME, offset, bytes, direction == DPU_XFER_TO_DPU ? kQueued : DPU_XFER_DEFAULT));
}

Status System::push(u32 number, u32 offset, std::size_t bytes, std::span<const Piece> pieces, Load load) noexcept {
  Rank& rank = ranks_[number];
  if (const Status loaded = any_program(rank); loaded != Status::ok) return loaded;
  (load == Load::data ? traffic_.data_in : traffic_.tables) += bytes * pieces.size();
  return transfer(rank, DPU_XFER_TO_DPU, offset, bytes, pieces);
}

Status System::pull(u32 number, u32 offset, std::size_t bytes, std::span<const Piece> pieces) noexcept {
  Rank& rank = ranks_[number];
  if (const Status loaded = any_program(rank); loaded != Status::ok) return loaded;
  if (const Status waited = synchronize(number); waited != Status::ok) return waited;
  traffic_.data_out += bytes * pieces.size();
  return transfer(rank, DPU_XFER_FROM_DPU, offset, bytes, pieces);
}

Status System::broadcast(u32 number, u32 offset, std::span<const u32> words, Load load) noexcept {
  Rank& rank = ranks_[number];
  if (const Status loaded = any_program(rank); loaded != Status::ok) return loaded;
  (load == Load::data ? traffic_.data_in : traffic_.tables) += words.size_bytes() * rank.dpus.size();
  return status_of(dpu_broadcast_to(rank.set, DPU_MRAM_HEAP_POINTER_NAME, offset, words.data(), words.size_bytes(), kQueued));
}

Status System::synchronize(u32 rank) noexcept { return status_of(dpu_sync(ranks_[rank].set)); }

Status System::settle(u32 rank) noexcept { return status_of(ringfort_pim_settle(ranks_[rank].set)); }

}  // namespace ringfort::pim_host
