// SPDX-License-Identifier: Apache-2.0
// Submits ModUp and KeySwitch of backend/verbs.h on GPUs. A digit is a polynomial modulo the primes of a group of its
// limbs, converted to other limbs. One launch converts all digits. The last launch of a key switch runs the last part
// of their transforms, and sums their products with the key.
#include "backend/device/arithmetic.h"
#include "backend/device/conversions.h"
#include "backend/device/kernels/key_product.h"
#include "backend/device/transforms.h"

namespace ringfort::device {

namespace {

Digits digits_of(const verb::ModUp& v) noexcept {
  return {v.count(), std::min(v.digit_limbs, v.a.limbs.count), v.a.limbs.first - v.digits.limbs.first, v.a.limbs.count};
}

// Returns the cost of the conversions of all digits.
Cost conversion_cost(const verb::ModUp& v) noexcept {
  Cost cost = v.cost();
  cost.bytes = (v.coefficients.words() + v.digits.words()) * word_bytes_of(v.a);
  cost.multiplications -= cost.transform_multiplications;
  cost.transform_multiplications = 0;
  return cost;
}

// Converts each digit to all limbs of the view `digits`, except the digit's own limbs.
Status convert_mod_up(const Caller& on, const verb::ModUp& v) noexcept {
  const GpuPlan& plan = plan_of(v.a);
  const Digits digits = digits_of(v);
  ConversionTable table;
  if (const Status status = plan.conversion(on.stream, {v.a.limbs, digits.limbs}, table); status != Status::ok)
    return status;
  const Touched touched = Touched().tables(v.a).buffer(*table.memory, false).reads(v.coefficients).writes(v.digits);
  return by_word(v.a, [&]<class Word>(Word) {
    const ConvertShape shape{digits.limbs, v.digits.limbs.count, 0, 0, v.digits.batch, plan.log_n()};
    const ConvertModUpArgs<Word> args{
        convert_args<Word>(on, {v.digits, v.coefficients, Conversion::centred}, table, shape), digits,
        table.weights_of_digit};
    return on.call({plan, Task::convert_mod_up, convert_grid<Word>(args.all.shape), conversion_cost(v)}, args, touched);
  });
}

// Transforms each digit in all limbs except the digit's own limbs. If `whole` is true, runs all parts of the
// transforms. If not, runs all parts except the last.
Status transform_digits(const Caller& on, const verb::ModUp& v, bool whole) noexcept {
  const std::size_t parts = plan_of(v.a).parts().size() - (whole ? 0 : 1);
  if (parts == 0) return Status::ok;
  const Touched touched = Touched().tables(v.digits).writes(v.digits);
  return by_word(v.digits, [&]<class Word>(Word) {
    return transform(on, Transform<Word, Converted<Word>>{v.digits, Task::ntt_digits, 0, digits_of(v)}, touched, parts);
  });
}

// Runs the last part of the transforms of all digits, and sums their products with the key.
Status multiply_by_key(const Caller& on, const verb::KeySwitch& v) noexcept {
  const verb::ModUp up = v.mod_up();
  const GpuPlan& plan = plan_of(v.a);
  const Touched touched = Touched().tables(v.a).reads(v.digits).reads(v.a).reads(v.key).writes(v.out);
  return by_word(v.a, [&]<class Word>(Word) {
    NttPart part = plan.parts().back();
    const u32 words = on.pool.driver().facts().shared_bytes / static_cast<u32>(sizeof(Word));
    const u32 group = key_product_group(part, up.count(), words);
    const KeyProductArgs<Word> args{batch_of<Word>(v.out),
                                    batch_of<const Word>(v.digits),
                                    batch_of<const Word>(v.a),
                                    batch_of<const Word>(v.key),
                                    limbs_of<Word>(v.out),
                                    plan.factors<Word>(true, v.out.limbs.first),
                                    part,
                                    digits_of(up),
                                    v.a.batch,
                                    v.columns(),
                                    group};
    Grid grid = key_product_grid(part, v.a.batch, v.out.limbs.count, group);
    grid.shared_bytes *= sizeof(Word);
    Cost cost = cost_of_part<Word>(part, v.digits.words());
    cost.bytes = (v.digits.words() + v.key.words() + v.out.words()) * sizeof(Word);
    cost.multiplications += v.digits.words() * v.columns();
    return on.call({plan, Task::key_product, grid, cost, plan.parts().size() - 1}, args, touched);
  });
}

}  // namespace

Status compute(const Caller& on, const verb::ModUp& v) noexcept {
  Status status = convert_mod_up(on, v);
  if (status == Status::ok) status = transform_digits(on, v, true);
  for (u32 row = 0; row < v.digits.batch && status == Status::ok; ++row) {
    const Limbs here = common(v.digit(row % v.count()), v.digits.limbs);
    if (here.count == 0) continue;
    const View from = v.a.polynomial(row / v.count());
    status = compute(on, verb::Copy{v.digits.polynomial(row).in(here), from.in(here)});
  }
  return status;
}

// Computes as many limbs at a time as fit into the memory for digits.
Status compute(const Caller& on, const verb::KeySwitch& v) noexcept {
  for (u32 first = v.out.limbs.first; first < v.out.limbs.end(); first += v.digits.limbs.count) {
    const verb::KeySwitch fitting = v.in(common(v.out.limbs, {first, v.digits.limbs.count}));
    Status status = convert_mod_up(on, fitting.mod_up());
    if (status == Status::ok) status = transform_digits(on, fitting.mod_up(), false);
    if (status == Status::ok) status = multiply_by_key(on, fitting);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace ringfort::device
