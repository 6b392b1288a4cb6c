// SPDX-License-Identifier: Apache-2.0
// Builds the recipes of rules.h step by step. The class Exposer decides after which stage a finished bit becomes an
// element bit. A bit is finished when its stage is done.
#include "codegen/rules.h"

#include <algorithm>

namespace ringfort::rpu {
namespace {

constexpr u32 kRectangleBits = 4;  // the paper's largest transform in registers has 8K coefficients, in 16 vectors

BitMap element_bits_of(const BitMap& map) { return {map.begin(), map.begin() + kElementBits}; }

// Returns the bits from `high` down to `low`.
std::vector<u32> falling(u32 high, u32 low) {
  std::vector<u32> bits;
  for (u32 bit = high + 1; bit-- > low;) bits.push_back(bit);
  return bits;
}

bool contains(const std::vector<u32>& bits, u32 bit) { return std::find(bits.begin(), bits.end(), bit) != bits.end(); }

// Adds stages to a pass, and exposures after the stages. A finished bit is exposed when more than `slack` finished bits
// wait. It is also exposed when the next stage is on an element bit, because each exposure frees one element bit.
class Exposer {
 public:
  Exposer(Pass& pass, u32 exposures, u32 slack)
      : pass_(pass),
        layout_{pass.element_bits, pass.vector_bits},
        exposures_(exposures),
        slack_(slack) {}

  void stage(u32 bit) {
    while (!contains(layout_.vector_bits, bit)) expose();
    pass_.steps.push_back({StepKind::stage, bit});
    finished_.push_back(bit);
    while (finished_.size() > slack_ && exposures_ > 0) expose();
  }

 private:
  void expose() {
    const Step step{StepKind::expose, finished_.front()};
    layout_.step(step);
    pass_.steps.push_back(step);
    finished_.erase(finished_.begin());
    --exposures_;
  }

  Pass& pass_;
  Layout layout_;
  std::vector<u32> finished_;
  u32 exposures_;
  u32 slack_;
};

}  // namespace

Recipe pease(u32 bits) {
  Recipe recipe{bits, false, natural_map(bits), {}};
  const bool one_pass = bits <= kElementBits + kRectangleBits;
  for (u32 next = bits; next > 0;) {
    const BitMap& before = recipe.map(recipe.passes.size());
    const u32 end = one_pass || next < kRectangleBits ? 0 : next - kRectangleBits;
    Pass pass{element_bits_of(before), {}, {}, natural_map(bits)};
    for (u32 bit = next; bit-- > end;)
      if (!contains(pass.element_bits, bit)) pass.vector_bits.push_back(bit);
    for (u32 bit = bits; bit-- > 0 && pass.vector_bits.size() < std::min(kRectangleBits, bits - kElementBits);)
      if (!contains(pass.element_bits, bit) && !contains(pass.vector_bits, bit))
        pass.vector_bits.insert(pass.vector_bits.begin(), bit);
    for (; next > end; --next) {
      pass.steps.push_back({StepKind::stage, next - 1});
      if (next > 1) pass.steps.push_back({StepKind::expose, next - 1});
    }
    if (end > 0) pass.after = stored_in_place(before, pass);
    recipe.passes.push_back(pass);
  }
  return recipe;
}

u32 split_border(u32 bits) {
  const u32 vector_bits = bits - kElementBits;
  return vector_bits > kBlockBits ? kElementBits + vector_bits / 2 : bits;
}

Recipe split(u32 bits, u32 twist) {
  Recipe recipe{bits, false, natural_map(bits), {}};
  u32 next = split_border(bits);  // the stages on this bit and on higher bits are done
  if (next < bits) {
    Pass upper{element_bits_of(recipe.before), falling(bits - 1, next), {}, recipe.before};
    for (const u32 bit : upper.vector_bits) upper.steps.push_back({StepKind::stage, bit});
    recipe.passes.push_back(upper);
  }
  Pass lower{element_bits_of(recipe.before), falling(next - 1, kElementBits), {}, recipe.before};
  if (twist == next) lower.steps.push_back({StepKind::twist, twist});
  while (next-- > 0) {
    lower.steps.push_back({StepKind::stage, next});
    if (next <= kElementBits && next > 0) lower.steps.push_back({StepKind::expose, next});
    if (next == twist && twist != 0) lower.steps.push_back({StepKind::twist, twist});
  }
  recipe.passes.push_back(lower);
  return recipe;
}

Recipe early(u32 bits, bool lazy) {
  Recipe recipe{bits, false, natural_map(bits), {}};
  Pass pass{element_bits_of(recipe.before), falling(bits - 1, kElementBits), {}, {}};
  Exposer steps(pass, kElementBits, lazy ? 1 : 0);
  for (u32 next = bits; next-- > 0;) steps.stage(next);
  pass.after = stored_in_place(recipe.before, pass);
  recipe.passes.push_back(pass);
  return recipe;
}

Recipe paired(u32 bits, const std::vector<u32>& stages, u32 twist) {
  Recipe recipe{bits, false, natural_map(bits), {}};
  // stages on bits from `next` up are done; bits below `inside` select elements
  u32 next = bits, inside = kElementBits;
  for (const u32 count : stages) {
    const BitMap before = recipe.map(recipe.passes.size());
    Pass pass{element_bits_of(before), falling(next - 1, next - count), {}, {}};
    Exposer steps(pass, kFirstExposures, 0);
    for (const u32 bit : pass.vector_bits) steps.stage(bit);
    pass.after = stored_in_place(before, pass);
    recipe.passes.push_back(pass);
    next -= count;
    inside -= kFirstExposures;
  }
  const BitMap before = recipe.map(recipe.passes.size());
  Pass last{element_bits_of(before), falling(next - 1, inside), {}, {}};
  if (twist == next) last.steps.push_back({StepKind::twist, twist});
  while (next-- > 0) {
    last.steps.push_back({StepKind::stage, next});
    if (next == twist && twist != 0) last.steps.push_back({StepKind::twist, twist});
    if (next <= inside && next > 0) last.steps.push_back({StepKind::expose, next});
  }
  last.after = stored_in_place(before, last);
  recipe.passes.push_back(last);
  return recipe;
}

Recipe strided(u32 bits, u32 shuffled) {
  if (bits <= kElementBits + kBlockBits) {
    Recipe recipe = early(bits, true);
    recipe.passes.back().after = natural_map(bits);
    return recipe;
  }
  constexpr u32 kExposedFirst =
      kElementBits + kRectangleBits - 1;  // at the end, the nine bits from this one down select elements
  constexpr u32 kMiddleEnd = kExposedFirst - kRectangleBits;  // the last pass has the stages below it
  Recipe recipe{bits, false, natural_map(bits), {}};
  Pass upper{element_bits_of(recipe.before), falling(bits - 1, kExposedFirst), {}, {}};
  for (const u32 bit : upper.vector_bits) upper.steps.push_back({StepKind::stage, bit});
  upper.steps.push_back({StepKind::expose, kExposedFirst});
  upper.after = stored_in_place(recipe.before, upper);

  Pass middle{element_bits_of(upper.after), falling(kExposedFirst - 1, kMiddleEnd), {}, {}};
  BitMap element_bits = middle.element_bits;
  for (const u32 bit : middle.vector_bits) {
    middle.steps.push_back({StepKind::stage, bit});
    if (kExposedFirst - bit > shuffled) continue;
    middle.steps.push_back({StepKind::expose, bit});
    element_bits.pop_back();
    element_bits.insert(element_bits.begin(), bit);
  }
  for (u32 bit = kMiddleEnd; bit < kExposedFirst - shuffled; ++bit) middle.after.push_back(bit);
  middle.after.insert(middle.after.end(), element_bits.begin(), element_bits.end());
  for (u32 bit = 0; bit < bits; ++bit)
    if (!contains(middle.after, bit)) middle.after.push_back(bit);

  Pass last{element_bits_of(middle.after), falling(kMiddleEnd - 1, kMiddleEnd - kRectangleBits), {}, recipe.before};
  Exposer steps(last, kRectangleBits, 0);
  for (u32 bit = kMiddleEnd; bit-- > 0;) steps.stage(bit);
  recipe.passes = {upper, middle, last};
  return recipe;
}

}  // namespace ringfort::rpu
