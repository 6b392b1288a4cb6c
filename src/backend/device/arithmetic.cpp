// SPDX-License-Identifier: Apache-2.0
#include "backend/device/arithmetic.h"

#include <algorithm>
#include <cstring>

#include "backend/device/kernels/automorphism.h"
#include "backend/device/kernels/expand.h"
#include "backend/device/kernels/integers.h"
#include "backend/device/kernels/map.h"
#include "backend/device/kernels/sums.h"

namespace ringfort::device {

namespace {

// Launches the parts of the transforms, one after the other. `out`: the arguments of the last stores.
template <class Word, class Out = Keep<Word>>
Status transform(const Caller& on, const View& view, Task task, const Touched& touched,
                 const typename Out::Args& out = {}) noexcept {
  const DevicePlan& plan = plan_of(view);
  const bool forward = task != Task::intt;
  const std::size_t count = plan.parts().size();
  NttArgs<Word, Keep<Word>, Out> args{batch_of<Word>(view),
                                      limbs_of<Word>(view),
                                      plan.factors<Word>(forward, view.limbs.first),
                                      view.batch,
                                      {},
                                      {},
                                      out};
  return on.ordered(touched, [&] {
    for (std::size_t i = 0; i < count; ++i) {
      args.part = plan.parts()[forward ? i : count - 1 - i];
      const Grid grid = ntt_grid(args.part, view.batch, view.limbs.count, sizeof(Word));
      const Status status = on.launch(plan.kernel(task), grid, args, touched);
      if (status != Status::ok) return status;
    }
    return Status::ok;
  });
}

Status map(const Caller& on, Task task, const View& out, const View& a, const View& b) noexcept {
  return by_word(out, [&]<class Word>(Word) {
    const MapArgs<Word> args{batch_of<Word>(out), batch_of<const Word>(a), factors_of<Word>(b), limbs_of<Word>(out),
                             chunks_of(out)};
    return on.call(plan_of(out).kernel(task), args.chunks.grid(out.limbs.count), args,
                   Touched().tables(out).reads(a).reads(b).writes(out));
  });
}

}  // namespace

Status compute(const Caller& on, const verb::Copy& v) noexcept {
  if (same_memory(v.out, v.a)) return Status::ok;
  return on.ordered(Touched().reads(v.a).writes(v.out), [&] {
    for (std::size_t p = 0; p < v.out.batch; ++p) {
      const Status status =
          on.pool.driver().copy(on.stream, address_of(v.out, p), address_of(v.a, p), bytes_of_polynomial(v.out));
      if (status != Status::ok) return status;
    }
    return Status::ok;
  });
}

Status compute(const Caller& on, const verb::Ntt& v) noexcept {
  const Touched touched = Touched().tables(v.inout).writes(v.inout);
  return by_word(v.inout, [&]<class Word>(Word) { return transform<Word>(on, v.inout, Task::ntt, touched); });
}
Status compute(const Caller& on, const verb::Intt& v) noexcept {
  const Touched touched = Touched().tables(v.inout).writes(v.inout);
  return by_word(v.inout, [&]<class Word>(Word) { return transform<Word>(on, v.inout, Task::intt, touched); });
}

Status compute(const Caller& on, const verb::Add& v) noexcept { return map(on, Task::add, v.out, v.a, v.b); }
Status compute(const Caller& on, const verb::Subtract& v) noexcept { return map(on, Task::subtract, v.out, v.a, v.b); }
Status compute(const Caller& on, const verb::Multiply& v) noexcept { return map(on, Task::multiply, v.out, v.a, v.b); }
Status compute(const Caller& on, const verb::MultiplyAdd& v) noexcept {
  return map(on, Task::multiply_add, v.out, v.a, v.b);
}
Status compute(const Caller& on, const verb::Negate& v) noexcept { return map(on, Task::negate, v.out, v.a, v.a); }

// Computes as many limbs per launch as the arguments can hold factors.
Status compute(const Caller& on, const verb::MultiplyScalar& v) noexcept {
  return by_word(v.out, [&]<class Word>(Word) {
    constexpr u32 kMost = kFactorsOfLaunch<Word>;
    for (u32 first = 0; first < v.out.limbs.count; first += kMost) {
      const Limbs some{v.out.limbs.first + first, std::min(kMost, v.out.limbs.count - first)};
      const View out = v.out.in(some), a = v.a.in(some);
      ScaleArgs<Word> args{batch_of<Word>(out), batch_of<const Word>(a), limbs_of<Word>(out), chunks_of(out), {}};
      for (u32 i = 0; i < some.count; ++i) {
        const u128 q = out.plan->plan.moduli[some.first + i];
        args.factors[i] = factor_of(static_cast<Word>(v.per_limb[first + i] % q), static_cast<Word>(q));
      }
      const Status status = on.call(plan_of(out).kernel(Task::multiply_scalar), args.chunks.grid(some.count), args,
                                    Touched().tables(out).reads(a).writes(out));
      if (status != Status::ok) return status;
    }
    return Status::ok;
  });
}

// Integers may be secret: the verb zeroes their scratch memory, even if it fails.
Status compute(const Caller& on, const verb::Lift& v) noexcept {
  const DevicePlan& plan = plan_of(v.to);
  Buffer& scratch = plan.integers();
  const std::size_t row = std::size_t{plan.n()} * v.integer_bytes, most = scratch.bytes / row;
  const Touched touched = Touched().tables(v.to).buffer(scratch, true).writes(v.to);
  return by_word(v.to, [&]<class Word>(Word) {
    return on.ordered(touched, [&] {
      Status status = Status::ok;
      for (std::size_t p = 0; p < v.to.batch && status == Status::ok; p += most) {
        const View to = v.to.polynomials(p, std::min<std::size_t>(most, v.to.batch - p));
        const LiftArgs<Word> args{batch_of<Word>(to), reinterpret_cast<const device::u8*>(scratch.address),
                                  limbs_of<Word>(to), chunks_of(to), v.integer_bytes};
        status = on.pool.upload(on.stream, scratch.address, static_cast<const std::byte*>(v.integers) + p * row,
                                to.batch * row, Privacy::secret);
        if (status == Status::ok)
          status = on.launch(plan.kernel(Task::lift), args.chunks.grid(to.limbs.count), args, touched);
      }
      const std::size_t used = std::min<std::size_t>(most, v.to.batch) * row;
      const Status cleared = on.pool.driver().zero(on.stream, scratch.address, used);
      return status != Status::ok ? status : cleared;
    });
  });
}

Status compute(const Caller& on, const verb::Decompose& v) noexcept {
  return by_word(v.a, [&]<class Word>(Word) {
    const DecomposeArgs<Word> args{batch_of<Word>(v.out), batch_of<const Word>(v.a), limbs_of<Word>(v.a),
                                   chunks_of(v.a),        v.gadget.base_bits,        v.gadget.digits,
                                   v.gadget.shift,        v.gadget.centred};
    return on.call(plan_of(v.a).kernel(Task::decompose), args.chunks.grid(1), args,
                   Touched().tables(v.a).reads(v.a).writes(v.out));
  });
}

Status compute(const Caller& on, const verb::ExpandUniform& v) noexcept {
  const u32 purpose = static_cast<u32>(Purpose::uniform_a);
  return by_word(v.out, [&]<class Word>(Word) {
    ExpandArgs<Word> args{batch_of<Word>(v.out),
                          limbs_of<Word>(v.out),
                          chunks_of(v.out),
                          {},
                          {purpose | static_cast<u32>(v.object) << 16, static_cast<u32>(v.object >> 16)},
                          v.out.limbs.first,
                          v.first_digit};
    std::memcpy(args.key, v.seed.bytes.data(), sizeof args.key);
    return on.call(plan_of(v.out).kernel(Task::expand_uniform), expand_grid<Word>(args.chunks, v.out.limbs.count), args,
                   Touched().tables(v.out).writes(v.out));
  });
}

Status compute(const Caller& on, const verb::Automorphism& v) noexcept {
  u32 inverse = v.galois;  // mod 2^32, so also mod 2n: three bits are correct, and each step doubles their number
  for (u32 i = 0; i < 4; ++i) inverse *= 2 - v.galois * inverse;
  const bool is_evaluation = v.domain == Domain::evaluation;
  const Task task = is_evaluation ? Task::automorphism_evaluations : Task::automorphism_coefficients;
  return by_word(v.out, [&]<class Word>(Word) {
    const AutomorphismArgs<Word> args{batch_of<Word>(v.out), batch_of<const Word>(v.a), limbs_of<Word>(v.out),
                                      chunks_of(v.out), is_evaluation ? v.galois : inverse};
    return on.call(plan_of(v.out).kernel(task), args.chunks.grid(v.out.limbs.count), args,
                   Touched().tables(v.out).reads(v.a).writes(v.out));
  });
}

Status compute(const Caller& on, const verb::BaseConvert& v) noexcept {
  const DevicePlan& plan = plan_of(v.out);
  const Limbs same = common(v.out.limbs, v.a.limbs);
  const bool is_kept = same.count != 0 && same_memory(v.out.in(same), v.a.in(same));
  ConvertShape shape{v.a.limbs.count,          v.out.limbs.count, is_kept ? same.first - v.out.limbs.first : 0,
                     is_kept ? same.count : 0, v.out.batch,       plan.log_n()};
  if (shape.computed() == 0) return Status::ok;
  ConversionTable table;
  if (const Status status = plan.conversion(on.stream, v.a.limbs, table); status != Status::ok) return status;
  const Touched touched = Touched().tables(v.out).buffer(*table.memory, false).reads(v.a).writes(v.out);
  return by_word(v.out, [&]<class Word>(Word) {
    shape.lanes_log = convert_lanes_log(shape.sources, shape.log_n, sizeof(Word));
    shape.limbs_of_block = convert_limbs_of_block(shape, on.pool.driver().facts().units);
    const auto* const weights = reinterpret_cast<const Word*>(table.memory->address + table.weights_at);
    const ConvertArgs<Word> args{batch_of<Word>(v.out),
                                 batch_of<const Word>(v.a),
                                 reinterpret_cast<const SourceLimb<Word>*>(table.memory->address),
                                 weights + std::size_t{v.out.limbs.first} * (shape.sources + 1),
                                 limbs_of<Word>(v.out),
                                 shape,
                                 v.kind == Conversion::centred ? device::u64{1} << 55 : 0,
                                 v.kind == Conversion::approximate ? 0 : ~device::u64{0}};
    return on.call(plan.kernel(Task::base_convert), shape.grid(sizeof(Word)), args, touched);
  });
}

Status compute(const Caller& on, const verb::InnerProduct& v) noexcept {
  return by_word(v.out, [&]<class Word>(Word) {
    const Chunks chunks{v.rows * InnerProductArgs<Word>::tiles(v.columns), plan_of(v.out).log_n()};
    const InnerProductArgs<Word> args{batch_of<Word>(v.out),
                                      batch_of<const Word>(v.a),
                                      batch_of<const Word>(v.b),
                                      limbs_of<Word>(v.out),
                                      chunks,
                                      v.inner,
                                      v.columns,
                                      v.accumulate};
    return on.call(plan_of(v.out).kernel(Task::inner_product), chunks.grid(v.out.limbs.count), args,
                   Touched().tables(v.out).reads(v.a).reads(v.b).writes(v.out));
  });
}

Status compute(const Caller& on, const verb::Tensor& v) noexcept {
  return by_word(v.out, [&]<class Word>(Word) {
    const Chunks chunks{v.a.batch / 2, plan_of(v.out).log_n()};
    const TensorArgs<Word> args{batch_of<Word>(v.out), batch_of<const Word>(v.a), batch_of<const Word>(v.b),
                                limbs_of<Word>(v.out), chunks};
    return on.call(plan_of(v.out).kernel(Task::tensor), chunks.grid(v.out.limbs.count), args,
                   Touched().tables(v.out).reads(v.a).reads(v.b).writes(v.out));
  });
}

namespace {

// Converts the dropped limbs to the others, times t, in the coefficient domain, and writes to `out`.
Status convert_remainder(const Caller& on, const verb::ModDown& v) noexcept {
  const RnsBasis& basis = v.a.plan->basis;
  const Limbs away = v.dropped();
  const bool evaluation = v.domain == Domain::evaluation, scaled = v.plain != 1;
  const View rest = v.a.in(away), from = evaluation || scaled ? v.scratch : rest;
  std::array<u128, kMostLimbs> factors;
  const auto scale = [&](const View& out, const View& a, auto factor) {
    for (u32 i = 0; i < out.limbs.count; ++i) factors[i] = factor(basis[out.limbs.first + i]);
    return compute(on, verb::MultiplyScalar{out, a, std::span(factors).first(out.limbs.count)});
  };
  Status status = Status::ok;
  if (scaled) status = scale(v.scratch, rest, [&](const auto& p) { return p.inverse(p.reduce(v.plain)); });
  else if (evaluation) status = compute(on, verb::Copy{v.scratch, rest});
  if (status == Status::ok && evaluation) status = compute(on, verb::Intt{v.scratch});
  if (status == Status::ok) status = compute(on, verb::BaseConvert{v.out, from, Conversion::centred});
  if (status == Status::ok && scaled) status = scale(v.out, v.out, [&](const auto& q) { return q.reduce(v.plain); });
  return status;
}

}  // namespace

// The last stores of the remainder's transform write the quotients: to `out`, or to `a` if an automorphism follows.
Status compute(const Caller& on, const verb::ModDown& v) noexcept {
  if (const Status status = convert_remainder(on, v); status != Status::ok) return status;
  ConversionTable table;
  if (const Status status = plan_of(v.out).conversion(on.stream, v.dropped(), table); status != Status::ok)
    return status;
  const View a = v.a.in(v.out.limbs), to = v.quotient();
  Touched touched = Touched().tables(v.out).buffer(*table.memory, false).reads(a).writes(v.out).writes(to);
  if (v.adds()) touched.reads(v.addend);
  const Status status = by_word(v.out, [&]<class Word>(Word) {
    const auto* const inverses = reinterpret_cast<const Factor<Word>*>(table.memory->address + table.inverses_at);
    const typename Quotient<Word>::Args end{batch_of<Word>(to), batch_of<const Word>(a),
                                            v.adds() ? batch_of<const Word>(v.addend) : Batch<const Word>{},
                                            inverses + v.out.limbs.first, v.adds() ? v.addend.batch : 0};
    if (v.domain == Domain::evaluation)
      return transform<Word, Quotient<Word>>(on, v.out, Task::ntt_quotient, touched, end);
    const DivideArgs<Word> args{batch_of<const Word>(v.out), limbs_of<Word>(v.out), chunks_of(v.out), end};
    return on.call(plan_of(v.out).kernel(Task::divide), args.chunks.grid(v.out.limbs.count), args, touched);
  });
  if (status != Status::ok || v.galois == 1) return status;
  return compute(on, verb::Automorphism{v.out, to, v.galois, v.domain});
}

// The last stores of the second transform write the products [Shivdikar22, Alg. 8].
Status compute(const Caller& on, const verb::Polymul& v) noexcept {
  if (const Status status = compute(on, verb::Ntt{v.a}); status != Status::ok) return status;
  const Touched touched = Touched().tables(v.b).reads(v.a).writes(v.b).writes(v.out);
  const Status status = by_word(v.b, [&]<class Word>(Word) {
    return transform<Word, Times<Word>>(on, v.b, Task::ntt_times, touched,
                                        {batch_of<Word>(v.out), batch_of<const Word>(v.a)});
  });
  return status == Status::ok ? compute(on, verb::Intt{v.out}) : status;
}

}  // namespace ringfort::device
