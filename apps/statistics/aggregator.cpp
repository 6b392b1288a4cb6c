// SPDX-License-Identifier: Apache-2.0
// The aggregator of a study (ringfort/statistics.h) adds encrypted uploads. It has one sum for each column and for each
// product of columns that the study wants. Sums of products begin empty, have three components, and are relinearized
// once, at the end. Sums of columns begin as encryptions of zero under the study's key. Therefore the first addition
// rejects an upload under another key. An upload must be added completely or not at all. Therefore its columns are
// added to copies of the sums. After the products have been added, the copies replace the sums. A failure may end an
// addition after only some products, may lose a sum of products, or may end a merge. Then the aggregator refuses all
// later uploads and has no result. beside() makes an aggregator on another device. Its sums begin empty, so that the
// encryptions of zero count only once. Therefore the totals have the same residues for any number of devices.
#include <algorithm>
#include <atomic>
#include <utility>

#include "ringfort/error.h"
#include "ringfort/statistics.h"

namespace ringfort::statistics {

namespace {

// The numbers of uploads and records of an aggregator and of all aggregators that beside() made from it. They have no
// lock that another thread could hold during a fork. A child may count an upload that its parent was adding.
struct Limits {
  std::atomic<std::uint64_t> uploads{0}, records{0};
};

// Adds `more` to the count, unless the sum would exceed `most`.
bool add_within(std::uint64_t most, std::atomic<std::uint64_t>& count, std::uint64_t more) noexcept {
  std::uint64_t now = count;
  do {
    if (more > most || now > most - more) return false;
  } while (!count.compare_exchange_weak(now, now + more));
  return true;
}

[[noreturn]] void refuse_half_added() {
  throw Error(Code::internal, "an earlier upload was added only in part, because memory or the device failed",
              "aggregate again from the uploads");
}

}  // namespace

template <class Scheme>
struct Aggregator<Scheme>::State {
  using Ciphertext = integers::Ciphertext<Scheme>;
  State(const integers::Context<Scheme>& c, Study s, unsigned threads)
      : context(c),
        study(std::move(s)),
        evaluator(c, threads),
        capacity(study.capacity(c.plain_modulus())) {}

  void check_upload(const Upload<Scheme>& upload) const;
  void reserve(std::uint32_t more) const;  // counts an upload of `more` records; throws if a count exceeds its limit
  void give_back(std::uint32_t more) const noexcept;  // undoes reserve() for an upload that was not added
  void add_columns(const Upload<Scheme>& upload);     // adds to the copies in `next`
  void add_sums(State& other);
  void add_products(const Upload<Scheme>& upload);
  void add_product(std::size_t a, std::size_t b, const Upload<Scheme>& upload);
  [[nodiscard]] Ciphertext over_slots(Ciphertext&& sum, const GaloisKeys* rotations) const;

  integers::Context<Scheme> context;
  Study study;
  integers::Evaluator<Scheme> evaluator;
  std::uint64_t capacity;  // largest number of records
  double fresh_bits = 0;   // noise budget of an encryption under the public key
  std::shared_ptr<Limits> limits;
  std::uint64_t uploads = 0, records = 0;
  // only if beside() made this aggregator: sums of the other aggregator, to check the key of uploads
  std::vector<Ciphertext> zeros;
  std::vector<Ciphertext> sums, next, products;
  bool broken = false;  // an upload was added only to some products, a sum of products was lost, or a merge failed
};

template <class Scheme>
void Aggregator<Scheme>::State::check_upload(const Upload<Scheme>& upload) const {
  const auto foreign = [](const std::string& what) {
    throw Error(Code::parameters_mismatch, what, "make uploads with encrypt() for this study");
  };
  if (broken) refuse_half_added();
  if (upload.columns.size() != study.columns.size())
    foreign("the upload has " + std::to_string(upload.columns.size()) + " columns, but the study has " +
            std::to_string(study.columns.size()));
  const std::uint32_t most = study.each_slot ? 1 : study.records;
  if (upload.records == 0 || upload.records > most)
    foreign("the upload has " + std::to_string(upload.records) + " records, but the study allows 1 .. " +
            std::to_string(most));
  for (const Ciphertext& column : upload.columns) {
    if (column.size() == 2 && column.level() == context.top_level() && !column.bound_is_untrusted() &&
        column.budget_bits() >= fresh_bits)
      continue;
    throw Error(Code::mode_forbidden, "a column of the upload is not a fresh encryption",
                "computed values may be outside the declared ranges; encrypt the values again");
  }
}

template <class Scheme>
void Aggregator<Scheme>::State::reserve(std::uint32_t more) const {
  const bool records_fit = add_within(capacity, limits->records, more);
  if (records_fit && add_within(study.uploads, limits->uploads, 1)) return;
  if (records_fit) limits->records -= more;
  throw Error(Code::range_exceeded,
              "after " + std::to_string(limits->uploads) + " uploads of " + std::to_string(limits->records) +
                  " records a total could wrap modulo " + std::to_string(context.plain_modulus()),
              "declare more uploads or narrower ranges in the study, and choose its parameters again");
}

template <class Scheme>
void Aggregator<Scheme>::State::give_back(std::uint32_t more) const noexcept {
  limits->uploads -= 1;
  limits->records -= more;
}

template <class Scheme>
void Aggregator<Scheme>::State::add_columns(const Upload<Scheme>& upload) {
  for (std::size_t c = 0; c < next.size(); ++c) {
    const bool is_first = sums[c].size() == 0;
    evaluator.add_into(next[c], is_first ? zeros[c] : sums[c], upload.columns[c]);
    if (is_first) next[c] = upload.columns[c].clone();
  }
}

template <class Scheme>
void Aggregator<Scheme>::State::add_product(std::size_t a, std::size_t b, const Upload<Scheme>& upload) {
  Ciphertext& sum = products[study.product(a, b)];
  if (sum.size() == 0) evaluator.multiply_into(sum, upload.columns[a], upload.columns[b]);
  else evaluator.multiply_add_into(sum, upload.columns[a], upload.columns[b]);
}

template <class Scheme>
void Aggregator<Scheme>::State::add_products(const Upload<Scheme>& upload) {
  std::size_t done = 0;
  try {
    for (std::size_t b = 0; b < study.columns.size(); ++b) {
      for (std::size_t a = study.wanted == Wanted::regressions ? 0 : b; a <= b; ++a, ++done) add_product(a, b, upload);
    }
  } catch (...) {
    const bool lost = uploads > 0 && std::any_of(products.begin(), products.end(),
                                                 [](const Ciphertext& sum) { return sum.size() == 0; });
    broken = done > 0 || lost;  // a verb that fails may leave its sum empty
    throw;
  }
}

template <class Scheme>
integers::Ciphertext<Scheme> Aggregator<Scheme>::State::over_slots(Ciphertext&& sum,
                                                                   const GaloisKeys* rotations) const {
  if (study.each_slot) return std::move(sum);
  if (rotations == nullptr)
    throw Error(Code::key_missing, "totals over slots need rotation keys", "give the keys of plan_rotations()");
  Ciphertext row = evaluator.sum_slots(sum, context.parameters().chain.n / 2, *rotations);
  evaluator.add_into(row, row, evaluator.swap_rows(row, *rotations));
  return row;
}

template <class Scheme>
Aggregator<Scheme>::Aggregator(const integers::Context<Scheme>& context, Study study, const PublicKey& key,
                               unsigned threads) {
  check(study);
  state_ = std::make_unique<State>(context, std::move(study), threads);
  state_->limits = std::make_shared<Limits>();
  const integers::Encryptor<Scheme> encryptor(context, key);
  const auto zero = integers::Encoder<Scheme>(context).encode(std::vector<std::int64_t>(1, 0));
  for (std::size_t c = 0; c < state_->study.columns.size(); ++c) state_->sums.push_back(encryptor.encrypt(zero));
  state_->next.resize(state_->sums.size());
  state_->products.resize(state_->study.products());
  state_->fresh_bits = state_->sums.front().budget_bits();
}

template <class Scheme>
Aggregator<Scheme>::Aggregator(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
template <class Scheme>
Aggregator<Scheme>::Aggregator(Aggregator&&) noexcept = default;
template <class Scheme>
Aggregator<Scheme>& Aggregator<Scheme>::operator=(Aggregator&&) noexcept = default;
template <class Scheme>
Aggregator<Scheme>::~Aggregator() = default;
template <class Scheme>
typename Aggregator<Scheme>::State& Aggregator<Scheme>::state() const {
  if (state_ == nullptr)
    throw Error(Code::invalid_argument, "a moved-from aggregator is used", "use the object to which it was moved");
  return *state_;
}
template <class Scheme>
std::uint64_t Aggregator<Scheme>::uploads() const {
  return state().uploads;
}
template <class Scheme>
std::uint64_t Aggregator<Scheme>::records() const {
  return state().records;
}

template <class Scheme>
void Aggregator<Scheme>::add(const Upload<Scheme>& upload) {
  State& s = state();
  s.check_upload(upload);
  s.reserve(upload.records);
  try {
    s.add_columns(upload);
    if (s.study.products() > 0) s.add_products(upload);
  } catch (...) {
    s.give_back(upload.records);
    throw;
  }
  std::swap(s.sums, s.next);
  s.uploads += 1;
  s.records += upload.records;
}

template <class Scheme>
Aggregator<Scheme> Aggregator<Scheme>::beside(const integers::Context<Scheme>& context, unsigned threads) const {
  const State& s = state();
  auto state = std::make_unique<State>(context, s.study, threads);
  state->limits = s.limits;
  state->fresh_bits = s.fresh_bits;
  for (const auto& sum : s.zeros.empty() ? s.sums : s.zeros) state->zeros.push_back(sum.to(context));
  state->sums.resize(s.sums.size());
  state->next.resize(s.sums.size());
  state->products.resize(s.products.size());
  return Aggregator(std::move(state));
}

template <class Scheme>
void Aggregator<Scheme>::State::add_sums(State& other) {
  const auto add = [&](Ciphertext& sum, const Ciphertext& more) {
    const Ciphertext here = more.to(context);
    if (sum.size() == 0) sum = here.clone();
    else evaluator.add_into(sum, sum, here);
  };
  for (std::size_t c = 0; c < sums.size(); ++c) add(sums[c], other.sums[c]);
  for (std::size_t p = 0; p < products.size(); ++p) add(products[p], other.products[p]);
}

template <class Scheme>
void Aggregator<Scheme>::merge(Aggregator& other) {
  State &s = state(), &o = other.state();
  if (s.limits != o.limits || &s == &o || o.zeros.empty())
    throw Error(Code::invalid_argument, "the aggregators are of two studies", "merge what beside() returned");
  if (s.broken || o.broken) refuse_half_added();
  if (o.uploads == 0) return;
  s.broken = true;
  s.add_sums(o);
  s.broken = false;
  s.uploads += std::exchange(o.uploads, 0);
  s.records += std::exchange(o.records, 0);
  for (auto* const sums : {&o.sums, &o.next, &o.products})
    for (auto& sum : *sums) sum = {};
}

template <class Scheme>
Aggregate<Scheme> Aggregator<Scheme>::result(const RelinearizationKey* relinearization,
                                             const GaloisKeys* rotations) const {
  const State& s = state();
  if (!s.zeros.empty())
    throw Error(Code::invalid_argument, "the aggregator was made by beside() of another one and has no result",
                "merge it into that one, and request the result there");
  if (s.uploads == 0 || s.broken)
    throw Error(Code::invalid_argument, s.broken ? "an upload was added only in part" : "nothing was added yet",
                s.broken ? "aggregate again from the uploads" : "add uploads first");
  if (!s.products.empty() && relinearization == nullptr)
    throw Error(Code::key_missing, "sums of products need the relinearization key", "give the analyst's key");
  Aggregate<Scheme> out;
  out.uploads = s.uploads;
  out.records = s.records;
  for (const auto& sum : s.sums) out.sums.push_back(s.over_slots(sum.clone(), rotations));
  for (const auto& sum : s.products)
    out.products.push_back(s.over_slots(s.evaluator.relinearize(sum, *relinearization), rotations));
  return out;
}

template class Aggregator<bgv::Scheme>;
template class Aggregator<bfv::Scheme>;

}  // namespace ringfort::statistics
