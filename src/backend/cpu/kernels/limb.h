// SPDX-License-Identifier: Apache-2.0
// Interface of the kernels of device `cpu`. Limb contains the constants of one modulus. Kernels is the table of the
// functions that prepare() (plan.h) chooses for a modulus. The other structs are arguments of these functions. Every
// kernel takes and returns canonical residues.
//
// Files of every instruction set include this header. Of an inline function that several files compile, the linker
// keeps one copy. This copy may use instructions that the CPU lacks. Therefore this header contains only plain data and
// functions that are always inlined.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringfort::cpu {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;

// A constant factor `value` and its companion floor(value 2^B / q) [Shoup]. B is the width of the multiplier in a lane:
// 32, 52, 64 or 128 bits. For x < 2^B, the product modulo q needs no division: x value - floor(x companion / 2^B) q is
// in [0, 2q).
template <class C>
struct Factor {
  C value = 0;
  C companion = 0;
};

template <class W>
struct WordInfo {  // C: type of the constants; if W is u32, they have 64 bits, too
  using C = u64;
};
template <>
struct WordInfo<u128> {
  using C = u128;
};

template <class W>
struct Limb {
  using C = typename WordInfo<W>::C;
  u32 n = 0, log_n = 0;
  u32 bits = 0;             // length of q in bits
  u32 multiplier_bits = 0;  // B of all companions (Factor) but the companion of `radix`
  C q = 0;
  // The n powers of psi (backend/plan.h), and the n powers of its inverse, in bit-reversed order. An entry has the
  // width of a lane of the kernels.
  const void* powers = nullptr;
  const void* companions = nullptr;
  const void* inverse_powers = nullptr;
  const void* inverse_companions = nullptr;
  Factor<C> scale, last;            // 1/n, and 1/n times the twiddle of the last inverse stage
  Factor<C> half_scale, half_last;  // the factors above times 2, for polymul's inverse transforms, which omit a stage
  C barrett = 0;                    // u64: floor(2^(bits + B - 2) / q); u32: floor(2^(bits + 31) / q)
  Factor<C> radix;                  // 2^52 mod q, companion for B = 52 (fused inner product)
  C radix_barrett = 0;              // floor(2^52 / q)
  C montgomery_inverse = 0;         // u128: q^-1 mod 2^128
  C montgomery_square = 0;          // u128: 2^256 mod q
};

// Operands of a fused inner product in one limb: out[r][c] = sum_k a[r][k] b[k][c], where k is the inner index. If
// `accumulate` is true, the kernel adds this sum to the old out[r][c].
template <class W>
struct Products {
  W* out = nullptr;
  const W* a = nullptr;
  const W* b = nullptr;
  // Strides in words. For example, out_row is the distance from out[r][c] to out[r + 1][c].
  std::size_t out_row = 0, out_column = 0, a_row = 0, a_inner = 0, b_inner = 0, b_column = 0;
  u32 rows = 1, inner = 1, columns = 1;
  bool accumulate = false;
};

// The part of an inner product that one call computes. The sums have two parts, `low` and `high`. If the part is not
// the last one, the call stores the sums: `low` in the memory of out, and `high` of column c at high + c * high_column.
template <class Cell>
struct PartialSum {
  u32 terms = 0;  // terms that earlier calls have added
  bool last = true;
  Cell* high = nullptr;
  std::size_t high_column = 0;  // in cells
  [[gnu::always_inline]] Cell* high_at(u32 column, std::size_t j) const { return high + column * high_column + j; }
};
struct Whole {};  // instead of PartialSum, if one call computes the whole inner product

struct Corner {  // the first row and column of a tile of sums
  u32 row, column;
};

struct Digits {
  u32 base_bits = 1, digits = 1, shift = 0;
  bool centred = false;
  // Tells whether lanes of `lane_bits` bits can extract these digits.
  [[gnu::always_inline]] constexpr bool fit(unsigned lane_bits) const {
    const u64 top = u64{shift} + u64{base_bits} * (digits - 1);
    return centred ? top + 2 < lane_bits : top < lane_bits && base_bits < lane_bits;
  }
};

// A row of digits. Every polynomial in `words` has gadget.digits digits. The transforms of the digits are the left
// factors of an inner product. Digit k of the row belongs to polynomial k / gadget.digits.
template <class W>
struct DigitRow {
  W* digits = nullptr;  // n words for each digit; gadget_product uses the memory of Products::a
  const W* words = nullptr;
  std::size_t words_stride = 0;  // distance from one polynomial to the next, in words
  Digits gadget;
};

// Memory that is needed after the next `transforms` transforms. These transforms prefetch it: first kChunkBytes bytes
// of every row, then the next kChunkBytes bytes of every row, and so on. Rows are `stride` bytes apart.
struct Prefetch {
  static constexpr std::size_t kChunkBytes = 512;
  const char* data = nullptr;
  std::size_t chunks = 0, rows = 1, stride = 0;
  u32 transforms = 1;
};

// Centred conversion of the words of a source prime to residues modulo the prime of a limb (Conversion in
// backend/verbs.h). Let v = word * inverse modulo the source prime. The result is v * weight modulo the prime of the
// limb. If v > largest, `carry` is added to the result. The companions are for B = 52.
struct OneSource {
  const u64* words = nullptr;
  u64 source = 0, largest = 0, carry = 0;
  Factor<u64> inverse, weight;
  [[gnu::always_inline]] bool is_shift() const { return inverse.value == 1 && weight.value == 1; }  // v is the word
  // Tells whether the conversion needs no product. Then v is the word, and the result before the reduction is below 2q.
  // This result is word + q - source if the word is above `largest`, and otherwise the word. If source is 0, the words
  // are already residues modulo the prime of the limb.
  [[gnu::always_inline]] bool is_near(u64 q) const {
    return is_shift() && (source == 0 || (largest < 2 * q && source <= largest + q));
  }
};

// Operands of out = (a - t) * factor + addend, where t is the result of a transform. `out` may be t or a. `addend` may
// be null. forward_second_quotient (Kernels) first multiplies the addend by addend_factor.
template <class W>
struct Quotient {
  W* out = nullptr;
  const W *a = nullptr, *addend = nullptr;
  Factor<u64> factor{}, addend_factor{};
};

// A digit of a key switch (verb::KeySwitch) in one limb. If `residues` is not null, it points to the digit in the
// evaluation domain. Otherwise the kernel transforms the coefficients of the digit. It computes these coefficients by
// the conversion `from`. If from.words is null, it reads them from its argument `digits`.
struct KeySwitchDigit {
  const u64* residues = nullptr;
  OneSource from;
};

template <class W>
struct Kernels {
  using C = typename WordInfo<W>::C;
  using Binary = void (*)(const Limb<W>&, W* out, const W* a, const W* b, std::size_t n);
  void (*forward)(const Limb<W>&, W* inout) = nullptr;
  // May be null. Extracts digit k and transforms it. Requires that Digits::fit() is true for the bits of W.
  void (*forward_digit)(const Limb<W>&, const DigitRow<W>&, u32 k, const Prefetch&) = nullptr;
  void (*inverse)(const Limb<W>&, W* inout) = nullptr;
  void (*inverse_of)(const Limb<W>&, W* out, const W* a) = nullptr;  // may be null
  void (*polymul)(const Limb<W>&, W* out, W* a, W* b) = nullptr;     // may be null; [Shivdikar22, Alg. 8]
  Binary add = nullptr, subtract = nullptr, multiply = nullptr, multiply_add = nullptr;
  void (*negate)(const Limb<W>&, W* out, const W* a, std::size_t n) = nullptr;
  void (*multiply_scalar)(const Limb<W>&, W* out, const W* a, const Factor<C>& scalar, std::size_t n) = nullptr;
  void (*decompose)(const Limb<W>&, W* out, const W* a, const Digits&, std::size_t n) = nullptr;
  void (*inner_product)(const Limb<W>&, const Products<W>&, std::size_t n) = nullptr;  // may be null
  // May be null. Computes out[3] = (a0 b0, a0 b1 + a1 b0, a1 b1).
  void (*tensor)(const Limb<W>&, W* const* out, const W* const* a, const W* const* b, std::size_t n) = nullptr;
  void (*gadget_product)(const Limb<W>&, const Products<W>&, const DigitRow<W>&) = nullptr;  // may be null; one row
  // May be null. Transforms t or, if `from` is not null, the result of the conversion `from`. Stores only the quotient
  // (Quotient). The contents of t are lost.
  void (*forward_quotient)(const Limb<W>&, const OneSource* from, W* t, const Quotient<W>&) = nullptr;
  // May be null. Transforms the sum of the results of the conversions from[0] and from[1]. Multiplies the addend by
  // addend_factor. Stores only the quotient.
  void (*forward_second_quotient)(const Limb<W>&, const OneSource* from, W* t, const Quotient<W>&) = nullptr;
  // May be null. Computes one row of sums. The memory of digit k is at digits + k * a_inner.
  void (*key_switch_product)(const Limb<W>&, const Products<W>&, const KeySwitchDigit*, W* digits) = nullptr;
};

namespace generic {
extern const Kernels<u32> kKernels32;
extern const Kernels<u64> kKernels64;
extern const Kernels<u128> kKernels128;
extern const Kernels<u128> kLazy128;  // q < 2^126
}  // namespace generic
namespace avx2 {
extern const Kernels<u32> kKernels32;
extern const Kernels<u32> kLazy32;    // q < 2^30
extern const Kernels<u32> kFermat32;  // q = 2^16 + 1
extern const Kernels<u64> kKernels64;
extern const Kernels<u64> kNear64;  // q < 2^61
}  // namespace avx2
namespace fma {                      // these tables compute in doubles
extern const Kernels<u64> kWide64;   // q < 2^48
extern const Kernels<u64> kTight64;  // q < 2^50
}  // namespace fma
namespace avx512 {
extern const Kernels<u32> kKernels32;
extern const Kernels<u32> kLazy32;    // q < 2^30
extern const Kernels<u32> kFermat32;  // q = 2^16 + 1
extern const Kernels<u64> kKernels64;
extern const Kernels<u64> kNear64;  // q < 2^61
extern const Kernels<u64> kWide64;  // computes in doubles, as in fma
extern const Kernels<u64> kTight64;
}  // namespace avx512
namespace ifma {
extern const Kernels<u32> kWide32;  // n q < 2^52: transforms need no range corrections
extern const Kernels<u64> kWide64;
extern const Kernels<u64> kWideForward64;  // (4 log2(n) + 3) q < 2^52: forward transforms need no range corrections
extern const Kernels<u64> kTight64;        // q < 2^50
}  // namespace ifma

}  // namespace ringfort::cpu
