// SPDX-License-Identifier: Apache-2.0
// The operations ("verbs") of every device on batches of residue polynomials: one struct per verb, with its operands.
//
// operands() returns the views that the verb reads and writes, which determine the order of verbs. contract() returns
// Status::ok, or internal if operands do not match or a view leaves its buffer or plan, or unsupported if a device may
// refuse the verb. The dispatcher (runtime) checks the contract; devices do not. cost() returns the words read and
// written, each counted once, and the modular products, with the part in transforms. Every device runs required verbs
// on every prepared plan. A device runs an optional verb if Backend::fuses() is true; otherwise compose() replaces it
// by required verbs. In element-wise verbs `out` may be an input of equal shape; no other views overlap.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "backend/plan.h"
#include "base/status.h"

namespace ringfort {
struct Sequence;

struct Cost {
  u64 bytes = 0;
  u64 multiplications = 0;
  u64 transform_multiplications = 0;  // part of multiplications: in transforms
};

struct Operand {
  View view;
  bool is_written = false;  // perhaps read, too
};
struct Operands {
  std::array<Operand, 5> all;
  u32 count = 0;
  [[nodiscard]] const Operand* begin() const noexcept { return all.data(); }
  [[nodiscard]] const Operand* end() const noexcept { return all.data() + count; }
};

// Digits d_j, stored mod q, of a residue x in a limb; y = sum_j d_j 2^(base_bits j) is near x / 2^shift. Plain digits
// are in [0, 2^base_bits), and y = floor(x / 2^shift). Centred digits are in [-2^(base_bits-1), 2^(base_bits-1)), but
// the last takes the carry; x is first lifted to (-q/2, q/2), and y is x / 2^shift rounded, halves up. Unsupported: too
// few plain digits for q - 1; base_bits not in 1 .. 62, digits not in 1 .. 128, shift > 126.
struct Gadget {
  u32 base_bits = 1;
  u32 digits = 1;
  u32 shift = 0;
  bool centred = false;
  bool operator==(const Gadget&) const = default;
  [[nodiscard]] bool holds(u128 q) const noexcept;
};

// Range of the representative modulo Q that a conversion of l limbs uses: [0, l Q), [0, Q) or [-Q/2, Q/2).
enum class Conversion : u8 { approximate, floor, centred };

namespace verb {

// --- Required --------------------------------------------------------------------------------------------------------

// Copies canonical dense words of the plan's width from the host.
struct Upload {
  static constexpr std::string_view kName = "upload";
  View to;
  Domain domain = Domain::coefficient;
  const void* words = nullptr;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Copies canonical dense words to the host.
struct Download {
  static constexpr std::string_view kName = "download";
  View from;
  Domain domain = Domain::coefficient;
  void* words = nullptr;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Computes residues of dense signed integers of 1, 8 or 16 bytes, n per polynomial, in every limb of `to`
// (coefficients). |integer| < 2^126. No branch and no index depends on a value. Unsupported: u128 words.
struct Lift {
  static constexpr std::string_view kName = "lift";
  View to;
  const void* integers = nullptr;
  u32 integer_bytes = 8;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

struct Copy {
  static constexpr std::string_view kName = "copy";
  View out, a;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

struct Zero {
  static constexpr std::string_view kName = "zero";
  View out;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

struct Ntt {
  static constexpr std::string_view kName = "ntt";
  View inout;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

struct Intt {
  static constexpr std::string_view kName = "intt";
  View inout;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// out = a + b, a - b, a b, out + a b. In products, a `b` with a batch of 1 is the factor of every polynomial of `a`.
enum class Combination : u8 { sum, difference, product, sum_of_product };
template <Combination kOf>
struct Combine {
  static constexpr std::string_view kName =
      std::array<std::string_view, 4>{"add", "subtract", "multiply", "multiply_add"}[static_cast<u8>(kOf)];
  View out, a, b;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};
using Add = Combine<Combination::sum>;
using Subtract = Combine<Combination::difference>;
using Multiply = Combine<Combination::product>;
using MultiplyAdd = Combine<Combination::sum_of_product>;

struct Negate {
  static constexpr std::string_view kName = "negate";
  View out, a;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Multiplies each limb by a factor: any value, taken modulo the limb's prime.
struct MultiplyScalar {
  static constexpr std::string_view kName = "multiply_scalar";
  View out, a;
  std::span<const u128> per_limb;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Writes digit j of polynomial p of a to polynomial p * digits + j of `out` (dense). In one limb. Digit 0 is lowest.
struct Decompose {
  static constexpr std::string_view kName = "decompose";
  View out, a;
  Gadget gadget;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Expands a seed: polynomial i is the random stream (uniform_a, object, limb, first_digit + i), in canonical order.
struct ExpandUniform {
  static constexpr std::string_view kName = "expand_uniform";
  View out;
  PublicSeed seed;
  u64 object = 0;
  u16 first_digit = 0;
  Domain domain = Domain::coefficient;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// out(x) = a(x^galois), both in `domain`; galois odd, below 2n. `out` is not `a`.
struct Automorphism {
  static constexpr std::string_view kName = "automorphism";
  View out, a;
  u32 galois = 1;
  Domain domain = Domain::coefficient;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Converts residues a_i mod q_i of l limbs to other limbs, in the coefficient domain. Every device uses these formulas:
//   v_i = a_i (Q/q_i)^(-1) mod q_i,   F = sum_i mulhi64(v_i << (64 - bits_i), floor(2^(63 + bits_i) / q_i)) >> 7
//   k = 0 (approximate), floor(F / 2^56) (floor), floor((F + 2^55) / 2^56) (centred)
//   out_j = sum_i v_i (Q/q_i mod p_j) - k (Q mod p_j) mod p_j
// bits_i is the length of q_i, Q the product of the q_i. F is x/Q in units of 2^-56, less than l units too small (note
// 0006). Limbs of `out` that `a` also has are copied. Unsupported: u128, more than 128 limbs, equal primes in `a`.
struct BaseConvert {
  static constexpr std::string_view kName = "base_convert";
  View out, a;
  Conversion kind = Conversion::centred;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// --- Optional --------------------------------------------------------------------------------------------------------

// out[r][c] (+)= sum_k a[r][k] * b[k][c], element-wise in the evaluation domain: a matrix product of polynomials. Batch
// of a = rows * inner, of b = inner * columns, of out = rows * columns, row-major; out is neither a nor b; inner > 0.
struct InnerProduct {
  static constexpr std::string_view kName = "inner_product";
  View out, a, b;
  u32 rows = 1, inner = 1, columns = 1;
  bool accumulate = false;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Divides by P, the product of the primes of the dropped limbs. `a` has the dropped limbs before or after the limbs of
// `out`. With t = `plain` and conv = base_convert(a t^(-1) mod P, centred), out = (a - t conv) P^(-1). This is a / P,
// rounded to the nearest value with an error that is a multiple of t. Works in either domain. Then adds polynomial i of
// the addend to quotient i (nothing if the addend's plan is null), and maps x to x^galois (odd, below 2n). `scratch` is
// memory for the dropped limbs of every polynomial; its contents are lost, and those of `a` if galois is not 1. out, a,
// scratch and addend must not overlap. Unsupported: as BaseConvert, and t = 0 mod a dropped prime.
struct ModDown {
  static constexpr std::string_view kName = "mod_down";
  View out, a, scratch;
  u64 plain = 1;
  Domain domain = Domain::coefficient;
  View addend{};
  u32 galois = 1;
  [[nodiscard]] bool adds() const noexcept { return addend.plan != nullptr; }
  [[nodiscard]] View quotient() const noexcept;  // view of the quotients before the automorphism
  [[nodiscard]] Limbs dropped() const noexcept;  // count 0: the views do not match
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Two ModDowns in the evaluation domain, with the same `plain`. The first divides `a` by its primes before those of
// `out`, and adds the addend. The second divides this sum by its primes after those of `out`. They need one transform
// for each limb of `a` (docs/notes/0018). `scratch` has the shape of `a`; the contents of `a` and `scratch` are lost.
struct ModDownRescale {
  static constexpr std::string_view kName = "mod_down_rescale";
  View out, a, scratch;
  u64 plain = 1;
  View addend{};
  [[nodiscard]] bool adds() const noexcept { return addend.plan != nullptr; }
  [[nodiscard]] std::array<ModDown, 2> divisions() const noexcept;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// out[c] (+)= sum_k d_k b[k][c]. The d_k are the transformed digits of a, which is in the coefficient domain. `digits`
// is memory for the d_k: gadget.digits polynomials for each polynomial of a; its contents are lost. All have one limb.
struct GadgetProduct {
  static constexpr std::string_view kName = "gadget_product";
  View out, digits, a, b;
  Gadget gadget;
  bool accumulate = false;
  [[nodiscard]] InnerProduct inner_product() const noexcept;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Computes the digits of a key switch [HanKi20] in the limbs of `digits`, which may be any limbs of the plan. Digit d
// of a polynomial has copies of its limbs [d digit_limbs, (d + 1) digit_limbs), and in every other limb their centred
// conversion. Polynomial p of a gives digits p D .. p D + D - 1, with D = ceil(limbs of a / digit_limbs).
// `coefficients` is a in the coefficient domain; the other operands are in the evaluation domain.
struct ModUp {
  static constexpr std::string_view kName = "mod_up";
  View digits, a, coefficients;
  u32 digit_limbs = 1;
  [[nodiscard]] u32 count() const noexcept;  // D
  [[nodiscard]] Limbs digit(u32 d) const noexcept;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// ModUp and then InnerProduct for every polynomial of a: out[p][c] = sum_d digit_d(a_p) key[d][c] over the limbs of
// `out`, which include those of a. The key has D times (batch of out / batch of a) polynomials. `digits` is memory for
// all digits in at least one limb, whatever its number; overwritten. No two views in the evaluation domain overlap.
struct KeySwitch {
  static constexpr std::string_view kName = "key_switch";
  View out, a, coefficients, digits, key;
  u32 digit_limbs = 1;
  [[nodiscard]] ModUp mod_up() const noexcept;
  [[nodiscard]] u32 columns() const noexcept;
  [[nodiscard]] InnerProduct inner_product() const noexcept;
  [[nodiscard]] KeySwitch in(Limbs some) const noexcept;  // `some`: at most as many limbs as `digits` has
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// (a0 b0, a0 b1 + a1 b0, a1 b1) of each pair (a0, a1) of a and (b0, b1) of b, evaluation domain; out is not a, not b.
struct Tensor {
  static constexpr std::string_view kName = "tensor";
  View out, a, b;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Negacyclic product of coefficient-domain polynomials [Shivdikar22, Alg. 8]; a and b are clobbered.
struct Polymul {
  static constexpr std::string_view kName = "polymul";
  View out, a, b;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

}  // namespace verb

using Verb =
    std::variant<verb::Upload, verb::Download, verb::Lift, verb::Copy, verb::Zero, verb::Ntt, verb::Intt, verb::Add,
                 verb::Subtract, verb::Negate, verb::Multiply, verb::MultiplyAdd, verb::MultiplyScalar, verb::Decompose,
                 verb::ExpandUniform, verb::Automorphism, verb::BaseConvert, verb::InnerProduct, verb::ModDown,
                 verb::ModDownRescale, verb::GadgetProduct, verb::ModUp, verb::KeySwitch, verb::Tensor, verb::Polymul>;

template <class V>
concept Optional = requires(const V& v, Sequence& s) { v.compose(s); };

// A sequence of verbs, with the factors to which they point. The addresses of the factors do not change.
struct Sequence {
  std::vector<Verb> verbs;
  std::deque<std::vector<u128>> factors;
};

[[nodiscard]] std::string_view name_of(const Verb& verb) noexcept;
[[nodiscard]] Operands operands_of(const Verb& verb) noexcept;

}  // namespace ringfort
