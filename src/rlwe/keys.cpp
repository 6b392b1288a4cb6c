// SPDX-License-Identifier: Apache-2.0
// Makes keys, and moves them between devices (keys.h, which has the formula of a key-switching key).
#include "rlwe/keys.h"

#include <cstring>

#include "ring/slots.h"
#include "rlwe/key_plan.h"

namespace ringfort {

namespace {

KeySwitchingKey moved_key(const KeyContext::State& target, const KeySwitchingKey& key) {
  return {key.seed, target.ring.receive(key.rows)};
}

}  // namespace

u64 fresh_identity(const KeyContext::State& context) {
  // Both kinds of contexts draw the same number of seeds: with equal seeds, tests find equal words.
  const PublicSeed seed = fresh_public_seed();
  if (context.unguarded()) return kNoIdentity;
  u64 id = 0;
  std::memcpy(&id, seed.bytes.data(), sizeof id);
  return id;
}

void require_unguarded(const KeyContext::State& context, std::string_view what) {
  if (context.unguarded()) return;
  throw Error(Code::mode_forbidden, std::string(what) + " was requested in a context whose objects carry bounds",
              "set ChainParameters::unguarded_reason, or encode and encrypt values");
}

void require_unmoved(bool has_state, std::string_view which) {
  if (has_state) return;
  throw Error(Code::invalid_argument, "a " + std::string(which) + " was used after it had been moved from",
              "use the object that it was moved to");
}

void require_equal_parameters(const KeyContext::State& a, const KeyContext::State& b) {
  const bool equal = a.p.n == b.p.n && a.p.data == b.p.data && a.p.special == b.p.special && a.chain == b.chain &&
                     a.needs.auxiliary == b.needs.auxiliary && a.needs.error_factor == b.needs.error_factor &&
                     a.needs.meaning == b.needs.meaning && a.unguarded() == b.unguarded();
  if (!equal)
    throw Error(Code::parameters_mismatch, "to() was given a context of other parameters",
                "make both contexts from one Parameters");
}

static SecretKey secret_key_of(const SharedKeyContext& context, std::shared_ptr<const Secret<i8>> coefficients,
                               u64 id) {
  auto state = std::make_shared<SecretKey::State>();
  const auto work = context->workspace();
  const Cleared cleared(*work);
  state->context = context;
  state->id = id;
  state->ntt_form =
      load_small(context->ring, context->chain.extended(context->chain.top_level()), coefficients->span(), *work);
  state->coefficients = std::move(coefficients);
  return SecretKey(std::move(state));
}

SecretKey make_secret_key(const SharedKeyContext& context, Secret<i8>&& coefficients, u64 id) {
  return secret_key_of(context, std::make_shared<const Secret<i8>>(std::move(coefficients)), id);
}

KeySwitchingKey make_key_switching_key(const KeyContext::State& c, Slice<Eval> under, Slice<Eval> source,
                                       Workspace& work) {
  const u32 top = c.chain.top_level(), digits = c.chain.digits(top);
  const Limbs extended = c.chain.extended(top);
  require_secure(c, extended);
  const SampleSeeds seeds{fresh_public_seed(), fresh_secret_seed()};
  KeySwitchingKey key{seeds.open, c.ring.make_key<Eval>(2 * digits, extended)};
  const ZeroSampler sampler(c.ring, c.needs.error_factor, work);
  for (u32 d = 0; d < digits; ++d) {
    sampler.under_secret(key.rows.polynomials(2 * d, 2), under, seeds, static_cast<u16>(d));
    const Limbs digit_limbs = c.chain.digit(top, d);
    const Slice<Eval> carried = key.rows.polynomials(2 * d, 1).limbs(digit_limbs);
    const Scratch<Eval> message = work.allocate_secret<Eval>(1, digit_limbs, extended);
    c.ring.multiply_scalar(work.stream, message.all(), source.limbs(digit_limbs),
                           std::span(c.special_product).subspan(digit_limbs.first, digit_limbs.count));
    c.ring.add(work.stream, carried, carried, message.all());
  }
  key.rows.keep_contents();
  return key;
}

// Draws each seed in a statement of its own. Compilers evaluate the arguments of one call in different orders, and
// tests need equal keys from all compilers.
static SecretKey fresh_secret_key(const KeyContext& context) {
  const u64 id = fresh_identity(*context.state());
  return make_secret_key(context.state(), sample_secret(context.chain().n, fresh_secret_seed()), id);
}

KeyGenerator::KeyGenerator(const KeyContext& context) : KeyGenerator(context, fresh_secret_key(context)) {}

KeyGenerator::KeyGenerator(const KeyContext& context, SecretKey&& secret)
    : context_(context),
      secret_(std::move(secret)) {
  require_same(context_.state(), secret_.state()->context, "KeyGenerator");
}

PublicKey KeyGenerator::create_public_key() const {
  const KeyContext::State& c = *context_.state();
  const Limbs limbs = c.chain.under_public(c.chain.top_level());
  require_secure(c, limbs);
  auto state = std::make_shared<PublicKey::State>();
  const auto work = c.workspace();
  const SampleSeeds seeds{fresh_public_seed(), fresh_secret_seed()};
  state->context = context_.state();
  state->id = secret_.state()->id;
  state->seed = seeds.open;
  state->pair = c.ring.make_key<Eval>(2, limbs);
  ZeroSampler(c.ring, c.needs.error_factor, *work)
      .under_secret(state->pair.all(), secret_.state()->ntt_form.all().limbs(limbs), seeds, 0);
  state->pair.keep_contents();
  return PublicKey(std::move(state));
}

RelinearizationKey KeyGenerator::create_relinearization_key() const {
  const KeyContext::State& c = *context_.state();
  require_special_primes(c, "a relinearization key");
  auto state = std::make_shared<RelinearizationKey::State>();
  const auto work = c.workspace();
  const Slice<Eval> s = secret_.state()->ntt_form.all();
  const Poly<Eval> square = c.ring.make_secret<Eval>(1, s.limbs());
  c.ring.multiply(work->stream, square.all(), s, s);
  state->context = context_.state();
  state->id = secret_.state()->id;
  state->key = make_key_switching_key(c, s, square.all(), *work);
  return RelinearizationKey(std::move(state));
}

GaloisKeys KeyGenerator::create_galois_keys(const KeyPlan& plan, const Progress& progress) const {
  const KeyContext::State& c = *context_.state();
  require_special_primes(c, "a Galois key");
  auto state = std::make_shared<GaloisKeys::State>();
  const auto work = c.workspace();
  const u32 n = c.p.n;
  const Slice<Eval> s = secret_.state()->ntt_form.all();
  const Poly<Eval> rotated = c.ring.make_secret<Eval>(1, s.limbs());
  // the key switches from s to s(x^(1/g)), because the automorphism x -> x^g is the last step of a rotation
  const auto add = [&](u32 galois, u32 inverse) {
    c.ring.automorphism(work->stream, rotated.all(), s, inverse);
    state->keys.emplace(galois, make_key_switching_key(c, rotated.all(), s, *work));
    const u64 done = state->keys.size(), total = plan.steps.size() + (plan.conjugation ? 1 : 0);
    if (progress && !progress(done, total))
      throw Error(Code::stopped, "stopped after " + std::to_string(done) + " of " + std::to_string(total) + " keys",
                  "");
  };
  for (const std::int32_t step : plan.steps) add(rotation_element(n, step), rotation_element(n, -i64{step}));
  if (plan.conjugation) add(swap_rows_element(n), swap_rows_element(n));
  state->context = context_.state();
  state->id = secret_.state()->id;
  state->plan = plan;
  return GaloisKeys(std::move(state));
}

const KeyPlan& GaloisKeys::plan() const { return state()->plan; }

SecretKey SecretKey::to(const KeyContext& target) const {
  require_equal_parameters(*state()->context, *target.state());
  return SecretKey(std::make_shared<State>(
      State{target.state(), state()->id, state()->coefficients, target.state()->ring.receive(state()->ntt_form)}));
}

SecretKey SecretKey::for_modulus_of(const KeyContext& target) const {
  const ChainParameters &source = state()->context->p, &other = target.chain();
  if (source.n != other.n || source.data != other.data || source.special != other.special ||
      source.unguarded_reason.empty() != other.unguarded_reason.empty())
    throw Error(Code::parameters_mismatch, "for_modulus_of() was given a context with another ring or other primes",
                "make both contexts from one chain");
  return secret_key_of(target.state(), state()->coefficients, state()->id);
}

PublicKey PublicKey::to(const KeyContext& target) const {
  require_equal_parameters(*state()->context, *target.state());
  return PublicKey(std::make_shared<State>(
      State{target.state(), state()->id, state()->seed, target.state()->ring.receive(state()->pair)}));
}

RelinearizationKey RelinearizationKey::to(const KeyContext& target) const {
  require_equal_parameters(*state()->context, *target.state());
  return RelinearizationKey(
      std::make_shared<State>(State{target.state(), state()->id, moved_key(*target.state(), state()->key)}));
}

GaloisKeys GaloisKeys::to(const KeyContext& target) const {
  require_equal_parameters(*state()->context, *target.state());
  auto moved =
      std::make_shared<State>(State{.context = target.state(), .id = state()->id, .plan = state()->plan, .keys = {}});
  for (const auto& [galois, key] : state()->keys) moved->keys.emplace(galois, moved_key(*target.state(), key));
  return GaloisKeys(std::move(moved));
}

std::uint64_t PublicKey::key_id() const { return state()->id; }

GaloisKeys GaloisKeys::joined(const GaloisKeys& more) const {
  const State &existing = *state(), &added = *more.state();
  require_same(existing.context, added.context, "joined");
  require_same_key(existing.id, added.id, "joined");
  auto both = std::make_shared<State>(State{
      .context = existing.context, .id = existing.id, .plan = joined_plan(existing.plan, added.plan), .keys = {}});
  for (const State* set : {&existing, &added}) {
    for (const auto& [galois, key] : set->keys)
      if (!both->keys.contains(galois)) both->keys.emplace(galois, moved_key(*existing.context, key));
  }
  return GaloisKeys(std::move(both));
}

std::string SecretKey::device() const { return state()->context->ring.device().name(); }
std::string PublicKey::device() const { return state()->context->ring.device().name(); }
std::string RelinearizationKey::device() const { return state()->context->ring.device().name(); }
std::string GaloisKeys::device() const { return state()->context->ring.device().name(); }

SecretKey::SecretKey(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
SecretKey::SecretKey(SecretKey&&) noexcept = default;
SecretKey& SecretKey::operator=(SecretKey&&) noexcept = default;
SecretKey::~SecretKey() = default;
const std::shared_ptr<const SecretKey::State>& SecretKey::state() const {
  require_unmoved(state_ != nullptr, "secret key");
  return state_;
}

PublicKey::PublicKey(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
PublicKey::PublicKey(PublicKey&&) noexcept = default;
PublicKey& PublicKey::operator=(PublicKey&&) noexcept = default;
PublicKey::~PublicKey() = default;
const std::shared_ptr<const PublicKey::State>& PublicKey::state() const {
  require_unmoved(state_ != nullptr, "public key");
  return state_;
}

RelinearizationKey::RelinearizationKey(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
RelinearizationKey::RelinearizationKey(RelinearizationKey&&) noexcept = default;
RelinearizationKey& RelinearizationKey::operator=(RelinearizationKey&&) noexcept = default;
RelinearizationKey::~RelinearizationKey() = default;
const std::shared_ptr<const RelinearizationKey::State>& RelinearizationKey::state() const {
  require_unmoved(state_ != nullptr, "relinearization key");
  return state_;
}

GaloisKeys::GaloisKeys(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
GaloisKeys::GaloisKeys(GaloisKeys&&) noexcept = default;
GaloisKeys& GaloisKeys::operator=(GaloisKeys&&) noexcept = default;
GaloisKeys::~GaloisKeys() = default;
const std::shared_ptr<const GaloisKeys::State>& GaloisKeys::state() const {
  require_unmoved(state_ != nullptr, "set of Galois keys");
  return state_;
}

}  // namespace ringfort
