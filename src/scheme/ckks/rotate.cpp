// SPDX-License-Identifier: Apache-2.0
// Rotations of the slots, conjugation, and sums of slots. They consist of automorphisms x -> x^g, each of which needs
// one key switch (rlwe/key_switch.h).
#include "rlwe/operands.h"
#include "rlwe/rotation.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

struct Request {
  const Ciphertext::State& a;
  std::string_view what;
};

Accuracy path_bound(const Request& r, std::size_t steps) {
  const double switched = r.a.rlwe.context->noise.key_switch(r.a.rlwe.level).value();
  return admitted(with_error(r.a.bound, switched * static_cast<double>(steps)), *r.a.rlwe.context, r.a.rlwe.level,
                  r.what);
}

}  // namespace

Accuracy rotated_bound(const Ciphertext& a, const GaloisKeys& keys, std::size_t steps) {
  require_key(a.state().rlwe, keys, "rotate");
  return path_bound({a.state(), "rotate"}, steps);
}

void Evaluator::rotate_into(Ciphertext& out, const Ciphertext& a, std::int64_t step, const GaloisKeys& keys) const {
  require_key(a.state().rlwe, keys, "rotate");
  const Path path = rotation_path(*keys.state(), step);
  const Accuracy bound = rotated_bound(a, keys, path.size());
  const SharedKeyContext k = a.state().rlwe.context;
  const auto work = k->workspace(threads_);
  store(out, bound, ringfort::rotate(a.state().rlwe, path, *work, take_memory(out, a)));
}

void Evaluator::conjugate_into(Ciphertext& out, const Ciphertext& a, const GaloisKeys& keys) const {
  const Request request{a.state(), "conjugate"};
  require_key(a.state().rlwe, keys, request.what);
  const Path path = swap_rows_path(*keys.state());
  const Accuracy bound = path_bound(request, 1);
  const SharedKeyContext k = a.state().rlwe.context;
  const auto work = k->workspace(threads_);
  store(out, bound, ringfort::rotate(a.state().rlwe, path, *work, take_memory(out, a)));
}

std::vector<Ciphertext> Evaluator::rotate_many(const Ciphertext& a, std::span<const std::int64_t> steps,
                                               const GaloisKeys& keys) const {
  const Request request{a.state(), "rotate_many"};
  require_key(a.state().rlwe, keys, request.what);
  std::vector<Path> paths;
  std::vector<Accuracy> bounds;
  for (const std::int64_t step : steps) {
    paths.push_back(rotation_path(*keys.state(), step));
    bounds.push_back(path_bound(request, paths.back().size()));
  }
  const auto work = a.state().rlwe.context->workspace(threads_);
  std::vector<RlweCiphertext> rotated = ringfort::rotate_many(a.state().rlwe, paths, *work);
  std::vector<Ciphertext> out(steps.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], bounds[i], std::move(rotated[i]));
  return out;
}

void Evaluator::sum_slots_into(Ciphertext& out, const Ciphertext& a, std::uint32_t count,
                               const GaloisKeys& keys) const {
  const Request request{a.state(), "sum_slots"};
  require_key(a.state().rlwe, keys, request.what);
  const std::vector<Path> paths = sum_paths(*keys.state(), count, context_.slots());
  const SharedKeyContext k = a.state().rlwe.context;
  Accuracy bound = a.state().bound;
  for (const Path& path : paths) {
    const double switched = k->noise.key_switch(a.level()).value() * static_cast<double>(path.size());
    bound = admitted(with_error(sum(bound, bound), switched), *k, a.level(), "sum_slots");
  }
  const auto work = k->workspace(threads_);
  store(out, bound, ringfort::sum_slots(a.state().rlwe, paths, *work));
}

}  // namespace ringfort::ckks
