// SPDX-License-Identifier: Apache-2.0
// The narrow waist: what every device can do with batches of residue polynomials (limbs x polynomials).
//
// Layout [polynomial][limb][coefficient]. All residues are canonical, in [0, q), on entry and on return of every verb.
// Evaluation order is the backend's own; upload and download speak the canonical one (bit-reversed powers of the minimal
// primitive 2n-th root). Verbs are asynchronous on an in-order stream, allocate nothing and never throw.
// Required verbs succeed on every prepared plan; optional ones may answer Status::declined and have then touched nothing.
// `out` may be the same view as an input of equal shape (element-wise verbs); partial overlap is not allowed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "math/types.h"

namespace ringfort {

// Everything a device must know before it works: prepare() may refuse it, transforms cannot fail afterwards.
struct Plan {
  u32 n = 0;                        // ring degree, power of two, 2 .. 2^17
  Word word = Word::u64;
  std::vector<u128> moduli;         // primes, 1 mod 2n; u32: q < 2^31, u64: q < 2^62, u128: q < 2^127
};

struct PlanHandle;                  // opaque, a backend's own
struct BufferHandle;

struct Stream {                     // in order per index; `threads` is the most a verb may use
  u32 index = 0;
  u32 threads = 1;
};

// A batch in device memory; does not own. Polynomial b, limb l starts at word offset + (b * step() + l) * n.
// Words of the host are dense whatever the pitch. Views of one verb may have different pitches.
struct View {
  const PlanHandle* plan = nullptr;
  BufferHandle* buffer = nullptr;
  std::size_t offset = 0;           // in words
  u32 first_limb = 0;               // index into Plan::moduli of limb 0 of the view
  u32 limbs = 1;
  u32 batch = 1;
  u32 pitch = 0;                    // limbs from one polynomial to the next, at least `limbs`; 0: `limbs`
  [[nodiscard]] constexpr std::size_t step() const noexcept { return pitch == 0 ? limbs : pitch; }
};

enum class Domain : u8 { coefficient, evaluation };

// What memory is for. Where it is the host's own, `secret` is locked and left out of core dumps (docs/notes/0017).
enum class Contents : u8 { open, secret };

// Digits of a residue x: y = floor(x / 2^shift) (rounded to nearest when centred, halves up), y = sum_j d_j 2^(base_bits j).
// Plain digits are in [0, 2^base_bits). Centred ones are in [-2^(base_bits-1), 2^(base_bits-1)), taken after x is lifted to
// (-q/2, q/2); the last digit absorbs the carry. Stored mod q. One limb only (RNS digits are another verb's matter).
// Plain digits that cannot hold q - 1, base_bits outside 1 .. 62, digits outside 1 .. 128, shift > 126: Status::unsupported.
// `out` is dense.
struct Gadget {
  u32 base_bits = 1;
  u32 digits = 1;
  u32 shift = 0;
  bool centred = false;
  bool operator==(const Gadget&) const = default;
};

// out[r][c] (+)= sum_k a[r][k] * b[k][c], coefficient-wise in the evaluation domain: a matrix product of polynomials.
// batch of a = rows * inner, of b = inner * columns, of out = rows * columns, all row-major; out is neither a nor b. inner > 0.
// A host works at full speed while a and b of one call stay in its second-level cache: give it rows in turn.
struct InnerProduct {
  View out, a, b;
  u32 rows = 1, inner = 1, columns = 1;
  bool accumulate = false;
};

// The public polynomials of a seed: polynomial i of `out` is the stream (uniform_a, object, limb, first_digit + i), read as
// coefficients, or as evaluations in the canonical order (a backend with its own order permutes them).
struct Expansion {
  PublicSeed seed;
  u64 object = 0;
  u16 first_digit = 0;
  Domain domain = Domain::coefficient;
};

// Residues of `a` (l limbs a_i mod q_i, Q their product) to the limbs of `out`, any of the same plan, coefficient domain:
//   v_i = a_i (Q/q_i)^(-1) mod q_i,   F = sum_i mulhi64(v_i << (64 - bits_i), floor(2^(63 + bits_i) / q_i)) >> 7
//   k = 0 (approximate), floor(F / 2^56) (floor), floor((F + 2^55) / 2^56) (centred)
//   out_j = sum_i v_i (Q/q_i mod p_j) - k (Q mod p_j) mod p_j
// which is the definition on every device (docs/notes/0006: F is x/Q in units of 2^-56, short by less than l of them).
// The representatives are those in [0, l Q), [0, Q) and [-Q/2, Q/2). A limb that `a` has is copied, or stays where it is the
// same memory. Status::unsupported: u128 words, more than 128 limbs, two equal primes in `a`.
enum class Conversion : u8 { approximate, floor, centred };

// out = (a - t conv) P^(-1) mod the limbs of `out`, conv = base_convert(a t^(-1) mod P, centred), t = `plain`: division by P,
// the product of the d limbs that `a` has before or after those of `out`, rounded to nearest in multiples of t.
// scratch: the dropped limbs for every polynomial; its contents end. `out` is neither `a` nor scratch, nor is `a` scratch.
// Evaluation domain: the same of the polynomials. Status::unsupported: as Conversion, equal primes in `a`, t = 0 mod a dropped one.
struct ModDown {
  View out, a, scratch;
  u64 plain = 1;
  Domain domain = Domain::coefficient;
  // Count 0 where the views do not go together.
  [[nodiscard]] constexpr Limbs dropped() const noexcept {
    if (out.limbs >= a.limbs || out.plan != a.plan || out.plan != scratch.plan || out.batch != a.batch || out.batch != scratch.batch) return {};
    const bool first = out.first_limb == a.first_limb + (a.limbs - out.limbs);
    const Limbs limbs{first ? a.first_limb : a.first_limb + out.limbs, a.limbs - out.limbs};
    const bool fitting = (first || out.first_limb == a.first_limb) && scratch.first_limb == limbs.first && scratch.limbs == limbs.count;
    return fitting ? limbs : Limbs{};
  }
};

// out[c] (+)= sum_k d_k b[k][c]: an inner product whose left row are the digits of a (coefficient domain), transformed.
// `digits` is room for them, batch of a times gadget.digits polynomials; what it holds afterwards is not defined.
// One limb only, as for decompose.
struct GadgetProduct {
  View out, digits, a, b;
  Gadget gadget;
  bool accumulate = false;
  // The inner product that remains when `digits` holds the transformed digits.
  [[nodiscard]] InnerProduct rest() const noexcept { return {out, digits, b, 1, digits.batch, out.batch, accumulate}; }
};

// out[c] = sum_d digit_d key[d][c] over the limbs of `out`, which hold those of `a`: the sum of a key switch [HanKi20]. Digit d
// are the limbs [d digit_limbs, (d + 1) digit_limbs) of `a` (one polynomial), converted centred to the others. `coefficients`: a in the
// other domain. `digits` is room for the digits over the limbs of out; what it holds afterwards is not defined. key: their
// number times out.batch polynomials. All views but `coefficients` are in the evaluation domain and apart from each other.
struct KeySwitch {
  View out, a, coefficients, digits, key;
  u32 digit_limbs = 1;
  [[nodiscard]] constexpr Limbs digit(u32 d) const noexcept {
    const u32 first = d * digit_limbs;
    return {a.first_limb + first, a.limbs - first < digit_limbs ? a.limbs - first : digit_limbs};
  }
  [[nodiscard]] InnerProduct rest() const noexcept { return {out, digits, key, 1, digits.batch, out.batch, false}; }
  // Whether the views go together.
  [[nodiscard]] constexpr bool is_whole() const noexcept {
    const auto has_limbs_of = [](const View& x, const View& y) { return x.plan == y.plan && x.first_limb == y.first_limb && x.limbs == y.limbs; };
    const bool inside = a.plan == out.plan && a.first_limb >= out.first_limb && a.first_limb + a.limbs <= out.first_limb + out.limbs;
    return inside && a.batch == 1 && coefficients.batch == 1 && has_limbs_of(coefficients, a) && has_limbs_of(digits, out) && has_limbs_of(key, out) &&
           digit_limbs != 0 && digits.batch == (a.limbs + digit_limbs - 1) / digit_limbs && key.batch == u64{digits.batch} * out.batch;
  }
};

// What a modelled device has spent on a stream since it was opened.
struct ModelClock {
  double us = 0;
  double energy_uj = 0;
  double compute_us = 0;            // of us, while it computes; the rest waits for memory or for the host
  double transform_us = 0;          // of compute_us, in transforms; both where the model tells them apart
};

struct Capabilities {
  bool inner_product = false;       // fused verbs that are not always declined
  bool polymul = false;
  bool simulated_time = false;
  std::string_view instruction_set; // "generic", "avx2", "avx512", "ifma"; empty where it means nothing
  bool mod_down = false;
  bool tensor = false;
  bool key_switch = false;
  std::string_view plans;           // what prepare() takes and how to get it, as advice; empty: all that Plan allows
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Resources.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual Capabilities capabilities() const noexcept = 0;
  virtual Status prepare(const Plan& plan, std::shared_ptr<const PlanHandle>& out) noexcept = 0;
  virtual Status allocate(std::size_t bytes, Contents contents, BufferHandle*& out) noexcept = 0;      // zeroed
  virtual void release(BufferHandle* buffer, bool wipe) noexcept = 0;               // wipe: zero first (secrets)
  virtual Status upload(Stream s, const View& to, Domain domain, const void* words) noexcept = 0;
  virtual Status download(Stream s, const View& from, Domain domain, void* words) noexcept = 0;
  virtual Status record(Stream s, u64& event) noexcept = 0;
  virtual Status wait(Stream s, u64 event) noexcept = 0;
  virtual Status synchronize(Stream s) noexcept = 0;
  [[nodiscard]] virtual ModelClock model_clock(Stream) const noexcept { return {}; }   // stands where time is not simulated

  // Ring verbs, required.
  virtual Status ntt(Stream s, const View& inout) noexcept = 0;
  virtual Status intt(Stream s, const View& inout) noexcept = 0;
  virtual Status add(Stream s, const View& out, const View& a, const View& b) noexcept = 0;
  virtual Status sub(Stream s, const View& out, const View& a, const View& b) noexcept = 0;
  virtual Status negate(Stream s, const View& out, const View& a) noexcept = 0;
  // b may have batch 1: it is then used for every polynomial of a.
  virtual Status multiply(Stream s, const View& out, const View& a, const View& b) noexcept = 0;
  virtual Status multiply_add(Stream s, const View& out, const View& a, const View& b) noexcept = 0;   // out += a * b
  virtual Status multiply_scalar(Stream s, const View& out, const View& a, std::span<const u128> per_limb) noexcept = 0;
  virtual Status decompose(Stream s, const View& out, const View& a, const Gadget& gadget) noexcept = 0;
  // decompose: polynomial p of a gives polynomials p * digits + j of out, least significant first.
  virtual Status expand_uniform(Stream s, const View& out, const Expansion& from) noexcept = 0;
  // out(x) = a(x^galois) in the domain that both are in; galois odd, below 2n. `out` is not `a`.
  virtual Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept = 0;
  virtual Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept = 0;

  // Fused verbs, optional.
  virtual Status inner_product(Stream, const InnerProduct&) noexcept { return Status::declined; }
  virtual Status mod_down(Stream, const ModDown&) noexcept { return Status::declined; }
  // (a0 b0, a0 b1 + a1 b0, a1 b1) of each pair (a0, a1) of a and (b0, b1) of b, evaluation domain; out is neither a nor b.
  virtual Status tensor(Stream, const View& /*out*/, const View& /*a*/, const View& /*b*/) noexcept { return Status::declined; }
  virtual Status gadget_product(Stream, const GadgetProduct&) noexcept { return Status::declined; }
  virtual Status key_switch(Stream, const KeySwitch&) noexcept { return Status::declined; }
  // Negacyclic product of coefficient-domain polynomials [Shivdikar22, Alg. 8]; a and b are not kept.
  virtual Status polymul(Stream, const View& /*out*/, const View& /*a*/, const View& /*b*/) noexcept { return Status::declined; }
};

// Explicit list in registry.cpp. Names: "ref", "cpu", "cpu:generic", "cpu:avx2", "cpu:avx512", "cpu:ifma".
// Options follow a colon: "rpu:hples=64,banks=64". nullptr for an unknown name, and for options that a device refuses:
// `refusal` then says which and why. "cpu" obeys RINGFORT_CPU; a cap above the machine is lowered, and cpu_choice() says so.
[[nodiscard]] std::shared_ptr<Backend> open_backend(std::string_view device, std::string* refusal = nullptr) noexcept;
[[nodiscard]] std::vector<std::string_view> backend_names();

struct CpuChoice {
  std::string_view requested;       // the variable's text; empty when unset
  std::string_view used;            // "ref", "generic", "avx2", "avx512", "ifma"
  bool known = true;                // false: not one of the five names
  bool lowered = false;             // the machine has less than was asked for
};
[[nodiscard]] CpuChoice cpu_choice() noexcept;

}  // namespace ringfort
