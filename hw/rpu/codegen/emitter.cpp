// SPDX-License-Identifier: Apache-2.0
// Emits the passes of a recipe (recipe.h) block by block: loads vectors, applies the steps, and stores vectors. The
// bits of a coefficient's index determine the root of each butterfly.
#include "codegen/emitter.h"

#include <algorithm>
#include <tuple>

namespace ringfort::rpu {
namespace {

bool holds(const std::vector<u32>& bits, u32 bit) { return std::find(bits.begin(), bits.end(), bit) != bits.end(); }

// Values that one instruction reads must be in different register memories. A constant that many instructions read
// together with different values would leave few memories for these values. Therefore a block loads the constant again,
// into another register, after this number of uses.
constexpr u32 kUsesOfCopy = 4;

// Puts bit k of `value` at bit position bits[k].
u32 spread(u32 value, const std::vector<u32>& bits) {
  u32 result = 0;
  for (std::size_t k = 0; k < bits.size(); ++k) result |= ((value >> k) & 1U) << bits[k];
  return result;
}

std::vector<u32> lowest_first(const std::vector<u32>& bits) { return {bits.rbegin(), bits.rend()}; }

// Returns the index bits that form the number of a block of a pass, lowest first.
std::vector<u32> block_bits(const Recipe& recipe, u32 pass) {
  std::vector<u32> bits;
  for (u32 bit = 0; bit < recipe.bits; ++bit)
    if (!holds(recipe.passes[pass].element_bits, bit) && !holds(recipe.passes[pass].vector_bits, bit))
      bits.push_back(bit);
  return bits;
}

u32 twist_before(const Recipe& recipe, u32 pass) {
  for (u32 p = 0; p < pass; ++p)
    for (const Step& step : recipe.passes[p].steps)
      if (step.kind == StepKind::twist) return step.bit;
  return 0;
}

Layout final_layout(const Pass& pass) {
  Layout layout{pass.element_bits, pass.vector_bits};
  for (const Step& step : pass.steps) layout.step(step);
  return layout;
}

u32 below(u32 index, u32 bit) { return index & ((1U << bit) - 1); }

}  // namespace

u32 blocks_of(const Recipe& recipe, u32 pass) { return 1U << block_bits(recipe, pass).size(); }

Emitter::Emitter(Plan& plan, const std::vector<TransformField>& limbs, Residency residency)
    : plan_(plan),
      limbs_(limbs),
      residency_(residency) {}

void Emitter::stretch(const std::function<void()>& body) {
  for (auto& [constant, use] : uses_) use.blocks = use.times = 0;
  residents_.clear();
  resident_addresses_.clear();
  counting_ = true;
  scratch_ = {};
  stretch_begin_ = block_;
  body();
  counting_ = false;
  choose_residents();
  body();
}

void Emitter::choose_residents() {
  std::vector<const Use*> candidates;
  const bool one_block = block_ == stretch_begin_ + 1;
  for (const auto& [constant, use] : uses_)
    if (use.blocks > 1 || (one_block && use.times > 1)) candidates.push_back(&use);
  std::sort(candidates.begin(), candidates.end(), [](const Use* a, const Use* b) {
    return std::tuple(b->blocks, b->times, a->address) < std::tuple(a->blocks, a->times, b->address);
  });
  if (candidates.size() > residency_.limit) candidates.resize(residency_.limit);
  for (const Use* use : candidates) resident_addresses_.insert(use->address);
  plan_.residents = std::max(plan_.residents, static_cast<u32>(candidates.size()));
}

void Emitter::begin_block() {
  flow().begin_block();
  block_constants_.clear();
  ++block_;
}

std::vector<u32> Emitter::addresses(const PassBlock& block, const Layout& layout, const BitMap& map, u32 base) {
  const auto address_bits_of = [&map](std::vector<u32> bits) {
    for (u32& bit : bits) bit = address_bit_of(map, bit);
    return bits;
  };
  const u32 first = base + spread(block.index, address_bits_of(block_bits(block.recipe, block.pass)));
  const auto vector_bits = address_bits_of(lowest_first(layout.vector_bits));
  std::vector<u32> result(std::size_t{1} << vector_bits.size());
  for (u32 v = 0; v < result.size(); ++v) result[v] = first + spread(v, vector_bits);
  return result;
}

Column Emitter::load(const PassBlock& block, u32 base) {
  const Pass& pass = block.recipe.passes[block.pass];
  const BitMap& map = block.recipe.map(block.pass);
  const Access access = access_of(pass.element_bits, map);
  Column column;
  for (const u32 address : addresses(block, {pass.element_bits, pass.vector_bits}, map, base))
    column.push_back(flow().load(address, access.mode, access.value));
  return column;
}

Column Emitter::load_stored(const PassBlock& block, u32 base) {
  const Pass& pass = block.recipe.passes[block.pass];
  const Layout layout = final_layout(pass);
  const Access access = access_of(layout.element_bits, pass.after);
  Column column;
  for (const u32 address : addresses(block, layout, pass.after, base))
    column.push_back(flow().load(address, access.mode, access.value));
  return column;
}

void Emitter::store(const PassBlock& block, const Column& column, u32 base) {
  const Pass& pass = block.recipe.passes[block.pass];
  const Layout layout = final_layout(pass);
  const Access access = access_of(layout.element_bits, pass.after);
  const std::vector<u32> at = addresses(block, layout, pass.after, base);
  for (std::size_t v = 0; v < at.size(); ++v) flow().store(column[v], at[v], access.mode, access.value);
}

void Emitter::steps(const PassBlock& block, Column& column) {
  const Pass& pass = block.recipe.passes[block.pass];
  twist_ = twist_before(block.recipe, block.pass);
  Layout layout{pass.element_bits, pass.vector_bits};
  for (const Step& step : pass.steps) {
    if (step.kind == StepKind::stage || step.kind == StepKind::unfused) butterflies(block, layout, step, column);
    else if (step.kind == StepKind::expose || step.kind == StepKind::hide) shuffles(layout, step, column);
    else products(block, layout, step, column);
    layout.step(step);
    if (step.kind == StepKind::twist) twist_ = step.bit;
  }
}

void Emitter::butterflies(const PassBlock& block, const Layout& layout, const Step& step, Column& column) {
  const TransformField& field = limbs_[block.limb];
  const u32 bit = step.bit;
  const u32 bits = block.recipe.bits, half = 1U << (layout.vector_bits.size() - 1 - layout.slot_of(bit));
  const u32 top = twist_ == 0 ? bits : twist_, order = 2U << bits;
  const Exponent forward = [&field, bit, top, this](u32 index) {
    return stage_exponent(field.n, top - 1 - bit, below(index, top) >> (bit + 1), field.negacyclic && twist_ == 0);
  };
  const Exponent inverse = [bit, order, this](u32 index) {
    return (order - (below(index, bit) - below(index, std::min(bit, twist_))) * (order >> (bit + 1))) % order;
  };
  for (u32 v = 0; v < column.size(); ++v) {
    if ((v & half) != 0) continue;
    const ValueId root = value_of(constant_of(block, layout, v, block.recipe.inverse ? inverse : forward));
    const auto [sum, difference] = butterfly(column[v], column[v + half], root, block.limb, step.kind);
    column[v] = sum;
    column[v + half] = difference;
  }
}

std::array<ValueId, 2> Emitter::butterfly(ValueId addend, ValueId factor, ValueId root, u32 limb, StepKind kind) {
  const auto modulus = static_cast<u8>(limb);
  if (kind == StepKind::stage) return flow().butterfly(addend, factor, root, modulus);
  const ValueId product = flow().combine(Op::vmulmod, factor, root, modulus);
  return {flow().combine(Op::vaddmod, product, addend, modulus), flow().combine(Op::vsubmod, addend, product, modulus)};
}

void Emitter::shuffles(const Layout& layout, const Step& step, Column& column) {
  const bool expose = step.kind == StepKind::expose;
  const u32 half = 1U << (layout.vector_bits.size() - 1 - layout.slot_of(step.bit));
  for (u32 v = 0; v < column.size(); ++v) {
    if ((v & half) != 0) continue;
    const ValueId low = column[v], high = column[v + half];
    column[v] = flow().combine(expose ? Op::unpklo : Op::pklo, low, high);
    column[v + half] = flow().combine(expose ? Op::unpkhi : Op::pkhi, low, high);
  }
}

void Emitter::products(const PassBlock& block, const Layout& layout, const Step& step, Column& column) {
  const TransformField& field = limbs_[block.limb];
  const u32 bits = block.recipe.bits, order = 2U << bits, odd = field.negacyclic ? 1 : 0;
  const bool inverse = block.recipe.inverse;
  const Exponent twist = [=](u32 index) {
    const u32 e = below(index, step.bit) * (2 * reversed(index >> step.bit, bits - step.bit) + odd) % order;
    return inverse ? (order - e) % order : e;
  };
  const Exponent scale = [=](u32 index) {
    return (order - odd * (below(index, step.end) - below(index, step.bit))) % order;
  };
  for (u32 v = 0; v < column.size(); ++v) {
    Constant constant = constant_of(block, layout, v, step.kind == StepKind::twist ? twist : scale);
    constant.over_n = inverse && (step.kind == StepKind::twist || step.bit == 0);
    column[v] = product(column[v], constant);
  }
}

Emitter::Constant Emitter::constant_of(const PassBlock& block, const Layout& layout, u32 vector, const Exponent& e) {
  const u32 index =
      spread(vector, lowest_first(layout.vector_bits)) | spread(block.index, block_bits(block.recipe, block.pass));
  Constant constant{block.limb, false, std::vector<u32>(kVectorLength)};
  for (u32 i = 0; i < kVectorLength; ++i) constant.exponents[i] = e(index | spread(i, layout.element_bits));
  std::vector<u32>& all = constant.exponents;
  for (auto half = static_cast<std::ptrdiff_t>(kVectorLength / 2);
       half > 0 && std::equal(all.begin(), all.begin() + half, all.begin() + half); half /= 2)
    all.resize(static_cast<std::size_t>(half));
  return constant;
}

Emitter::Use& Emitter::use_of(const Constant& constant) {
  const auto [entry, inserted] = uses_.try_emplace(constant);
  Use& use = entry->second;
  if (!inserted) return use;
  while (residency_.aligned && plan_.words() % constant.exponents.size() != 0) plan_.table.push_back(0);
  use.address = plan_.words();
  use.log_period = static_cast<u32>(std::countr_zero(constant.exponents.size()));
  for (u32 i = 0; i < constant.exponents.size(); ++i) plan_.table.push_back(word_of(constant, i));
  return use;
}

u128 Emitter::word_of(const Constant& constant, u32 i) const {
  const TransformField& field = limbs_[constant.limb];
  const u128 power = field.power_of(constant.exponents[i]);
  return constant.over_n ? field.q.multiply(power, field.inverse_n) : power;
}

ValueId Emitter::value_of(const Constant& constant) {
  Use& use = use_of(constant);
  if (counting_) ++use.times;
  if (counting_ && use.last_block != block_) ++use.blocks;
  use.last_block = block_;
  if (resident_addresses_.contains(use.address)) {
    const auto [entry, inserted] = residents_.try_emplace(use.address, 0);
    if (inserted) entry->second = load_constant(use, ValueKind::constant);
    return entry->second;
  }
  Copy& copy = block_constants_[use.address];
  const u32 most = residency_.others == ValueKind::data ? kUsesOfCopy : ~0U;
  if (copy.uses++ % most == 0) copy.value = load_constant(use, residency_.others);
  return copy.value;
}

ValueId Emitter::load_constant(const Use& use, ValueKind kind) {
  const bool whole = use.log_period == kElementBits;
  return flow().load(use.address, whole ? Mode::linear : Mode::repeat, whole ? u8{0} : static_cast<u8>(use.log_period),
                     kind);
}

// Multiplies by a scalar if all elements have the same factor. Does nothing if this factor is 1.
ValueId Emitter::product(ValueId value, const Constant& constant) {
  const auto limb = static_cast<u8>(constant.limb);
  if (constant.exponents.size() == 1) {
    if (constant.exponents[0] == 0 && !constant.over_n) return value;
    const bool known = scalars_.contains(constant);
    if (!known && scalars_.size() < kRegisters) {
      scalars_[constant] = static_cast<u8>(plan_.scalars.size());
      plan_.scalars.push_back(word_of(constant, 0));
    }
    if (scalars_.contains(constant)) return flow().scaled(Op::vsmulmod, value, scalars_[constant], limb);
  }
  return flow().combine(Op::vmulmod, value, value_of(constant), limb);
}

}  // namespace ringfort::rpu
