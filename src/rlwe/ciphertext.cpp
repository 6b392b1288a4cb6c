// SPDX-License-Identifier: Apache-2.0
#include "rlwe/ciphertext.h"

namespace ringfort {

namespace {

std::string of_level(const RlweCiphertext& ciphertext) { return "level " + std::to_string(ciphertext.level); }

// Parts that only one operand has.
void copy_remaining(Slice<Eval> out, const RlweCiphertext& longer, u32 from, bool negated, Workspace& work) {
  if (longer.components == from) return;
  const Ring& ring = longer.context->ring;
  const Slice<Eval> rest = longer.part(from, longer.components - from), to = out.part(from, longer.components - from);
  if (negated) ring.negate(work.stream, to, rest);
  else ring.copy(work.stream, to, rest);
}

// What is written must be nobody else's.
void unshare(RlweCiphertext& ciphertext, Workspace& work) {
  if (ciphertext.polynomials.is_shared()) ciphertext = copy(ciphertext, ciphertext.level, work);
}

}  // namespace

std::size_t ciphertext_bytes(const RlweCiphertext& ciphertext) noexcept {
  if (ciphertext.components == 0) return 0;
  return std::size_t{ciphertext.components} * ciphertext.polynomials.limbs().count * ciphertext.context->p.n *
         word_bytes(ciphertext.context->ring.word());
}

std::string device_of(const RlweCiphertext& ciphertext) {
  return ciphertext.context == nullptr ? std::string() : ciphertext.context->ring.device().name();
}

std::vector<u64> residues_of(i64 value, const RlweCiphertext& ciphertext) {
  std::vector<u64> residues;
  const Limbs limbs = ciphertext.polynomials.limbs();
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb)
    residues.push_back(ciphertext.context->ring.basis()[limb].reduce_signed(value));
  return residues;
}

RlweCiphertext make_ciphertext(const SharedKeyContext& context, u64 key_id, u32 level, u32 components,
                               RlweCiphertext&& reuse) {
  RlweCiphertext ciphertext;
  ciphertext.context = context;
  ciphertext.key_id = key_id;
  ciphertext.level = level;
  ciphertext.components = components;
  const bool fits = reuse.context == context && reuse.level == level && reuse.polynomials.batch() >= components &&
                    !reuse.polynomials.is_shared();
  if (!fits) reuse = {};  // before there is more
  ciphertext.polynomials =
      fits ? std::move(reuse.polynomials)
           : context->ring.make<Eval>(components, context->chain.data(level), Privacy::open, Contents::undefined);
  ciphertext.polynomials.keep_contents();
  return ciphertext;
}

RlweCiphertext make_ciphertext(const RlweCiphertext& like, u32 level, u32 components, RlweCiphertext&& reuse) {
  RlweCiphertext ciphertext =
      make_ciphertext(like.context, like.key_id, level, components * like.count, std::move(reuse));
  ciphertext.components = components;
  ciphertext.count = like.count;
  ciphertext.untrusted = like.untrusted;
  return ciphertext;
}

RlweCiphertext make_ciphertext(const RlweCiphertext& like, const RlweCiphertext& other, u32 components,
                               RlweCiphertext&& reuse) {
  RlweCiphertext ciphertext = make_ciphertext(like, like.level, components, std::move(reuse));
  ciphertext.untrusted |= other.untrusted;
  return ciphertext;
}

void require_filled(const RlweCiphertext& ciphertext, std::string_view what) {
  if (ciphertext.components != 0) return;
  throw Error(Code::invalid_argument, std::string(what) + " was given an empty ciphertext",
              "encrypt something first; a verb that failed leaves its output empty");
}

void require_pair(const RlweCiphertext& a, const RlweCiphertext& b, std::string_view what) {
  require_filled(a, what);
  require_filled(b, what);
  require_same(a.context, b.context, what);
  require_same_key(a.key_id, b.key_id, what);
  if (a.level == b.level) return;
  throw Error(Code::parameters_mismatch,
              std::string(what) + " was given ciphertexts of " + of_level(a) + " and " + of_level(b),
              "bring the higher one down with mod_switch, or use the automatic evaluator");
}

void require_two_components(const RlweCiphertext& ciphertext, std::string_view what) {
  require_filled(ciphertext, what);
  if (ciphertext.components == 2) return;
  throw Error(Code::invalid_argument,
              std::string(what) + " was given a ciphertext of " + std::to_string(ciphertext.components) + " components",
              "relinearize it first");
}

void require_level(const RlweCiphertext& ciphertext, u32 needed, std::string_view what) {
  require_filled(ciphertext, what);
  if (ciphertext.level >= needed) return;
  throw Error(Code::depth_exhausted,
              std::string(what) + " needs " + std::to_string(needed) + " level" + (needed == 1 ? "" : "s") + ", " +
                  std::to_string(ciphertext.level) + " left",
              "use parameters with more data primes, or fewer products one after the other");
}

void require_lower(const RlweCiphertext& ciphertext, u32 level, std::string_view what) {
  if (level <= ciphertext.level) return;
  throw Error(Code::invalid_argument,
              std::string(what) + " was asked to go from level " + std::to_string(ciphertext.level) + " up to " +
                  std::to_string(level),
              "levels only fall; choose 0 .. " + std::to_string(ciphertext.level));
}

void require_key(const RlweCiphertext& ciphertext, const RelinearizationKey& key, std::string_view what) {
  require_filled(ciphertext, what);
  require_same(ciphertext.context, key.state()->context, what);
  require_same_key(ciphertext.key_id, key.state()->id, what);
}

void require_key(const RlweCiphertext& ciphertext, const GaloisKeys& keys, std::string_view what) {
  require_two_components(ciphertext, what);
  require_same(ciphertext.context, keys.state()->context, what);
  require_same_key(ciphertext.key_id, keys.state()->id, what);
}

void require_terms(std::size_t terms, std::string_view what) {
  if (terms == 0)
    throw Error(Code::invalid_argument, std::string(what) + " was given nothing", "give one operand at least");
}

void require_factors(std::size_t a, std::size_t b, std::string_view what) {
  require_terms(a, what);
  if (a == b) return;
  throw Error(Code::invalid_argument,
              std::string(what) + " was given " + std::to_string(a) + " and " + std::to_string(b) + " factors",
              "give as many on both sides");
}

RlweCiphertext add(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work, RlweCiphertext&& reuse) {
  const u32 common = std::min(a.components, b.components);
  RlweCiphertext out = make_ciphertext(a, b, std::max(a.components, b.components), std::move(reuse));
  a.context->ring.add(work.stream, out.part(0, common), a.part(0, common), b.part(0, common));
  copy_remaining(out.all(), a, common, false, work);
  copy_remaining(out.all(), b, common, false, work);
  return out;
}

RlweCiphertext subtract(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work, RlweCiphertext&& reuse) {
  const u32 common = std::min(a.components, b.components);
  RlweCiphertext out = make_ciphertext(a, b, std::max(a.components, b.components), std::move(reuse));
  a.context->ring.subtract(work.stream, out.part(0, common), a.part(0, common), b.part(0, common));
  copy_remaining(out.all(), a, common, false, work);
  copy_remaining(out.all(), b, common, true, work);
  return out;
}

RlweCiphertext negate(const RlweCiphertext& a, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.negate(work.stream, out.all(), a.all());
  return out;
}

RlweCiphertext copy(const RlweCiphertext& a, u32 level, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, level, a.components, std::move(reuse));
  a.context->ring.copy(work.stream, out.all(), a.at_level(level));
  return out;
}

RlweCiphertext clone(const RlweCiphertext& a) {
  if (a.components == 0) return {};
  return {a.context, a.key_id, a.level, a.components, a.polynomials.share(), a.untrusted, a.origin, a.seed};
}

RlweCiphertext multiply(const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, b, 3, std::move(reuse));
  a.context->ring.tensor(work.stream, out.all(), a.all(), b.all());
  return out;
}

void add_to(RlweCiphertext& sum, const RlweCiphertext& a, Workspace& work) {
  if (sum.components < a.components || sum.polynomials.is_shared()) {
    sum = add(sum, a, work);
    return;
  }
  sum.untrusted |= a.untrusted;
  const Slice<Eval> common = sum.part(0, a.components);
  a.context->ring.add(work.stream, common, common, a.all());
}

void add_tensor(const Ring& ring, Stream s, Slice<Eval> sum, Slice<Eval> a, Slice<Eval> b) {
  for (const u32 part : {0u, 1u}) ring.inner_product(s, sum.part(part, 2), a, b.part(part, 1), 1, true);
}

void add_product_to(RlweCiphertext& sum, const RlweCiphertext& a, const RlweCiphertext& b, Workspace& work) {
  if (sum.components == 2) {
    RlweCiphertext product = multiply(a, b, work);
    add_to(product, sum, work);
    sum = std::move(product);
    return;
  }
  unshare(sum, work);
  sum.untrusted |= a.untrusted || b.untrusted;
  add_tensor(a.context->ring, work.stream, sum.all(), a.all(), b.all());
}

void add_plain_product_to(RlweCiphertext& sum, const RlweCiphertext& a, Slice<Eval> plain, Workspace& work) {
  if (sum.components < a.components) return add_to(sum, multiply_plain(a, plain, work), work);
  unshare(sum, work);
  sum.untrusted |= a.untrusted;
  a.context->ring.multiply_add(work.stream, sum.part(0, a.components), a.all(), plain);
}

RlweCiphertext add_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.add(work.stream, out.part(0, 1), a.part(0, 1), plain);
  copy_remaining(out.all(), a, 1, false, work);
  return out;
}

RlweCiphertext subtract_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.subtract(work.stream, out.part(0, 1), a.part(0, 1), plain);
  copy_remaining(out.all(), a, 1, false, work);
  return out;
}

RlweCiphertext multiply_plain(const RlweCiphertext& a, Slice<Eval> plain, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.multiply(work.stream, out.all(), a.all(), plain);
  return out;
}

RlweCiphertext multiply_scalar(const RlweCiphertext& a, std::span<const u64> residues, Workspace& work,
                               RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, a.components, std::move(reuse));
  a.context->ring.multiply_scalar(work.stream, out.all(), a.all(), residues);
  return out;
}

RlweCiphertext rescale(const RlweCiphertext& a, Workspace& work, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *a.context;
  RlweCiphertext out = make_ciphertext(a, a.level - 1, a.components, std::move(reuse));
  const Scratch<Coeff> dropped =
      work.allocate<Coeff>(a.components * a.count, c.chain.last_group(a.level), c.chain.data());
  c.ring.mod_down(work.stream, out.all(), a.all(), dropped.all(), c.needs.error_factor);
  return out;
}

RlweCiphertext relinearize(const RlweCiphertext& a, const KeySwitchingKey& key, Workspace& work,
                           RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, a.level, 2, std::move(reuse));
  const KeySwitcher switcher(*a.context, work, a.level);
  const Scratch<Eval> sum = switcher.key_switch(a.component(2), key);
  if (a.count == 1) {
    switcher.mod_down(out.all(), sum.all(), {a.part(0, 2)});
    return out;
  }
  switcher.mod_down(out.all(), sum.all());
  for (const u32 part : {0u, 1u})
    a.context->ring.add(work.stream, out.component(part), out.component(part), a.component(part));
  return out;
}

RlweCiphertext relinearize_rescale(const RlweCiphertext& a, const KeySwitchingKey& key, Workspace& work,
                                   RlweCiphertext&& reuse) {
  if (a.count != 1) return rescale(relinearize(a, key, work), work, std::move(reuse));
  RlweCiphertext out = make_ciphertext(a, a.level - 1, 2, std::move(reuse));
  const KeySwitcher switcher(*a.context, work, a.level);
  const Scratch<Eval> sum = switcher.key_switch(a.part(2, 1), key);
  switcher.divide_and_rescale(out.all(), sum.all(), a.part(0, 2));
  return out;
}

RlweCiphertext Rotations::apply(std::span<const RotationStep> path, RlweCiphertext&& reuse) {
  if (path.empty()) return copy(a_, a_.level, work_, std::move(reuse));
  RlweCiphertext at = apply_first(path[0], std::move(reuse));
  if (path.size() == 1) return at;
  digits_.reset();
  for (const RotationStep& step : path.subspan(1)) at = Rotations(at, work_).apply(std::span(&step, 1));
  return at;
}

RlweCiphertext Rotations::apply_first(const RotationStep& step, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *a_.context;
  const KeySwitcher switcher(c, work_, a_.level);
  RlweCiphertext out = make_ciphertext(a_, a_.level, 2, std::move(reuse));
  if (shared_ && !digits_) digits_.emplace(switcher.mod_up(a_.part(1, 1)));
  const Scratch<Eval> sum =
      shared_ ? switcher.inner_product(digits_->all(), *step.key) : switcher.key_switch(a_.component(1), *step.key);
  if (a_.count == 1) {
    switcher.mod_down(out.all(), sum.all(), {a_.part(0, 1), step.galois});
    return out;
  }
  const Scratch<Eval> switched = work_.allocate<Eval>(2 * a_.count, c.chain.data(a_.level), c.chain.data());
  switcher.mod_down(switched.all(), sum.all());
  const Slice<Eval> c0 = switched.all().strided(2, 0, a_.count);
  c.ring.add(work_.stream, c0, c0, a_.component(0));
  c.ring.automorphism(work_.stream, out.all(), switched.all(), step.galois);
  return out;
}

RlweCiphertext sum_slots(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work) {
  RlweCiphertext total = copy(a, a.level, work);
  for (const Path& path : paths) {
    const RlweCiphertext rotated = Rotations(total, work).apply(path);
    add_to(total, rotated, work);
  }
  return total;
}

std::vector<RlweCiphertext> rotate_many(const RlweCiphertext& a, std::span<const Path> paths, Workspace& work) {
  Rotations first(a, work, paths.size() > 1);
  std::vector<RlweCiphertext> out(paths.size());
  // longer paths end the digits that the others share
  for (const bool alone : {true, false}) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if ((paths[i].size() <= 1) == alone) out[i] = first.apply(paths[i]);
    }
  }
  return out;
}

Scratch<Eval> phase(const RlweCiphertext& a, const SecretKey::State& secret, u32 level, Workspace& work) {
  const Ring& ring = a.context->ring;
  const Slice<Eval> components = a.at_level(level), s = secret.ntt_form.all().limbs(components.limbs());
  Scratch<Eval> held = work.allocate_secret<Eval>(1, components.limbs(), a.context->chain.data());
  const Slice<Eval> sum = held.all();
  ring.multiply(work.stream, sum, components.part(a.components - 1, 1), s);  // Horner
  for (u32 i = a.components - 1; i-- > 0;) {
    ring.add(work.stream, sum, sum, components.part(i, 1));
    if (i != 0) ring.multiply(work.stream, sum, sum, s);
  }
  return held;
}

RlweCiphertext encrypt_zero(const SecretKey::State& secret, u32 level, Workspace& work, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *secret.context;
  const Limbs data = c.chain.data(level);
  require_secure(c, data);
  const SampleSeeds seeds{fresh_public_seed(), fresh_secret_seed()};
  RlweCiphertext out = make_ciphertext(secret.context, secret.id, level, 2, std::move(reuse));
  ZeroSampler(c.ring, c.needs.error_factor, work).under_secret(out.all(), secret.ntt_form.all().limbs(data), seeds, 0);
  out.origin = Origin::fresh_secret;
  out.seed = seeds.open;
  return out;
}

RlweCiphertext encrypt_zero(const PublicKey::State& key, u32 level, Workspace& work, RlweCiphertext&& reuse) {
  const KeyContext::State& c = *key.context;
  const SecretSeed hidden = fresh_secret_seed();
  RlweCiphertext out = make_ciphertext(key.context, key.id, level, 2, std::move(reuse));
  ZeroSampler(c.ring, c.needs.error_factor, work)
      .under_public(out.all(), key.pair.all().limbs(c.chain.data(level)), hidden);
  out.origin = Origin::fresh_public;
  return out;
}

RlweCiphertext to(const SharedKeyContext& target, const RlweCiphertext& a) {
  if (a.components == 0) return {};
  require_equal_parameters(*a.context, *target);
  return {target, a.key_id, a.level, a.components, target->ring.receive(a.polynomials), a.untrusted, a.origin, a.seed};
}

}  // namespace ringfort
