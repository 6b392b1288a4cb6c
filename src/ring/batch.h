// SPDX-License-Identifier: Apache-2.0
// Converts n integers modulo a prime t = 1 mod 2n to a polynomial over Z_t, and back. The integers are in the slots of
// the polynomial, which are its values at roots of unity (ring/slots.h). The slots have two rows, and the integers of
// row 0 come first. The coefficients of the polynomial are centred, in [-(t - 1)/2, (t - 1)/2], so that they are small
// integers modulo other primes.
#pragma once

#include <span>
#include <vector>

#include "math/types.h"
#include "ring/slots.h"
#include "ringfort/ring.h"

namespace ringfort {

// Immutable. Several threads may share an object.
class BatchEncoder {
 public:
  BatchEncoder(u32 n, u64 t);  // t < 2^62; fails with invalid_argument and unsupported
  [[nodiscard]] u32 n() const noexcept { return ntt_.n(); }
  [[nodiscard]] u64 t() const noexcept { return t_; }

  // Encodes at most n values. The remaining slots are zero. `out` has n coefficients. Signed values are in [-(t - 1)/2,
  // (t - 1)/2]. Unsigned values are below t. The transform runs in the memory of `out`. Fails with invalid_argument: if
  // a size is wrong, `out` is unchanged; if a value is outside its range, all words of `out` are zero. If the device
  // fails, `out` has undefined words.
  void encode(std::span<const i64> values, std::span<i64> out) const;
  void encode(std::span<const u64> values, std::span<i64> out) const;

  // Decodes the first out.size() <= n slots of a polynomial. The polynomial has n centred coefficients. Fails with
  // invalid_argument before it writes `out`.
  void decode(std::span<const i64> coefficients, std::span<i64> out) const;
  void decode(std::span<const i64> coefficients, std::span<u64> out) const;

 private:
  template <class Value>
  void encode_values(std::span<const Value> values, std::span<i64> out) const;
  template <class Value>
  void decode_values(std::span<const i64> coefficients, std::span<Value> out) const;
  // scatter() moves values from the order of the slots to words in the order of the transform. gather() does the
  // reverse. reduce() converts coefficients to words, and centre() words to coefficients.
  template <class Value, class W>
  bool scatter(std::span<const Value> values, std::span<W> words) const;  // returns true if all values are in range
  template <class W>
  void centre(std::span<const W> words, std::span<i64> coefficients) const;
  template <class W>
  bool reduce(std::span<const i64> coefficients, std::span<W> words) const;
  template <class W, class Value>
  void gather(std::span<const W> words, std::span<Value> values) const;
  u64 t_;
  Ntt ntt_;
  std::vector<u32> positions_;
  SlotLineTables lines_;  // empty if there are no vector kernels for this n and t
};

}  // namespace ringfort
