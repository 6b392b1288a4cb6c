// SPDX-License-Identifier: Apache-2.0
// Where polynomials lie (docs/notes/0013). The DPUs of a rank are groups as wide as the plan has limbs; limb l of a
// polynomial in group g is on DPU l of that group, so that all verbs but base conversion find their operands on one
// DPU, and polynomials of a batch are worked on side by side. Polynomials of one limb and group follow one another
// there. Every DPU of a rank gives an allocation the same place: one push serves all. MRAM is taken when a buffer is
// first written, by the shape of that view. What a rank or a group needs and another has is copied through the host,
// and counts as traffic; all copies stay good until one is written. Words of a buffer that nobody has written are zero.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "backend/pim/system.h"

namespace ringfort::pim_host {

// Which DPU has what. More limbs than half of the DPUs: one group, and limbs go around its DPUs.
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

// The groups of so many units, as even as can be: neighbours stay together.
[[nodiscard]] std::vector<u32> spread_evenly(std::size_t units, const Grid& grid);
// Of so many polynomials that nobody has used yet: pairs and triples may be ciphertexts, and stay together. Where
// `written` of them are written first, and are one or the other, the rest is taken for more of these.
[[nodiscard]] std::vector<u32> spread_rows(std::size_t rows, const Grid& grid, u32 written);

// First fit in the MRAM of a rank's DPUs, all alike.
class Arena {
 public:
  Arena();
  [[nodiscard]] Status allocate(u32 bytes, u32& place);
  void release(u32 place, u32 bytes) noexcept;

 private:
  std::map<u32, u32> free_;  // bytes by place
};

// Limbs of n words of a buffer, each in a slot of a DPU; or in that slot of every group.
struct Allocation {
  static constexpr u8 kNowhere = 0xff;
  u32 rank = 0, n = 0;
  Grid grid;
  bool everywhere = false;
  u32 place = 0, slots = 0;  // of n words, on every DPU
  u32 stream = 0;            // the last that wrote
  bool written = false;      // or about to be: holds what must be zeroed before the place is another's
  bool lost = false;         // could not be zeroed: the place is not used again
  std::vector<u8> dpus;      // by limb; where it is everywhere, of the first group
  std::vector<u32> slot;
  std::vector<u8> current;  // holds the buffer's words

  [[nodiscard]] u32 offset(std::size_t limb_index) const noexcept { return place + slot[limb_index] * n * 4; }
  [[nodiscard]] u32 words() const noexcept { return slots * n; }
};

struct Buffer : DeviceBuffer {
  explicit Buffer(std::size_t size) noexcept : DeviceBuffer(size), words(size / sizeof(u32)) {}
  std::size_t words;
  std::vector<std::unique_ptr<Allocation>> allocations;
  // empty, or what limbs that no allocation has hold: words of allocations of another degree
  std::vector<u32> evacuated;
};

inline Buffer* buffer_of(DeviceBuffer* buffer) noexcept { return static_cast<Buffer*>(buffer); }

// A view with a place on a rank.
struct Operand {
  Allocation* allocation = nullptr;
  View view;
  std::vector<u32> groups;  // by polynomial; where the allocation is everywhere, they say nothing
  [[nodiscard]] std::size_t limb_index(std::size_t polynomial, u32 limb) const noexcept {
    return view.offset / allocation->n + polynomial * view.limb_stride() + limb;
  }
  [[nodiscard]] u32 offset(std::size_t polynomial, u32 limb) const noexcept {
    return allocation->offset(limb_index(polynomial, limb));
  }
  [[nodiscard]] u32 dpu(std::size_t polynomial, u32 limb) const noexcept {
    return allocation->grid.dpu(groups[polynomial], view.limbs.first + limb);
  }
  // Directly after the one before it.
  [[nodiscard]] bool follows(std::size_t polynomial) const noexcept {
    return offset(polynomial, 0) == offset(polynomial - 1, 0) + allocation->n * 4;
  }
};

// Where an operand has to be: polynomial p in groups[p], or all of them in all of `groups`.
struct PlacementRequest {
  Stream stream;
  Grid grid;
  std::vector<u32> groups;
  bool everywhere = false;
  u32 each = 1;  // polynomials that follow one another there, where the view skips no rows
};

// Whether the operand's words have to be there, and whether they end.
enum class Use : u8 { read, update, write };

// Polynomials of a view that skips rows do not follow one another (a view of every third polynomial of a buffer).
[[nodiscard]] inline bool skips_rows(const View& view) noexcept {
  return view.batch > 1 && view.limb_stride() > view.plan->plan.moduli.size() &&
         view.limb_stride() % view.limbs.count == 0;
}

// n words of the host and a limb of a DPU.
struct Move {
  u32 dpu, offset;
  u32* words;
};

class Memory {
 public:
  explicit Memory(System& system) : system_(system), arenas_(system.ranks()) {}
  [[nodiscard]] Arena& arena(u32 rank) noexcept { return arenas_[rank]; }
  [[nodiscard]] System& system() const noexcept { return system_; }

  // The group of each polynomial where the view's words are, or will be; empty: nobody has decided it.
  [[nodiscard]] std::vector<u32> groups_of(Stream s, const View& view, const Grid& grid) const;
  // and where nobody has, by itself
  [[nodiscard]] std::vector<u32> groups_for(Stream s, const View& view, const Grid& grid) const;
  // Where they would be by themselves.
  [[nodiscard]] static std::vector<u32> groups_alone(const View& view, const Grid& grid);
  // Unsupported: a view that begins on no multiple of n. But for `write`, the operand's words are there afterwards.
  [[nodiscard]] Status place(const View& view, const PlacementRequest& wanted, Use use, Operand& out);
  void wrote(Stream s, const Operand& operand) noexcept;  // its words are the buffer's from now on
  [[nodiscard]] Status write(const Operand& to, const u32* words);
  [[nodiscard]] Status read(const Operand& from, u32* words);
  void forget(Buffer& buffer) noexcept;  // gives its memory back

  // Allocations whose words have come into every group since the last time: they are not needed. Between verbs only.
  struct Redundant {
    Buffer* buffer;
    Allocation* allocation;
  };
  [[nodiscard]] std::vector<Redundant> take_redundant();
  void drop(const Redundant& allocation) noexcept;

  enum class Direction : u8 { in, out };
  // One push for all runs of limbs that share place and length.
  [[nodiscard]] Status move(u32 rank, u32 n, Direction direction, std::vector<Move> moves);
  void add_moves(const Operand& operand, u32* words, std::vector<Move>& to) const;

 private:
  [[nodiscard]] Allocation* find(const View& view, const PlacementRequest& wanted, Use use) const noexcept;
  [[nodiscard]] Status make(const View& view, const PlacementRequest& wanted, Allocation*& out);
  [[nodiscard]] Status fetch(Buffer& buffer, Allocation& to, const std::vector<std::size_t>& limbs);
  [[nodiscard]] Status evacuate(Buffer& buffer, u32 n);
  [[nodiscard]] Status pull(const Allocation& allocation, const std::vector<std::size_t>& limbs,
                            const std::vector<std::size_t>& which, u32* words);

  System& system_;
  std::vector<Arena> arenas_;
  std::vector<Redundant> redundant_;
};

}  // namespace ringfort::pim_host
