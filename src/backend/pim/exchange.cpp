// SPDX-License-Identifier: Apache-2.0
// Conversions and transforms of words that are on the host (exchange.h). The code cuts the words into slices, sends
// these to the DPUs with tables and arguments, and reads the results.
#include "backend/pim/exchange.h"

#include <bit>
#include <cstring>

#include "kernels/convert.h"

namespace ringfort::pim_host {
namespace {

bool is_narrow(const PimPlan& plan, const Passage& passage) {
  const auto narrow = [](const Limb& limb) { return limb.narrow; };
  const auto first = plan.limbs.begin() + passage.from.first;
  return std::all_of(first, first + passage.from.count, narrow) &&
         std::all_of(passage.to.begin(), passage.to.end(), [&](u32 limb) { return plan.limbs[limb].narrow; });
}

u64 power_of_two(const Modulus<u64>& q, u32 exponent) { return q.power(q.reduce(2), exponent); }

template <class T>
void append(std::vector<u32>& words, const T& value) {
  const std::size_t at = words.size();
  words.resize(at + sizeof value / sizeof(u32));
  std::memcpy(words.data() + at, &value, sizeof value);
}

// Appends the constants of the primes q_i of `from`: for v_i, the factor (Q / q_i)^(-1) / t mod q_i in Montgomery form,
// and the reciprocal of q_i for the fraction v_i / q_i. BaseConvert in backend/verbs.h defines v_i.
void append_sources(const PimPlan& plan, const Passage& passage, u64 radix, std::vector<u32>& words) {
  const RnsBasis& basis = plan.basis;
  for (u32 limb = passage.from.first; limb < passage.from.end(); ++limb) {
    const Modulus<u64>& q = basis[limb];
    const u64 weight = q.multiply(basis.punctured_inverse(passage.from, limb), q.inverse(q.reduce(passage.plain))),
              reciprocal = basis.fraction(limb);
    if (plan.is_wide()) {
      append(words, Convert64Source{q.value(), q.multiply(weight, power_of_two(q, 64)), reciprocal, 64 - q.bits()});
      continue;
    }
    append(words, ConvertSource{static_cast<u32>(q.value()), static_cast<u32>(q.multiply(weight, q.reduce(radix))),
                                static_cast<u32>(reciprocal), static_cast<u32>(reciprocal >> 32), 30 - q.bits(), 0});
  }
}

// For each prime p of `to`, appends factors in Montgomery form: t Q / q_i mod p for each v_i, and -t Q mod p for the
// rounded sum of the fractions.
void append_weights(const PimPlan& plan, const Passage& passage, u64 radix, std::vector<u32>& words) {
  std::vector<u64> row(passage.from.count + 1);
  for (const u32 limb : passage.to) {
    const Modulus<u64>& p = plan.basis[limb];
    const u64 form = plan.is_wide() ? power_of_two(p, 64) : p.reduce(radix),
              factor = p.multiply(form, p.reduce(passage.plain));
    plan.basis.punctured_products(passage.from, limb, std::span(row).first(passage.from.count));
    row.back() = p.negate(plan.basis.product(passage.from, limb));
    const std::size_t end = words.size() + (plan.is_wide() ? 0 : convert_row(passage.from.count));
    for (const u64 weight : row) {
      if (plan.is_wide()) append(words, p.multiply(weight, factor));
      else append(words, static_cast<u32>(p.multiply(weight, factor)));
    }
    if (words.size() < end) words.resize(end);
  }
}

}  // namespace

std::vector<TransferBuffer> Slices::buffers() {
  std::vector<TransferBuffer> all;
  for (std::size_t s = 0; s < count(); ++s) all.push_back({static_cast<u32>(s), words.data() + s * vectors * length});
  return all;
}

// Calls `move` for each slice that has some of the words first .. first + count - 1 of a vector.
template <class Move>
void Slices::each(std::size_t vector, std::size_t first, std::size_t count, Move move) noexcept {
  for (std::size_t at = first; at < first + count;) {
    const std::size_t s = at / length, in = at % length, run = std::min(length - in, first + count - at);
    move(words.data() + (s * vectors + vector) * length + in, at - first, run);
    at += run;
  }
}

void Slices::put_polynomial(std::size_t vector, std::size_t p, const u32* polynomial, std::size_t n) noexcept {
  each(vector, p * n, n,
       [&](u32* slice, std::size_t at, std::size_t run) { std::copy_n(polynomial + at, run, slice); });
}

void Slices::get_polynomial(std::size_t vector, std::size_t p, u32* polynomial, std::size_t n) noexcept {
  each(vector, p * n, n,
       [&](const u32* slice, std::size_t at, std::size_t run) { std::copy_n(slice, run, polynomial + at); });
}

Conversions::Conversions(const PimPlan& plan, std::span<const Passage> passages) {
  for (const Passage& passage : passages) {
    const u32 rows = plan.is_wide() ? kMostWeights64 / convert_row_64(passage.from.count)
                                    : kMostWeights / convert_row(passage.from.count);
    const std::size_t most = std::min<std::size_t>(kMostTargets, rows);
    Passage some = passage;
    for (std::size_t first = 0; first < passage.to.size(); first += most) {
      const auto begin = passage.to.begin() + static_cast<i64>(first);
      some.to.assign(begin, begin + static_cast<i64>(std::min(most, passage.to.size() - first)));
      add(plan, some);
    }
  }
}

void Conversions::add(const PimPlan& plan, const Passage& passage) {
  const bool narrow = is_narrow(plan, passage);
  const u64 radix = u64{1} << (narrow ? 24 : 32);
  TargetLaunch launch{.kind = static_cast<u32>(passage.kind),
                      .narrow = narrow,
                      .first_source = passage.first,
                      .sources = passage.from.count,
                      .first_target = targets_,
                      .targets = static_cast<u32>(passage.to.size())};
  launch.source_table = static_cast<u32>(tables_.size());
  append_sources(plan, passage, radix, tables_);
  launch.target_table = static_cast<u32>(tables_.size());
  for (const u32 limb : passage.to) {
    const u64 p = plan.basis[limb].value();
    if (plan.is_wide()) append(tables_, p);
    else append(tables_, ConvertTarget{static_cast<u32>(p), 0});
  }
  launch.weights = static_cast<u32>(tables_.size());
  append_weights(plan, passage, radix, tables_);
  targets_ += launch.targets;
  launches_.push_back(launch);
}

Status Conversions::convert_slices(VerbTask& task, u32 offset, Slices& x, Slices& y) const {
  System& system = task.machine().system;
  const u32 out = offset + static_cast<u32>(x.bytes()), tables = out + static_cast<u32>(y.bytes()),
            vector = static_cast<u32>(x.length * sizeof(u32));
  if (const Status status = system.push(task.rank(), offset, x.bytes(), x.buffers()); status != Status::ok)
    return status;
  if (const Status status = system.broadcast(task.rank(), tables, tables_, Load::tables); status != Status::ok)
    return status;
  for (const TargetLaunch& launch : launches_) {
    const Status status = execute(task, launch, {offset, out, tables, vector}, static_cast<u32>(x.count()));
    if (status != Status::ok) return status;
  }
  return system.pull(task.rank(), out, y.bytes(), y.buffers());
}

Status Conversions::execute(VerbTask& task, const TargetLaunch& launch, const Offsets& at, u32 dpus) const {
  const auto on_all = [&](Kernel kernel, auto arguments) {
    arguments.kind = launch.kind;
    arguments.words = at.vector / task.plan().extent().word_bytes;
    arguments.sources = launch.sources;
    arguments.targets = launch.targets;
    arguments.x = at.x + launch.first_source * at.vector;
    arguments.out = at.out + launch.first_target * at.vector;
    arguments.source_table = at.tables + launch.source_table * 4;
    arguments.target_table = at.tables + launch.target_table * 4;
    arguments.weights = at.tables + launch.weights * 4;
    Status status = Status::ok;
    for (u32 dpu = 0; dpu < dpus && status == Status::ok; ++dpu)
      status = task.machine().system.ask(task.rank(), kernel, decltype(arguments){}, dpu, arguments);
    return status;
  };
  if (task.plan().is_wide()) return on_all(Kernel::convert64, Convert64Arguments{});
  ConvertArguments arguments{};
  arguments.verb = kConvert;
  arguments.narrow = launch.narrow;
  return on_all(Kernel::convert, arguments);
}

namespace {

// Sends to each DPU one limb of a polynomial, and the twiddles of this limb.
template <class Arguments>
Status transform_all(VerbTask& task, Kernel kernel, u32 offset, std::span<const HostLimb> limbs, bool inverse) {
  System& system = task.machine().system;
  const u32 n = task.plan().extent().words(), twiddles = offset + n * 4;
  for (std::size_t first = 0; first < limbs.size(); first += system.dpus()) {
    const std::span<const HostLimb> some =
        limbs.subspan(first, std::min<std::size_t>(system.dpus(), limbs.size() - first));
    Words words(some.size() * 2 * n);
    std::vector<TransferBuffer> there, back;
    const auto idle = ntt_arguments<Arguments>(task.plan(), some[0].limb, inverse, {offset, twiddles, 0});
    for (std::size_t i = 0; i < some.size(); ++i) {
      u32* const both = words.data() + i * 2 * n;
      const std::vector<u32>& table = task.plan().twiddles(some[i].limb, inverse);
      std::copy_n(some[i].words, n, both);
      std::copy_n(table.data(), n, both + n);
      there.push_back({static_cast<u32>(i), both});
      back.push_back({static_cast<u32>(i), some[i].words});
    }
    if (const Status status = system.push(task.rank(), offset, std::size_t{n} * 8, there); status != Status::ok)
      return status;
    for (u32 i = 0; i < some.size(); ++i) {
      const auto arguments = ntt_arguments<Arguments>(task.plan(), some[i].limb, inverse, {offset, twiddles, 1});
      if (const Status status = system.ask(task.rank(), kernel, idle, i, arguments); status != Status::ok)
        return status;
    }
    if (const Status status = system.pull(task.rank(), offset, std::size_t{n} * 4, back); status != Status::ok)
      return status;
  }
  return Status::ok;
}

}  // namespace

Status transform_anywhere(VerbTask& task, u32 offset, std::span<const HostLimb> limbs, bool inverse) {
  if (task.plan().is_wide()) return transform_all<Ntt64Arguments>(task, Kernel::ntt64, offset, limbs, inverse);
  return transform_all<NttArguments>(task, Kernel::ntt, offset, limbs, inverse);
}

}  // namespace ringfort::pim_host
