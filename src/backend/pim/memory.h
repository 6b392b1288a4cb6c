// SPDX-License-Identifier: Apache-2.0
// Placement of polynomials in MRAM, the memory of the DPUs (processors in memory banks; docs/notes/0013). A rank has up
// to 64 DPUs. The DPUs of a rank form groups. A group has one DPU for each limb of the plan. A polynomial is in one
// group: its limb l is on DPU l of the group. Therefore, for a verb that works limb by limb on polynomials of one
// group, all operands of a limb are on one DPU. If there are more limbs than DPUs, a DPU has several limbs. The groups
// process the polynomials of a batch in parallel.
//
// An allocation has the same offset in the MRAM of every DPU of a rank. Therefore one push, which is a copy from the
// host, can write all DPUs. A buffer gets MRAM when a verb first uses it; the view of the verb determines the shape of
// the allocation. If a verb needs words that are in another rank or group, the host copies them, and `Traffic`
// (system.h) counts the bytes. All copies of a word stay valid until one of the copies is written. Unwritten words of a
// buffer are zero.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/pim/system.h"

namespace ringfort::pim_host {

// Maps a group and a limb to a DPU. If there are more limbs than half of the DPUs, there is only one group. If there
// are more limbs than DPUs, a DPU has several limbs, each in its own layer.
struct Grid {
  u32 dpus = 1, limbs = 1, groups = 1;
  Grid() = default;
  Grid(u32 of_rank, u32 of_plan) noexcept
      : dpus(of_rank),
        limbs(of_plan),
        groups(of_plan >= of_rank ? 1 : of_rank / of_plan) {}
  [[nodiscard]] u32 dpu(u32 group, u32 limb) const noexcept { return groups == 1 ? limb % dpus : group * limbs + limb; }
  [[nodiscard]] u32 layer(u32 limb) const noexcept { return groups == 1 ? limb / dpus : 0; }
  [[nodiscard]] u32 layers() const noexcept { return layer(limbs - 1) + 1; }
  bool operator==(const Grid&) const = default;
};

// Returns the group of each unit (verbs.h). Each group gets the same number of neighbouring units, but the last groups
// may get fewer or none.
[[nodiscard]] std::vector<u32> spread_evenly(std::size_t units, const Grid& grid);
// Returns the group of each polynomial of an unused buffer. Three neighbouring polynomials may be a product of
// ciphertexts. They get one group if 3 divides `rows`, and if `rows` is odd or the first verb uses three polynomials
// (`written`). Otherwise, if `rows` is even, two neighbouring polynomials get one group, because they may be a
// ciphertext.
[[nodiscard]] std::vector<u32> spread_rows(std::size_t rows, const Grid& grid, u32 written);

// First-fit allocator for the MRAM of a rank. All DPUs of the rank have the same layout.
class Arena {
 public:
  Arena();
  [[nodiscard]] Status allocate(u32 bytes, u32& offset);
  void release(u32 offset, u32 bytes) noexcept;

 private:
  std::map<u32, u32> free_;  // key: offset; value: bytes
};

// The n words of a limb in MRAM. In the memory of the host, a word may be narrower.
struct Extent {
  u32 n = 0, word_bytes = 4, host_word_bytes = 4;
  [[nodiscard]] u32 bytes() const noexcept { return n * word_bytes; }
  [[nodiscard]] u32 words() const noexcept { return bytes() / 4; }  // in words of 32 bits
  [[nodiscard]] u32 host_bytes() const noexcept { return n * host_word_bytes; }
  [[nodiscard]] u32 host_words() const noexcept { return host_bytes() / 4; }
  bool operator==(const Extent&) const = default;
  // These functions convert the words of `limbs` limbs between the width of the host and the width of MRAM.
  void widen(const u32* host, u32* words, std::size_t limbs) const noexcept;
  void narrow(const u32* words, u32* host, std::size_t limbs) const noexcept;
};

// Memory for the limbs of a buffer, with n words for each limb. A limb has a slot on one DPU. If `everywhere` is true,
// a limb has a slot on one DPU of each group.
struct Allocation {
  static constexpr u8 kNowhere = 0xff;
  u32 rank = 0;
  Extent extent;
  Grid grid;
  bool everywhere = false;
  u32 start = 0, slots = 0;  // start: offset in MRAM; slots: number of slots of n words on every DPU
  u32 stream = 0;            // the last stream that wrote
  bool written = false;      // set before the first write; then the memory must be zeroed before reuse
  bool lost = false;         // the memory could not be zeroed, and is never used again
  std::vector<u8> dpus;      // DPU of each limb; if `everywhere`, its DPU in the first group
  std::vector<u32> slot;
  std::vector<u8> current;  // for each limb: 1 if the slot has the current words of the buffer

  [[nodiscard]] u32 offset(std::size_t limb_index) const noexcept { return start + slot[limb_index] * extent.bytes(); }
  [[nodiscard]] u32 bytes() const noexcept { return slots * extent.bytes(); }
};

struct Buffer : DeviceBuffer {
  explicit Buffer(std::size_t size) noexcept : DeviceBuffer(size) {}
  std::vector<std::unique_ptr<Allocation>> allocations;
  // Words on the host, in the width of the host. They belong to limbs without an allocation, because the last
  // allocation was for another degree or width. Empty if there are no such limbs.
  std::vector<u32> evacuated;
};

inline Buffer* buffer_of(DeviceBuffer* buffer) noexcept { return static_cast<Buffer*>(buffer); }

// A view with its allocation on a rank.
struct Operand {
  Allocation* allocation = nullptr;
  View view;
  std::vector<u32> groups;  // for each polynomial; not used if the allocation is everywhere
  [[nodiscard]] std::size_t limb_index(std::size_t polynomial, u32 limb) const noexcept {
    return view.offset / allocation->extent.n + polynomial * view.limb_stride() + limb;
  }
  [[nodiscard]] u32 offset(std::size_t polynomial, u32 limb) const noexcept {
    return allocation->offset(limb_index(polynomial, limb));
  }
  [[nodiscard]] u32 dpu(std::size_t polynomial, u32 limb) const noexcept {
    return allocation->grid.dpu(groups[polynomial], view.limbs.first + limb);
  }
  // Tells whether a polynomial comes directly after the previous polynomial in MRAM.
  [[nodiscard]] bool follows(std::size_t polynomial) const noexcept {
    return offset(polynomial, 0) == offset(polynomial - 1, 0) + allocation->extent.bytes();
  }
};

// The placement that a verb needs. Polynomial p must be in groups[p]. If `everywhere` is true, every polynomial must be
// in all of `groups`.
struct PlacementRequest {
  Stream stream;
  Grid grid;
  std::vector<u32> groups;
  bool everywhere = false;
  u32 each = 1;  // neighbouring polynomials that must be contiguous, unless the view skips rows
};

// Access to an operand. `read` and `update` need its words. `update` and `write` replace its words.
enum class Use : u8 { read, update, write };

// Tells whether a view skips rows, for example if it has every third polynomial of a buffer. Then its polynomials are
// not contiguous.
[[nodiscard]] inline bool skips_rows(const View& view) noexcept {
  return view.batch > 1 && view.limb_stride() > view.plan->plan.moduli.size() &&
         view.limb_stride() % view.limbs.count == 0;
}

// A copy of the words of a limb between the host and a DPU.
struct Move {
  u32 dpu, offset;
  u32* words;
};

class Memory {
 public:
  explicit Memory(System& system) : system_(system), arenas_(system.ranks()) {}
  [[nodiscard]] Arena& arena(u32 rank) noexcept { return arenas_[rank]; }
  [[nodiscard]] System& system() const noexcept { return system_; }

  // Returns the group of each polynomial, if the view has an allocation. If it has none, the result is empty.
  [[nodiscard]] std::vector<u32> groups_of(Stream s, const View& view, const Grid& grid) const;
  // Returns groups_of(). If that is empty, returns groups_alone().
  [[nodiscard]] std::vector<u32> groups_for(Stream s, const View& view, const Grid& grid) const;
  // Returns the groups that the view would get if it had no allocation.
  [[nodiscard]] static std::vector<u32> groups_alone(const View& view, const Grid& grid);
  // Brings a view to the wanted groups. Allocates memory. Copies the words of the view there, unless `use` is `write`.
  // Returns Status::unsupported if an offset is not a multiple of n.
  [[nodiscard]] Status bring(const View& view, const PlacementRequest& wanted, Use use, Operand& out);
  void wrote(Stream s, const Operand& operand) noexcept;  // marks these words as current, other copies as stale
  // These functions transfer words of MRAM's width.
  [[nodiscard]] Status write(const Operand& to, const u32* words);
  [[nodiscard]] Status read(const Operand& from, u32* words);
  void forget(Buffer& buffer) noexcept;  // releases the MRAM of the buffer

  // An allocation that is no longer needed, because an `everywhere` allocation has its words. take_redundant() returns
  // the allocations that were added since its last call. Call it only between verbs.
  struct Redundant {
    Buffer* buffer;
    Allocation* allocation;
  };
  [[nodiscard]] std::vector<Redundant> take_redundant();
  void drop(const Redundant& allocation) noexcept;

  enum class Direction : u8 { in, out };
  // Performs the moves. Moves of neighbouring limbs form a run. Runs with equal offset and length share one push.
  [[nodiscard]] Status move(u32 rank, Extent extent, Direction direction, std::vector<Move> moves);
  void add_moves(const Operand& operand, u32* words, std::vector<Move>& to) const;

 private:
  [[nodiscard]] Allocation* find(const View& view, const PlacementRequest& wanted, Use use) const noexcept;
  [[nodiscard]] Status make(const View& view, const PlacementRequest& wanted, Allocation*& out);
  [[nodiscard]] Status fetch(Buffer& buffer, Allocation& to, const std::vector<std::size_t>& limbs);
  [[nodiscard]] Status evacuate(Buffer& buffer, Extent extent);
  [[nodiscard]] Status pull(const Allocation& allocation, const std::vector<std::size_t>& limbs,
                            const std::vector<std::size_t>& which, u32* words);

  System& system_;
  std::vector<Arena> arenas_;
  std::vector<Redundant> redundant_;
};

}  // namespace ringfort::pim_host
