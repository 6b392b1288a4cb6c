// SPDX-License-Identifier: Apache-2.0
// Rotations of the slots, the conjugation and sums of slots: automorphisms, each with one key switching a step of its path.
#include <bit>

#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

struct Request {
  const Ciphertext::State& a;
  std::string_view what;
};

void require_keys(const Request& r, const GaloisKeys& keys) {
  require_two_parts(r.a.block, r.what);
  require_same(r.a.block.context, keys.state()->context, r.what);
  require_same_key(r.a.block.key_id, keys.state()->id, r.what);
}

Accuracy path_bound(const Request& r, std::size_t steps) {
  const double switched = r.a.block.context->noise.key_switch(r.a.block.level).value();
  return admitted(with_error(r.a.bound, switched * static_cast<double>(steps)), *r.a.block.context, r.a.block.level, r.what);
}

}  // namespace

void Evaluator::rotate_into(Ciphertext& out, const Ciphertext& a, std::int64_t step, const GaloisKeys& keys) const {
  const Request request{a.state(), "rotate"};
  require_keys(request, keys);
  const std::vector<RotationStep> path = rotation_path(*keys.state(), step);
  const Accuracy bound = path_bound(request, path.size());
  const SharedKeyContext k = a.state().block.context;
  const auto work = k->workspace(threads_);
  store(out, bound, Rotations(a.state().block, *work).apply(path, room(out, a)));
}

void Evaluator::conjugate_into(Ciphertext& out, const Ciphertext& a, const GaloisKeys& keys) const {
  const Request request{a.state(), "conjugate"};
  require_keys(request, keys);
  const std::vector<RotationStep> path = swap_path(*keys.state());
  const Accuracy bound = path_bound(request, 1);
  const SharedKeyContext k = a.state().block.context;
  const auto work = k->workspace(threads_);
  store(out, bound, Rotations(a.state().block, *work).apply(path, room(out, a)));
}

std::vector<Ciphertext> Evaluator::rotate_many(const Ciphertext& a, std::span<const std::int64_t> steps, const GaloisKeys& keys) const {
  const Request request{a.state(), "rotate_many"};
  require_keys(request, keys);
  std::vector<std::vector<RotationStep>> paths;
  for (const std::int64_t step : steps) {
    paths.push_back(rotation_path(*keys.state(), step));
    (void)path_bound(request, paths.back().size());
  }
  const auto work = a.state().block.context->workspace(threads_);
  Rotations first(a.state().block, *work, steps.size() > 1);
  std::vector<Ciphertext> out(steps.size());
  for (const bool alone : {true, false}) {                              // longer paths end the digits that the others share
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if ((paths[i].size() <= 1) == alone) store(out[i], path_bound(request, paths[i].size()), first.apply(paths[i]));
    }
  }
  return out;
}

void Evaluator::sum_slots_into(Ciphertext& out, const Ciphertext& a, std::uint32_t count, const GaloisKeys& keys) const {
  const Request request{a.state(), "sum_slots"};
  require_keys(request, keys);
  const u32 slots = context_.slots();
  if (!std::has_single_bit(count) || count > slots) {
    throw Error(Code::invalid_argument, "sum_slots was asked for " + std::to_string(count) + " slots", "choose a power of two, at most " + std::to_string(slots));
  }
  Accuracy bound = a.state().bound;
  std::vector<std::vector<RotationStep>> paths;
  const SharedKeyContext k = a.state().block.context;
  for (u32 step = 1; step < count; step *= 2) {
    paths.push_back(rotation_path(*keys.state(), step));
    const double switched = k->noise.key_switch(a.level()).value() * static_cast<double>(paths.back().size());
    bound = admitted(with_error(sum(bound, bound), switched), *k, a.level(), "sum_slots");
  }
  const auto work = k->workspace(threads_);
  Block total = copy(a.state().block, a.level(), *work);
  for (const auto& path : paths) {
    const Block turned = Rotations(total, *work).apply(path);
    add_to(total, turned, *work);
  }
  store(out, bound, std::move(total));
}

}  // namespace ringfort::ckks
