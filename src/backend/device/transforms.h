// SPDX-License-Identifier: Apache-2.0
// Launches transforms. Other operations can be fused with their first loads and their last stores (kernels/ntt_ends.h).
#pragma once

#include "backend/device/calls.h"
#include "backend/device/kernels/ntt.h"

namespace ringfort::device {

// Returns the cost of one part of transforms that have `words` words in all. The part reads and writes each word once.
template <class Word>
[[nodiscard]] Cost cost_of_part(const NttPart& part, u64 words) noexcept {
  const u64 butterflies = words / 2 * part.log;
  return {.bytes = 2 * words * sizeof(Word), .multiplications = butterflies, .transform_multiplications = butterflies};
}

template <class Word, class In = Keep<Word>, class Out = Keep<Word>>
struct Transform {
  View view;  // has the words between parts; has the results unless Out stores them elsewhere
  Task task;
  u32 limbs = 0;  // number of limbs to transform; 0 means all
  typename In::Args in{};
  typename Out::Args out{};
  u64 in_words = 0, out_words = 0;  // additional words that the first loads and the last stores transfer
};

// Launches the parts [0, end) of the transforms, in the order of their work. end = 0 means all parts.
template <class Word, class In, class Out>
Status transform(const Caller& on, const Transform<Word, In, Out>& of, const Touched& touched,
                 std::size_t end = 0) noexcept {
  const View& view = of.view;
  const GpuPlan& plan = plan_of(view);
  const bool forward = of.task != Task::intt && of.task != Task::intt_from;
  const std::size_t count = plan.parts().size();
  const u32 transforms = view.batch * (of.limbs == 0 ? view.limbs.count : of.limbs);
  NttArgs<Word, In, Out> args{batch_of<Word>(view),
                              limbs_of<Word>(view),
                              plan.factors<Word>(forward, view.limbs.first),
                              view.batch,
                              {},
                              of.in,
                              of.out};
  return on.ordered(touched, [&] {
    for (std::size_t i = 0; i < (end == 0 ? count : end); ++i) {
      const std::size_t part = forward ? i : count - 1 - i;
      args.part = plan.parts()[part];
      Cost cost = cost_of_part<Word>(args.part, u64{transforms} * view.plan->n());
      const u64 more = (i == 0 ? of.in_words : 0) + (i + 1 == count ? of.out_words : 0);
      cost.bytes += more * sizeof(Word);
      cost.multiplications += more;
      const Grid grid = ntt_grid(args.part, transforms, sizeof(Word));
      const Status status = on.launch({plan, of.task, grid, cost, part}, args, touched);
      if (status != Status::ok) return status;
    }
    return Status::ok;
  });
}

// Returns the arguments of In for first loads from the view `from`.
template <class Word>
[[nodiscard]] typename Source<Word>::Args source_of(const View& from) noexcept {
  return {batch_of<const Word>(from), {}, nullptr, 0, 0, ~0u, 0};
}

}  // namespace ringfort::device
