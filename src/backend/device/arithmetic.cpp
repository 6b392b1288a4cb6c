// SPDX-License-Identifier: Apache-2.0
// Submits the verbs of arithmetic.h, except the divisions (division.cpp) and the key switches (key_switch.cpp).
// Computes the arguments and the grid of each launch.
#include "backend/device/arithmetic.h"

#include <algorithm>
#include <cstring>

#include "backend/device/conversions.h"
#include "backend/device/kernels/automorphism.h"
#include "backend/device/kernels/expand.h"
#include "backend/device/kernels/integers.h"
#include "backend/device/kernels/map.h"
#include "backend/device/kernels/sums.h"
#include "backend/device/transforms.h"
#include "math/prime.h"

namespace ringfort::device {

namespace {

// Returns the work of an element-wise kernel on the view.
Work each_word(const View& of, Task task, const Cost& cost) noexcept {
  return {plan_of(of), task, chunks_of(of).grid(of.limbs.count), cost};
}

struct MapOperands {
  View out, a, b;
};
Status map(const Caller& on, Task task, const MapOperands& of, const Cost& cost) noexcept {
  const auto& [out, a, b] = of;
  return by_word(out, [&]<class Word>(Word) {
    const MapArgs<Word> args{batch_of<Word>(out), batch_of<const Word>(a), factors_of<Word>(b), limbs_of<Word>(out),
                             chunks_of(out)};
    return on.call(each_word(out, task, cost), args, Touched().tables(out).reads(a).reads(b).writes(out));
  });
}

}  // namespace

Status compute(const Caller& on, const verb::Copy& v) noexcept {
  if (same_memory(v.out, v.a)) return Status::ok;
  return on.ordered(Touched().reads(v.a).writes(v.out), [&] {
    for (std::size_t p = 0; p < v.out.batch; ++p) {
      const Status status = on.copy(address_of(v.out, p), address_of(v.a, p), bytes_of_polynomial(v.out));
      if (status != Status::ok) return status;
    }
    return Status::ok;
  });
}

Status compute(const Caller& on, const verb::Ntt& v) noexcept {
  if (const VariantPlan* const variant = plan_of(v.inout).variant()) return variant->transform(on, v.inout, true);
  const Touched touched = Touched().tables(v.inout).writes(v.inout);
  return by_word(v.inout,
                 [&]<class Word>(Word) { return transform(on, Transform<Word>{v.inout, Task::ntt}, touched); });
}
Status compute(const Caller& on, const verb::Intt& v) noexcept {
  if (const VariantPlan* const variant = plan_of(v.inout).variant()) return variant->transform(on, v.inout, false);
  const Touched touched = Touched().tables(v.inout).writes(v.inout);
  return by_word(v.inout,
                 [&]<class Word>(Word) { return transform(on, Transform<Word>{v.inout, Task::intt}, touched); });
}

Status compute(const Caller& on, const verb::Add& v) noexcept {
  return map(on, Task::add, {v.out, v.a, v.b}, v.cost());
}
Status compute(const Caller& on, const verb::Subtract& v) noexcept {
  return map(on, Task::subtract, {v.out, v.a, v.b}, v.cost());
}
Status compute(const Caller& on, const verb::Multiply& v) noexcept {
  return map(on, Task::multiply, {v.out, v.a, v.b}, v.cost());
}
Status compute(const Caller& on, const verb::MultiplyAdd& v) noexcept {
  return map(on, Task::multiply_add, {v.out, v.a, v.b}, v.cost());
}
Status compute(const Caller& on, const verb::Negate& v) noexcept {
  return map(on, Task::negate, {v.out, v.a, v.a}, v.cost());
}

// The arguments of a launch contain one factor for each limb, and the size of the arguments is limited. Therefore a
// launch takes a limited number of limbs.
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
      const Cost cost = verb::MultiplyScalar{out, a, {}}.cost();
      const Status status =
          on.call(each_word(out, Task::multiply_scalar, cost), args, Touched().tables(out).reads(a).writes(out));
      if (status != Status::ok) return status;
    }
    return Status::ok;
  });
}

// Integers may be secret. Therefore the verb zeroes their scratch memory, even if it fails.
Status compute(const Caller& on, const verb::Lift& v) noexcept {
  const GpuPlan& plan = plan_of(v.to);
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
        status = on.upload(scratch.address, static_cast<const std::byte*>(v.integers) + p * row, to.batch * row,
                           Privacy::secret);
        const Cost cost = verb::Lift{to, nullptr, v.integer_bytes}.cost();
        if (status == Status::ok) status = on.launch(each_word(to, Task::lift, cost), args, touched);
      }
      const std::size_t used = std::min<std::size_t>(most, v.to.batch) * row;
      const Status cleared = on.zero(scratch.address, used);
      return status != Status::ok ? status : cleared;
    });
  });
}

Status compute(const Caller& on, const verb::Decompose& v) noexcept {
  return by_word(v.a, [&]<class Word>(Word) {
    const DecomposeArgs<Word> args{batch_of<Word>(v.out), batch_of<const Word>(v.a), limbs_of<Word>(v.a),
                                   chunks_of(v.a),        v.gadget.base_bits,        v.gadget.digits,
                                   v.gadget.shift,        v.gadget.centred};
    return on.call(each_word(v.a, Task::decompose, v.cost()), args, Touched().tables(v.a).reads(v.a).writes(v.out));
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
    const Grid grid = expand_grid<Word>(args.chunks, v.out.limbs.count);
    return on.call({plan_of(v.out), Task::expand_uniform, grid, v.cost()}, args, Touched().tables(v.out).writes(v.out));
  });
}

Status compute(const Caller& on, const verb::Automorphism& v) noexcept {
  const auto inverse = static_cast<u32>(*inverse_mod(v.galois, u64{1} << 32));  // also the inverse modulo 2n
  const bool is_evaluation = v.domain == Domain::evaluation;
  const Task task = is_evaluation ? Task::automorphism_evaluations : Task::automorphism_coefficients;
  return by_word(v.out, [&]<class Word>(Word) {
    const AutomorphismArgs<Word> args{batch_of<Word>(v.out), batch_of<const Word>(v.a), limbs_of<Word>(v.out),
                                      chunks_of(v.out), is_evaluation ? v.galois : inverse};
    return on.call(each_word(v.out, task, v.cost()), args, Touched().tables(v.out).reads(v.a).writes(v.out));
  });
}

Status compute(const Caller& on, const verb::BaseConvert& v) noexcept {
  const GpuPlan& plan = plan_of(v.out);
  const Limbs same = common(v.out.limbs, v.a.limbs);
  const bool is_kept = same.count != 0 && same_memory(v.out.in(same), v.a.in(same));
  ConvertShape shape{v.a.limbs.count,          v.out.limbs.count, is_kept ? same.first - v.out.limbs.first : 0,
                     is_kept ? same.count : 0, v.out.batch,       plan.log_n()};
  if (shape.computed() == 0) return Status::ok;
  ConversionTable table;
  if (const Status status = plan.conversion(on.stream, v.a.limbs, table); status != Status::ok) return status;
  const Touched touched = Touched().tables(v.out).buffer(*table.memory, false).reads(v.a).writes(v.out);
  return by_word(v.out, [&]<class Word>(Word) {
    const ConvertArgs<Word> args = convert_args<Word>(on, v, table, shape);
    shape = args.shape;
    return on.call({plan, Task::base_convert, convert_grid<Word>(shape), v.cost()}, args, touched);
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
    return on.call({plan_of(v.out), Task::inner_product, chunks.grid(v.out.limbs.count), v.cost()}, args,
                   Touched().tables(v.out).reads(v.a).reads(v.b).writes(v.out));
  });
}

Status compute(const Caller& on, const verb::Tensor& v) noexcept {
  return by_word(v.out, [&]<class Word>(Word) {
    const Chunks chunks{v.a.batch / 2, plan_of(v.out).log_n()};
    const TensorArgs<Word> args{batch_of<Word>(v.out), batch_of<const Word>(v.a), batch_of<const Word>(v.b),
                                limbs_of<Word>(v.out), chunks};
    return on.call({plan_of(v.out), Task::tensor, chunks.grid(v.out.limbs.count), v.cost()}, args,
                   Touched().tables(v.out).reads(v.a).reads(v.b).writes(v.out));
  });
}

// The last stores of the second transform write the products [Shivdikar22, Alg. 8].
Status compute(const Caller& on, const verb::Polymul& v) noexcept {
  if (const Status status = compute(on, verb::Ntt{v.a}); status != Status::ok) return status;
  const Touched touched = Touched().tables(v.b).reads(v.a).writes(v.b).writes(v.out);
  const Status status = by_word(v.b, [&]<class Word>(Word) {
    return transform(
        on,
        Transform<Word, Keep<Word>, Times<Word>>{
            v.b, Task::ntt_times, 0, {}, {batch_of<Word>(v.out), batch_of<const Word>(v.a)}, 0, v.a.words()},
        touched);
  });
  return status == Status::ok ? compute(on, verb::Intt{v.out}) : status;
}

}  // namespace ringfort::device
