// SPDX-License-Identifier: Apache-2.0
// Primes, roots and single residues of HEXL's interface: the functions of math, with checks of their arguments.
#include "arguments.h"
#include "hexl/number-theory/number-theory.hpp"
#include "math/prime.h"
#include "math/word.h"
#include "ringfort/error.h"

namespace intel::hexl {

using ringfort::u128, ringfort::u64;
using ringfort::hexl::refuse;

namespace {

void check_modulus(u64 modulus) {
  if (modulus == 0) refuse("the modulus is 0", "choose a modulus above 0");
}

void check_residues(u64 x, u64 y, u64 modulus) {
  check_modulus(modulus);
  if (x >= modulus || y >= modulus) refuse("an operand is not below " + std::to_string(modulus), "reduce it first");
}

void check_degree(u64 degree) {
  if (!IsPowerOfTwo(degree)) {
    refuse("the degree " + std::to_string(degree) + " is not a power of two", "choose a power of two");
  }
}

}  // namespace

uint64_t ReverseBits(uint64_t x, uint64_t bit_width) {
  if (bit_width > 64 || (bit_width < 63 && x >> (bit_width + 1) != 0)) {
    refuse("bit_width is " + std::to_string(bit_width), "choose at most 64, and at least the index of the highest bit");
  }
  u64 reversed = 0;
  for (u64 bit = 0; bit < bit_width; ++bit) reversed = reversed << 1 | (x >> bit & 1);
  return reversed;
}

uint64_t InverseMod(uint64_t x, uint64_t modulus) {
  check_modulus(modulus);
  const auto inverse = ringfort::inverse_mod(x % modulus, modulus);
  if (!inverse) refuse("a number has no inverse modulo " + std::to_string(modulus), "choose one that is coprime to it");
  return *inverse;
}

uint64_t MultiplyMod(uint64_t x, uint64_t y, uint64_t modulus) {
  check_residues(x, y, modulus);
  return ringfort::mul_mod(x, y, modulus);
}

uint64_t MultiplyMod(uint64_t x, uint64_t y, uint64_t y_precon, uint64_t modulus) {
  check_residues(0, y, modulus);
  return ringfort::subtract_if_not_below(x * y - ringfort::mulhi(x, y_precon) * modulus, modulus);
}

uint64_t AddUIntMod(uint64_t x, uint64_t y, uint64_t modulus) {
  check_residues(x, y, modulus);
  return ringfort::add_mod(x, y, modulus);
}

uint64_t SubUIntMod(uint64_t x, uint64_t y, uint64_t modulus) {
  check_residues(x, y, modulus);
  return ringfort::subtract_mod(x, y, modulus);
}

uint64_t PowMod(uint64_t base, uint64_t exp, uint64_t modulus) {
  check_modulus(modulus);
  return ringfort::pow_mod(base, exp, modulus);
}

bool IsPrimitiveRoot(uint64_t root, uint64_t degree, uint64_t modulus) {
  check_modulus(modulus);
  check_degree(degree);
  return root != 0 && PowMod(root, degree / 2, modulus) == modulus - 1;
}

uint64_t GeneratePrimitiveRoot(uint64_t degree, uint64_t modulus) { return MinimalPrimitiveRoot(degree, modulus); }

uint64_t MinimalPrimitiveRoot(uint64_t degree, uint64_t modulus) {
  check_degree(degree);
  if (degree == 1) refuse("the degree is 1", "choose a power of two above 1");
  return static_cast<u64>(ringfort::minimal_root(modulus, degree / 2).take());
}

bool IsPrime(uint64_t n) { return ringfort::is_prime(n); }

std::vector<uint64_t> GeneratePrimes(size_t num_primes, size_t bit_size, bool prefer_small_primes, size_t ntt_size) {
  if (num_primes == 0) refuse("num_primes is 0", "ask for at least one prime");
  if (bit_size < 1 || bit_size > 62) refuse("bit_size is " + std::to_string(bit_size), "choose 1 to 62");
  if (!IsPowerOfTwo(ntt_size) || ntt_size >> bit_size != 0) {
    refuse("ntt_size " + std::to_string(ntt_size) + " is not a power of two below 2^" + std::to_string(bit_size),
           "choose a smaller power of two");
  }
  // Both ends are open, except that descending primes may begin with the largest number.
  const u64 step = 2 * u64{ntt_size}, least = u64{1} << bit_size, most = 2 * least - 1, steps = least / step;
  std::vector<u64> found;
  for (u64 i = 0; i < steps && found.size() < num_primes; ++i) {
    const u64 candidate = (prefer_small_primes ? least + i * step : 2 * least - (i + 1) * step) + 1;
    const bool is_inside = prefer_small_primes ? candidate < most : candidate > least + 1;
    if (is_inside && IsPrime(candidate)) found.push_back(candidate);
  }
  if (found.size() == num_primes) return found;
  throw ringfort::Error(ringfort::Code::unsupported,
                        std::to_string(num_primes) + " primes were requested, but only " +
                            std::to_string(found.size()) + " are 1 mod " + std::to_string(step) + " and have " +
                            std::to_string(bit_size + 1) + " bits",
                        "ask for fewer primes, or choose a larger bit_size or a smaller ntt_size");
}

}  // namespace intel::hexl
