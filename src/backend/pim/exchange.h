// SPDX-License-Identifier: Apache-2.0
// Work whose words pass through the host anyway, spread over all DPUs of a rank: conversions of bases in slices of coefficients,
// transforms a tower a DPU. Words on the host wipe themselves. All copies are counted as data.
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

// `vectors` vectors of `total` words, cut for the DPUs: slice s of all of them is one DPU's.
struct Slices {
  std::size_t vectors, total, length;
  Words words;
  Slices(std::size_t vectors, std::size_t total, u32 dpus) : vectors(vectors), total(total), length((total + 2 * dpus - 1) / (2 * dpus) * 2), words(count() * vectors * length) {}
  [[nodiscard]] std::size_t count() const noexcept { return (total + length - 1) / length; }
  [[nodiscard]] std::size_t bytes() const noexcept { return vectors * length * sizeof(u32); }
  [[nodiscard]] std::vector<Piece> pieces();
  // Polynomial `p` of a vector, n words.
  void put(std::size_t vector, std::size_t p, const u32* polynomial, std::size_t n) noexcept;
  void get(std::size_t vector, std::size_t p, u32* polynomial, std::size_t n) noexcept;

 private:
  template <class Move>
  void each(std::size_t vector, std::size_t first, std::size_t count, Move move) noexcept;
};

// From limbs to others, times `plain` modulo the product of the first: t conv(x / t).
struct Passage {
  Limbs from;
  std::vector<u32> to;
  Conversion kind = Conversion::centred;
  u64 plain = 1;
};

// Room in MRAM that convert() takes, and transform() of one tower a DPU.
[[nodiscard]] u32 room_to_convert(u32 from, u32 to, std::size_t total, u32 dpus) noexcept;
[[nodiscard]] inline u32 room_to_transform(u32 n) noexcept { return 2 * n * 4; }
// `x` has the sources' vectors, `y` the targets' afterwards.
[[nodiscard]] Status convert(Verb& verb, u32 place, const Passage& passage, Slices& x, Slices& y);

struct Tower {
  u32 limb;
  u32* words;
};
[[nodiscard]] Status transform(Verb& verb, u32 place, std::span<const Tower> towers, bool inverse);

[[nodiscard]] Status mod_down(Stream s, const ModDown& division);
[[nodiscard]] Status key_switch(Stream s, const KeySwitch& sum);

}  // namespace ringfort::pim_host
