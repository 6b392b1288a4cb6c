// SPDX-License-Identifier: Apache-2.0
// One simulated ring processor: its vector memory and registers, the controller that moves polynomials between off-chip memory
// (the backend's buffers) and the vector memory, and the time and energy that each stream has spent. What a verb asks for
// is done at once; when it would have happened is the timeline's. One verb at a time: callers hold the lock.
// Model (docs/notes/0011): every verb finds its operands in off-chip memory and leaves its results there, 16 bytes a word
// whatever the plan's word; programs and tables of roots are fetched by every verb that uses them.
#pragma once

#include <array>
#include <mutex>
#include <span>

#include "backend/host.h"
#include "backend/rpu/library.h"
#include "backend/rpu/timeline.h"
#include "backend/rpu/transforms.h"
#include "sim/functional.h"

namespace ringfort::rpu_host {

// A kernel on this processor.
struct Program {
  Program(std::shared_ptr<const Kernel> k, const rpu::Machine& machine);

  std::shared_ptr<const Kernel> kernel;
  rpu::Functional simulator;
  u64 verb = 0;                                   // the last one that fetched it
  u64 ready = 0;                                  // and when it was there
};

// `rows` polynomials from `polynomial` on, of each the coefficients [offset, offset + length), one row behind the other.
struct Piece {
  std::size_t polynomial = 0;
  u32 rows = 1, offset = 0, length = 0;
  [[nodiscard]] u32 words() const noexcept { return rows * length; }
};

class Processor {
 public:
  explicit Processor(std::shared_ptr<Library> library);
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;
  ~Processor();                                   // zeroes the memories: they may have held secrets

  [[nodiscard]] const rpu::Machine& machine() const noexcept { return library_->machine(); }
  [[nodiscard]] std::mutex& mutex() const noexcept { return mutex_; }
  [[nodiscard]] Program* program(Routine routine, u32 words, u32 count = 1);   // made where it is missing; throws rpu::Refusal

  void forget() noexcept;                         // zeroes what has been used of the memories since they were last zeroed
  void begin() noexcept;
  void finish(Stream s) noexcept;                 // charges the stream
  [[nodiscard]] ModelClock clock(Stream s) const noexcept;

  // Values between a buffer and a place, and the time that it takes once all of a place's words have been named.
  // `single`: the same polynomial stands for every row. Behind the last row of a block that is not full there are zeros.
  template <class W>
  void gather(u32 place, const View& from, u32 limb, const Piece& piece, u32 n, bool single = false) noexcept;
  template <class W>
  void scatter(u32 place, const View& to, u32 limb, const Piece& piece, u32 n) noexcept;
  void loaded(u32 place, u64 words) noexcept { timeline_.load(place, word_cycles(words)); }
  void stored(u32 place, u64 words) noexcept { timeline_.store(place, word_cycles(words)); }
  [[nodiscard]] std::span<u128> words(u32 place, u32 count) noexcept {
    use(place + count);
    return std::span(state_.vdm).subspan(place, count);
  }

  // A place for each region, of which the kernel works on what begins `offset` words behind; for the timeline it uses the whole
  // place. Traps cannot happen to programs that are right; where one does, the verb fails.
  void run(Program& program, std::span<const u32> places, std::span<const rpu::Modulus> moduli, std::span<const u128> scalars, u32 offset = 0) noexcept;
  [[nodiscard]] bool trapped() const noexcept { return trapped_; }

  // The controller's own work: words over the host's link, words through its data path to places of their own, key stream.
  void host_words(u64 words, u64 word_bytes) noexcept;
  void permuted_words(u64 words) noexcept;
  void copied_words(u64 words) noexcept;
  void expanded_words(u64 words, u64 stream_bytes) noexcept;

 private:
  void use(u32 end) noexcept { used_words_ = std::max(used_words_, end); }
  [[nodiscard]] u64 word_cycles(u64 words) const noexcept;
  static constexpr u32 kStreams = 257;            // streams beyond share the last clock

  std::shared_ptr<Library> library_;
  mutable std::mutex mutex_;
  std::map<std::shared_ptr<const Kernel>, std::unique_ptr<Program>> programs_;
  rpu::State state_;
  Timeline timeline_;
  u64 verb_ = 0;
  double energy_uj_ = 0;                          // of the verb, as the cycles
  u64 compute_cycles_ = 0, transform_cycles_ = 0;
  bool trapped_ = false;
  u32 used_words_ = 0, used_scalars_ = 0;         // of the memories, from their beginnings
  std::array<ModelClock, kStreams> clocks_{};
};

template <class W>
void Processor::gather(u32 place, const View& from, u32 limb, const Piece& piece, u32 n, bool single) noexcept {
  use(place + std::max(piece.words(), kLeastBlock));
  u128* to = state_.vdm.data() + place;
  for (u32 row = 0; row < piece.rows; ++row) {
    const W* words = host::limb_words<W>(from, single ? 0 : piece.polynomial + row, limb, n) + piece.offset;
    to = std::copy(words, words + piece.length, to);
  }
  if (piece.words() < kLeastBlock) std::fill(to, state_.vdm.data() + place + kLeastBlock, 0);
}

template <class W>
void Processor::scatter(u32 place, const View& to, u32 limb, const Piece& piece, u32 n) noexcept {
  const u128* from = state_.vdm.data() + place;
  for (u32 row = 0; row < piece.rows; ++row, from += piece.length) {
    W* words = host::limb_words<W>(to, piece.polynomial + row, limb, n) + piece.offset;
    for (u32 i = 0; i < piece.length; ++i) words[i] = static_cast<W>(from[i]);
  }
}

}  // namespace ringfort::rpu_host
