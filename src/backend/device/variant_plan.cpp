// SPDX-License-Identifier: Apache-2.0
#include "backend/device/variant_plan.h"

#include <bit>

#include "backend/device/calls.h"

namespace ringfort::device {
namespace {

// Returns the names that the option takes.
std::string values_of_ntt() {
  std::string all = "ntt is SCHEDULE or SCHEDULE/REDUCTION. The schedules are ";
  for (const Schedule& schedule : schedules()) {
    if (schedule.kind == Schedule::Kind::interleaved) continue;
    all.append(all.ends_with(' ') ? "" : ", ").append(schedule.name);
  }
  all += "; the reductions are ";
  for (const ReductionFacts& reduction : reductions())
    all.append(all.ends_with(' ') ? "" : ", ").append(reduction.name);
  return all;
}

}  // namespace

Option ntt_option(Variant& out) {
  const auto read = [&out](std::string_view value) -> std::string {
    const std::size_t slash = std::min(value.find('/'), value.size());
    const Schedule* const schedule = find_schedule(value.substr(0, slash));
    const ReductionFacts* const reduction =
        find_reduction(slash == value.size() ? std::string_view("harvey") : value.substr(slash + 1));
    // polynomials of verbs do not alternate in memory
    if (schedule == nullptr || reduction == nullptr || schedule->kind == Schedule::Kind::interleaved)
      return values_of_ntt();
    if (!schedule->takes(*reduction))
      return "the schedule " + std::string(schedule->name) + " has no kernels with the reduction " +
             std::string(reduction->name) + "; radix 2 has all, other radices proposed and harvey, simd harvey alone";
    out = {schedule, reduction};
    return {};
  };
  return {"ntt", read};
}

VariantPlan::~VariantPlan() {
  if (tables_ != nullptr) pool_->release(tables_);
}

Status VariantPlan::prepare(const Plan& plan, const std::vector<u128>& roots) {
  log_n_ = static_cast<u32>(std::countr_zero(plan.n));
  const u32 bytes = static_cast<u32>(word_bytes(plan.word)), most_bits = 8 * bytes - variant_.reduction->spare_bits;
  for (const u128 q : plan.moduli) {
    if (q >> most_bits != 0) return Status::unsupported;
  }
  if (log_n_ < variant_.schedule->least_log()) return Status::unsupported;
  for (const bool forward : {true, false}) {
    for (const StageLaunch& each : launches_of(*variant_.schedule, log_n_, 1, bytes, forward)) {
      const std::string name = each.kernel(*variant_.reduction, forward, bytes);
      if (const Status status = pool_->driver().load(name, kernels_[name]); status != Status::ok) return status;
    }
  }
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
      const auto factors = factors_of(variant_.reduction->reduction, static_cast<Word>(plan.moduli[i]),
                                      static_cast<Word>(roots[i]), log_n_, forward);
      factor_bytes_ = factors.size() * sizeof(Word) >> log_n_;
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
  // all types of factors give the arguments the same bytes: a pointer to them
  StageArgs<Word, Word> args{
      batch_of<Word>(view),
      reinterpret_cast<const Word*>(tables_->address + table + (first * factor_bytes_ << log_n_)),
      reinterpret_cast<const Modulus<Word>*>(tables_->address) + first,
      log_n_,
      view.batch,
      {}};
  const Touched touched = Touched().buffer(*tables_, false).writes(view);
  return on.ordered(touched, [&] {
    for (const StageLaunch& each : launches_of(*variant_.schedule, log_n_, units, sizeof(Word), forward)) {
      each.set(args);
      const u64 words = view.words(), butterflies = words / 2 * each.range.log;
      const Cost cost{
          .bytes = 2 * words * sizeof(Word), .multiplications = butterflies, .transform_multiplications = butterflies};
      const auto kernel = kernels_.find(each.kernel(*variant_.reduction, forward, sizeof(Word)));
      const Status status = on.launch_kernel({kernel->second, kernel->first, each.grid, cost}, args, touched);
      if (status != Status::ok) return status;
    }
    return Status::ok;
  });
}

Status VariantPlan::transform(const Caller& on, const View& view, bool forward) const noexcept {
  try {
    return view.plan->plan.word == ringfort::Word::u32 ? launch<u32>(on, view, forward)
                                                       : launch<u64>(on, view, forward);
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

}  // namespace ringfort::device
