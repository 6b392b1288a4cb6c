// SPDX-License-Identifier: Apache-2.0
// Submits divisions by products of primes on GPUs: ModDown and ModDownRescale of backend/verbs.h. They need no launches
// that only copy words: the inverse transforms read the operand and write to scratch memory, and the last transforms
// write the quotients.
#include "backend/device/arithmetic.h"
#include "backend/device/kernels/map.h"
#include "backend/device/transforms.h"

namespace ringfort::device {

namespace {

// Computes the coefficients of the dropped limbs, times t^(-1), where t is v.plain. Sets `out` to the view of these
// coefficients.
Status dropped_coefficients(const Caller& on, const verb::ModDown& v, View& out) noexcept {
  const RnsBasis& basis = v.a.plan->basis;
  const Limbs away = v.dropped();
  const View rest = v.a.in(away);
  const bool evaluation = v.domain == Domain::evaluation;
  out = evaluation || v.plain != 1 ? v.scratch : rest;
  if (v.plain != 1) {
    std::array<u128, kMostLimbs> factors;
    for (u32 i = 0; i < away.count; ++i)
      factors[i] = basis[away.first + i].inverse(basis[away.first + i].reduce(v.plain));
    const Status status = compute(on, verb::MultiplyScalar{v.scratch, rest, std::span(factors).first(away.count)});
    return status == Status::ok && evaluation ? compute(on, verb::Intt{v.scratch}) : status;
  }
  return evaluation ? inverse_from(on, v.scratch, rest) : Status::ok;
}

// Converts the dropped limbs to the other limbs, multiplies by t, and writes the coefficients to v.out.
Status convert_remainder(const Caller& on, const verb::ModDown& v) noexcept {
  const RnsBasis& basis = v.a.plan->basis;
  View from;
  Status status = dropped_coefficients(on, v, from);
  if (status == Status::ok) status = compute(on, verb::BaseConvert{v.out, from, Conversion::centred});
  if (status != Status::ok || v.plain == 1) return status;
  std::array<u128, kMostLimbs> factors;
  for (u32 i = 0; i < v.out.limbs.count; ++i) factors[i] = basis[v.out.limbs.first + i].reduce(v.plain);
  return compute(on, verb::MultiplyScalar{v.out, v.out, std::span(factors).first(v.out.limbs.count)});
}

// Returns the number of words that the last step of a division reads in addition to the remainder.
u64 words_of_end(const View& out, const View& addend) noexcept {
  return out.words() + (addend.plan == nullptr ? 0 : addend.words());
}

}  // namespace

Status inverse_from(const Caller& on, const View& out, const View& from) noexcept {
  const Touched touched = Touched().tables(out).reads(from).writes(out);
  return by_word(out, [&]<class Word>(Word) {
    return transform(on, Transform<Word, Source<Word>>{out, Task::intt_from, 0, source_of<Word>(from)}, touched);
  });
}

// The last stores of the transform of the remainder write the quotients. If an automorphism follows, they write the
// quotients to the memory of `a`.
Status compute(const Caller& on, const verb::ModDown& v) noexcept {
  if (const Status status = convert_remainder(on, v); status != Status::ok) return status;
  ConversionTable table;
  if (const Status status = plan_of(v.out).conversion(on.stream, v.dropped(), table); status != Status::ok)
    return status;
  const View a = v.a.in(v.out.limbs), to = v.quotient();
  Touched touched = Touched().tables(v.out).buffer(*table.memory, false).reads(a).writes(v.out).writes(to);
  if (v.adds()) touched.reads(v.addend);
  const Status status = by_word(v.out, [&]<class Word>(Word) {
    const typename Quotient<Word>::Args end{batch_of<Word>(to),
                                            batch_of<const Word>(a),
                                            v.adds() ? batch_of<const Word>(v.addend) : Batch<const Word>{},
                                            table.at<Factor<Word>>(table.inverses_at) + v.out.limbs.first,
                                            nullptr,
                                            v.adds() ? v.addend.batch : 0};
    const u64 words = words_of_end(v.out, v.addend);
    if (v.domain == Domain::evaluation) {
      return transform(on,
                       Transform<Word, Source<Word>, Quotient<Word>>{v.out, Task::ntt_quotient, 0,
                                                                     source_of<Word>(v.out), end, 0, words},
                       touched);
    }
    const DivideArgs<Word> args{batch_of<const Word>(v.out), limbs_of<Word>(v.out), chunks_of(v.out), end};
    const Cost cost{.bytes = (2 * v.out.words() + words) * sizeof(Word), .multiplications = v.out.words()};
    return on.call({plan_of(v.out), Task::divide, args.chunks.grid(v.out.limbs.count), cost}, args, touched);
  });
  if (status != Status::ok || v.galois == 1) return status;
  return compute(on, verb::Automorphism{v.out, to, v.galois, v.domain});
}

namespace {

// The steps of ModDownRescale. The special limbs are before the limbs of the result, and the last limbs are after them.
// P is the product of the primes of the special limbs, Q is the product of the primes of the last limbs, and
// y = a + P addend:
//   1. a = the coefficients of a (special limbs) and of y (last limbs), in one transform
//   2. scratch = base_convert(a mod P) in all other limbs
//   3. a = (a - scratch) / P in the last limbs: the coefficients of the first quotient x
//   4. out = base_convert(x mod Q)
//   5. out = (((a - transform(scratch + P out)) / P) + addend) / Q
// Step 5 is right because (x - transform(out)) / Q is the result, and x = (a - transform(scratch)) / P + addend.
struct TwoDivisions {
  const Caller& on;
  const verb::ModDownRescale& v;
  Limbs special, rest, last;
  ConversionTable by_special{}, by_last{};

  TwoDivisions(const Caller& caller, const verb::ModDownRescale& of) noexcept : on(caller), v(of) {
    const auto [first, second] = v.divisions();
    special = first.scratch.limbs, rest = first.out.limbs, last = second.scratch.limbs;
  }
  [[nodiscard]] Status prepare() noexcept {
    const GpuPlan& plan = plan_of(v.a);
    const Status status = plan.conversion(on.stream, special, by_special);
    return status == Status::ok ? plan.conversion(on.stream, last, by_last) : status;
  }

  [[nodiscard]] Status inverse() const noexcept {
    Touched touched = Touched().tables(v.a).buffer(*by_special.memory, false).writes(v.a);
    if (v.adds()) touched.reads(v.addend);
    return by_word(v.a, [&]<class Word>(Word) {
      Batch<const Word> addend{};
      if (v.adds()) {
        addend = batch_of<const Word>(v.addend);
        addend.words -= std::size_t{special.count} * v.a.plan->n();
      }
      const typename Source<Word>::Args in{
          .from = batch_of<const Word>(v.a),
          .addend = addend,
          .factors = by_special.at<Factor<Word>>(by_special.products_at) + v.a.limbs.first,
          .addends = v.adds() ? v.addend.batch : 0,
          .first_added = special.count,
          .begin = special.count,
          .gap = v.out.limbs.count};
      const u64 added = v.adds() ? v.addend.in(last).words() : 0;
      return transform(
          on, Transform<Word, Source<Word>>{v.a, Task::intt_from, special.count + last.count, in, {}, added, 0},
          touched);
    });
  }
  [[nodiscard]] Status divide_last() const noexcept {
    const View x = v.a.in(last), remainder = v.scratch.in(last);
    const Touched touched = Touched().tables(v.a).buffer(*by_special.memory, false).reads(remainder).writes(x);
    return by_word(v.a, [&]<class Word>(Word) {
      const auto* const inverses = by_special.at<Factor<Word>>(by_special.inverses_at) + last.first;
      const typename Quotient<Word>::Args end{batch_of<Word>(x), batch_of<const Word>(x), {}, inverses, nullptr, 0};
      const DivideArgs<Word> args{batch_of<const Word>(remainder), limbs_of<Word>(x), chunks_of(x), end};
      const Cost cost{.bytes = 3 * x.words() * sizeof(Word), .multiplications = x.words()};
      return on.call({plan_of(x), Task::divide, args.chunks.grid(last.count), cost}, args, touched);
    });
  }
  [[nodiscard]] Status finish() const noexcept {
    const View a = v.a.in(v.out.limbs), remainder = v.scratch.in(v.out.limbs);
    Touched touched = Touched().tables(a).reads(a).writes(remainder).writes(v.out);
    touched.buffer(*by_special.memory, false).buffer(*by_last.memory, false);
    const View addend = v.adds() ? v.addend.in(v.out.limbs) : View{};
    if (v.adds()) touched.reads(addend);
    return by_word(a, [&]<class Word>(Word) {
      typename Source<Word>::Args in = source_of<Word>(remainder);
      in.addend = batch_of<const Word>(v.out);
      in.factors = by_special.at<Factor<Word>>(by_special.products_at) + v.out.limbs.first;
      in.addends = v.out.batch;
      const typename Quotient<Word>::Args end{batch_of<Word>(v.out),
                                              batch_of<const Word>(a),
                                              v.adds() ? batch_of<const Word>(addend) : Batch<const Word>{},
                                              by_special.at<Factor<Word>>(by_special.inverses_at) + v.out.limbs.first,
                                              by_last.at<Factor<Word>>(by_last.inverses_at) + v.out.limbs.first,
                                              v.adds() ? addend.batch : 0};
      return transform(on,
                       Transform<Word, Source<Word>, Quotient<Word>>{remainder, Task::ntt_quotient, 0, in, end,
                                                                     v.out.words(), words_of_end(a, addend)},
                       touched);
    });
  }
};

}  // namespace

Status compute(const Caller& on, const verb::ModDownRescale& v) noexcept {
  TwoDivisions steps(on, v);
  Status status = steps.prepare();
  if (status == Status::ok) status = steps.inverse();
  if (status == Status::ok)
    status = compute(on, verb::BaseConvert{v.scratch.in(steps.rest), v.a.in(steps.special), Conversion::centred});
  if (status == Status::ok) status = steps.divide_last();
  if (status == Status::ok) status = compute(on, verb::BaseConvert{v.out, v.a.in(steps.last), Conversion::centred});
  return status == Status::ok ? steps.finish() : status;
}

}  // namespace ringfort::device
