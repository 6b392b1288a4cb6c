// SPDX-License-Identifier: Apache-2.0
// Launches of transforms, with what is fused with their first loads and their last stores.
#pragma once

#include <algorithm>

#include "backend/device/calls.h"
#include "backend/device/kernels/ntt.h"

namespace ringfort::device {

// Returns the cost of a part of the transforms of `words` words: each is read and written.
template <class Word>
[[nodiscard]] Cost cost_of_part(const NttPart& part, u64 words) noexcept {
  const u64 butterflies = words / 2 * part.log;
  return {.bytes = 2 * words * sizeof(Word), .multiplications = butterflies, .transform_multiplications = butterflies};
}

template <class Word, class In = Keep<Word>, class Out = Keep<Word>>
struct Transform {
  View view;  // words between the parts; without Out also the results
  Task task;
  u32 limbs = 0;  // number of limbs that are transformed; 0: all
  typename In::Args in{};
  typename Out::Args out{};
  u64 in_words = 0, out_words = 0;  // more words that the first loads and the last stores transfer
};

// Returns how many of the transforms a launch computes. If a transform has two parts, the words between them stay in
// the cache if there is room: so a large batch goes through both parts in pieces of a third of the cache.
[[nodiscard]] inline u32 transforms_of_launch(const Facts& facts, std::size_t parts, u32 transforms,
                                              std::size_t bytes) noexcept {
  const std::size_t all = transforms * bytes;
  if (parts < 2 || facts.cache_bytes == 0 || all <= facts.cache_bytes) return transforms;
  return std::max(1u, static_cast<u32>(facts.cache_bytes / 3 / bytes));
}

// Launches the parts [0, end) of the transforms, in the order of their work. end = 0: all parts.
template <class Word, class In, class Out>
Status transform(const Caller& on, const Transform<Word, In, Out>& of, const Touched& touched,
                 std::size_t end = 0) noexcept {
  const View& view = of.view;
  const DevicePlan& plan = plan_of(view);
  const bool forward = of.task != Task::intt && of.task != Task::intt_from;
  const std::size_t count = plan.parts().size(), parts = end == 0 ? count : end;
  const u32 limbs = of.limbs == 0 ? view.limbs.count : of.limbs, n = view.plan->n(), all = view.batch * limbs;
  const u32 most = transforms_of_launch(on.pool.driver().facts(), parts, all, n * sizeof(Word));
  NttArgs<Word, In, Out> args{batch_of<Word>(view),
                              limbs_of<Word>(view),
                              plan.factors<Word>(forward, view.limbs.first),
                              view.batch,
                              {},
                              of.in,
                              of.out};
  const auto launch = [&](u32 transforms, std::size_t i) {
    const std::size_t part = forward ? i : count - 1 - i;
    args.part = plan.parts()[part];
    Cost cost = cost_of_part<Word>(args.part, u64{transforms} * n);
    const u64 more = ((i == 0 ? of.in_words : 0) + (i + 1 == count ? of.out_words : 0)) * transforms / all;
    cost.bytes += more * sizeof(Word);
    cost.multiplications += more;
    const Grid grid = ntt_grid(args.part, transforms, sizeof(Word));
    return on.launch({plan, of.task, grid, cost, part}, args, touched);
  };
  return on.ordered(touched, [&] {
    for (args.first_unit = 0; args.first_unit < all; args.first_unit += most) {
      for (std::size_t i = 0; i < parts; ++i) {
        const Status status = launch(std::min(most, all - args.first_unit), i);
        if (status != Status::ok) return status;
      }
    }
    return Status::ok;
  });
}

// Returns the arguments of a transform's first loads from `from`.
template <class Word>
[[nodiscard]] typename Source<Word>::Args source_of(const View& from) noexcept {
  return {batch_of<const Word>(from), {}, nullptr, 0, 0, ~0u, 0};
}

}  // namespace ringfort::device
