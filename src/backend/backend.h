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

struct View;

struct Stream {                     // in order per index; `threads` is the most a verb may use
  u32 index = 0;
  u32 threads = 1;
  const View* ahead = nullptr;      // a hint: what the verb after this one reads; results never depend on it
};

// A batch in device memory; does not own. Polynomial b, limb l starts at word offset + (b * limbs + l) * n.
struct View {
  const PlanHandle* plan = nullptr;
  BufferHandle* buffer = nullptr;
  std::size_t offset = 0;           // in words
  u32 first_limb = 0;               // index into Plan::moduli of limb 0 of the view
  u32 limbs = 1;
  u32 batch = 1;
};

enum class Domain : u8 { coefficient, evaluation };

// Digits of a residue x: y = floor(x / 2^shift) (rounded to nearest when centred, halves up), y = sum_j d_j 2^(base_bits j).
// Plain digits are in [0, 2^base_bits). Centred ones are in [-2^(base_bits-1), 2^(base_bits-1)), taken after x is lifted to
// (-q/2, q/2); the last digit absorbs the carry. Stored mod q. One limb only (RNS digits are another verb's matter).
// Plain digits that cannot hold q - 1, base_bits outside 1 .. 62, digits outside 1 .. 128, shift > 126: Status::unsupported.
struct Gadget {
  u32 base_bits = 1;
  u32 digits = 1;
  u32 shift = 0;
  bool centred = false;
  bool operator==(const Gadget&) const = default;
};

// out[r][c] (+)= sum_k a[r][k] * b[k][c], coefficient-wise in the evaluation domain: a matrix product of polynomials.
// batch of a = rows * inner, of b = inner * columns, of out = rows * columns, all row-major; out is neither a nor b.
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

struct Capabilities {
  bool inner_product = false;       // fused verbs that are not always declined
  bool polymul = false;
  bool simulated_time = false;
  std::string_view instruction_set; // "generic", "avx2", "avx512", "ifma"; empty where it means nothing
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Resources.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual Capabilities capabilities() const noexcept = 0;
  virtual Status prepare(const Plan& plan, std::shared_ptr<const PlanHandle>& out) noexcept = 0;
  virtual Status allocate(std::size_t bytes, BufferHandle*& out) noexcept = 0;      // zeroed
  virtual void release(BufferHandle* buffer, bool wipe) noexcept = 0;               // wipe: zero first (secrets)
  virtual Status upload(Stream s, const View& to, Domain domain, const void* words) noexcept = 0;
  virtual Status download(Stream s, const View& from, Domain domain, void* words) noexcept = 0;
  virtual Status record(Stream s, u64& event) noexcept = 0;
  virtual Status wait(Stream s, u64 event) noexcept = 0;
  virtual Status synchronize(Stream s) noexcept = 0;

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

  // Fused verbs, optional.
  virtual Status inner_product(Stream, const InnerProduct&) noexcept { return Status::declined; }
  // Negacyclic product of coefficient-domain polynomials [Shivdikar22, Alg. 8]; a and b are not kept.
  virtual Status polymul(Stream, const View& /*out*/, const View& /*a*/, const View& /*b*/) noexcept { return Status::declined; }
};

// Explicit list in registry.cpp. Names: "ref", "cpu", "cpu:generic", "cpu:avx2", "cpu:avx512", "cpu:ifma".
// nullptr for an unknown name. "cpu" obeys RINGFORT_CPU; a cap above the machine is lowered, and cpu_choice() says so.
[[nodiscard]] std::shared_ptr<Backend> open_backend(std::string_view device) noexcept;
[[nodiscard]] std::vector<std::string_view> backend_names();

struct CpuChoice {
  std::string_view requested;       // the variable's text; empty when unset
  std::string_view used;            // "ref", "generic", "avx2", "avx512", "ifma"
  bool known = true;                // false: not one of the five names
  bool lowered = false;             // the machine has less than was asked for
};
[[nodiscard]] CpuChoice cpu_choice() noexcept;

}  // namespace ringfort
