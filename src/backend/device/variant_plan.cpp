// SPDX-License-Identifier: Apache-2.0
// Fills the tables of a variant for a plan, and submits its transforms (variant_plan.h).
#include "backend/device/variant_plan.h"

#include <bit>

#include "backend/device/calls.h"

namespace ringfort::device {
VariantPlan::VariantPlan(const Variant& variant, const Plan& plan, std::shared_ptr<Pool> pool)
    : variant_(variant),
      launches_(variant, static_cast<u32>(std::countr_zero(plan.n)), static_cast<u32>(word_bytes(plan.word))),
      pool_(std::move(pool)) {}

VariantPlan::~VariantPlan() {
  if (tables_ != nullptr) pool_->release(tables_);
}

Status VariantPlan::prepare(const Plan& plan, const std::vector<u128>& roots) {
  const u32 most_bits = 8 * static_cast<u32>(word_bytes(plan.word)) - variant_.reduction->spare_bits;
  for (const u128 q : plan.moduli) {
    if (q >> most_bits != 0) return Status::unsupported;
  }
  if (const Status status = launches_.load(pool_->driver()); status != Status::ok) return status;
  return plan.word == Word::u32 ? fill<u32>(plan, roots) : fill<u64>(plan, roots);
}

template <class Word>
Status VariantPlan::fill(const Plan& plan, const std::vector<u128>& roots) {
  std::vector<std::byte> words;
  for (const u128 q : plan.moduli) {
    const auto modulus = modulus_of(variant_.reduction->reduction, static_cast<Word>(q));
    append<Modulus<Word>>(words, {&modulus, 1});
  }
  for (const bool forward : {true, false}) {
    words.resize((words.size() + kAlignment - 1) / kAlignment * kAlignment);
    (forward ? forward_at_ : inverse_at_) = words.size();
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const auto factors = factors_of(variant_, static_cast<Word>(plan.moduli[i]), static_cast<Word>(roots[i]),
                                      launches_.log_n(), forward);
      factor_bytes_ = factors.size() * sizeof(Word) >> launches_.log_n();
      append<Word>(words, factors);
    }
  }
  if (const Status status = pool_->allocate(words.size(), Privacy::open, tables_); status != Status::ok) return status;
  const Touch written[] = {{&tables_->history, true}};
  return pool_->order().call(
      0, written, [&] { return pool_->upload(0, tables_->address, words.data(), words.size(), Privacy::open); });
}

template <class Word>
Status VariantPlan::launch(const Caller& on, const View& view, bool forward) const {
  const u32 units = view.batch * view.limbs.count;
  const std::size_t first = std::size_t{view.limbs.first}, table = forward ? forward_at_ : inverse_at_;
  const VariantOperands<Word> operands{batch_of<Word>(view),
                                       tables_->address + table + (first * factor_bytes_ << launches_.log_n()),
                                       tables_->address + first * sizeof(Modulus<Word>), view.batch};
  const Touched touched = Touched().buffer(*tables_, false).writes(view);
  return on.ordered(touched, [&] {
    return launches_.submit_all(launches_.launches(units, forward), operands, [&](const auto& each, const auto& args) {
      const u64 words = view.words(), butterflies = words / 2 * each.launch.range.log;
      const Cost cost{
          .bytes = 2 * words * sizeof(Word), .multiplications = butterflies, .transform_multiplications = butterflies};
      return on.launch_kernel({each.kernel, each.name, each.launch.grid, cost}, args, touched);
    });
  });
}

Status VariantPlan::transform(const Caller& on, const View& view, bool forward) const noexcept {
  try {
    return view.plan->plan.word == ringfort::Word::u32 ? launch<u32>(on, view, forward)
                                                       : launch<u64>(on, view, forward);
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

}  // namespace ringfort::device
