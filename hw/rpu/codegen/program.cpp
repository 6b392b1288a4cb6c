// SPDX-License-Identifier: Apache-2.0
#include "codegen/program.h"

#include <algorithm>
#include <random>

#include "codegen/pease.h"
#include "codegen/roots.h"
#include "sim/functional.h"
#include "sim/refusal.h"

namespace ringfort::rpu {
namespace {

constexpr double kJitter = 8;  // ranks; of 3, 8 and 20 the best at 64K on (128, 128)

TransformLayout layout_of(u32 n) { return {n, 0, n, 2 * n}; }

void check_request(const TransformRequest& request) {
  if (request.n < kLeastTransform || request.n > kLargestTransform || !std::has_single_bit(request.n))
    throw Refusal("n = " + std::to_string(request.n) + " is not a power of two in 1024 .. 131072",
                  "choose one of them");
  if (request.tries == 0) throw Refusal("no schedule is to be tried", "ask for at least one");
  const u32 words = 3 * request.n;
  if (request.machine.vdm_words < words)
    throw Refusal("a transform of " + std::to_string(request.n) + " needs " + std::to_string(words) +
                      " words of vdm (two buffers and the roots), the machine has " +
                      std::to_string(request.machine.vdm_words),
                  "set vdm_words=" + std::to_string(words) + " or choose a smaller n");
}

Schedule best_schedule(const Dataflow& flow, const TransformRequest& request) {
  Schedule best;
  const u32 tries = request.optimizer == Optimizer::none ? 1 : request.tries;
  for (u32 i = 0; i < tries; ++i) {
    // the first try has no jitter; the seeds of the others depend on the request alone
    const u64 seed = i == 0 ? 0 : request.seed * request.tries + i;
    Schedule next = schedule(flow, request.machine, {request.optimizer, seed, kJitter});
    if (best.code.empty() || next.cycles < best.cycles) best = std::move(next);
  }
  return best;
}

Image link(const Schedule& schedule, const TransformLayout& layout, const Modulus& q, std::vector<u128> roots) {
  Image image;
  for (const Instruction& instruction : schedule.code) image.code.push_back(encode(instruction));
  image.kernels = {{"ntt", 0, static_cast<u32>(image.code.size())}};
  image.segments = {{Space::vdm, layout.roots, std::move(roots)},
                    {Space::sdm, kModulusWord, {q.value(), q.reduction_constant(), 0}}};
  image.symbols = {{"x", Space::vdm, layout.input, layout.n},
                   {"y", Space::vdm, layout.work, layout.n},
                   {"roots", Space::vdm, layout.roots, layout.n},
                   {"q", Space::sdm, kModulusWord, 2},
                   {"zero", Space::sdm, kZeroWord, 1}};
  image.vdm_words = layout.roots + layout.n;
  image.sdm_words = kZeroWord + 1;
  return image;
}

bool computes_transform(const Program& program, const TransformRequest& request, const std::vector<u128>& roots,
                        const std::vector<u128>& input) {
  Functional simulator(request.machine, program.image);
  auto& memory = simulator.state().vdm;
  std::copy(input.begin(), input.end(), memory.begin());
  if (simulator.run(program.image.kernel("ntt")).trap != Trap::none) return false;
  const Modulus q(request.modulus);
  const Symbol& result = program.image.symbol(program.result);
  std::vector<u128> expected = input;
  reference_transform(q, roots, expected);
  return std::equal(expected.begin(), expected.end(), memory.begin() + result.address);
}

}  // namespace

Program forward_transform(const TransformRequest& request) {
  check_request(request);
  const Modulus q(request.modulus);
  const TransformLayout layout = layout_of(request.n);
  std::vector<u128> roots = root_powers(q, minimal_root(q, request.n), request.n);
  const Schedule schedule = best_schedule(pease(layout), request);
  Program program{link(schedule, layout, q, std::move(roots)), pease_passes(request.n) % 2 == 0 ? "x" : "y",
                  schedule.cycles};
  if (!verify_transform(program, request, request.seed))
    throw std::logic_error("the generated program does not compute the transform");
  return program;
}

bool verify_transform(const Program& program, const TransformRequest& request, u64 seed) {
  const Modulus q(request.modulus);
  const std::vector<u128> roots = root_powers(q, minimal_root(q, request.n), request.n);
  std::mt19937_64 random(seed);
  std::vector<u128> input(request.n);
  for (u128& value : input) value = ((static_cast<u128>(random()) << 64) | random()) % request.modulus;
  if (!computes_transform(program, request, roots, input)) return false;
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = i % 3 == 0 ? request.modulus - 1 : i % 3 - 1;
  return computes_transform(program, request, roots, input);
}

}  // namespace ringfort::rpu
