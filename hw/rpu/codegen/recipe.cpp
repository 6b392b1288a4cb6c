// SPDX-License-Identifier: Apache-2.0
// Tracks what the index bits select through the steps of a pass, and finds the addressing mode that matches them.
#include "codegen/recipe.h"

#include <algorithm>
#include <stdexcept>

namespace ringfort::rpu {

std::size_t Layout::slot_of(u32 bit) const {
  const auto found = std::find(vector_bits.begin(), vector_bits.end(), bit);
  if (found == vector_bits.end())
    throw std::logic_error("bit " + std::to_string(bit) + " does not select vectors here");
  return static_cast<std::size_t>(found - vector_bits.begin());
}

void Layout::step(const Step& step) {
  if (step.kind == StepKind::expose) {
    const std::size_t slot = slot_of(step.bit);
    vector_bits[slot] = element_bits.back();
    element_bits.pop_back();
    element_bits.insert(element_bits.begin(), step.bit);
  } else if (step.kind == StepKind::hide) {
    const std::size_t slot = slot_of(step.bit);
    vector_bits[slot] = element_bits.front();
    element_bits.erase(element_bits.begin());
    element_bits.push_back(step.bit);
  }
}

u32 address_bit_of(const BitMap& map, u32 bit) {
  return static_cast<u32>(std::find(map.begin(), map.end(), bit) - map.begin());
}

BitMap natural_map(u32 bits) {
  BitMap map;
  for (u32 bit = 0; bit < bits; ++bit) map.push_back(bit);
  return map;
}

Access access_of(const BitMap& element_bits, const BitMap& map) {
  BitMap address_bits;
  for (const u32 bit : element_bits) address_bits.push_back(address_bit_of(map, bit));
  const auto moved = [&address_bits](auto target) {
    for (u32 j = 0; j < address_bits.size(); ++j)
      if (address_bits[j] != target(j)) return false;
    return true;
  };
  if (moved([](u32 j) { return j; })) return {};
  for (u32 v = 1; v < map.size(); ++v) {
    if (moved([v](u32 j) { return j + v; })) return {Mode::stride, static_cast<u8>(v)};
    if (moved([v](u32 j) { return j < v ? j : j + 1; })) return {Mode::skip, static_cast<u8>(v)};
  }
  throw std::logic_error("no addressing mode reaches the elements of this pass");
}

BitMap stored_in_place(const BitMap& before, const Pass& pass) {
  Layout layout{pass.element_bits, pass.vector_bits};
  for (const Step& step : pass.steps) layout.step(step);
  BitMap after = before;
  for (u32 j = 0; j < kElementBits; ++j) after[address_bit_of(before, pass.element_bits[j])] = layout.element_bits[j];
  for (std::size_t k = 0; k < pass.vector_bits.size(); ++k)
    after[address_bit_of(before, pass.vector_bits[k])] = layout.vector_bits[k];
  return after;
}

Recipe mirrored(const Recipe& recipe) {
  Recipe result{recipe.bits, !recipe.inverse, recipe.map(recipe.passes.size()), {}};
  for (std::size_t p = recipe.passes.size(); p-- > 0;) {
    const Pass& pass = recipe.passes[p];
    Layout layout{pass.element_bits, pass.vector_bits};
    std::vector<Step> steps;
    for (const Step& step : pass.steps) {
      Step reverse = step;
      if (step.kind == StepKind::expose) reverse = {StepKind::hide, layout.element_bits.back()};
      if (step.kind == StepKind::hide) reverse = {StepKind::expose, layout.element_bits.front()};
      layout.step(step);
      if (step.kind != StepKind::scale) steps.insert(steps.begin(), reverse);
    }
    result.passes.push_back({layout.element_bits, layout.vector_bits, steps, recipe.map(p)});
  }
  return result;
}

bool in_place(const Recipe& recipe, std::size_t p) {
  const Pass& pass = recipe.passes[p];
  const BitMap &before = recipe.map(p), &after = pass.after;
  const auto of_block = [&pass](u32 bit) {
    return std::find(pass.element_bits.begin(), pass.element_bits.end(), bit) == pass.element_bits.end() &&
           std::find(pass.vector_bits.begin(), pass.vector_bits.end(), bit) == pass.vector_bits.end();
  };
  for (u32 k = 0; k < recipe.bits; ++k)
    if (of_block(before[k]) && before[k] != after[k]) return false;
  return true;
}

}  // namespace ringfort::rpu
