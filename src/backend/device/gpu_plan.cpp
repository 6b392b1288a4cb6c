// SPDX-License-Identifier: Apache-2.0
// Prepares a plan for a GPU (gpu_plan.h). It loads the kernels that the primes allow, and fills the tables in device
// memory.
#include "backend/device/gpu_plan.h"

#include <bit>

#include "backend/host.h"

namespace ringfort::device {

namespace {

// Tells whether kernels use lazy ranges. All limbs of a launch run the same kernel. Therefore u32 words with lazy
// ranges require that all primes are below 2^30.
bool is_lazy(const Plan& plan) {
  return plan.word == Word::u64 ||
         std::all_of(plan.moduli.begin(), plan.moduli.end(), [](u128 q) { return q >> 30 == 0; });
}

struct TaskName {
  std::string_view name;
  bool has_rules;           // has one kernel for lazy ranges of residues, and one for strict ranges (kernels/limb.h)
  bool has_shapes = false;  // has further kernels for parts of transforms of common sizes (kernels/ntt_shape.h)
};
constexpr std::array<TaskName, kTasks> kTaskNames = {{{"ntt", true, true},
                                                      {"intt", true, true},
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
                                                      {"ntt_quotient", true, true},
                                                      {"divide", false},
                                                      {"ntt_times", true},
                                                      {"ntt_digits", true, true},
                                                      {"intt_from", true, true},
                                                      {"key_product", true, true},
                                                      {"convert_mod_up", true}}};

void pad(std::vector<std::byte>& words) { words.resize((words.size() + kAlignment - 1) / kAlignment * kAlignment); }

}  // namespace

std::string_view name_of(Task task) noexcept { return kTaskNames[static_cast<std::size_t>(task)].name; }

GpuPlan::GpuPlan(const Plan& plan, std::shared_ptr<Pool> pool, const TransformChoice& choice)
    : PreparedPlan(plan),
      pool_(std::move(pool)),
      choice_(choice) {}

GpuPlan::~GpuPlan() {
  for (Buffer* each : {tables_, integers_}) {
    if (each != nullptr) pool_->release(each);
  }
  for (auto& [limbs, table] : conversions_) {
    if (table.memory != nullptr) pool_->release(table.memory);
  }
}

Status GpuPlan::prepare() {
  if (!host::degree_is_supported(plan) || plan.word == Word::u128) return Status::unsupported;
  std::vector<u128> roots;
  for (const u128 q : plan.moduli) roots.push_back(host::root_or_zero(plan, q));
  if (std::find(roots.begin(), roots.end(), 0) != roots.end()) return Status::unsupported;
  parts_ = ntt_parts(static_cast<u32>(std::countr_zero(plan.n)), most_log_of_one_part());
  const std::string word = plan.word == Word::u32 ? "_u32" : "_u64", rules = is_lazy(plan) ? "_lazy" : "_strict";
  for (std::size_t i = 0; i < kTasks; ++i) {
    const std::string name = std::string(kTaskNames[i].name) + word + (kTaskNames[i].has_rules ? rules : "");
    if (const Status status = load(i, name); status != Status::ok) return status;
  }
  if (const Status status = prepare_variant(roots); status != Status::ok) return status;
  if (const Status status = pool_->allocate(std::size_t{16} * plan.n, Privacy::secret, integers_); status != Status::ok)
    return status;
  return plan.word == Word::u32 ? fill<u32>(roots) : fill<u64>(roots);
}

// Prepares the variant of transforms that the user chose. If the user gave measured times instead, the candidates are
// the variants that are faster than the library's own transforms. Then the function prepares the fastest candidate that
// supports this plan and whose kernels the driver has.
Status GpuPlan::prepare_variant(const std::vector<u128>& roots) {
  std::vector<Variant> candidates;
  if (choice_.is_of_all()) candidates.push_back(choice_.variant);
  if (choice_.times != nullptr) {
    const std::string& chip = pool_->driver().facts().chip;
    candidates =
        choice_.times->faster_than_own(chip.empty() ? "emulated" : chip, 8 * static_cast<u32>(word_bytes(plan.word)),
                                       log_n(), static_cast<u32>(plan.moduli.size()));
  }
  for (const Variant& candidate : candidates) {
    auto variant_plan = std::make_unique<VariantPlan>(candidate, plan, pool_);
    const Status status = variant_plan->prepare(plan, roots);
    if (status == Status::ok) {
      variant_ = std::move(variant_plan);
      return status;
    }
    if (status != Status::unsupported || choice_.is_of_all()) return status;
  }
  return Status::ok;
}

// Loads the kernel of a task. For each part of a transform, it takes a kernel with a constant shape if the driver has
// one (kernels/catalog.cmake).
Status GpuPlan::load(std::size_t task, const std::string& name) {
  Driver& driver = pool_->driver();
  Kernel general;
  if (const Status status = driver.load(name, general); status != Status::ok) return status;
  kernels_[task].fill(general);
  if (!kTaskNames[task].has_shapes) return Status::ok;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const NttPart& part = parts_[i];
    std::string shaped = name;
    for (const u32 number : {part.log_n, part.first, part.log}) shaped.append("_").append(std::to_string(number));
    Kernel found;
    const Status status = driver.load(shaped, found);
    if (status == Status::ok) kernels_[task][i] = found;
    else if (status != Status::unsupported) return status;
  }
  return Status::ok;
}

// Returns log2 of the largest transform that one block can compute: all its points must fit into shared memory, each
// lane has kRadix points, and the kernels limit it to kMostLogOfOnePart.
u32 GpuPlan::most_log_of_one_part() const noexcept {
  const Facts& facts = pool_->driver().facts();
  const std::size_t points =
      std::min<std::size_t>(facts.shared_bytes / word_bytes(plan.word), std::size_t{facts.most_lanes} * kRadix);
  return std::min(kMostLogOfOnePart, static_cast<u32>(std::bit_width(points)) - 1);
}

template <class Word>
Status GpuPlan::fill(const std::vector<u128>& roots) {
  std::vector<std::byte> words;
  std::vector<Limb<Word>> limbs;
  for (std::size_t i = 0; i < roots.size(); ++i) limbs.push_back(limb_of(static_cast<Word>(plan.moduli[i]), log_n()));
  append<Limb<Word>>(words, limbs);
  pad(words);
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

Status GpuPlan::conversion(u32 stream, const ConversionKey& of, ConversionTable& out) const noexcept {
  try {
    const std::lock_guard lock(mutex_);
    ConversionTable& table = conversions_[of];
    if (table.memory == nullptr) {
      const Status status =
          plan.word == Word::u32 ? make_conversion<u32>(stream, of, table) : make_conversion<u64>(stream, of, table);
      if (status != Status::ok) return status;
    }
    out = table;
    return Status::ok;
  } catch (const std::bad_alloc&) { return Status::out_of_memory; }
}

namespace {

// Appends the constants of the source limbs of a digit.
template <class Word>
void append_sources(const RnsBasis& basis, Limbs from, std::vector<SourceLimb<Word>>& to) {
  for (u32 i = from.first; i < from.end(); ++i) {
    const Word q = static_cast<Word>(basis[i].value());
    const auto inverse = factor_of<Word>(static_cast<Word>(basis.punctured_inverse(from, i)), q);
    to.push_back({inverse, basis.fraction(i), q, 64 - static_cast<u32>(std::bit_width(q))});
  }
}

// Appends the weights from a digit to each limb j of the basis: Q/q_i mod p_j of verb::BaseConvert for each source i,
// then -Q mod p_j, then zeros up to `row` words.
template <class Word>
void append_weights(const RnsBasis& basis, Limbs from, std::size_t row, std::vector<Word>& to) {
  std::vector<u64> products(from.count);
  for (u32 j = 0; j < basis.size(); ++j) {
    basis.punctured_products(from, j, products);
    const std::size_t end = to.size() + row;
    for (const u64 each : products) to.push_back(static_cast<Word>(each));
    const u64 whole = basis.product(from, j);
    to.push_back(static_cast<Word>(whole == 0 ? 0 : basis[j].value() - whole));
    to.resize(end);
  }
}

// Appends a Factor for each limb j of the basis: the number value(j), modulo the limb's prime.
template <class Word, class F>
void append_factors(const RnsBasis& basis, F value, std::vector<std::byte>& to) {
  std::vector<Factor<Word>> factors;
  for (u32 j = 0; j < basis.size(); ++j)
    factors.push_back(factor_of<Word>(static_cast<Word>(value(j)), static_cast<Word>(basis[j].value())));
  append<Factor<Word>>(to, factors);
}

}  // namespace

template <class Word>
Status GpuPlan::make_conversion(u32 stream, const ConversionKey& of, ConversionTable& out) const {
  const Limbs all = of.from;
  std::vector<SourceLimb<Word>> sources;
  std::vector<Word> weights;
  const std::size_t row = weights_of_limb<Word>(of.digit_limbs);
  ConversionTable table{.weights_of_digit = basis.size() * row};
  for (u32 first = all.first; first < all.end(); first += of.digit_limbs) {
    const Limbs digit{first, std::min(of.digit_limbs, all.end() - first)};
    append_sources(basis, digit, sources);
    append_weights(basis, digit, row, weights);
  }
  std::vector<std::byte> words;
  append<SourceLimb<Word>>(words, sources);
  pad(words);
  table.weights_at = words.size();
  append<Word>(words, weights);
  if (of.digit_limbs == all.count) {
    // Sources have no use for these factors: the result of a division by P has no limbs of the sources.
    const auto is_source = [&](u32 j) { return j >= all.first && j < all.end(); };
    pad(words);
    table.inverses_at = words.size();
    append_factors<Word>(basis, [&](u32 j) { return is_source(j) ? 0 : basis.product_inverse(all, j); }, words);
    table.products_at = words.size();
    append_factors<Word>(basis, [&](u32 j) { return is_source(j) ? 0 : basis.product(all, j); }, words);
  }
  if (const Status status = pool_->allocate(words.size(), Privacy::open, table.memory); status != Status::ok)
    return status;
  const Touch written[] = {{&table.memory->history, true}};
  const Status status = pool_->order().call(stream, written, [&] {
    return pool_->upload(stream, table.memory->address, words.data(), words.size(), Privacy::open);
  });
  if (status != Status::ok) pool_->release(table.memory);
  else out = table;
  return status;
}

}  // namespace ringfort::device
