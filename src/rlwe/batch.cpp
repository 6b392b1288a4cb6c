// SPDX-License-Identifier: Apache-2.0
// Copies ciphertexts into batches, computes with the batches, and copies the results back (batch.h).
#include "rlwe/batch.h"

#include "rlwe/arithmetic.h"
#include "rlwe/key_switch.h"
#include "rlwe/rotation.h"

namespace ringfort {

namespace {

// Larger batches are hardly faster (docs/notes/0020), and need scratch memory for the digits of all their ciphertexts.
constexpr std::size_t kMostAtOnce = 16;

bool go_together(const RlweCiphertext& x, const RlweCiphertext& y) noexcept {
  return x.level == y.level && x.components == y.components && x.key_id == y.key_id;
}

// Returns how many ciphertexts to compute at once, from number `first` on. There are at most kMostAtOnce, and all have
// equal shapes. Consecutive ciphertexts with equal shapes are divided into shares of nearly equal size.
std::size_t together(const RlweCiphertexts& a, const RlweCiphertexts& b, std::size_t first) noexcept {
  std::size_t alike = 1;
  while (first + alike < a.size() && go_together(*a[first], *a[first + alike]) &&
         go_together(*b[first], *b[first + alike]))
    ++alike;
  const std::size_t turns = (alike + kMostAtOnce - 1) / kMostAtOnce;
  return (alike + turns - 1) / turns;
}

RlweCiphertext gathered(std::span<const RlweCiphertext* const> all, Workspace& work) {
  const RlweCiphertext& like = *all[0];
  RlweCiphertext batch =
      make_ciphertext(like.context, like.key_id, like.level, like.components * static_cast<u32>(all.size()));
  batch.components = like.components;
  batch.count = static_cast<u32>(all.size());
  std::vector<Ring::Copied<Eval>> copies;
  for (u32 i = 0; i < batch.count; ++i)
    copies.push_back({batch.slice(i * batch.components, batch.components), all[i]->all()});
  like.context->ring.copy(work.stream, copies);
  return batch;
}

void scatter(const RlweCiphertext& batch, Workspace& work, std::vector<RlweCiphertext>& to) {
  std::vector<Ring::Copied<Eval>> copies;
  for (u32 i = 0; i < batch.count; ++i) {
    to.push_back(make_ciphertext(batch.context, batch.key_id, batch.level, batch.components));
    copies.push_back({to.back().all(), batch.slice(i * batch.components, batch.components)});
  }
  batch.context->ring.copy(work.stream, copies);
}

}  // namespace

std::vector<RlweCiphertext> for_each(const RlweCiphertexts& a, const RlweCiphertexts& b, Workspace& work,
                                     const RlweVerb& verb) {
  std::vector<RlweCiphertext> out;
  out.reserve(a.size());
  const bool batches = !a.empty() && a[0]->context->ring.device().backend().capabilities().wants_batches;
  for (std::size_t first = 0, next = 0; first < a.size(); first = next) {
    const std::size_t count = batches ? together(a, b, first) : 1;
    next = first + count;
    if (count == 1) {
      out.push_back(verb(*a[first], *b[first]));
      continue;
    }
    const auto some = [&](const RlweCiphertexts& all) { return std::span(all).subspan(first, count); };
    const bool squares = std::equal(some(a).begin(), some(a).end(), some(b).begin());
    const RlweCiphertext x = gathered(some(a), work), y = squares ? RlweCiphertext{} : gathered(some(b), work);
    scatter(verb(x, squares ? x : y), work, out);
    for (std::size_t i = first; i < next; ++i) out[i].untrusted = a[i]->untrusted || b[i]->untrusted;
  }
  return out;
}

std::vector<RlweCiphertext> relinearize(const RlweCiphertexts& a, const KeySwitchingKey& key, Workspace& work) {
  return for_each(a, a, work, [&](const RlweCiphertext& x, const RlweCiphertext&) {
    return x.components == 3 ? relinearize(x, key, work) : copy(x, x.level, work);
  });
}

std::vector<RlweCiphertext> rescale(const RlweCiphertexts& a, Workspace& work) {
  return for_each(a, a, work, [&](const RlweCiphertext& x, const RlweCiphertext&) { return rescale(x, work); });
}

std::vector<RlweCiphertext> rotate(const RlweCiphertexts& a, std::span<const RotationStep> path, Workspace& work) {
  return for_each(a, a, work, [&](const RlweCiphertext& x, const RlweCiphertext&) { return rotate(x, path, work); });
}

}  // namespace ringfort
