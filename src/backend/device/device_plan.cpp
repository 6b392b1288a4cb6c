// SPDX-License-Identifier: Apache-2.0
#include "backend/device/device_plan.h"

#include <bit>

#include "backend/host.h"

namespace ringfort::device {

namespace {

// Tells whether kernels use lazy ranges. With u32 words this requires all primes below 2^30, because all limbs of a
// launch run the same kernel.
bool is_lazy(const Plan& plan) {
  return plan.word == Word::u64 ||
         std::all_of(plan.moduli.begin(), plan.moduli.end(), [](u128 q) { return q >> 30 == 0; });
}

struct TaskName {
  std::string_view name;
  bool has_rules;  // there is one kernel per set of rules for ranges of residues (kernels/limb.h)
};
constexpr std::array<TaskName, kTasks> kTaskNames = {{{"ntt", true},
                                                      {"intt", true},
                                                      {"add", false},
                                                      {"subtract", false},
                                                      {"multiply", true},
                                                      {"multiply_add", true},
                                                      {"negate", false},
                                                      {"multiply_scalar", false},
                                                      {"lift", true},
                                                      {"decompose", false},
                                                      {"automorphism_coefficients", false},
                                                      {"automorphism_evaluations", false},
                                                      {"base_convert", true},
                                                      {"expand_uniform", true},
                                                      {"inner_product", true},
                                                      {"tensor", true},
                                                      {"ntt_quotient", true},
                                                      {"divide", false},
                                                      {"ntt_times", true}}};

template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

DevicePlan::~DevicePlan() {
  for (Buffer* each : {tables_, integers_}) {
    if (each != nullptr) pool_->release(each);
  }
  for (auto& [limbs, table] : conversions_) {
    if (table.memory != nullptr) pool_->release(table.memory);
  }
}

Status DevicePlan::prepare() {
  if (!host::degree_is_supported(plan) || plan.word == Word::u128) return Status::unsupported;
  std::vector<u128> roots;
  for (const u128 q : plan.moduli) roots.push_back(host::root_or_zero(plan, q));
  if (std::find(roots.begin(), roots.end(), 0) != roots.end()) return Status::unsupported;
  parts_ = ntt_parts(static_cast<u32>(std::countr_zero(plan.n)), most_log_of_one_part());
  const std::string word = plan.word == Word::u32 ? "_u32" : "_u64", rules = is_lazy(plan) ? "_lazy" : "_strict";
  for (std::size_t i = 0; i < kTasks; ++i) {
    const std::string name = std::string(kTaskNames[i].name) + word + (kTaskNames[i].has_rules ? rules : "");
    if (const Status status = pool_->driver().load(name, kernels_[i]); status != Status::ok) return status;
  }
  if (const Status status = pool_->allocate(std::size_t{16} * plan.n, Privacy::secret, integers_); status != Status::ok)
    return status;
  return plan.word == Word::u32 ? fill<u32>(roots) : fill<u64>(roots);
}

// Returns the largest log2 of a transform that one block can compute: all its points must fit in the shared memory, and
// each lane has kRadix points.
u32 DevicePlan::most_log_of_one_part() const noexcept {
  const Facts& facts = pool_->driver().facts();
  const std::size_t points =
      std::min<std::size_t>(facts.shared_bytes / word_bytes(plan.word), std::size_t{facts.most_lanes} * kRadix);
  return std::min(kMostLogOfOnePart, static_cast<u32>(std::bit_width(points)) - 1);
}

template <class Word>
Status DevicePlan::fill(const std::vector<u128>& roots) {
  std::vector<std::byte> words;
  std::vector<Limb<Word>> limbs;
  for (std::size_t i = 0; i < roots.size(); ++i) limbs.push_back(limb_of(static_cast<Word>(plan.moduli[i]), log_n()));
  append<Limb<Word>>(words, limbs);
  words.resize((words.size() + kAlignment - 1) / kAlignment * kAlignment);
  forward_at_ = words.size();
  for (std::size_t i = 0; i < roots.size(); ++i)
    append<Factor<Word>>(words, forward_table(limbs[i].q, static_cast<Word>(roots[i]), parts_));
  inverse_at_ = words.size();
  for (std::size_t i = 0; i < roots.size(); ++i)
    append<Factor<Word>>(words, inverse_table(limbs[i].q, static_cast<Word>(roots[i]), parts_));
  if (const Status status = pool_->allocate(words.size(), Privacy::open, tables_); status != Status::ok) return status;
  const Touch written[] = {{&tables_->history, true}};
  return pool_->order().call(
      0, written, [&] { return pool_->upload(0, tables_->address, words.data(), words.size(), Privacy::open); });
}

Status DevicePlan::conversion(u32 stream, Limbs from, ConversionTable& out) const noexcept {
  try {
    const std::lock_guard lock(mutex_);
    ConversionTable& table = conversions_[{from.first, from.count}];
    if (table.memory == nullptr) {
      const Status status = plan.word == Word::u32 ? make_conversion<u32>(stream, from, table)
                                                   : make_conversion<u64>(stream, from, table);
      if (status != Status::ok) return status;
    }
    out = table;
    return Status::ok;
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

template <class Word>
Status DevicePlan::make_conversion(u32 stream, Limbs from, ConversionTable& out) const {
  std::vector<SourceLimb<Word>> sources;
  for (u32 i = from.first; i < from.end(); ++i) {
    const Word q = static_cast<Word>(plan.moduli[i]);
    const auto inverse = factor_of<Word>(static_cast<Word>(basis.punctured_inverse(from, i)), q);
    sources.push_back({inverse, basis.fraction(i), q, 64 - static_cast<u32>(std::bit_width(q))});
  }
  std::vector<Word> weights;
  std::vector<u64> products(from.count);
  for (u32 j = 0; j < basis.size(); ++j) {
    basis.punctured_products(from, j, products);
    for (const u64 each : products) weights.push_back(static_cast<Word>(each));
    const u64 whole = basis.product(from, j);
    weights.push_back(static_cast<Word>(whole == 0 ? 0 : basis[j].value() - whole));
  }
  std::vector<std::byte> words;
  append<SourceLimb<Word>>(words, sources);
  const std::size_t weights_at = words.size();
  append<Word>(words, weights);
  words.resize((words.size() + kAlignment - 1) / kAlignment * kAlignment);
  const std::size_t inverses_at = words.size();
  std::vector<Factor<Word>> inverses;
  for (u32 j = 0; j < basis.size(); ++j) {
    const bool is_source = j >= from.first && j < from.end();  // the quotient has no such limb
    const Word inverse = is_source ? Word{0} : static_cast<Word>(basis.product_inverse(from, j));
    inverses.push_back(factor_of<Word>(inverse, static_cast<Word>(basis[j].value())));
  }
  append<Factor<Word>>(words, inverses);
  Buffer* memory = nullptr;
  if (const Status status = pool_->allocate(words.size(), Privacy::open, memory); status != Status::ok) return status;
  const Touch written[] = {{&memory->history, true}};
  const Status status = pool_->order().call(stream, written, [&] {
    return pool_->upload(stream, memory->address, words.data(), words.size(), Privacy::open);
  });
  if (status != Status::ok) pool_->release(memory);
  else out = {memory, weights_at, inverses_at};
  return status;
}

}  // namespace ringfort::device
