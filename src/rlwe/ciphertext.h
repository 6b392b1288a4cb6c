// SPDX-License-Identifier: Apache-2.0
// A leveled ciphertext without its meaning: 2 or 3 polynomials over the data primes of a level, evaluation domain, and
// the verbs that CKKS, BFV and BGV share: residues only, no bounds. Each takes the context, the limbs that its output
// has, and memory that may be used again; the output is a value, so that a verb that fails leaves its caller's objects
// as they were.
#pragma once

#include <optional>

#include "rlwe/key_switch.h"

namespace ringfort {

// What made a ciphertext: fresh ones have a bound that everybody knows who has the parameters. Numbers are part of the
// file format.
enum class Origin : u8 { evaluated = 0, fresh_secret = 1, fresh_public = 2 };

struct RlweCiphertext {
  SharedKeyContext context;
  u64 key_id = 0;
  u32 level = 0;
  u32 components = 0;  // 0: empty
  Poly<Eval> polynomials;
  // its bound is the word of whoever wrote the file it came from; verbs keep that
  bool untrusted = false;
  Origin origin = Origin::evaluated;
  std::optional<PublicSeed> seed = std::nullopt;  // fresh under the secret key: part 1 is expanded from it
  u32 count = 1;                                  // ciphertexts, one after another: more than one only in rlwe/batch.h

  // Each brings the words to the context's device where they are still elsewhere.
  [[nodiscard]] Slice<Eval> all() const { return polynomials.part(0, components * count); }
  [[nodiscard]] Slice<Eval> part(u32 first, u32 some) const { return polynomials.part(first, some); }
  // one part of every ciphertext
  [[nodiscard]] Slice<Eval> component(u32 index) const { return all().strided(components, index, count); }
  // The same at a lower level, without moving a word.
  [[nodiscard]] Slice<Eval> at_level(u32 lower_level) const { return all().limbs(context->chain.data(lower_level)); }
};

// What an object that was moved from holds: it reads as an empty one, and is made one before it is written to.
template <class State>
[[nodiscard]] const State& contents(const std::unique_ptr<State>& state) noexcept {
  static const State empty;
  return state ? *state : empty;
}
template <class State>
[[nodiscard]] State& contents(std::unique_ptr<State>& state) {
  if (!state) state = std::make_unique<State>();
  return *state;
}

[[nodiscard]] std::size_t ciphertext_bytes(const RlweCiphertext& ciphertext) noexcept;
// An integer modulo each prime of the ciphertext.
[[nodiscard]] std::vector<u64> residues_of(i64 value, const RlweCiphertext& ciphertext);

// The name of the context's device; empty for an empty ciphertext.
[[nodiscard]] std::string device_of(const RlweCiphertext& ciphertext);

// An unfilled ciphertext like `like`, of as many ciphertexts, untrusted if that is; takes over the memory of `reuse`
// where it has the shape and nobody shares it.
[[nodiscard]] RlweCiphertext make_ciphertext(const RlweCiphertext& like, u32 level, u32 components,
                                             RlweCiphertext&& reuse = {});
// The same, untrusted if either is.
[[nodiscard]] RlweCiphertext make_ciphertext(const RlweCiphertext& like, const RlweCiphertext& other, u32 components,
                                             RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext make_ciphertext(const SharedKeyContext& context, u64 key_id, u32 level, u32 components,
                                             RlweCiphertext&& reuse = {});

// Throws invalid_argument for an empty ciphertext.
void require_filled(const RlweCiphertext& ciphertext, std::string_view what);
// Both filled, of one context, one key and one level (parameters_mismatch; the fix names mod_switch).
void require_pair(const RlweCiphertext& a, const RlweCiphertext& b, std::string_view what);
void require_two_components(const RlweCiphertext& ciphertext, std::string_view what);
// Levels left to drop; depth_exhausted otherwise.
void require_level(const RlweCiphertext& ciphertext, u32 needed, std::string_view what);

// Levels only fall (invalid_argument).
void require_lower(const RlweCiphertext& ciphertext, u32 level, std::string_view what);
// A key of the ciphertext's context and secret key; rotations take two components.
void require_key(const RlweCiphertext& ciphertext, const RelinearizationKey& key, std::string_view what);
void require_key(const RlweCiphertext& ciphertext, const GaloisKeys& keys, std::string_view what);
// Terms of a sum, one at least; factors of a sum of products, as many on both sides.
void require_terms(std::size_t terms, std::string_view what);
void require_factors(std::size_t a, std::size_t b, std::string_view what);

// Operands may have 2 and 3 components.
[[nodiscard]] RlweCiphertext add(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work,
                                 RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext subtract(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work,
                                      RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext negate(const RlweCiphertext& a, Workspace& work, RlweCiphertext&& reuse = {});
// level <= a.level: limbs left out
[[nodiscard]] RlweCiphertext copy(const RlweCiphertext& a, u32 level, Workspace& work, RlweCiphertext&& reuse = {});
// the same words, as fresh; empty stays empty
[[nodiscard]] RlweCiphertext clone(const RlweCiphertext& a);
[[nodiscard]] RlweCiphertext multiply(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work,
                                      RlweCiphertext&& reuse = {});
// sum += the tensor product of two pairs: (a0, a1) b0 from its first part on, (a0, a1) b1 from its second.
void add_tensor(const Ring& ring, Stream s, Slice<Eval> sum, Slice<Eval> a, Slice<Eval> b);
// sum += a; sum += a b; sum += a plain: in the memory of `sum` where it has the parts. One reduction serves each
// product and the sum it joins. What fails leaves `sum` undefined.
void add_to(RlweCiphertext& sum, const RlweCiphertext& a, Workspace& work);
void add_product_to(RlweCiphertext& sum, const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work);
void add_plain_product_to(RlweCiphertext& sum, const RlweCiphertext& a, Slice<Eval> plain, Workspace& work);
[[nodiscard]] RlweCiphertext add_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work,
                                       RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext subtract_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work,
                                            RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext multiply_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work,
                                            RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext multiply_scalar(const RlweCiphertext& a, std::span<const u64> residues, Workspace& work,
                                             RlweCiphertext&& reuse = {});
// Division by the primes of the last level, rounded to a multiple of the errors' factor.
[[nodiscard]] RlweCiphertext rescale(const RlweCiphertext& a, Workspace& work, RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext relinearize(const RlweCiphertext& a, const KeySwitchingKey& key, Workspace& work,
                                         RlweCiphertext&& reuse = {});
// the bits of both
[[nodiscard]] RlweCiphertext relinearize_rescale(const RlweCiphertext& a, const KeySwitchingKey& key, Workspace& work,
                                                 RlweCiphertext&& reuse = {});

// One automorphism with its key.
struct RotationStep {
  u32 galois = 0;
  const KeySwitchingKey* key = nullptr;
};

// Rotations of one ciphertext. shared: there are several, and its digits are made once.
class Rotations {
 public:
  Rotations(const RlweCiphertext& a, Workspace& work, bool shared = false) : a_(a), work_(work), shared_(shared) {}
  // The steps one after the other; paths of several steps end the digits that the first steps share.
  [[nodiscard]] RlweCiphertext apply(std::span<const RotationStep> path, RlweCiphertext&& reuse = {});

 private:
  [[nodiscard]] RlweCiphertext apply_first(const RotationStep& step, RlweCiphertext&& reuse);
  const RlweCiphertext& a_;
  Workspace& work_;
  bool shared_;
  std::optional<Scratch<Eval>> digits_;
};

// The keys of a rotation in order, by the plan's paths or as signed powers of two; key_missing if there are none.
using Path = std::vector<RotationStep>;
[[nodiscard]] Path rotation_path(const GaloisKeys::State& keys, i64 step);
[[nodiscard]] Path swap_rows_path(const GaloisKeys::State& keys);
// By 1, 2, 4 .. count / 2: what sum_slots turns by. `count`: a power of two, at most `slots` (invalid_argument).
[[nodiscard]] std::vector<Path> sum_paths(const GaloisKeys::State& keys, u32 count, u32 slots);
// The ciphertext, and for each path in turn what it has become, turned, added.
[[nodiscard]] RlweCiphertext sum_slots(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work);
// One result for each path; the digits are made once.
[[nodiscard]] std::vector<RlweCiphertext> rotate_many(const RlweCiphertext& a, std::span<const Path> paths,
                                                      Workspace& work);

// c0 + c1 s (+ c2 s^2) over the first limbs of `level`.
[[nodiscard]] Scratch<Eval> phase(const RlweCiphertext& a, const SecretKey::State& secret, u32 level, Workspace& work);

// Encryptions of zero of a level under either key.
[[nodiscard]] RlweCiphertext encrypt_zero(const SecretKey::State& secret, u32 level, Workspace& work,
                                          RlweCiphertext&& reuse = {});
[[nodiscard]] RlweCiphertext encrypt_zero(const PublicKey::State& key, u32 level, Workspace& work,
                                          RlweCiphertext&& reuse = {});

// The same residues as a ciphertext of `target` (equal parameters); they are moved by whoever first uses them there.
// Empty stays empty.
[[nodiscard]] RlweCiphertext to(const SharedKeyContext& target, const RlweCiphertext& a);

}  // namespace ringfort
