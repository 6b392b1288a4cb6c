// SPDX-License-Identifier: Apache-2.0
// Base conversions (verb::BaseConvert) and transforms of words that are on the host. The host sends the words to the
// DPUs (processors in memory banks) of a rank (up to 64 DPUs), lets the DPUs compute, and reads the results. In a
// conversion, each DPU gets a slice of the coefficients. In a transform, a DPU gets one limb at a time. The host wipes
// its copies of the words. `Traffic` (system.h) counts the constants of conversions as tables, and all other words as
// data.
#pragma once

#include <algorithm>

#include "backend/pim/verbs.h"
#include "base/secret.h"

namespace ringfort::pim_host {

struct Words : std::vector<u32> {
  using std::vector<u32>::vector;
  Words(Words&&) = default;
  Words& operator=(Words&&) = delete;
  ~Words() { wipe(data(), size() * sizeof(u32)); }
};

// Vectors of `total` words of 32 bits, which are cut into slices. Each DPU gets one slice of every vector. The two
// halves of a word of 64 bits are in one slice.
struct Slices {
  std::size_t vectors, total, length;
  Words words;
  Slices(std::size_t vectors, std::size_t total, u32 dpus)
      : vectors(vectors),
        total(total),
        length((total + 2 * dpus - 1) / (2 * dpus) * 2),
        words(count() * vectors * length) {}
  [[nodiscard]] std::size_t count() const noexcept { return (total + length - 1) / length; }
  [[nodiscard]] std::size_t bytes() const noexcept { return vectors * length * sizeof(u32); }
  [[nodiscard]] std::vector<TransferBuffer> buffers();
  // These functions write and read the `n` words of polynomial `p` of a vector.
  void put_polynomial(std::size_t vector, std::size_t p, const u32* polynomial, std::size_t n) noexcept;
  void get_polynomial(std::size_t vector, std::size_t p, u32* polynomial, std::size_t n) noexcept;

 private:
  template <class Move>
  void each(std::size_t vector, std::size_t first, std::size_t count, Move move) noexcept;
};

// One conversion of a vector x of residues. It reads one vector for each limb of `from`, and computes t conv(x / t) for
// each limb of `to`, where conv is a base conversion. t is `plain`: the modulus of BGV's plaintexts, or 1. The division
// by t is modulo the product of the primes of `from`.
struct Passage {
  u32 first;  // number of the vector with the first limb of `from`
  Limbs from;
  std::vector<u32> to;
  Conversion kind = Conversion::centred;
  u64 plain = 1;
};

// Several conversions (passages) of the same vectors. The host copies the vectors to the DPUs once, and copies the
// results of all conversions back once.
class Conversions {
 public:
  Conversions(const PimPlan& plan, std::span<const Passage> passages);
  // Returns the bytes of MRAM, a DPU's memory bank, that convert_slices() needs on every DPU.
  [[nodiscard]] u32 mram_bytes(const Slices& x, const Slices& y) const noexcept {
    return static_cast<u32>(x.bytes() + y.bytes() + tables_.size() * sizeof(u32));
  }
  // Reads the source vectors from `x`, and writes the result vectors of all passages to `y`. Uses mram_bytes() from
  // `offset` on.
  [[nodiscard]] Status convert_slices(VerbTask& task, u32 offset, Slices& x, Slices& y) const;
  [[nodiscard]] u32 targets() const noexcept { return targets_; }

 private:
  // The targets of a passage that one launch computes. source_table, target_table and weights are offsets in tables_,
  // in words.
  struct TargetLaunch {
    u32 kind, narrow, first_source, sources, first_target, targets, source_table = 0, target_table = 0, weights = 0;
  };
  void add(const PimPlan& plan, const Passage& passage);
  struct Offsets {
    u32 x, out, tables, vector;  // offsets in MRAM; vector: size of a vector in bytes
  };
  [[nodiscard]] Status execute(VerbTask& task, const TargetLaunch& launch, const Offsets& at, u32 dpus) const;
  std::vector<TargetLaunch> launches_;
  std::vector<u32> tables_;
  u32 targets_ = 0;
};

struct HostLimb {
  u32 limb;
  u32* words;
};
// Transforms limbs that are on the host, in place. Each DPU transforms one limb at a time, in transform_bytes() of MRAM
// from `offset` on. Any DPU can take any limb.
[[nodiscard]] Status transform_anywhere(VerbTask& task, u32 offset, std::span<const HostLimb> limbs, bool inverse);
[[nodiscard]] inline u32 transform_bytes(const PimPlan& plan) noexcept { return 2 * plan.extent().bytes(); }

}  // namespace ringfort::pim_host
