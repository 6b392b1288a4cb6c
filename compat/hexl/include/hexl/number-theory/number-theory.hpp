// SPDX-License-Identifier: Apache-2.0
// Arithmetic on single residues of 64 bits, primes and roots of unity. Functions with the parameter `modulus` need a
// modulus above 0. Residues are below the modulus where nothing else is said.
#pragma once

#include <stdint.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "hexl/util/check.hpp"
#include "hexl/util/compiler.hpp"

namespace intel {
namespace hexl {

// A constant factor with floor(operand 2^bit_shift / modulus), which replaces the division of a product by the modulus.
// operand <= modulus; bit_shift is 32, 52 or 64.
class MultiplyFactor {
 public:
  MultiplyFactor() = default;
  MultiplyFactor(uint64_t operand, uint64_t bit_shift, uint64_t modulus) : m_operand(operand) {
    ringfort_checks::refuse_unless(operand <= modulus && modulus != 0, "the operand is above the modulus",
                                   "reduce the operand first");
    ringfort_checks::refuse_unless(bit_shift == 32 || bit_shift == 52 || bit_shift == 64,
                                   "bit_shift is not 32, 52 or 64", "choose one of these");
    m_barrett_factor = static_cast<uint64_t>((static_cast<uint128_t>(operand) << bit_shift) / modulus);
  }
  inline uint64_t BarrettFactor() const { return m_barrett_factor; }
  inline uint64_t Operand() const { return m_operand; }

 private:
  uint64_t m_operand = 0;
  uint64_t m_barrett_factor = 0;
};

inline bool IsPowerOfTwo(uint64_t num) { return num != 0 && (num & (num - 1)) == 0; }

// Returns floor(log2(x)). x is not 0.
inline uint64_t Log2(uint64_t x) { return MSB(x); }

inline bool IsPowerOfFour(uint64_t num) { return IsPowerOfTwo(num) && Log2(num) % 2 == 0; }

// Returns 2^bits - 1. bits <= 64.
inline uint64_t MaximumValue(uint64_t bits) {
  ringfort_checks::refuse_unless(bits <= 64, "bits is above 64", "choose at most 64 bits");
  return bits == 64 ? (std::numeric_limits<uint64_t>::max)() : (uint64_t(1) << bits) - 1;
}

// Returns the bit_width lowest bits of x in reverse order. bit_width is at most 64. The index of the highest bit of x
// is at most bit_width.
uint64_t ReverseBits(uint64_t x, uint64_t bit_width);

// Returns the inverse of x, which may be any word that is coprime to the modulus.
uint64_t InverseMod(uint64_t x, uint64_t modulus);

uint64_t MultiplyMod(uint64_t x, uint64_t y, uint64_t modulus);
// Returns x y mod modulus for any word x. y_precon is floor(y 2^64 / modulus), and modulus < 2^63.
uint64_t MultiplyMod(uint64_t x, uint64_t y, uint64_t y_precon, uint64_t modulus);
uint64_t AddUIntMod(uint64_t x, uint64_t y, uint64_t modulus);
uint64_t SubUIntMod(uint64_t x, uint64_t y, uint64_t modulus);
uint64_t PowMod(uint64_t base, uint64_t exp, uint64_t modulus);  // base may be any word

// Tells whether root^(degree / 2) = -1. The degree is a power of two.
bool IsPrimitiveRoot(uint64_t root, uint64_t degree, uint64_t modulus);
// Returns a primitive root of unity, always the smallest. `degree` is a power of two above 1, and `modulus` is a prime
// that is 1 mod degree.
uint64_t GeneratePrimitiveRoot(uint64_t degree, uint64_t modulus);
uint64_t MinimalPrimitiveRoot(uint64_t degree, uint64_t modulus);

// Returns x y mod modulus in [0, 2 modulus). y_barrett_factor is floor(y 2^BitShift / modulus). BitShift is 52 or 64. x
// and the modulus are below 2^BitShift, and 2 modulus is below 2^64.
template <int BitShift>
inline uint64_t MultiplyModLazy(uint64_t x, uint64_t y_operand, uint64_t y_barrett_factor, uint64_t modulus) {
  static_assert(BitShift == 52 || BitShift == 64, "BitShift is 52 or 64");
  ringfort_checks::refuse_unless(y_operand < modulus, "y is not below the modulus", "reduce y first");
  ringfort_checks::refuse_unless(modulus <= MaximumValue(BitShift), "the modulus is too long", "use a larger BitShift");
  ringfort_checks::refuse_unless(x <= MaximumValue(BitShift), "x is too long", "use a larger BitShift");
  return x * y_operand - MultiplyUInt64Hi<BitShift>(x, y_barrett_factor) * modulus;
}
template <int BitShift>
inline uint64_t MultiplyModLazy(uint64_t x, uint64_t y, uint64_t modulus) {
  return MultiplyModLazy<BitShift>(x, y, MultiplyFactor(y, BitShift, modulus).BarrettFactor(), modulus);
}

// Writes the sum modulo 2^64, and returns the carry.
inline unsigned char AddUInt64(uint64_t operand1, uint64_t operand2, uint64_t* result) {
  return static_cast<unsigned char>(__builtin_add_overflow(operand1, operand2, result));
}

bool IsPrime(uint64_t n);

// Returns num_primes primes that are 1 mod 2 ntt_size, between 2^bit_size and 2^(bit_size + 1). If prefer_small_primes,
// the smallest in ascending order, else the largest in descending order. num_primes > 0; bit_size is in 1 .. 62;
// ntt_size is a power of two below 2^bit_size. If there are too few such primes, throws ringfort::Error (unsupported).
std::vector<uint64_t> GeneratePrimes(size_t num_primes, size_t bit_size, bool prefer_small_primes, size_t ntt_size = 1);

// Returns input mod modulus, in [0, OutputModFactor modulus), for any word. q_barr is floor(2^64 / modulus).
template <int OutputModFactor = 1>
uint64_t BarrettReduce64(uint64_t input, uint64_t modulus, uint64_t q_barr) {
  static_assert(OutputModFactor == 1 || OutputModFactor == 2, "OutputModFactor is 1 or 2");
  ringfort_checks::refuse_unless(modulus != 0, "the modulus is 0", "choose a modulus above 0");
  const uint64_t rest = input - MultiplyUInt64Hi<64>(input, q_barr) * modulus;
  return OutputModFactor == 1 && rest >= modulus ? rest - modulus : rest;
}

// Returns x mod modulus for x < InputModFactor modulus. For the factors 4 and 8 the pointers to 2 modulus, and for 8
// also to 4 modulus, are not null.
template <int InputModFactor>
uint64_t ReduceMod(uint64_t x, uint64_t modulus, const uint64_t* twice_modulus = nullptr,
                   const uint64_t* four_times_modulus = nullptr) {
  static_assert(InputModFactor == 1 || InputModFactor == 2 || InputModFactor == 4 || InputModFactor == 8,
                "InputModFactor is 1, 2, 4 or 8");
  ringfort_checks::refuse_unless(
      (InputModFactor < 4 || twice_modulus != nullptr) && (InputModFactor < 8 || four_times_modulus != nullptr),
      "a multiple of the modulus is missing", "pass its address");
  if (InputModFactor >= 8 && x >= *four_times_modulus) x -= *four_times_modulus;
  if (InputModFactor >= 4 && x >= *twice_modulus) x -= *twice_modulus;
  if (InputModFactor >= 2 && x >= modulus) x -= modulus;
  return x;
}

// Returns T / R mod q in [0, q), with T = T_hi 2^BitShift + T_lo < R q and R = 2^r > q. inv_mod is -1 / q mod R, and
// mod_R_msk is R - 1 [Montgomery85].
template <int BitShift>
inline uint64_t MontgomeryReduce(uint64_t T_hi, uint64_t T_lo, uint64_t q, int r, uint64_t mod_R_msk,
                                 uint64_t inv_mod) {
  static_assert(BitShift == 52 || BitShift == 64, "BitShift is 52 or 64");
  ringfort_checks::refuse_unless(r >= 1 && r < 64 && (uint64_t(1) << r) > q, "2^r is not above q", "choose a larger r");
  const uint64_t m = (T_lo & mod_R_msk) * inv_mod & mod_R_msk;
  const uint128_t t = (static_cast<uint128_t>(T_hi) << BitShift) + T_lo + MultiplyUInt64(m, q);
  const uint64_t rest = static_cast<uint64_t>(t >> r);
  return rest >= q ? rest - q : rest;
}

// Returns x in [0, 2^r) with q x = -1 mod 2^r. q is odd, and r is in 1 .. 64.
inline uint64_t HenselLemma2adicRoot(uint32_t r, uint64_t q) {
  ringfort_checks::refuse_unless(r >= 1 && r <= 64 && q % 2 == 1, "q is even, or r is not in 1 .. 64",
                                 "choose an odd q and an r in this range");
  uint64_t inverse = q;  // q q = 1 mod 8: 3 bits are correct; each step doubles their number
  for (unsigned bits = 3; bits < r; bits *= 2) inverse *= 2 - q * inverse;
  return (0 - inverse) & MaximumValue(r);
}

}  // namespace hexl
}  // namespace intel
