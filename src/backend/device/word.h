// SPDX-License-Identifier: Apache-2.0
// Words of device kernels (u32 and u64) and their arithmetic: products by Shoup's constants [Harvey14], and sums of
// double words. This header needs no standard library. The same text is compiled for GPUs and for the emulator. No
// branch depends on a residue.
#pragma once

#ifdef __SPIRV__
unsigned long mul_hi(unsigned long a, unsigned long b);  // a function of OpenCL C; SPIR-V has no words of 128 bits
#endif

namespace ringfort::device {

using u8 = __UINT8_TYPE__;
using u32 = __UINT32_TYPE__;
using u64 = __UINT64_TYPE__;
using i8 = __INT8_TYPE__;
using i64 = __INT64_TYPE__;

template <class Word>
inline constexpr u32 kBits = 8 * sizeof(Word);

#if __STDC_HOSTED__
// Number of products of words that this thread has computed. The emulator counts with it.
inline constinit thread_local u64 multiplications = 0;
constexpr void count_multiplication() {
  if (!__builtin_is_constant_evaluated()) ++multiplications;
}
inline constinit thread_local u64 divisions = 0;  // number of divisions, in the same way
constexpr void count_division() {
  if (!__builtin_is_constant_evaluated()) ++divisions;
}
#else
constexpr void count_multiplication() {}
constexpr void count_division() {}
#endif

// Number of words that a lane loads or stores in one access of 16 bytes.
template <class Word>
inline constexpr u32 kRowWords = 16 / sizeof(Word);
template <class Word>
struct alignas(16) Row {
  Word words[kRowWords<Word>];
};

template <class Word>
[[nodiscard]] constexpr Word mul_low(Word a, Word b) {
  count_multiplication();
  return a * b;
}
// These functions return the high word of a product. NVIDIA's assembler miscompiles the high word of the 64-bit product
// of two 32-bit words: it treats c (a b >> 32) as a (b c >> 32). Therefore the function for 32-bit words names the
// instruction for high words (docs/notes/0027).
[[nodiscard]] constexpr u32 mul_high(u32 a, u32 b) {
  count_multiplication();
#if defined(__NVPTX__)
  if (!__builtin_is_constant_evaluated()) return __nvvm_mulhi_ui(a, b);
#elif defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return __umulhi(a, b);
#endif
  return static_cast<u32>(u64{a} * b >> 32);
}
#ifdef __SPIRV__
[[nodiscard]] inline u64 mul_high(u64 a, u64 b) { return mul_hi(a, b); }
#else
[[nodiscard]] constexpr u64 mul_high(u64 a, u64 b) {
  count_multiplication();
  __extension__ using u128 = unsigned __int128;
  return static_cast<u64>(u128{a} * b >> 64);
}
#endif

// Returns a b + c d.
template <class Word>
[[nodiscard]] constexpr Word sum_of_products(Word a, Word b, Word c, Word d) {
  return mul_low(a, b) + mul_low(c, d);
}
#if defined(__NVPTX__) || defined(__CUDA_ARCH__)
// A 64-bit word is a pair of registers. Four products of 32-bit halves change only the high register. Two other
// products write the pair, and the second of these two also adds the pair. In this order, the assembler does not move
// halves between registers. In the order that compilers choose, it moves halves (docs/notes/0031).
// `a` must not be the result of a product, because a compiler must not see halves of a product (docs/notes/0027). No
// machine without a GPU runs this text; tests/gpu/test_ptx_arithmetic.py evaluates it.
template <>
[[nodiscard]] constexpr u64 sum_of_products(u64 a, u64 b, u64 c, u64 d) {
  if (__builtin_is_constant_evaluated()) return a * b + c * d;
  u64 sum;
  asm("{.reg .u32 a0, a1, b0, b1, c0, c1, d0, d1, l, h; .reg .u64 s;"
      "mov.b64 {a0, a1}, %1; mov.b64 {b0, b1}, %2; mov.b64 {c0, c1}, %3; mov.b64 {d0, d1}, %4;"
      "mul.wide.u32 s, a0, b0; mov.b64 {l, h}, s;"
      "mad.lo.u32 h, a1, b0, h; mad.lo.u32 h, a0, b1, h; mad.lo.u32 h, c1, d0, h; mad.lo.u32 h, c0, d1, h;"
      "mov.b64 s, {l, h}; mad.wide.u32 %0, c0, d0, s;}"
      : "=l"(sum)
      : "l"(a), "l"(b), "l"(c), "l"(d));
  return sum;
}
#endif

template <class Word>
[[nodiscard]] constexpr Word min(Word a, Word b) {
  return a < b ? a : b;
}

// Returns x mod bound for x in [0, 2 bound). 2 bound fits into a word. If x < bound, x - bound wraps around, and is
// greater than x.
template <class Word>
[[nodiscard]] constexpr Word reduce_once(Word x, Word bound) {
  return min(x, static_cast<Word>(x - bound));
}

// A constant factor of products mod q. It has `value` < q and `quotient` = floor(value 2^bits / q), where `bits` is the
// length of a word.
template <class Word>
struct alignas(2 * sizeof(Word)) Factor {
  Word value, quotient;
};

// Returns x times the factor mod q, in [0, 2q). x is any word. 2q fits into a word.
template <class Word>
[[nodiscard]] constexpr Word multiply_lazy2(Word x, Factor<Word> factor, Word q) {
  return mul_low(x, factor.value) - mul_low(mul_high(x, factor.quotient), q);
}

// A double word, for sums of products of two words.
template <class Word>
class Wide {
 public:
  constexpr Wide(Word low = 0, Word high = 0) : low_(low), high_(high) {}
  [[nodiscard]] constexpr Word low() const { return low_; }
  [[nodiscard]] constexpr Word high() const { return high_; }
  constexpr void add_product(Word a, Word b) {
    const Word product = mul_low(a, b);
    low_ += product;
    high_ += mul_high(a, b) + static_cast<Word>(low_ < product);
  }

 private:
  Word low_, high_;
};
// For 32-bit words, the double word is one pair of registers. One instruction of a GPU adds a product to it.
template <>
class Wide<u32> {
 public:
  constexpr Wide(u32 low = 0, u32 high = 0) : sum_(u64{high} << 32 | low) {}
  [[nodiscard]] constexpr u32 low() const { return static_cast<u32>(sum_); }
  [[nodiscard]] constexpr u32 high() const { return static_cast<u32>(sum_ >> 32); }
  constexpr void add_product(u32 a, u32 b) {
    count_multiplication();
    sum_ += u64{a} * b;
  }

 private:
  u64 sum_;
};

// Returns a b. mul_high() computes its high word.
template <class Word>
[[nodiscard]] constexpr Wide<Word> wide_product(Word a, Word b) {
  return {mul_low(a, b), mul_high(a, b)};
}

// Returns the lowest `bits` bits of the value in reverse order. `bits` is in 0 .. 32.
[[nodiscard]] constexpr u32 reverse_bits(u32 value, u32 bits) {
#if defined(__CUDA_ARCH__) && !defined(__NVPTX__)
  value = __brev(value);  // an instruction that nvcc and clang name differently
#elif __has_builtin(__builtin_bitreverse32) && !defined(__SPIRV__)  // not every driver has the instruction of SPIR-V
  value = __builtin_bitreverse32(value);
#else
  // The loop is not unrolled. A compiler that recognises the bit reversal would use the instruction.
#pragma GCC unroll 1
  for (u32 half = 16, mask = 0xFFFF; half != 0; half /= 2, mask ^= mask << half)
    value = (value >> half & mask) | (value & mask) << half;
#endif
  return bits == 0 ? 0 : value >> (32 - bits);
}

}  // namespace ringfort::device
