// SPDX-License-Identifier: Apache-2.0
// The automatic evaluator, which chooses levels and scales. At level l, a ciphertext has the scale S_l of that level. A
// product drops one level. If two operands have different levels, the operand with the higher level is aligned first. A
// multiplication by a constant and a rescaling give it the lower level and the scale of that level. Evaluator does the
// arithmetic, except that align() itself multiplies by factors of more than 52 bits.
#include <bit>
#include <cmath>

#include "rlwe/arithmetic.h"
#include "rlwe/batch.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

[[noreturn]] void missing(std::string_view what, std::string_view which) {
  throw Error(Code::key_missing, std::string(what) + " needs a " + std::string(which),
              "give it to the AutomaticEvaluator");
}

// Throws unless the ciphertext can be a factor of a product that is relinearized and rescaled.
void require_factor(const Ciphertext& a, std::string_view what) {
  require_level(a.state().rlwe, 1, what);
  require_two_components(a.state().rlwe, what);
}

// Returns the highest level at which the ciphertext can have the scale of the level.
u32 highest_level_with_scale(const Context& context, const Ciphertext& a) {
  require_filled(a.state().rlwe, "the automatic evaluator");
  require_same(a.state().rlwe.context, context.keys().state(), "the automatic evaluator");
  if (a.scale() == context.scale(a.level())) return a.level();
  require_level(a.state().rlwe, 1, "bringing a ciphertext to the scale of a level");
  return a.level() - 1;
}

struct Pair {
  Ciphertext a, b;
};

Pair aligned(const AutomaticEvaluator& evaluator, const Context& context, const Ciphertext& a, const Ciphertext& b) {
  const u32 level = std::min(highest_level_with_scale(context, a), highest_level_with_scale(context, b));
  return {evaluator.align(a, level), evaluator.align(b, level)};
}

u32 lowest_level(const Context& context, std::span<const Ciphertext> all) {
  u32 lowest = context.top_level();
  for (const Ciphertext& each : all) lowest = std::min(lowest, highest_level_with_scale(context, each));
  return lowest;
}

std::vector<Ciphertext> aligned(const AutomaticEvaluator& evaluator, std::span<const Ciphertext> all, u32 level) {
  std::vector<Ciphertext> out;
  out.reserve(all.size());
  for (const Ciphertext& each : all) out.push_back(evaluator.align(each, level));
  return out;
}

// For factors below this limit, one double is precise enough to find the nearest integer. For larger factors, both
// doubles of a Scale are needed.
constexpr u128 kDoubleFactor = u128{1} << 52;

u128 aligning_factor(const Scale& from, const Scale& target, const Scale& last) {
  const double near = std::round(target.high * last.high / from.high);
  if (!(near >= 1 && near < 0x1p120)) {
    throw Error(Code::unsupported,
                "the scale 2^" + std::to_string(std::log2(from.high)) + " cannot be brought to 2^" +
                    std::to_string(std::log2(target.high)) + " by an integer factor",
                "encode at Context::scale(level), and rescale after every product");
  }
  if (near < static_cast<double>(kDoubleFactor)) return static_cast<u128>(near);
  const Scale exact = target * last / from;
  return static_cast<u128>(static_cast<i128>(exact.high) + static_cast<i128>(std::round(exact.low)));
}

// Multiplies the scale and the phase by `factor`. The factor may be too long for upscale_into, which takes 64 bits.
void upscale_in_place(Ciphertext& a, u128 factor) {
  const Ciphertext::State& x = a.state();
  const KeyContext::State& k = *x.rlwe.context;
  const double high = static_cast<double>(factor);
  const Scale wide{high, static_cast<double>(static_cast<i128>(factor) - static_cast<i128>(high))};
  const Accuracy bound = admitted(upscaled(x.bound, wide), k, x.rlwe.level, "upscale");
  std::vector<u64> residues;
  const Limbs limbs = x.rlwe.polynomials.limbs();
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb) residues.push_back(k.ring.basis()[limb].reduce(factor));
  const auto work = k.workspace();
  store(a, bound, ringfort::multiply_scalar(x.rlwe, residues, *work, take_memory(a, a)));
}

template <class Value>
Plaintext encoded(const Context& context, const Ciphertext& at, std::span<const Value> values) {
  return Encoder(context).encode_public(values, {at.level(), at.scale(), {}});
}

}  // namespace

AutomaticEvaluator::AutomaticEvaluator(const Context& context, const RelinearizationKey* relinearization,
                                       const GaloisKeys* galois, unsigned threads)
    : evaluator_(context, threads),
      context_(context) {
  if (relinearization != nullptr) relinearization_ = relinearization->state();
  if (galois != nullptr) galois_ = galois->state();
}

Ciphertext AutomaticEvaluator::align(const Ciphertext& a, std::uint32_t level) const {
  require_filled(a.state().rlwe, "align");
  require_same(a.state().rlwe.context, context_.keys().state(), "align");
  const Scale target = level_scale(*context_.state(), level, context_.scale(level));
  if (a.level() == level && a.scale() == target.high) return a.clone();
  const KeyContext::State& k = *context_.keys().state();
  if (a.level() <= level) {
    throw Error(Code::depth_exhausted,
                "a ciphertext of level " + std::to_string(a.level()) + " cannot be brought to level " +
                    std::to_string(level) + " with that level's scale",
                "alignment takes one level; use parameters with more data primes");
  }
  // The ciphertext is multiplied at level + 1, because the rescaling that follows drops one level. The error grows by
  // the rounding of the factor.
  const u128 factor = aligning_factor(a.state().bound.scale, target, last_product(k, level + 1));
  Ciphertext lower = evaluator_.mod_switch(a, level + 1);
  if (factor < kDoubleFactor) evaluator_.upscale_into(lower, lower, static_cast<i64>(factor));
  else upscale_in_place(lower, factor);
  Ciphertext out = evaluator_.rescale(lower);
  Accuracy& bound = out.state().bound;
  bound.error += distance(bound.scale, target) * bound.magnitude;
  bound.scale = target;
  return out;
}

Ciphertext AutomaticEvaluator::to_level_scale(const Ciphertext& a) const {
  return align(a, highest_level_with_scale(context_, a));
}

Ciphertext AutomaticEvaluator::negate(const Ciphertext& a) const { return evaluator_.negate(to_level_scale(a)); }

Ciphertext AutomaticEvaluator::multiply_integer(const Ciphertext& a, std::int64_t factor) const {
  return evaluator_.multiply_integer(to_level_scale(a), factor);
}

Ciphertext AutomaticEvaluator::add_many(std::span<const Ciphertext> terms) const {
  return evaluator_.add_many(aligned(*this, terms, lowest_level(context_, terms)));
}

Ciphertext AutomaticEvaluator::add(const Ciphertext& a, const Ciphertext& b) const {
  const Pair pair = aligned(*this, context_, a, b);
  return evaluator_.add(pair.a, pair.b);
}

Ciphertext AutomaticEvaluator::subtract(const Ciphertext& a, const Ciphertext& b) const {
  const Pair pair = aligned(*this, context_, a, b);
  return evaluator_.subtract(pair.a, pair.b);
}

Ciphertext AutomaticEvaluator::finish(const Ciphertext& product) const {
  if (relinearization_ == nullptr) missing("a product", "relinearization key");
  return evaluator_.relinearize_rescale(product, RelinearizationKey(relinearization_));
}

Ciphertext AutomaticEvaluator::multiply(const Ciphertext& a, const Ciphertext& b) const {
  require_level(a.state().rlwe, 1, "multiply");
  require_level(b.state().rlwe, 1, "multiply");
  if (relinearization_ == nullptr) missing("a product", "relinearization key");
  const Pair pair = aligned(*this, context_, a, b);
  JoinedVerbs joined(context_.keys().state()->pool);
  Ciphertext out;
  evaluator_.multiply_relinearize_rescale_into(out, pair.a, pair.b, RelinearizationKey(relinearization_));
  joined.end();
  return out;
}

std::vector<Ciphertext> AutomaticEvaluator::multiply(std::span<const Ciphertext> a,
                                                     std::span<const Ciphertext> b) const {
  require_factors(a.size(), b.size(), "multiply");
  const bool squares = a.data() == b.data();
  std::vector<Ciphertext> left, right;
  if (!context_.keys().wants_batches()) {
    for (std::size_t i = 0; i < a.size(); ++i) left.push_back(squares ? square(a[i]) : multiply(a[i], b[i]));
    return left;
  }
  if (relinearization_ == nullptr) missing("a product", "relinearization key");
  for (std::size_t i = 0; i < a.size(); ++i) {
    require_factor(a[i], "multiply");
    require_factor(b[i], "multiply");
    const u32 level = std::min(highest_level_with_scale(context_, a[i]), highest_level_with_scale(context_, b[i]));
    left.push_back(align(a[i], level));
    if (!squares) right.push_back(align(b[i], level));
  }
  const std::vector<Ciphertext> products = evaluator_.multiply(left, squares ? left : right);
  return evaluator_.rescale(evaluator_.relinearize(products, RelinearizationKey(relinearization_)));
}

Ciphertext AutomaticEvaluator::square(const Ciphertext& a) const { return multiply(a, a); }

Ciphertext AutomaticEvaluator::add_plain(const Ciphertext& a, std::span<const double> values) const {
  const Ciphertext at = to_level_scale(a);
  return evaluator_.add_plain(at, encoded(context_, at, values));
}

Ciphertext AutomaticEvaluator::add_plain(const Ciphertext& a, std::span<const std::complex<double>> values) const {
  const Ciphertext at = to_level_scale(a);
  return evaluator_.add_plain(at, encoded(context_, at, values));
}

Ciphertext AutomaticEvaluator::subtract_plain(const Ciphertext& a, std::span<const double> values) const {
  const Ciphertext at = to_level_scale(a);
  return evaluator_.subtract_plain(at, encoded(context_, at, values));
}

Ciphertext AutomaticEvaluator::subtract_plain(const Ciphertext& a, std::span<const std::complex<double>> values) const {
  const Ciphertext at = to_level_scale(a);
  return evaluator_.subtract_plain(at, encoded(context_, at, values));
}

Ciphertext AutomaticEvaluator::multiply_plain(const Ciphertext& a, std::span<const double> values) const {
  require_level(a.state().rlwe, 1, "multiply");
  const Ciphertext at = to_level_scale(a);
  return evaluator_.rescale(evaluator_.multiply_plain(at, encoded(context_, at, values)));
}

Ciphertext AutomaticEvaluator::multiply_plain(const Ciphertext& a, std::span<const std::complex<double>> values) const {
  require_level(a.state().rlwe, 1, "multiply");
  const Ciphertext at = to_level_scale(a);
  return evaluator_.rescale(evaluator_.multiply_plain(at, encoded(context_, at, values)));
}

Ciphertext AutomaticEvaluator::add_plain(const Ciphertext& a, std::complex<double> value) const {
  const std::vector<std::complex<double>> values(context_.slots(), value);
  return add_plain(a, std::span(values));
}

Ciphertext AutomaticEvaluator::multiply_plain(const Ciphertext& a, std::complex<double> value) const {
  const std::vector<std::complex<double>> values(context_.slots(), value);
  return multiply_plain(a, std::span(values));
}

Ciphertext AutomaticEvaluator::power(const Ciphertext& a, std::uint32_t exponent) const {
  require_exponent(exponent);
  require_level(a.state().rlwe, static_cast<u32>(std::bit_width(exponent - 1)), "power");
  const auto product = [this](const Ciphertext& x, const Ciphertext& y) { return multiply(x, y); };
  const auto clone = [](const Ciphertext& x) { return x.clone(); };
  return power_by_squares(to_level_scale(a), exponent, clone, product,
                          [this](const Ciphertext& x) { return square(x); });
}

std::vector<Ciphertext> AutomaticEvaluator::power(std::span<const Ciphertext> a, std::uint32_t exponent) const {
  require_exponent(exponent);
  std::vector<Ciphertext> bases;
  for (const Ciphertext& each : a) {
    require_level(each.state().rlwe, static_cast<u32>(std::bit_width(exponent - 1)), "power");
    bases.push_back(to_level_scale(each));
  }
  return powers(std::move(bases), exponent, [this](const auto& x, const auto& y) { return multiply(x, y); });
}

Ciphertext AutomaticEvaluator::inner_product(std::span<const Ciphertext> a, std::span<const Ciphertext> b) const {
  for (const std::span<const Ciphertext> side : {a, b}) {
    for (const Ciphertext& factor : side) require_factor(factor, "inner_product");
  }
  const u32 lowest = std::min(lowest_level(context_, a), lowest_level(context_, b));
  return finish(evaluator_.inner_product(aligned(*this, a, lowest), aligned(*this, b, lowest)));
}

// Has the plaintexts of a few terms in memory at a time.
template <class Value>
Ciphertext AutomaticEvaluator::inner_product_plain(std::span<const Ciphertext> a,
                                                   std::span<const std::span<const Value>> b) const {
  constexpr std::size_t kTerms = 8;
  require_factors(a.size(), b.size(), "inner_product_plain");
  for (const Ciphertext& factor : a) require_factor(factor, "inner_product_plain");
  const std::vector<Ciphertext> factors = aligned(*this, a, lowest_level(context_, a));
  Ciphertext sum;
  for (std::size_t first = 0; first < factors.size(); first += kTerms) {
    const std::span some = std::span(factors).subspan(first, std::min(kTerms, factors.size() - first));
    std::vector<Plaintext> plain;
    for (const std::span<const Value> values : b.subspan(first, some.size()))
      plain.push_back(encoded(context_, some[0], values));
    Ciphertext part = evaluator_.inner_product_plain(some, plain);
    if (first == 0) sum = std::move(part);
    else evaluator_.add_into(sum, sum, part);
  }
  return evaluator_.rescale(sum);
}

template Ciphertext AutomaticEvaluator::inner_product_plain(std::span<const Ciphertext>,
                                                            std::span<const std::span<const double>>) const;
template Ciphertext AutomaticEvaluator::inner_product_plain(
    std::span<const Ciphertext>, std::span<const std::span<const std::complex<double>>>) const;

Ciphertext AutomaticEvaluator::rotate(const Ciphertext& a, std::int64_t step) const {
  if (galois_ == nullptr) missing("a rotation", "set of Galois keys");
  JoinedVerbs joined(context_.keys().state()->pool);
  Ciphertext out = evaluator_.rotate(a, step, GaloisKeys(galois_));
  joined.end();
  return out;
}

std::vector<Ciphertext> AutomaticEvaluator::rotate(std::span<const Ciphertext> a, std::int64_t step) const {
  if (galois_ == nullptr) missing("a rotation", "set of Galois keys");
  return evaluator_.rotate(a, step, GaloisKeys(galois_));
}

Ciphertext AutomaticEvaluator::conjugate(const Ciphertext& a) const {
  if (galois_ == nullptr) missing("a conjugation", "set of Galois keys");
  return evaluator_.conjugate(a, GaloisKeys(galois_));
}

Ciphertext AutomaticEvaluator::sum_slots(const Ciphertext& a) const {
  if (galois_ == nullptr) missing("a sum of slots", "set of Galois keys");
  return evaluator_.sum_slots(a, context_.slots(), GaloisKeys(galois_));
}

}  // namespace ringfort::ckks
