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

struct Block {
  SharedKeyContext context;
  u64 key_id = 0;
  u32 level = 0;
  u32 parts = 0;  // 0: empty
  Poly<Eval> polynomials;
  // its bound is the word of whoever wrote the file it came from; verbs keep that
  bool claimed = false;
  Origin origin = Origin::evaluated;
  std::optional<PublicSeed> seed = std::nullopt;  // fresh under the secret key: part 1 is expanded from it
  u32 count = 1;                                  // ciphertexts, one after another: more than one only in rlwe/batch.h

  // Each brings the words to the context's device where they are still elsewhere.
  [[nodiscard]] Slice<Eval> all() const { return polynomials.part(0, parts * count); }
  [[nodiscard]] Slice<Eval> part(u32 first, u32 some) const { return polynomials.part(first, some); }
  // one part of every ciphertext
  [[nodiscard]] Slice<Eval> each(u32 index) const { return all().every(parts, index, count); }
  // The same at a lower level, without moving a word.
  [[nodiscard]] Slice<Eval> at(u32 lower_level) const { return all().limbs(context->chain.data(lower_level)); }
};

// What an object that was moved from holds: it reads as an empty one, and is made one before it is written to.
template <class State>
[[nodiscard]] const State& contents(const std::unique_ptr<State>& held) noexcept {
  static const State empty;
  return held ? *held : empty;
}
template <class State>
[[nodiscard]] State& contents(std::unique_ptr<State>& held) {
  if (!held) held = std::make_unique<State>();
  return *held;
}

[[nodiscard]] std::size_t block_bytes(const Block& block) noexcept;
// An integer modulo each prime of the block.
[[nodiscard]] std::vector<u64> residues_of(i64 value, const Block& block);

// The name of the context's device; empty for an empty block.
[[nodiscard]] std::string device_of(const Block& block);

// An unfilled block like `like`, of as many ciphertexts, claimed if that is; takes over the memory of `room` where it
// has the shape and nobody shares it.
[[nodiscard]] Block make_block(const Block& like, u32 level, u32 parts, Block&& room = {});
// The same, claimed if either is.
[[nodiscard]] Block make_block(const Block& like, const Block& other, u32 parts, Block&& room = {});
[[nodiscard]] Block make_block(const SharedKeyContext& context, u64 key_id, u32 level, u32 parts, Block&& room = {});

// Throws invalid_argument for an empty block.
void require_filled(const Block& block, std::string_view what);
// Both filled, of one context, one key and one level (parameters_mismatch; the fix names mod_switch).
void require_pair(const Block& a, const Block& b, std::string_view what);
void require_two_parts(const Block& block, std::string_view what);
// Levels left to drop; depth_exhausted otherwise.
void require_level(const Block& block, u32 needed, std::string_view what);

// Levels only fall (invalid_argument).
void require_lower(const Block& block, u32 level, std::string_view what);
// A key of the block's context and secret key; rotations take two parts.
void require_key(const Block& block, const RelinearizationKey& key, std::string_view what);
void require_key(const Block& block, const GaloisKeys& keys, std::string_view what);
// Terms of a sum, one at least; factors of a sum of products, as many on both sides.
void require_terms(std::size_t terms, std::string_view what);
void require_factors(std::size_t a, std::size_t b, std::string_view what);

// Operands may have 2 and 3 parts.
[[nodiscard]] Block add(const Block& a, const Block& b, Workspace& work, Block&& room = {});
[[nodiscard]] Block sub(const Block& a, const Block& b, Workspace& work, Block&& room = {});
[[nodiscard]] Block negate(const Block& a, Workspace& work, Block&& room = {});
// level <= a.level: limbs left out
[[nodiscard]] Block copy(const Block& a, u32 level, Workspace& work, Block&& room = {});
// the same words, as fresh; empty stays empty
[[nodiscard]] Block clone(const Block& a);
[[nodiscard]] Block multiply(const Block& a, const Block& b, Workspace& work, Block&& room = {});
// sum += the tensor product of two pairs: (a0, a1) b0 from its first part on, (a0, a1) b1 from its second.
void add_tensor(const Ring& ring, Stream s, Slice<Eval> sum, Slice<Eval> a, Slice<Eval> b);
// sum += a; sum += a b; sum += a plain: in the memory of `sum` where it has the parts. One reduction serves each
// product and the sum it joins. What fails leaves `sum` undefined.
void add_to(Block& sum, const Block& a, Workspace& work);
void add_product_to(Block& sum, const Block& a, const Block& b, Workspace& work);
void add_plain_product_to(Block& sum, const Block& a, Slice<Eval> plain, Workspace& work);
[[nodiscard]] Block add_plain(const Block& a, Slice<Eval> plain, Workspace& work, Block&& room = {});
[[nodiscard]] Block sub_plain(const Block& a, Slice<Eval> plain, Workspace& work, Block&& room = {});
[[nodiscard]] Block multiply_plain(const Block& a, Slice<Eval> plain, Workspace& work, Block&& room = {});
[[nodiscard]] Block multiply_scalar(const Block& a, std::span<const u64> residues, Workspace& work, Block&& room = {});
// Division by the primes of the last level, rounded to a multiple of the errors' factor.
[[nodiscard]] Block rescale(const Block& a, Workspace& work, Block&& room = {});
[[nodiscard]] Block relinearize(const Block& a, const SwitchKey& key, Workspace& work, Block&& room = {});
// the bits of both
[[nodiscard]] Block relinearize_rescale(const Block& a, const SwitchKey& key, Workspace& work, Block&& room = {});

// One automorphism with its key.
struct RotationStep {
  u32 galois = 0;
  const SwitchKey* key = nullptr;
};

// Rotations of one ciphertext. shared: there are several, and its digits are made once.
class Rotations {
 public:
  Rotations(const Block& a, Workspace& work, bool shared = false) : a_(a), work_(work), shared_(shared) {}
  // The steps one after the other; paths of several steps end the digits that the first steps share.
  [[nodiscard]] Block apply(std::span<const RotationStep> path, Block&& room = {});

 private:
  [[nodiscard]] Block apply_first(const RotationStep& step, Block&& room);
  const Block& a_;
  Workspace& work_;
  bool shared_;
  std::optional<Scratch<Eval>> digits_;
};

// The keys of a rotation in order, by the plan's paths or as signed powers of two; key_missing if there are none.
using Path = std::vector<RotationStep>;
[[nodiscard]] Path rotation_path(const GaloisKeys::State& keys, i64 step);
[[nodiscard]] Path swap_path(const GaloisKeys::State& keys);
// By 1, 2, 4 .. count / 2: what sum_slots turns by. `count`: a power of two, at most `slots` (invalid_argument).
[[nodiscard]] std::vector<Path> sum_paths(const GaloisKeys::State& keys, u32 count, u32 slots);
// The block, and for each path in turn what it has become, turned, added.
[[nodiscard]] Block sum_slots(const Block& a, std::span<const Path> paths, Workspace& work);
// One result for each path; the digits are made once.
[[nodiscard]] std::vector<Block> rotate_many(const Block& a, std::span<const Path> paths, Workspace& work);

// c0 + c1 s (+ c2 s^2) over the first limbs of `level`.
[[nodiscard]] Scratch<Eval> phase(const Block& a, const SecretKey::State& secret, u32 level, Workspace& work);

// Encryptions of zero of a level under either key.
[[nodiscard]] Block encrypt_zero(const SecretKey::State& secret, u32 level, Workspace& work, Block&& room = {});
[[nodiscard]] Block encrypt_zero(const PublicKey::State& key, u32 level, Workspace& work, Block&& room = {});

// The same residues as a block of `target` (equal parameters); they are moved by whoever first uses them there. Empty
// stays empty.
[[nodiscard]] Block to(const SharedKeyContext& target, const Block& a);

}  // namespace ringfort
