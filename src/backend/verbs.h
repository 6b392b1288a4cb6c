// SPDX-License-Identifier: Apache-2.0
// What every device can do with batches of residue polynomials: one struct a verb, with its operands.
//
// operands(): which views it reads and writes: the order of verbs follows from them.
// contract(): Status::ok; internal where the operands do not go together, or a view leaves its buffer or plan;
// unsupported where a device may refuse them. The dispatcher (runtime) asks it once; devices rely on it. cost():
// operands read once, results written once, and modular products of words; those of transforms also by themselves.
// Required verbs run on every plan that a device prepared; optional ones where Backend::fuses() says so, else compose()
// runs for them. `out` may be the same view as an input of equal shape (element-wise verbs); no other overlaps.
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
  u64 transform_multiplications = 0;  // of them, in transforms
};

// The views of a verb. What is written may also be read.
struct Operand {
  View view;
  bool is_written = false;
};
struct Operands {
  std::array<Operand, 5> all;
  u32 count = 0;
  [[nodiscard]] const Operand* begin() const noexcept { return all.data(); }
  [[nodiscard]] const Operand* end() const noexcept { return all.data() + count; }
};

// Digits of a residue x: y = floor(x / 2^shift) (rounded to nearest when centred, halves up), y = sum_j d_j
// 2^(base_bits j). Plain digits are in [0, 2^base_bits). Centred ones are in [-2^(base_bits-1), 2^(base_bits-1)), taken
// after x is lifted to (-q/2, q/2); the last digit absorbs the carry. Stored mod q. One limb only (RNS digits are
// ModUp'). Unsupported: plain digits that cannot hold q - 1, base_bits outside 1 .. 62, digits outside 1 ..
// 128, shift > 126.
struct Gadget {
  u32 base_bits = 1;
  u32 digits = 1;
  u32 shift = 0;
  bool centred = false;
  bool operator==(const Gadget&) const = default;
  [[nodiscard]] bool holds(u128 q) const noexcept;
};

// Which representative of a residue modulo Q a conversion takes: one in [0, l Q), [0, Q) or [-Q/2, Q/2).
enum class Conversion : u8 { approximate, floor, centred };

namespace verb {

// --- Required
// ---------------------------------------------------------------------------------------------------------

// Canonical dense words of the plan's width from the host. They have been read when run() returns.
struct Upload {
  static constexpr std::string_view kName = "upload";
  View to;
  Domain domain = Domain::coefficient;
  const void* words = nullptr;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Canonical dense words to the host, there after Backend::synchronize().
struct Download {
  static constexpr std::string_view kName = "download";
  View from;
  Domain domain = Domain::coefficient;
  void* words = nullptr;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Dense signed integers of 1, 8 or 16 bytes, n a polynomial, to their residues in every limb of `to` (coefficient
// domain). |integer| < 2^126. No branch and no index depends on a value. They have been read when run() returns.
// Unsupported: u128 words.
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

// out = a + b, a - b, a b, out + a b. Of products b may have a batch of 1: it is then the factor of every polynomial of
// a.
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

// One factor for each limb; any value, taken modulo the limb's prime. They have been read when run() returns.
struct MultiplyScalar {
  static constexpr std::string_view kName = "multiply_scalar";
  View out, a;
  std::span<const u128> per_limb;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Polynomial p of a gives polynomials p * digits + j of out, least significant first. `out` is dense.
struct Decompose {
  static constexpr std::string_view kName = "decompose";
  View out, a;
  Gadget gadget;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// The public polynomials of a seed: polynomial i of `out` is the stream (uniform_a, object, limb, first_digit + i),
// read in the canonical order of its domain.
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

// out(x) = a(x^galois) in the domain that both are in; galois odd, below 2n. `out` is not `a`.
struct Automorphism {
  static constexpr std::string_view kName = "automorphism";
  View out, a;
  u32 galois = 1;
  Domain domain = Domain::coefficient;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Residues of `a` (l limbs a_i mod q_i, Q their product) to the limbs of `out`, any of the same plan, coefficient
// domain:
//   v_i = a_i (Q/q_i)^(-1) mod q_i,   F = sum_i mulhi64(v_i << (64 - bits_i), floor(2^(63 + bits_i) / q_i)) >> 7
//   k = 0 (approximate), floor(F / 2^56) (floor), floor((F + 2^55) / 2^56) (centred)
//   out_j = sum_i v_i (Q/q_i mod p_j) - k (Q mod p_j) mod p_j
// which is the definition on every device (docs/notes/0006: F is x/Q in units of 2^-56, short by less than l of them).
// A limb that `a` has is copied, or left alone where it is the same memory. Unsupported: u128 words, over 128 limbs,
// equal primes in `a`.
struct BaseConvert {
  static constexpr std::string_view kName = "base_convert";
  View out, a;
  Conversion kind = Conversion::centred;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// --- Optional
// ---------------------------------------------------------------------------------------------------------

// out[r][c] (+)= sum_k a[r][k] * b[k][c], coefficient-wise in the evaluation domain: a matrix product of polynomials.
// batch of a = rows * inner, of b = inner * columns, of out = rows * columns, all row-major; out is neither a nor b.
// inner > 0.
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

// out = (a - t conv) P^(-1) mod the limbs of `out`, conv = base_convert(a t^(-1) mod P, centred), t = `plain`: division
// by P, the product of the limbs that `a` has before or after those of `out`, rounded to nearest in multiples of t.
// Epilogues, in this order: an addend (a null plan: none), whose polynomials are added to the first quotients; x ->
// x^galois of the sums, odd below 2n; where that is not 1, the contents of `a` end. scratch: the dropped limbs for
// every polynomial; its contents end. No two of out, a, scratch and addend are the same memory. Evaluation domain: the
// same of the polynomials. Unsupported: as BaseConvert, equal primes in `a`, t = 0 mod a dropped one.
struct ModDown {
  static constexpr std::string_view kName = "mod_down";
  View out, a, scratch;
  u64 plain = 1;
  Domain domain = Domain::coefficient;
  View addend{};
  u32 galois = 1;
  [[nodiscard]] bool adds() const noexcept { return addend.plan != nullptr; }
  // before the automorphism
  [[nodiscard]] View quotient() const noexcept { return galois == 1 ? out : a.in(out.limbs); }
  [[nodiscard]] Limbs dropped() const noexcept;  // count 0 where the views do not go together
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Two ModDowns in the evaluation domain: x = that of `a` by the limbs that it has before those of `out`, with the
// addend; out = that of x by the limbs behind them; `plain` is the same. Of x the last limbs alone are needed, in the
// coefficient domain, so that a device can do with one transform for each limb of `a` (docs/notes/0018). scratch: as
// `a`, apart from the others; its contents and those of `a` end.
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

// out[c] (+)= sum_k d_k b[k][c]: an inner product whose left row are the digits of a (coefficient domain), transformed.
// `digits` is room for them, batch of a times gadget.digits polynomials; its contents end. One limb, as for Decompose.
struct GadgetProduct {
  static constexpr std::string_view kName = "gadget_product";
  View out, digits, a, b;
  Gadget gadget;
  bool accumulate = false;
  [[nodiscard]] InnerProduct inner_product() const noexcept {
    return {out, digits, b, 1, digits.batch, out.batch, accumulate};
  }
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// The digits of a key switch [HanKi20], over the limbs of `digits`, any of the plan: digit d of a polynomial are its
// limbs [d digit_limbs, (d + 1) digit_limbs), converted centred to those that it lacks. `coefficients`: a in the other
// domain; all else is in the evaluation domain. Polynomial p of a gives digits p D .. p D + D - 1, D = ceil(limbs of a
// / digit_limbs).
struct ModUp {
  static constexpr std::string_view kName = "mod_up";
  View digits, a, coefficients;
  u32 digit_limbs = 1;
  [[nodiscard]] u32 count() const noexcept {
    return digit_limbs == 0 ? 0 : (a.limbs.count + digit_limbs - 1) / digit_limbs;
  }
  [[nodiscard]] Limbs digit(u32 d) const noexcept;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// out[p][c] = sum_d digit_d(a_p) key[d][c] over the limbs of `out`, which hold those of a: the sums of key switches of
// all polynomials of a with one key of D times (batch of out / batch of a) polynomials. `digits` is room for all digits
// over as many limbs at a time as it has, at least one, whatever they are called; its contents end. All but
// `coefficients` are in the evaluation domain and apart from each other.
struct KeySwitch {
  static constexpr std::string_view kName = "key_switch";
  View out, a, coefficients, digits, key;
  u32 digit_limbs = 1;
  [[nodiscard]] ModUp mod_up() const noexcept { return {digits, a, coefficients, digit_limbs}; }
  [[nodiscard]] Limbs digit(u32 d) const noexcept { return mod_up().digit(d); }
  [[nodiscard]] u32 columns() const noexcept { return a.batch == 0 ? 0 : out.batch / a.batch; }
  [[nodiscard]] InnerProduct inner_product() const noexcept {
    return {out, digits, key, a.batch, mod_up().count(), columns(), false};
  }
  // the sums in so many limbs of `out` as `digits` has, or fewer
  [[nodiscard]] KeySwitch in(Limbs some) const noexcept;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// (a0 b0, a0 b1 + a1 b0, a1 b1) of each pair (a0, a1) of a and (b0, b1) of b, evaluation domain; out is neither a nor
// b.
struct Tensor {
  static constexpr std::string_view kName = "tensor";
  View out, a, b;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Negacyclic product of coefficient-domain polynomials [Shivdikar22, Alg. 8]; the contents of a and b end.
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

// Verbs in the order of their effect, and the factors that they point to.
struct Sequence {
  std::vector<Verb> verbs;
  std::deque<std::vector<u128>> factors;  // no address changes
};

[[nodiscard]] std::string_view name_of(const Verb& verb) noexcept;
[[nodiscard]] Operands operands_of(const Verb& verb) noexcept;

}  // namespace ringfort
