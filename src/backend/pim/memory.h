// SPDX-License-Identifier: Apache-2.0
// Where polynomials lie. Limb l of every polynomial is on DPU l mod (DPUs of a rank) of the rank that a stream works on, so that all
// verbs but base conversion find their operands on one DPU; a buffer's polynomials of one limb follow one another there. Every
// DPU of a rank gives a block the same place: one push serves all. MRAM is taken when a buffer is first written, by the shape of
// that view. What a rank needs and another has is copied through the host, and counts as traffic; both copies stay good until one
// is written. Words of a buffer that nobody has written are zero.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/pim/system.h"
#include "base/buffer.h"

namespace ringfort::pim_host {

// First fit in the MRAM of a rank's DPUs, all alike.
class Arena {
 public:
  Arena();
  [[nodiscard]] Status take(u32 bytes, u32& place);
  void give(u32 place, u32 bytes) noexcept;

 private:
  std::map<u32, u32> free_;            // bytes by place
};

// The words of a buffer as towers of n words, `step` limbs a row, the first row beginning with tower `phase` - step (or 0).
struct Block {
  u32 rank = 0, n = 0, step = 1, phase = 0;
  u32 shift = 0;                       // the DPU of a row's first tower
  u32 dpus = 1, rows = 0, layers = 1;  // layers: turns around the DPUs that a row takes
  u32 place = 0;
  u32 stream = 0;                      // the last that wrote
  bool written = false;                // or about to be: holds what must be zeroed before the place is another's
  bool lost = false;                   // could not be zeroed: the place is not used again
  std::vector<u8> current;             // by tower: holds the buffer's words

  [[nodiscard]] std::size_t row(std::size_t tower) const noexcept { return (tower + (step - phase) % step) / step; }
  [[nodiscard]] u32 column(std::size_t tower) const noexcept { return static_cast<u32>((tower + step - phase) % step) + shift; }
  [[nodiscard]] u32 dpu(std::size_t tower) const noexcept { return column(tower) % dpus; }
  [[nodiscard]] u32 offset(std::size_t tower) const noexcept { return static_cast<u32>(place + (std::size_t{column(tower) / dpus} * rows + row(tower)) * n * 4); }
  [[nodiscard]] u32 words() const noexcept { return rows * layers * n; }
};

struct Buffer {
  std::size_t words = 0;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<u32> evacuated;          // empty, or what towers that no block has hold: words of blocks of another degree
};

inline Buffer* buffer_of(BufferHandle* handle) noexcept { return reinterpret_cast<Buffer*>(handle); }

// A view with a place on a rank.
struct Operand {
  Block* block = nullptr;
  View view;
  [[nodiscard]] std::size_t tower(std::size_t polynomial, u32 limb) const noexcept { return view.offset / block->n + polynomial * view.step() + limb; }
  [[nodiscard]] u32 offset(std::size_t polynomial, u32 limb) const noexcept { return block->offset(tower(polynomial, limb)); }
  [[nodiscard]] u32 dpu(u32 limb) const noexcept { return block->dpu(tower(0, limb)); }
  // The polynomials of a limb follow one another.
  [[nodiscard]] bool is_run() const noexcept { return view.batch <= 1 || block->step == view.step(); }
};

class Memory {
 public:
  explicit Memory(System& system) : system_(system), arenas_(system.ranks()) {}
  [[nodiscard]] Arena& arena(u32 rank) noexcept { return arenas_[rank]; }
  [[nodiscard]] System& system() const noexcept { return system_; }

  // Views lie inside their buffers, on a multiple of n. `contents`: the operand's words are on the rank afterwards.
  [[nodiscard]] Status place(Stream s, const View& view, u32 n, bool contents, Operand& out);
  void wrote(Stream s, const Operand& operand) noexcept;      // its words are the buffer's from now on
  [[nodiscard]] Status write(const Operand& to, const u32* words);
  [[nodiscard]] Status read(const Operand& from, u32* words);
  void forget(Buffer& buffer) noexcept;                       // gives its memory back

 private:
  [[nodiscard]] Block* find(const Buffer& buffer, const View& view, u32 rank, u32 n) const noexcept;
  [[nodiscard]] Status make(Buffer& buffer, const View& view, const Block& wanted, Block*& out);
  [[nodiscard]] Status fetch(Buffer& buffer, Block& to, const std::vector<std::size_t>& towers);
  [[nodiscard]] Status evacuate(Buffer& buffer, u32 n);
  // towers[i] to words + i n, for every i of `which`: one push for all that share a place.
  [[nodiscard]] Status pull(const Block& block, const std::vector<std::size_t>& towers, const std::vector<std::size_t>& which, u32* words);

  System& system_;
  std::vector<Arena> arenas_;
};

}  // namespace ringfort::pim_host
