// SPDX-License-Identifier: Apache-2.0
#include "backend/device/device_plan.h"

#include <bit>

#include "backend/host.h"

namespace ringfort::device {

namespace {

// u32 transforms are lazy below 2^30; all limbs of a launch run the same kernel.
bool is_lazy(const Plan& plan) {
  return plan.word == Word::u64 ||
         std::all_of(plan.moduli.begin(), plan.moduli.end(), [](u128 q) { return q >> 30 == 0; });
}

template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

DevicePlan::~DevicePlan() {
  if (tables_ != nullptr) pool_->release(tables_);
}

Status DevicePlan::prepare() {
  if (!host::degree_is_supported(plan) || plan.word == Word::u128) return Status::unsupported;
  std::vector<u128> roots;
  for (const u128 q : plan.moduli) roots.push_back(host::root_or_zero(plan, q));
  if (std::find(roots.begin(), roots.end(), 0) != roots.end()) return Status::unsupported;
  parts_ = ntt_parts(static_cast<u32>(std::countr_zero(plan.n)));
  const std::string name =
      std::string(plan.word == Word::u32 ? "ntt_u32_" : "ntt_u64_") + (is_lazy(plan) ? "lazy" : "strict");
  if (const Status status = pool_->driver().load(name, forward_); status != Status::ok) return status;
  if (const Status status = pool_->driver().load("i" + name, inverse_); status != Status::ok) return status;
  return plan.word == Word::u32 ? fill<u32>(roots) : fill<u64>(roots);
}

template <class Word>
Status DevicePlan::fill(const std::vector<u128>& roots) {
  std::vector<std::byte> words;
  std::vector<Limb<Word>> limbs;
  for (std::size_t i = 0; i < roots.size(); ++i)
    limbs.push_back(limb_of(static_cast<Word>(plan.moduli[i]), static_cast<Word>(roots[i]), log_n()));
  append<Limb<Word>>(words, limbs);
  words.resize((words.size() + kAlignment - 1) / kAlignment * kAlignment);
  forward_at_ = words.size();
  for (std::size_t i = 0; i < roots.size(); ++i)
    append<Factor<Word>>(words, forward_table(limbs[i].q, static_cast<Word>(roots[i]), parts_));
  inverse_at_ = words.size();
  for (std::size_t i = 0; i < roots.size(); ++i)
    append<Factor<Word>>(words, inverse_table(limbs[i].q, static_cast<Word>(roots[i]), parts_));
  if (const Status status = pool_->allocate(words.size(), tables_); status != Status::ok) return status;
  const Touch written[] = {{&tables_->history, true}};
  return pool_->order().call(0, written,
                             [&] { return pool_->upload(0, tables_->address, words.data(), words.size()); });
}

}  // namespace ringfort::device
