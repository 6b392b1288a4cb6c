// SPDX-License-Identifier: Apache-2.0
// Tracks what the index bits select through the steps of a pass, and finds the addressing mode that matches them.
#include "codegen/recipe.h"

#include <algorithm>
#include <stdexcept>

namespace ringfort::rpu {

std::size_t Layout::slot_of(u32 bit) const {
  const auto place = std::find(held.begin(), held.end(), bit);
  if (place == held.end()) throw std::logic_error("bit " + std::to_string(bit) + " does not number vectors here");
  return static_cast<std::size_t>(place - held.begin());
}

void Layout::step(const Step& step) {
  if (step.kind == StepKind::expose) {
    const std::size_t slot = slot_of(step.bit);
    held[slot] = element_bits.back();
    element_bits.pop_back();
    element_bits.insert(element_bits.begin(), step.bit);
  } else if (step.kind == StepKind::hide) {
    const std::size_t slot = slot_of(step.bit);
    held[slot] = element_bits.front();
    element_bits.erase(element_bits.begin());
    element_bits.push_back(step.bit);
  }
}

u32 place_of(const BitMap& map, u32 bit) {
  return static_cast<u32>(std::find(map.begin(), map.end(), bit) - map.begin());
}

BitMap natural_map(u32 bits) {
  BitMap map;
  for (u32 bit = 0; bit < bits; ++bit) map.push_back(bit);
  return map;
}

Access access_of(const BitMap& element_bits, const BitMap& map) {
  BitMap places;
  for (const u32 bit : element_bits) places.push_back(place_of(map, bit));
  const auto moved = [&places](auto place) {
    for (u32 j = 0; j < places.size(); ++j)
      if (places[j] != place(j)) return false;
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
  Layout layout{pass.element_bits, pass.held};
  for (const Step& step : pass.steps) layout.step(step);
  BitMap after = before;
  for (u32 j = 0; j < kElementBits; ++j) after[place_of(before, pass.element_bits[j])] = layout.element_bits[j];
  for (std::size_t k = 0; k < pass.held.size(); ++k) after[place_of(before, pass.held[k])] = layout.held[k];
  return after;
}

Recipe mirrored(const Recipe& recipe) {
  Recipe result{recipe.bits, !recipe.inverse, recipe.map(recipe.passes.size()), {}};
  for (std::size_t p = recipe.passes.size(); p-- > 0;) {
    const Pass& pass = recipe.passes[p];
    Layout layout{pass.element_bits, pass.held};
    std::vector<Step> steps;
    for (const Step& step : pass.steps) {
      Step reverse = step;
      if (step.kind == StepKind::expose) reverse = {StepKind::hide, layout.element_bits.back()};
      if (step.kind == StepKind::hide) reverse = {StepKind::expose, layout.element_bits.front()};
      layout.step(step);
      if (step.kind != StepKind::scale) steps.insert(steps.begin(), reverse);
    }
    result.passes.push_back({layout.element_bits, layout.held, steps, recipe.map(p)});
  }
  return result;
}

bool in_place(const Recipe& recipe, std::size_t p) {
  const Pass& pass = recipe.passes[p];
  const BitMap &before = recipe.map(p), &after = pass.after;
  const auto of_block = [&pass](u32 bit) {
    return std::find(pass.element_bits.begin(), pass.element_bits.end(), bit) == pass.element_bits.end() &&
           std::find(pass.held.begin(), pass.held.end(), bit) == pass.held.end();
  };
  for (u32 place = 0; place < recipe.bits; ++place)
    if (of_block(before[place]) && before[place] != after[place]) return false;
  return true;
}

}  // namespace ringfort::rpu
