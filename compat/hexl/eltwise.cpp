// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of HEXL's interface. Sums use the vector kernels of ring. Products use a verb of the device if
// the modulus is a prime for transforms, the arrays begin at cache lines, and all words are residues, although operands
// may be lazy (up to factor * modulus). Otherwise the reductions of math compute, for any modulus. Branches depend on
// verdicts about all words of an array (arguments.h), not on a single word.
#include <cstring>
#include <functional>

#include "arguments.h"
#include "hexl/hexl.hpp"
#include "math/decimal.h"
#include "math/divisor.h"
#include "math/reduction_barrett.h"
#include "math/reduction_shoup.h"
#include "plans.h"
#include "ring/encoding/chosen.h"

namespace ringfort::hexl {

namespace {

// The largest moduli, as lengths in bits: sums, and products with one number.
constexpr u32 kSumBits = 63, kScalarBits = 61;

void check_modulus(u64 modulus, u32 bits) {
  if (modulus < 2 || modulus >> bits != 0) {
    refuse("the modulus " + std::to_string(modulus) + " is not in [2, 2^" + std::to_string(bits) + ")",
           "choose a modulus in this range");
  }
}

void check_scalar(u64 value, u128 bound, std::string_view name) {
  if (value >= bound) refuse(std::string(name) + " is not below " + decimal(bound), "reduce it first");
}

void check_arrays(const u64* result, const u64* operand, u64 n) {
  check_pointer(result, "result");
  check_pointer(operand, "the operand");
  check_count(n);
}

// Tells whether the arrays share memory, but are not the same. Kernels and verbs do not support this. The portable
// loops compute the words in ascending order, as HEXL does.
bool overlap(const u64* a, const u64* b, std::size_t n) {
  return a != b && std::less<>()(a, b + n) && std::less<>()(b, a + n);
}
bool overlap(const u64* result, const u64* a, const u64* b, std::size_t n) {
  return overlap(result, a, n) || overlap(result, b, n);
}

constexpr auto kAdd = [](u64 a, u64 b, u64 q) { return add_mod(a, b, q); };
constexpr auto kSubtract = [](u64 a, u64 b, u64 q) { return subtract_mod(a, b, q); };

// Computes a sum or difference of residues by the kernel of ring or, if there is none or arrays overlap, word by word.
template <class Portable>
void combine(u64* result, const u64* a, const u64* b, u64 n, u64 q, decltype(encoding::Kernels::add64) kernel,
             Portable portable) {
  check_arrays(result, a, n);
  check_pointer(b, "operand2");
  check_modulus(q, kSumBits);
  check_words(a, n, q, 1, "operand1");
  check_words(b, n, q, 1, "operand2");
  if (kernel != nullptr && !overlap(result, a, b, n)) return kernel(result, a, b, n, q);
  for (u64 i = 0; i < n; ++i) result[i] = portable(a[i], b[i], q);
}

// The same with one number.
template <class Portable>
void combine(u64* result, const u64* a, u64 b, u64 n, u64 q, Portable portable) {
  check_arrays(result, a, n);
  check_modulus(q, kSumBits);
  check_scalar(b, q, "operand2");
  check_words(a, n, q, 1, "operand1");
  for (u64 i = 0; i < n; ++i) result[i] = portable(a[i], b, q);
}

// Calls compute(plan) if the device may compute modulo q, and returns its result.
template <class F>
bool on_device(u64 n, u64 q, bool overlap, F compute) {
  const Elementwise* const plan = overlap ? nullptr : plan_for(n, q);
  return plan != nullptr && compute(*plan);
}

// Reduces words below Factor * q, for Factor = 1, 2, 4 or 8 and q < 2^63.
template <int kFactor>
u64 reduced(u64 x, u64 q) {
  if constexpr (kFactor >= 8) x = subtract_if_not_below(x, 4 * q);
  if constexpr (kFactor >= 4) x = subtract_if_not_below(x, 2 * q);
  if constexpr (kFactor >= 2) x = subtract_if_not_below(x, q);
  return x;
}

// Calls f(std::integral_constant<int, factor>) for a factor that was checked.
template <class F>
void with_factor(u64 factor, F f) {
  switch (factor) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 4: return f(std::integral_constant<int, 4>{});
    default: return f(std::integral_constant<int, 8>{});
  }
}

void multiply(u64* result, const u64* a, const u64* b, u64 n, u64 q, u64 factor) {
  if (UpperBarrett<u64>::accepts(q)) {
    const UpperBarrett<u64> barrett(q);
    return with_factor(factor, [&](auto k) {
      for (u64 i = 0; i < n; ++i) result[i] = barrett.multiply(reduced<k>(a[i], q), reduced<k>(b[i], q));
    });
  }
  for (u64 i = 0; i < n; ++i) result[i] = mul_mod(a[i], b[i], q);
}

// Calls f(is_true), where is_true(x) is the comparison of x with the bound. The comparison is chosen outside the loops.
template <class F>
void with_comparison(intel::hexl::CMPINT comparison, u64 bound, F f) {
  using enum intel::hexl::CMPINT;
  switch (comparison) {
    case EQ: return f([=](u64 x) { return x == bound; });
    case NE: return f([=](u64 x) { return x != bound; });
    case LT: return f([=](u64 x) { return x < bound; });
    case NLT: return f([=](u64 x) { return x >= bound; });
    case LE: return f([=](u64 x) { return x <= bound; });
    case NLE: return f([=](u64 x) { return x > bound; });
    case FALSE: return f([](u64) { return false; });
    case TRUE: return f([](u64) { return true; });
  }
  refuse("the comparison " + std::to_string(static_cast<int>(comparison)) + " is unknown", "choose one of CMPINT");
}

// Returns x mod q for any word x and any q > 1.
class Remainder {
 public:
  explicit Remainder(u64 q) : q_(q), divisor_(q >> 63 == 0 ? q : u64{1} << 63), is_long_(q >> 63 != 0) {}
  u64 operator()(u64 x) const { return is_long_ ? subtract_if_not_below(x, q_) : x - divisor_.quotient(x) * q_; }

 private:
  u64 q_;
  Divisor<u64> divisor_;
  bool is_long_;
};

}  // namespace
}  // namespace ringfort::hexl

namespace intel::hexl {

using namespace ringfort::hexl;
using ringfort::Elementwise, ringfort::u128, ringfort::u64;
using ringfort::encoding::chosen_kernels;

void EltwiseAddMod(uint64_t* result, const uint64_t* operand1, const uint64_t* operand2, uint64_t n, uint64_t modulus) {
  combine(result, operand1, operand2, n, modulus, chosen_kernels().add64, kAdd);
}

void EltwiseAddMod(uint64_t* result, const uint64_t* operand1, uint64_t operand2, uint64_t n, uint64_t modulus) {
  combine(result, operand1, operand2, n, modulus, kAdd);
}

void EltwiseSubMod(uint64_t* result, const uint64_t* operand1, const uint64_t* operand2, uint64_t n, uint64_t modulus) {
  combine(result, operand1, operand2, n, modulus, chosen_kernels().subtract64, kSubtract);
}

void EltwiseSubMod(uint64_t* result, const uint64_t* operand1, uint64_t operand2, uint64_t n, uint64_t modulus) {
  combine(result, operand1, operand2, n, modulus, kSubtract);
}

void EltwiseMultMod(uint64_t* result, const uint64_t* operand1, const uint64_t* operand2, uint64_t n, uint64_t modulus,
                    uint64_t input_mod_factor) {
  check_arrays(result, operand1, n);
  check_pointer(operand2, "operand2");
  check_factor(input_mod_factor, {1, 2, 4}, "input_mod_factor");
  check_modulus(modulus, input_mod_factor == 1 ? 63 : input_mod_factor == 2 ? 62 : 61);
  const bool are_residues = are_below(operand1, n, modulus) && are_below(operand2, n, modulus);
  if (!are_residues) {
    check_words(operand1, n, modulus, input_mod_factor, "operand1");
    check_words(operand2, n, modulus, input_mod_factor, "operand2");
  }
  const auto product = [&](const Elementwise& plan) { return plan.multiply(result, operand1, operand2); };
  if (are_residues && on_device(n, modulus, overlap(result, operand1, operand2, n), product)) return;
  multiply(result, operand1, operand2, n, modulus, are_residues ? 1 : input_mod_factor);
}

void EltwiseFMAMod(uint64_t* result, const uint64_t* arg1, uint64_t arg2, const uint64_t* arg3, uint64_t n,
                   uint64_t modulus, uint64_t input_mod_factor) {
  check_arrays(result, arg1, n);
  check_modulus(modulus, kScalarBits);
  check_factor(input_mod_factor, {1, 2, 4, 8}, "input_mod_factor");
  check_scalar(arg2, u128{input_mod_factor} * modulus, "arg2");
  const bool are_residues = are_below(arg1, n, modulus);
  // The product is right for any word. SEAL passes factor 8 with words that may be larger.
  if (!are_residues && input_mod_factor != 8) check_words(arg1, n, modulus, input_mod_factor, "arg1");
  if (arg3 != nullptr) check_words(arg3, n, modulus, input_mod_factor, "arg3");
  const auto product = [&](const Elementwise& plan) { return plan.multiply_scalar(result, arg1, arg2 % modulus); };
  if (are_residues && arg3 == nullptr && on_device(n, modulus, overlap(result, arg1, n), product)) return;
  const auto factor = ringfort::shoup_factor<u64>(arg2 % modulus, modulus);
  if (arg3 == nullptr) {
    for (u64 i = 0; i < n; ++i) result[i] = ringfort::shoup_multiply<u64>(arg1[i], factor, modulus);
    return;
  }
  with_factor(input_mod_factor, [&](auto k) {
    for (u64 i = 0; i < n; ++i) {
      const u64 addend = reduced<k>(arg3[i], modulus);
      result[i] = ringfort::add_mod(ringfort::shoup_multiply<u64>(arg1[i], factor, modulus), addend, modulus);
    }
  });
}

void EltwiseReduceMod(uint64_t* result, const uint64_t* operand, uint64_t n, uint64_t modulus,
                      uint64_t input_mod_factor, uint64_t output_mod_factor) {
  check_arrays(result, operand, n);
  if (modulus < 2) refuse("the modulus is " + std::to_string(modulus), "choose a modulus above 1");
  if (input_mod_factor == modulus) {
    check_factor(output_mod_factor, {1, 2}, "output_mod_factor");
    if (are_below(operand, n, modulus)) return static_cast<void>(std::memmove(result, operand, n * sizeof(u64)));
    const Remainder remainder(modulus);
    for (u64 i = 0; i < n; ++i) result[i] = remainder(operand[i]);
    return;
  }
  check_factor(input_mod_factor, {1, 2, 4}, "input_mod_factor");
  check_factor(output_mod_factor, {1, 2}, "output_mod_factor");
  check_words(operand, n, modulus, input_mod_factor, "the operand");
  const bool is_lazy = output_mod_factor == 2, fits = modulus >> 63 == 0;  // fits: 2 * modulus is a word
  for (u64 i = 0; i < n; ++i) {
    u64 x = operand[i];
    if (input_mod_factor == 4 && fits) x = ringfort::subtract_if_not_below(x, 2 * modulus);
    if (input_mod_factor >= 2 && !is_lazy) x = ringfort::subtract_if_not_below(x, modulus);
    result[i] = x;
  }
}

void EltwiseCmpAdd(uint64_t* result, const uint64_t* operand1, uint64_t n, CMPINT cmp, uint64_t bound, uint64_t diff) {
  check_arrays(result, operand1, n);
  if (diff == 0) refuse("diff is 0", "choose a diff above 0");
  with_comparison(cmp, bound, [&](auto is_true) {
    for (u64 i = 0; i < n; ++i) result[i] = operand1[i] + (diff & ringfort::mask_if<u64>(is_true(operand1[i])));
  });
}

void EltwiseCmpSubMod(uint64_t* result, const uint64_t* operand1, uint64_t n, uint64_t modulus, CMPINT cmp,
                      uint64_t bound, uint64_t diff) {
  check_arrays(result, operand1, n);
  if (modulus < 2) refuse("the modulus is " + std::to_string(modulus), "choose a modulus above 1");
  if (diff == 0 || diff >= modulus) refuse("diff is not in [1, modulus)", "choose a diff in this range");
  const Remainder remainder(modulus);
  with_comparison(cmp, bound, [&](auto is_true) {
    for (u64 i = 0; i < n; ++i) {
      const u64 x = operand1[i];
      result[i] = ringfort::subtract_mod(remainder(x), diff & ringfort::mask_if<u64>(is_true(x)), modulus);
    }
  });
}

}  // namespace intel::hexl
