// SPDX-License-Identifier: Apache-2.0
// The operations ("verbs") of every device on batches of residue polynomials. Each verb is a struct with its operands:
// views (plan.h) of polynomials in a device's memory. A limb is a polynomial's n residues modulo one prime.
//
// operands() returns the views that the verb reads and writes. Devices order verbs by these views. contract() returns
// Status::ok, or Status::internal if operands do not match or a view leaves its buffer or plan, or Status::unsupported
// if a device may refuse the verb. The dispatcher checks the contract; devices do not. cost() counts the bytes to read
// and write, without scratch memory, and the modular products. The verbs up to BaseConvert are required. The others are
// optional: a device runs such a verb if Backend::fuses() is true; otherwise compose() replaces it by required verbs.
// In element-wise verbs, `out` may be an input of equal shape. Otherwise written views overlap no other view.
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
  u64 transform_multiplications = 0;  // the part of `multiplications` that is in transforms
};

struct Operand {
  View view;
  bool is_written = false;  // true: the verb writes the view, and may also read it
};
struct Operands {
  std::array<Operand, 5> all;
  u32 count = 0;
  [[nodiscard]] const Operand* begin() const noexcept { return all.data(); }
  [[nodiscard]] const Operand* end() const noexcept { return all.data() + count; }
};

// Digits d_j of a residue x in a limb, stored mod q. y = sum_j d_j 2^(base_bits j) is near x / 2^shift. Plain digits
// are in [0, 2^base_bits), and y = floor(x / 2^shift). For centred digits, x is first lifted to (-q/2, q/2), and
// y = floor(x / 2^shift + 1/2). Centred digits but the last are in [-2^(base_bits-1), 2^(base_bits-1)).
// Unsupported: too few plain digits for q - 1; base_bits outside 1 .. 62; digits outside 1 .. 128; shift > 126.
struct Gadget {
  u32 base_bits = 1;
  u32 digits = 1;
  u32 shift = 0;
  bool centred = false;
  bool operator==(const Gadget&) const = default;
  [[nodiscard]] bool holds(u128 q) const noexcept;
};

// A conversion of l limbs represents x mod Q in [0, l Q) (approximate), [0, Q) (floor) or [-Q/2, Q/2) (centred).
enum class Conversion : u8 { approximate, floor, centred };

namespace verb {

// Copies canonical words (in [0, q), and stored without gaps) of the plan's width from the host.
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

// Computes residues of dense signed integers of 1, 8 or 16 bytes, n for each polynomial, in every limb of `to`, as
// coefficients. |integer| < 2^126. No branch and no index depends on a value. Unsupported: u128 words.
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
  View inout;  // before: coefficients; after: evaluations
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

struct Intt {
  static constexpr std::string_view kName = "intt";
  View inout;  // before: evaluations; after: coefficients
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// out = a + b, a - b, a b or out + a b. In products, a single polynomial of `b` is a factor of every polynomial of `a`.
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

// Multiplies each limb by its own factor, which is taken modulo the prime of the limb.
struct MultiplyScalar {
  static constexpr std::string_view kName = "multiply_scalar";
  View out, a;
  std::span<const u128> per_limb;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Writes digit j of polynomial p of a to polynomial p * digits + j of the dense `out`, in one limb. Digit 0 is lowest.
struct Decompose {
  static constexpr std::string_view kName = "decompose";
  View out, a;
  Gadget gadget;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Expands a seed. Polynomial i is the random stream (uniform_a, object, limb, first_digit + i), in canonical order.
struct ExpandUniform {
  static constexpr std::string_view kName = "expand_uniform";
  View out;
  PublicSeed seed;  // math/random.h defines the stream that a seed and an address give
  u64 object = 0;
  u16 first_digit = 0;
  Domain domain = Domain::coefficient;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Computes out(x) = a(x^galois) in `domain`. galois is odd and below 2n. `out` is not `a`.
struct Automorphism {
  static constexpr std::string_view kName = "automorphism";
  View out, a;
  u32 galois = 1;
  Domain domain = Domain::coefficient;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Converts residues a_i mod q_i of l limbs to residues out_j mod p_j, in the coefficient domain. All devices compute:
//   v_i = a_i (Q/q_i)^(-1) mod q_i,   F = sum_i floor(v_i 2^(64 - bits_i) floor(2^(63 + bits_i) / q_i) / 2^64) >> 7
//   k = 0 (approximate), floor(F / 2^56) (floor), floor((F + 2^55) / 2^56) (centred)
//   out_j = sum_i v_i (Q/q_i mod p_j) - k (Q mod p_j) mod p_j
// bits_i is the length of q_i. Q is the product of the q_i. F is sum_i v_i/q_i in units of 2^-56, less at most l
// units (note 0006). Limbs of `out` that `a` has are copied. Unsupported: u128, over 128 limbs, equal primes in `a`.
struct BaseConvert {
  static constexpr std::string_view kName = "base_convert";
  View out, a;
  Conversion kind = Conversion::centred;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
};

// Computes out[r][c] = sum_k a[r][k] * b[k][c], or adds this sum to out[r][c] if `accumulate`. This is a product of
// matrices of polynomials, element-wise in the evaluation domain. The matrices are row-major: a has rows * inner
// polynomials, b has inner * columns, and out has rows * columns. out is neither a nor b. inner > 0.
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

// Divides by P, the product of the primes of the dropped limbs. These limbs of `a` are before or after those of `out`.
// With t = `plain` and conv = base_convert(a t^(-1) mod P, centred), the quotient is (a - t conv) P^(-1). Of all
// numbers that are a P^(-1) modulo t, it is the nearest to a / P. Works in either domain. Then adds polynomial i of the
// addend to quotient i, unless the addend's plan is null, and maps x to x^galois (odd, below 2n). `scratch` is memory
// for the dropped limbs of every polynomial. Its contents are lost. Unless galois is 1, the contents of `a` are lost,
// too. out, a, scratch and addend must not overlap. Unsupported: as for BaseConvert; t = 0 modulo a dropped prime.
struct ModDown {
  static constexpr std::string_view kName = "mod_down";
  View out, a, scratch;
  u64 plain = 1;  // t: the modulus of BGV's plaintexts, or 1 for other schemes
  Domain domain = Domain::coefficient;
  View addend{};
  u32 galois = 1;
  [[nodiscard]] bool adds() const noexcept { return addend.plan != nullptr; }
  [[nodiscard]] View quotient() const noexcept;  // view of the quotients before the automorphism
  [[nodiscard]] Limbs dropped() const noexcept;  // its count is 0 if the views do not match
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Two ModDowns in the evaluation domain, with the same `plain`. The first divides `a` by its primes before the primes
// of `out`, and adds the addend. The second divides this sum by the primes after the primes of `out`. Together they
// need one transform for each limb of `a` (note 0018). `a` and `scratch` have equal shapes, and lose their contents.
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

// Computes out[c] = sum_k d_k b[k][c], or adds this sum to out[c] if `accumulate`. The d_k are the transformed digits
// of a, which is in the coefficient domain. `digits` is memory for the d_k: gadget.digits polynomials for each
// polynomial of a. Its contents are lost. All views have one limb.
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
// of a polynomial has copies of the polynomial's limbs [d digit_limbs, (d + 1) digit_limbs). In every other limb it has
// their centred conversion. Polynomial p of a gives digits p D .. p D + D - 1, with D = ceil(limbs of a / digit_limbs).
// `coefficients` is a in the coefficient domain. The other operands are in the evaluation domain.
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

// Computes ModUp, then InnerProduct: out[p][c] = sum_d digit_d(a_p) key[d][c] for every polynomial a_p of a. The limbs
// of `out` include those of a. The key has D polynomials for each of (batch of out / batch of a) columns. `digits` is
// memory for all digits in one or more limbs, whatever their numbers. Its contents are lost. No two evaluation-domain
// views overlap.
struct KeySwitch {
  static constexpr std::string_view kName = "key_switch";
  View out, a, coefficients, digits, key;
  u32 digit_limbs = 1;
  [[nodiscard]] ModUp mod_up() const noexcept;
  [[nodiscard]] u32 columns() const noexcept;
  [[nodiscard]] InnerProduct inner_product() const noexcept;
  [[nodiscard]] KeySwitch in(Limbs some) const noexcept;  // at most as many limbs as `digits` has
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Computes (a0 b0, a0 b1 + a1 b0, a1 b1) for pairs (a0, a1) of a and (b0, b1) of b, all evaluations. out is not a or b.
struct Tensor {
  static constexpr std::string_view kName = "tensor";
  View out, a, b;
  [[nodiscard]] Operands operands() const noexcept;
  [[nodiscard]] Status contract() const noexcept;
  [[nodiscard]] Cost cost() const noexcept;
  void compose(Sequence& into) const;
};

// Product modulo x^n + 1, in the coefficient domain [Shivdikar22, Alg. 8]. The contents of a and b are lost.
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
