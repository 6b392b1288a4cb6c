// SPDX-License-Identifier: Apache-2.0
// The verbs on integers: each checks its operands, has the bound of its result admitted, and computes. Sums bring correction
// factors together; those of many terms are in rlwe/integer_sums.h. Included by the schemes' instances alone.
#pragma once

#include "rlwe/integer_objects.h"

namespace ringfort::integers {

namespace verbs {

// What two operands are multiplied by before they are added, and the claim of the sum.
struct Sum {
  Claim claim;
  Balance by;
};

inline Bound times(Bound error, i64 factor) { return error * Bound::of(std::abs(static_cast<double>(factor))); }

inline Sum sum(const IntegerRing& ring, const Claim& a, const Claim& b) {
  if (a.factor == b.factor) return {{a.error + b.error, a.factor}, {1, 1}};
  const Balance by = balance(a.factor, b.factor, ring.t);
  return {{times(a.error, by.x) + times(b.error, by.y), ring.plain.multiply(ring.plain.reduce_signed(by.x), a.factor)}, by};
}

inline Block scaled(const Block& a, i64 factor, Workspace& work) {
  return factor == 1 ? copy(a, a.level, work) : multiply_scalar(a, residues_of(factor, a), work);
}

// The error of `steps` key switchings.
template <class S>
Bound switched(const IntegerRing& ring, u32 level, std::size_t steps) {
  if (steps == 0) return {};
  return Policy<S>::of_phase(ring, level, ring.base().noise.key_switch(level)) * Bound::of(static_cast<double>(steps));
}

// The ring of an evaluator's context, for an operand of that context: another t would give wrong claims without a word.
template <class S>
const IntegerRing& ring_for(const Context<S>& context, const Ciphertext<S>& a, std::string_view what) {
  require_filled(a.state().block, what);
  require_same(a.state().block.context, context.state()->ring.keys.state(), what);
  return context.state()->ring;
}

// Sums and differences: errors add in both.
struct Combination {
  std::string_view name;
  Block (*of_blocks)(const Block& a, const Block& b, Workspace& work, Block&& room);
};

struct PlainCombination {
  std::string_view name;
  Block (*of_block)(const Block& a, Slice<Eval> plain, Workspace& work, Block&& room);
};

template <class S>
void combine(const IntegerRing& ring, Ciphertext<S>& out, const Ciphertext<S>& a, const Ciphertext<S>& b, const Combination& verb, unsigned threads) {
  const auto &x = a.state(), &y = b.state();
  require_pair(x.block, y.block, verb.name);
  const Sum s = sum(ring, x.claim, y.claim);
  const Claim claim = admitted<S>(ring, x.block.level, s.claim, verb.name);
  const auto work = x.block.context->workspace(threads);
  if (x.claim.factor == y.claim.factor) return store(out, ring, claim, verb.of_blocks(x.block, y.block, *work, room(out, a, b)));
  const Block left = scaled(x.block, s.by.x, *work), right = scaled(y.block, s.by.y, *work);
  store(out, ring, claim, verb.of_blocks(left, right, *work, {}));
}

template <class S>
void combine_plain(const IntegerRing& ring, Ciphertext<S>& out, const Ciphertext<S>& a, const Plaintext<S>& b, const PlainCombination& verb, unsigned threads) {
  const auto& x = a.state();
  require_plain(ring, b, verb.name);
  const Claim claim = admitted<S>(ring, x.block.level, {x.claim.error + Policy<S>::added(ring, x.block.level), x.claim.factor}, verb.name);
  const auto work = x.block.context->workspace(threads);
  const Poly<Eval> lifted = Policy<S>::lift_for_sum(ring, b.state().coefficients.span(), x.block.level, x.claim.factor, *work);
  store(out, ring, claim, verb.of_block(x.block, lifted.all(), *work, room(out, a)));
}

// A plaintext over the data primes of a level: as it was prepared, else made now.
template <class S>
class PlainFactor {
 public:
  PlainFactor(const IntegerRing& ring, const Plaintext<S>& b, u32 level, Workspace& work)
      : data_(ring.base().chain.data(level)), kept_(b.state().transform), is_kept_(kept_.batch() != 0 && kept_.limbs().count >= data_.count),
        made_(is_kept_ ? Poly<Eval>() : lift(ring, b.state().coefficients.span(), level, work)) {}
  [[nodiscard]] Slice<Eval> all() const { return (is_kept_ ? kept_ : made_).limbs(data_); }

 private:
  Limbs data_;
  const Poly<Eval>& kept_;
  bool is_kept_;
  Poly<Eval> made_;
};

}  // namespace verbs

template <class S>
void Evaluator<S>::add_into(C& out, const C& a, const C& b) const {
  verbs::combine(verbs::ring_for(context_, a, "add"), out, a, b, {"add", &ringfort::add}, threads_);
}

template <class S>
void Evaluator<S>::sub_into(C& out, const C& a, const C& b) const {
  verbs::combine(verbs::ring_for(context_, a, "sub"), out, a, b, {"sub", &ringfort::sub}, threads_);
}

template <class S>
void Evaluator<S>::negate_into(C& out, const C& a) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "negate");
  const auto work = a.state().block.context->workspace(threads_);
  store(out, ring, Claim(a.state().claim), ringfort::negate(a.state().block, *work, room(out, a)));
}

template <class S>
void Evaluator<S>::add_plain_into(C& out, const C& a, const P& b) const {
  verbs::combine_plain(verbs::ring_for(context_, a, "add_plain"), out, a, b, {"add_plain", &ringfort::add_plain}, threads_);
}

template <class S>
void Evaluator<S>::sub_plain_into(C& out, const C& a, const P& b) const {
  verbs::combine_plain(verbs::ring_for(context_, a, "sub_plain"), out, a, b, {"sub_plain", &ringfort::sub_plain}, threads_);
}

template <class S>
Claim product_claim(const IntegerRing& ring, const Ciphertext<S>& a, const Ciphertext<S>& b, std::string_view what, std::size_t before = 0) {
  require_pair(a.state().block, b.state().block, what);
  require_two_parts(a.state().block, what);
  require_two_parts(b.state().block, what);
  return admitted<S>(ring, a.level(), Policy<S>::product(ring, a.level(), a.state().claim, b.state().claim, before), what);
}

template <class S>
void Evaluator<S>::multiply_into(C& out, const C& a, const C& b) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply");
  const Claim claim = product_claim(ring, a, b, "multiply");
  const auto work = a.state().block.context->workspace(threads_);
  store(out, ring, claim, Policy<S>::multiply(ring, a.state().block, b.state().block, *work, room(out, a, b)));
}

template <class S>
Claim plain_claim(const IntegerRing& ring, const Ciphertext<S>& a, const Plaintext<S>& b, std::string_view what) {
  require_plain(ring, b, what);
  return admitted<S>(ring, a.level(), {a.state().claim.error * b.state().norm, a.state().claim.factor}, what);
}

template <class S>
void Evaluator<S>::multiply_plain_into(C& out, const C& a, const P& b) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply_plain");
  const Claim claim = plain_claim(ring, a, b, "multiply_plain");
  const auto work = a.state().block.context->workspace(threads_);
  const verbs::PlainFactor<S> plain(ring, b, a.level(), *work);
  store(out, ring, claim, ringfort::multiply_plain(a.state().block, plain.all(), *work, room(out, a)));
}

template <class S>
void Evaluator<S>::prepare_plain(P& b, std::uint32_t level) const {
  const IntegerRing& ring = context_.state()->ring;
  require_plain(ring, b, "prepare_plain");
  if (level > context_.top_level()) {
    throw Error(Code::invalid_argument, "prepare_plain was given level " + std::to_string(level) + ", the highest is " + std::to_string(context_.top_level()),
                "give the highest level of the ciphertexts that it will multiply");
  }
  const auto work = ring.base().workspace(threads_);
  b.state().transform = lift(ring, b.state().coefficients.span(), level, *work);
}

template <class S>
void Evaluator<S>::multiply_integer_into(C& out, const C& a, std::int64_t factor) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "multiply_integer");
  const auto& x = a.state();
  const i64 half = static_cast<i64>(ring.t / 2);
  if (factor > half || factor < -half) {
    throw Error(Code::invalid_argument, "multiply_integer was given " + std::to_string(factor) + ", the plain modulus is " + std::to_string(ring.t), "reduce it modulo t, centred");
  }
  const Claim claim = admitted<S>(ring, x.block.level, {verbs::times(x.claim.error, factor), x.claim.factor}, "multiply_integer");
  const auto work = x.block.context->workspace(threads_);
  store(out, ring, claim, multiply_scalar(x.block, residues_of(factor, x.block), *work, room(out, a)));
}

// By squares; products(x, y) of two parts.
template <class C, class F>
C power(const C& a, u32 exponent, F product) {
  if (exponent == 0) throw Error(Code::invalid_argument, "exponentiate was given the exponent 0", "the result is 1 for every value: encode that");
  C square = a.clone(), result;
  for (u32 rest = exponent; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result = result.size() == 0 ? square.clone() : product(result, square);
    if (rest > 1) square = product(square, square);
  }
  return result;
}

template <class S>
Ciphertext<S> Evaluator<S>::exponentiate(const C& a, std::uint32_t exponent, const RelinearizationKey& key) const {
  (void)verbs::ring_for(context_, a, "exponentiate");
  const Block& block = a.state().block;
  require_two_parts(block, "exponentiate");
  require_key(block, key, "exponentiate");
  return power(a, exponent, [&](const C& x, const C& y) { return relinearize(multiply(x, y), key); });
}

template <class S>
void Evaluator<S>::relinearize_into(C& out, const C& a, const RelinearizationKey& key) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "relinearize");
  const auto& x = a.state();
  require_key(x.block, key, "relinearize");
  const bool wide = x.block.parts == 3;
  const Claim switched{wide ? x.claim.error + verbs::switched<S>(ring, x.block.level, 1) : x.claim.error, x.claim.factor};
  const Claim claim = admitted<S>(ring, x.block.level, switched, "relinearize");
  const auto work = ring.base().workspace(threads_);
  Block held = room(out, a);
  store(out, ring, claim, wide ? ringfort::relinearize(x.block, key.state()->key, *work, std::move(held)) : copy(x.block, x.block.level, *work, std::move(held)));
}

template <class S>
Claim switched_claim(const IntegerRing& ring, const Ciphertext<S>& a, u32 level) {
  Claim claim = a.state().claim;
  for (u32 at = a.level(); at > level; --at) claim = Policy<S>::rescaled(ring, claim, at, a.size());
  return claim;
}

template <class S>
void Evaluator<S>::mod_switch_into(C& out, const C& a, std::uint32_t level) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "mod_switch");
  const Block& block = a.state().block;
  require_lower(block, level, "mod_switch");
  const Claim claim = admitted<S>(ring, level, switched_claim(ring, a, level), "mod_switch");
  const auto work = block.context->workspace(threads_);
  if (level == block.level) return store(out, ring, claim, copy(block, level, *work, room(out, a)));
  Block at = rescale(block, *work, block.level == level + 1 ? room(out, a) : Block{});
  while (at.level > level) at = rescale(at, *work);
  store(out, ring, claim, std::move(at));
}

namespace verbs {

template <class S>
Claim path_claim(const IntegerRing& ring, const Ciphertext<S>& a, std::size_t steps, std::string_view what) {
  return admitted<S>(ring, a.level(), {a.state().claim.error + switched<S>(ring, a.level(), steps), a.state().claim.factor}, what);
}

}  // namespace verbs

template <class S>
void Evaluator<S>::rotate_into(C& out, const C& a, std::int64_t step, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "rotate");
  require_key(a.state().block, keys, "rotate");
  const Path path = rotation_path(*keys.state(), step);
  const Claim claim = verbs::path_claim(ring, a, path.size(), "rotate");
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, Rotations(a.state().block, *work).apply(path, room(out, a)));
}

template <class S>
void Evaluator<S>::swap_rows_into(C& out, const C& a, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "swap_rows");
  require_key(a.state().block, keys, "swap_rows");
  const Path path = swap_path(*keys.state());
  const Claim claim = verbs::path_claim(ring, a, 1, "swap_rows");
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, Rotations(a.state().block, *work).apply(path, room(out, a)));
}

template <class S>
void Evaluator<S>::sum_slots_into(C& out, const C& a, std::uint32_t count, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "sum_slots");
  require_key(a.state().block, keys, "sum_slots");
  const std::vector<Path> paths = sum_paths(*keys.state(), count, ring.base().p.n / 2);
  Claim claim = a.state().claim;
  for (const Path& path : paths) {
    const Bound added = verbs::switched<S>(ring, a.level(), path.size());
    claim = admitted<S>(ring, a.level(), {claim.error + claim.error + added, claim.factor}, "sum_slots");
  }
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, ringfort::sum_slots(a.state().block, paths, *work));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::rotate_many(const C& a, std::span<const std::int64_t> steps, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "rotate_many");
  require_key(a.state().block, keys, "rotate_many");
  std::vector<Path> paths;
  std::vector<Claim> claims;
  for (const std::int64_t step : steps) {
    paths.push_back(rotation_path(*keys.state(), step));
    claims.push_back(verbs::path_claim(ring, a, paths.back().size(), "rotate_many"));
  }
  const auto work = ring.base().workspace(threads_);
  std::vector<Block> turned = ringfort::rotate_many(a.state().block, paths, *work);
  std::vector<C> out(steps.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], ring, claims[i], std::move(turned[i]));
  return out;
}

}  // namespace ringfort::integers
