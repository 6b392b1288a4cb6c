// SPDX-License-Identifier: Apache-2.0
#include "rlwe/ciphertext.h"

namespace ringfort {

namespace {

std::string of_level(const Block& block) { return "level " + std::to_string(block.level); }

// Parts that only one operand has.
void copy_rest(Slice<Eval> out, const Block& longer, u32 from, bool negated, Workspace& work) {
  if (longer.parts == from) return;
  const Ring& ring = longer.context->ring;
  const Slice<Eval> rest = longer.part(from, longer.parts - from), to = out.part(from, longer.parts - from);
  if (negated) ring.negate(work.stream, to, rest);
  else ring.copy(work.stream, to, rest);
}

// What is written must be nobody else's.
void own(Block& block, Workspace& work) {
  if (block.polynomials.is_shared()) block = copy(block, block.level, work);
}

}  // namespace

std::size_t block_bytes(const Block& block) noexcept {
  if (block.parts == 0) return 0;
  return std::size_t{block.parts} * block.polynomials.limbs().count * block.context->p.n *
         word_bytes(block.context->ring.word());
}

std::string device_of(const Block& block) {
  return block.context == nullptr ? std::string() : block.context->ring.device().name();
}

std::vector<u64> residues_of(i64 value, const Block& block) {
  std::vector<u64> residues;
  const Limbs limbs = block.polynomials.limbs();
  for (u32 limb = limbs.first; limb < limbs.end(); ++limb)
    residues.push_back(block.context->ring.basis()[limb].reduce_signed(value));
  return residues;
}

Block make_block(const SharedKeyContext& context, u64 key_id, u32 level, u32 parts, Block&& room) {
  Block block;
  block.context = context;
  block.key_id = key_id;
  block.level = level;
  block.parts = parts;
  const bool fits = room.context == context && room.level == level && room.polynomials.batch() >= parts &&
                    !room.polynomials.is_shared();
  if (!fits) room = {};  // before there is more
  block.polynomials =
      fits ? std::move(room.polynomials)
           : context->ring.make<Eval>(parts, context->chain.data(level), Privacy::open, Contents::undefined);
  block.polynomials.keep_contents();
  return block;
}

Block make_block(const Block& like, u32 level, u32 parts, Block&& room) {
  Block block = make_block(like.context, like.key_id, level, parts * like.count, std::move(room));
  block.parts = parts;
  block.count = like.count;
  block.claimed = like.claimed;
  return block;
}

Block make_block(const Block& like, const Block& other, u32 parts, Block&& room) {
  Block block = make_block(like, like.level, parts, std::move(room));
  block.claimed |= other.claimed;
  return block;
}

void require_filled(const Block& block, std::string_view what) {
  if (block.parts != 0) return;
  throw Error(Code::invalid_argument, std::string(what) + " was given an empty ciphertext",
              "encrypt something first; a verb that failed leaves its output empty");
}

void require_pair(const Block& a, const Block& b, std::string_view what) {
  require_filled(a, what);
  require_filled(b, what);
  require_same(a.context, b.context, what);
  require_same_key(a.key_id, b.key_id, what);
  if (a.level == b.level) return;
  throw Error(Code::parameters_mismatch,
              std::string(what) + " was given ciphertexts of " + of_level(a) + " and " + of_level(b),
              "bring the higher one down with mod_switch, or use the automatic evaluator");
}

void require_two_parts(const Block& block, std::string_view what) {
  require_filled(block, what);
  if (block.parts == 2) return;
  throw Error(Code::invalid_argument,
              std::string(what) + " was given a ciphertext of " + std::to_string(block.parts) + " parts",
              "relinearize it first");
}

void require_level(const Block& block, u32 needed, std::string_view what) {
  require_filled(block, what);
  if (block.level >= needed) return;
  throw Error(Code::depth_exhausted,
              std::string(what) + " needs " + std::to_string(needed) + " level" + (needed == 1 ? "" : "s") + ", " +
                  std::to_string(block.level) + " left",
              "use parameters with more data primes, or fewer products one after the other");
}

void require_lower(const Block& block, u32 level, std::string_view what) {
  if (level <= block.level) return;
  throw Error(Code::invalid_argument,
              std::string(what) + " was asked to go from level " + std::to_string(block.level) + " up to " +
                  std::to_string(level),
              "levels only fall; choose 0 .. " + std::to_string(block.level));
}

void require_key(const Block& block, const RelinearizationKey& key, std::string_view what) {
  require_filled(block, what);
  require_same(block.context, key.state()->context, what);
  require_same_key(block.key_id, key.state()->id, what);
}

void require_key(const Block& block, const GaloisKeys& keys, std::string_view what) {
  require_two_parts(block, what);
  require_same(block.context, keys.state()->context, what);
  require_same_key(block.key_id, keys.state()->id, what);
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

Block add(const Block& a, const Block& b, Workspace& work, Block&& room) {
  const u32 common = std::min(a.parts, b.parts);
  Block out = make_block(a, b, std::max(a.parts, b.parts), std::move(room));
  a.context->ring.add(work.stream, out.part(0, common), a.part(0, common), b.part(0, common));
  copy_rest(out.all(), a, common, false, work);
  copy_rest(out.all(), b, common, false, work);
  return out;
}

Block sub(const Block& a, const Block& b, Workspace& work, Block&& room) {
  const u32 common = std::min(a.parts, b.parts);
  Block out = make_block(a, b, std::max(a.parts, b.parts), std::move(room));
  a.context->ring.sub(work.stream, out.part(0, common), a.part(0, common), b.part(0, common));
  copy_rest(out.all(), a, common, false, work);
  copy_rest(out.all(), b, common, true, work);
  return out;
}

Block negate(const Block& a, Workspace& work, Block&& room) {
  Block out = make_block(a, a.level, a.parts, std::move(room));
  a.context->ring.negate(work.stream, out.all(), a.all());
  return out;
}

Block copy(const Block& a, u32 level, Workspace& work, Block&& room) {
  Block out = make_block(a, level, a.parts, std::move(room));
  a.context->ring.copy(work.stream, out.all(), a.at(level));
  return out;
}

Block clone(const Block& a) {
  if (a.parts == 0) return {};
  return {a.context, a.key_id, a.level, a.parts, a.polynomials.share(), a.claimed, a.origin, a.seed};
}

Block multiply(const Block& a, const Block& b, Workspace& work, Block&& room) {
  Block out = make_block(a, b, 3, std::move(room));
  a.context->ring.tensor(work.stream, out.all(), a.all(), b.all());
  return out;
}

void add_to(Block& sum, const Block& a, Workspace& work) {
  if (sum.parts < a.parts || sum.polynomials.is_shared()) {
    sum = add(sum, a, work);
    return;
  }
  sum.claimed |= a.claimed;
  const Slice<Eval> common = sum.part(0, a.parts);
  a.context->ring.add(work.stream, common, common, a.all());
}

void add_tensor(const Ring& ring, Stream s, Slice<Eval> sum, Slice<Eval> a, Slice<Eval> b) {
  for (const u32 part : {0u, 1u}) ring.inner_product(s, sum.part(part, 2), a, b.part(part, 1), 1, true);
}

void add_product_to(Block& sum, const Block& a, const Block& b, Workspace& work) {
  if (sum.parts == 2) {
    Block product = multiply(a, b, work);
    add_to(product, sum, work);
    sum = std::move(product);
    return;
  }
  own(sum, work);
  sum.claimed |= a.claimed || b.claimed;
  add_tensor(a.context->ring, work.stream, sum.all(), a.all(), b.all());
}

void add_plain_product_to(Block& sum, const Block& a, Slice<Eval> plain, Workspace& work) {
  if (sum.parts < a.parts) return add_to(sum, multiply_plain(a, plain, work), work);
  own(sum, work);
  sum.claimed |= a.claimed;
  a.context->ring.multiply_add(work.stream, sum.part(0, a.parts), a.all(), plain);
}

Block add_plain(const Block& a, Slice<Eval> plain, Workspace& work, Block&& room) {
  Block out = make_block(a, a.level, a.parts, std::move(room));
  a.context->ring.add(work.stream, out.part(0, 1), a.part(0, 1), plain);
  copy_rest(out.all(), a, 1, false, work);
  return out;
}

Block sub_plain(const Block& a, Slice<Eval> plain, Workspace& work, Block&& room) {
  Block out = make_block(a, a.level, a.parts, std::move(room));
  a.context->ring.sub(work.stream, out.part(0, 1), a.part(0, 1), plain);
  copy_rest(out.all(), a, 1, false, work);
  return out;
}

Block multiply_plain(const Block& a, Slice<Eval> plain, Workspace& work, Block&& room) {
  Block out = make_block(a, a.level, a.parts, std::move(room));
  a.context->ring.multiply(work.stream, out.all(), a.all(), plain);
  return out;
}

Block multiply_scalar(const Block& a, std::span<const u64> residues, Workspace& work, Block&& room) {
  Block out = make_block(a, a.level, a.parts, std::move(room));
  a.context->ring.multiply_scalar(work.stream, out.all(), a.all(), residues);
  return out;
}

Block rescale(const Block& a, Workspace& work, Block&& room) {
  const KeyContext::State& c = *a.context;
  Block out = make_block(a, a.level - 1, a.parts, std::move(room));
  const Scratch<Coeff> dropped = work.take<Coeff>(a.parts * a.count, c.chain.last_group(a.level), c.chain.data());
  c.ring.mod_down(work.stream, out.all(), a.all(), dropped.all(), c.needs.error_factor);
  return out;
}

Block relinearize(const Block& a, const SwitchKey& key, Workspace& work, Block&& room) {
  Block out = make_block(a, a.level, 2, std::move(room));
  const KeySwitcher switcher(*a.context, work, a.level);
  const Scratch<Eval> sum = switcher.run(a.each(2), key);
  if (a.count == 1) {
    switcher.divide(out.all(), sum.all(), {a.part(0, 2)});
    return out;
  }
  switcher.divide(out.all(), sum.all());
  for (const u32 part : {0u, 1u}) a.context->ring.add(work.stream, out.each(part), out.each(part), a.each(part));
  return out;
}

Block relinearize_rescale(const Block& a, const SwitchKey& key, Workspace& work, Block&& room) {
  if (a.count != 1) return rescale(relinearize(a, key, work), work, std::move(room));
  Block out = make_block(a, a.level - 1, 2, std::move(room));
  const KeySwitcher switcher(*a.context, work, a.level);
  const Scratch<Eval> sum = switcher.run(a.part(2, 1), key);
  switcher.divide_and_rescale(out.all(), sum.all(), a.part(0, 2));
  return out;
}

Block Rotations::apply(std::span<const RotationStep> path, Block&& room) {
  if (path.empty()) return copy(a_, a_.level, work_, std::move(room));
  Block at = apply_first(path[0], std::move(room));
  if (path.size() == 1) return at;
  digits_.reset();
  for (const RotationStep& step : path.subspan(1)) at = Rotations(at, work_).apply(std::span(&step, 1));
  return at;
}

Block Rotations::apply_first(const RotationStep& step, Block&& room) {
  const KeyContext::State& c = *a_.context;
  const KeySwitcher switcher(c, work_, a_.level);
  Block out = make_block(a_, a_.level, 2, std::move(room));
  if (shared_ && !digits_) digits_.emplace(switcher.decompose(a_.part(1, 1)));
  const Scratch<Eval> sum = shared_ ? switcher.apply(digits_->all(), *step.key) : switcher.run(a_.each(1), *step.key);
  if (a_.count == 1) {
    switcher.divide(out.all(), sum.all(), {a_.part(0, 1), step.galois});
    return out;
  }
  const Scratch<Eval> switched = work_.take<Eval>(2 * a_.count, c.chain.data(a_.level), c.chain.data());
  switcher.divide(switched.all(), sum.all());
  const Slice<Eval> c0 = switched.all().every(2, 0, a_.count);
  c.ring.add(work_.stream, c0, c0, a_.each(0));
  c.ring.automorphism(work_.stream, out.all(), switched.all(), step.galois);
  return out;
}

Block sum_slots(const Block& a, std::span<const Path> paths, Workspace& work) {
  Block total = copy(a, a.level, work);
  for (const Path& path : paths) {
    const Block turned = Rotations(total, work).apply(path);
    add_to(total, turned, work);
  }
  return total;
}

std::vector<Block> rotate_many(const Block& a, std::span<const Path> paths, Workspace& work) {
  Rotations first(a, work, paths.size() > 1);
  std::vector<Block> out(paths.size());
  // longer paths end the digits that the others share
  for (const bool alone : {true, false}) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if ((paths[i].size() <= 1) == alone) out[i] = first.apply(paths[i]);
    }
  }
  return out;
}

Scratch<Eval> phase(const Block& a, const SecretKey::State& secret, u32 level, Workspace& work) {
  const Ring& ring = a.context->ring;
  const Slice<Eval> parts = a.at(level), s = secret.hat.all().limbs(parts.limbs());
  Scratch<Eval> held = work.take_secret<Eval>(1, parts.limbs(), a.context->chain.data());
  const Slice<Eval> sum = held.all();
  ring.multiply(work.stream, sum, parts.part(a.parts - 1, 1), s);  // Horner
  for (u32 i = a.parts - 1; i-- > 0;) {
    ring.add(work.stream, sum, sum, parts.part(i, 1));
    if (i != 0) ring.multiply(work.stream, sum, sum, s);
  }
  return held;
}

Block encrypt_zero(const SecretKey::State& secret, u32 level, Workspace& work, Block&& room) {
  const KeyContext::State& c = *secret.context;
  const Limbs data = c.chain.data(level);
  require_secure(c, data);
  const SampleSeeds seeds{fresh_public_seed(), fresh_secret_seed()};
  Block out = make_block(secret.context, secret.id, level, 2, std::move(room));
  ZeroSampler(c.ring, c.needs.error_factor, work).under_secret(out.all(), secret.hat.all().limbs(data), seeds, 0);
  out.origin = Origin::fresh_secret;
  out.seed = seeds.open;
  return out;
}

Block encrypt_zero(const PublicKey::State& key, u32 level, Workspace& work, Block&& room) {
  const KeyContext::State& c = *key.context;
  const SecretSeed hidden = fresh_secret_seed();
  Block out = make_block(key.context, key.id, level, 2, std::move(room));
  ZeroSampler(c.ring, c.needs.error_factor, work)
      .under_public(out.all(), key.pair.all().limbs(c.chain.data(level)), hidden);
  out.origin = Origin::fresh_public;
  return out;
}

Block to(const SharedKeyContext& target, const Block& a) {
  if (a.parts == 0) return {};
  require_equal_parameters(*a.context, *target);
  return {target, a.key_id, a.level, a.parts, target->ring.receive(a.polynomials), a.claimed, a.origin, a.seed};
}

}  // namespace ringfort
