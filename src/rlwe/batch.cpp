// SPDX-License-Identifier: Apache-2.0
#include "rlwe/batch.h"

namespace ringfort {

namespace {

// More of them gain little (docs/notes/0020), and take scratch memory for all their digits.
constexpr std::size_t kMostAtOnce = 16;

bool go_together(const Block& x, const Block& y) noexcept {
  return x.level == y.level && x.parts == y.parts && x.key_id == y.key_id;
}

// How many from `first` on go through the verb at once: neighbours that are alike, in equal shares.
std::size_t together(const Blocks& a, const Blocks& b, std::size_t first) noexcept {
  std::size_t alike = 1;
  while (first + alike < a.size() && go_together(*a[first], *a[first + alike]) &&
         go_together(*b[first], *b[first + alike]))
    ++alike;
  const std::size_t turns = (alike + kMostAtOnce - 1) / kMostAtOnce;
  return (alike + turns - 1) / turns;
}

Block gathered(std::span<const Block* const> all, Workspace& work) {
  const Block& like = *all[0];
  Block batch = make_block(like.context, like.key_id, like.level, like.parts * static_cast<u32>(all.size()));
  batch.parts = like.parts;
  batch.count = static_cast<u32>(all.size());
  std::vector<Ring::Copied<Eval>> copies;
  for (u32 i = 0; i < batch.count; ++i) copies.push_back({batch.part(i * batch.parts, batch.parts), all[i]->all()});
  like.context->ring.copy(work.stream, copies);
  return batch;
}

void scatter(const Block& batch, Workspace& work, std::vector<Block>& to) {
  std::vector<Ring::Copied<Eval>> copies;
  for (u32 i = 0; i < batch.count; ++i) {
    to.push_back(make_block(batch.context, batch.key_id, batch.level, batch.parts));
    copies.push_back({to.back().all(), batch.part(i * batch.parts, batch.parts)});
  }
  batch.context->ring.copy(work.stream, copies);
}

}  // namespace

std::vector<Block> for_each(const Blocks& a, const Blocks& b, Workspace& work, const BlockVerb& verb) {
  std::vector<Block> out;
  out.reserve(a.size());
  const bool batches = !a.empty() && a[0]->context->ring.device().backend().capabilities().wants_batches;
  for (std::size_t first = 0, next = 0; first < a.size(); first = next) {
    const std::size_t count = batches ? together(a, b, first) : 1;
    next = first + count;
    if (count == 1) {
      out.push_back(verb(*a[first], *b[first]));
      continue;
    }
    const auto some = [&](const Blocks& all) { return std::span(all).subspan(first, count); };
    const bool squares = std::equal(some(a).begin(), some(a).end(), some(b).begin());
    const Block x = gathered(some(a), work), y = squares ? Block{} : gathered(some(b), work);
    scatter(verb(x, squares ? x : y), work, out);
    for (std::size_t i = first; i < next; ++i) out[i].claimed = a[i]->claimed || b[i]->claimed;
  }
  return out;
}

std::vector<Block> relinearize(const Blocks& a, const SwitchKey& key, Workspace& work) {
  return for_each(a, a, work, [&](const Block& x, const Block&) {
    return x.parts == 3 ? relinearize(x, key, work) : copy(x, x.level, work);
  });
}

std::vector<Block> rescale(const Blocks& a, Workspace& work) {
  return for_each(a, a, work, [&](const Block& x, const Block&) { return rescale(x, work); });
}

std::vector<Block> rotate(const Blocks& a, std::span<const RotationStep> path, Workspace& work) {
  return for_each(a, a, work, [&](const Block& x, const Block&) { return Rotations(x, work).apply(path); });
}

}  // namespace ringfort
