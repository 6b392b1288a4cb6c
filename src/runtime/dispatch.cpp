// SPDX-License-Identifier: Apache-2.0
// Checks verbs, and replaces verbs that a device does not fuse (dispatch.h).
#include "runtime/dispatch.h"

#include <algorithm>

namespace ringfort {

namespace {

bool runs(const Backend& backend, const Verb& verb) noexcept {
  const bool optional = std::visit([]<class V>(const V&) { return Optional<V>; }, verb);
  return !optional || backend.fuses(verb);
}

void append(const Backend& backend, std::span<const Verb> verbs, Sequence& into) {
  for (const Verb& verb : verbs) {
    if (runs(backend, verb)) {
      into.verbs.push_back(verb);
      continue;
    }
    Sequence composed;
    std::visit(
        [&]<class V>(const V& v) {
          if constexpr (Optional<V>) v.compose(composed);
        },
        verb);
    // moving a vector does not move its elements, so the spans into `factors` stay valid
    for (auto& factors : composed.factors) into.factors.push_back(std::move(factors));
    append(backend, composed.verbs, into);
  }
}

}  // namespace

ContractCheck check_contracts(std::span<const Verb> verbs) noexcept {
  for (const Verb& verb : verbs) {
    const Status status = std::visit([](const auto& v) { return v.contract(); }, verb);
    if (status != Status::ok) return {status, name_of(verb)};
  }
  return {};
}

bool runs_all(const Backend& backend, std::span<const Verb> verbs) noexcept {
  return std::all_of(verbs.begin(), verbs.end(), [&](const Verb& verb) { return runs(backend, verb); });
}

Sequence composed(const Backend& backend, std::span<const Verb> verbs) {
  Sequence sequence;
  append(backend, verbs, sequence);
  return sequence;
}

}  // namespace ringfort
