// SPDX-License-Identifier: Apache-2.0
// Rows rotated and exchanged, sums of slots: automorphisms, each with one key switching a step of its path.
#pragma once

#include "rlwe/integers/relinearize.h"

namespace ringfort::integers {

namespace verbs {

template <class S>
Claim path_claim(const IntegerRing& ring, const Ciphertext<S>& a, std::size_t steps, std::string_view what) {
  return admitted<S>(ring, a.level(), {a.state().claim.error + switched<S>(ring, a.level(), steps), a.state().claim.factor}, what);
}

}  // namespace verbs

template <class S>
void Evaluator<S>::rotate_into(C& out, const C& a, std::int64_t step, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "rotate");
  require_key(a.state().block, keys, "rotate");
  const Path path = rotation_path(*keys.state(), step);
  const Claim claim = verbs::path_claim(ring, a, path.size(), "rotate");
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, Rotations(a.state().block, *work).apply(path, room(out, a)));
}

template <class S>
void Evaluator<S>::swap_rows_into(C& out, const C& a, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "swap_rows");
  require_key(a.state().block, keys, "swap_rows");
  const Path path = swap_path(*keys.state());
  const Claim claim = verbs::path_claim(ring, a, 1, "swap_rows");
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, Rotations(a.state().block, *work).apply(path, room(out, a)));
}

template <class S>
void Evaluator<S>::sum_slots_into(C& out, const C& a, std::uint32_t count, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "sum_slots");
  require_key(a.state().block, keys, "sum_slots");
  const std::vector<Path> paths = sum_paths(*keys.state(), count, ring.base().p.n / 2);
  Claim claim = a.state().claim;
  for (const Path& path : paths) {
    const Bound added = verbs::switched<S>(ring, a.level(), path.size());
    claim = admitted<S>(ring, a.level(), {claim.error + claim.error + added, claim.factor}, "sum_slots");
  }
  const auto work = ring.base().workspace(threads_);
  store(out, ring, claim, ringfort::sum_slots(a.state().block, paths, *work));
}

template <class S>
std::vector<Ciphertext<S>> Evaluator<S>::rotate_many(const C& a, std::span<const std::int64_t> steps, const GaloisKeys& keys) const {
  const IntegerRing& ring = verbs::ring_for(context_, a, "rotate_many");
  require_key(a.state().block, keys, "rotate_many");
  std::vector<Path> paths;
  std::vector<Claim> claims;
  for (const std::int64_t step : steps) {
    paths.push_back(rotation_path(*keys.state(), step));
    claims.push_back(verbs::path_claim(ring, a, paths.back().size(), "rotate_many"));
  }
  const auto work = ring.base().workspace(threads_);
  std::vector<Block> turned = ringfort::rotate_many(a.state().block, paths, *work);
  std::vector<C> out(steps.size());
  for (std::size_t i = 0; i < out.size(); ++i) store(out[i], ring, claims[i], std::move(turned[i]));
  return out;
}

}  // namespace ringfort::integers
