// SPDX-License-Identifier: Apache-2.0
// add, negate, 1 - c. Deviations add linearly: operands may be the same ciphertext.
#include "math/word.h"
#include "scheme/rgsw/decrypt.h"
#include "scheme/rgsw/operands.h"

namespace ringfort::rgsw {

Bits make_result(const Bits::State& a, Worker::State& worker, i64 low, i64 high, double deviation) {
  require_same(a.context, worker.context, "the operation");
  (void)decryption_row(*a.context, low, high, deviation);             // refuses before anything is computed
  auto out = std::make_unique<Bits::State>();
  out->context = a.context;
  out->mode = a.mode;
  out->fresh = false;
  out->shared_errors = a.shared_errors;
  out->low = low;
  out->high = high;
  out->deviation = deviation;
  out->resize(a.count);
  return Bits(std::move(out));
}

void require_equal_sizes(const Bits::State& a, const Bits::State& b) {
  require_same(a.context, b.context, "the operation");
  if (a.count == b.count) return;
  throw Error(Code::invalid_argument, "the operands hold " + std::to_string(a.count) + " and " + std::to_string(b.count) + " bits",
              "pass batches of equal size");
}

Bits add(const Bits& a, const Bits& b, Worker& worker) {
  const Bits::State &x = a.state(), &y = b.state();
  require_equal_sizes(x, y);
  Bits out = make_result(x, worker.state(), x.low + y.low, x.high + y.high, x.deviation + y.deviation);
  if (y.mode == Mode::public_key) out.state().mode = Mode::public_key;
  out.state().shared_errors = x.shared_errors || y.shared_errors;
  if (x.count != 0) x.context->ring.add(worker.state().stream, out.state().filled(), x.filled(), y.filled());
  return out;
}

Bits negate(const Bits& a, Worker& worker) {
  const Bits::State& x = a.state();
  Bits out = make_result(x, worker.state(), -x.high, -x.low, x.deviation);
  if (x.count != 0) x.context->ring.negate(worker.state().stream, out.state().filled(), x.filled());
  return out;
}

Bits one_minus(const Bits& a, Worker& worker) {
  const Bits::State& x = a.state();
  Bits out = make_result(x, worker.state(), 1 - x.high, 1 - x.low, x.deviation);
  Worker::State& w = worker.state();
  const Ring& ring = x.context->ring;
  std::vector<u64> constant(ring.n());
  const u32 l = x.context->p.digits;
  for (u32 r = 0; r < x.context->rows && x.count != 0; ++r) {
    // A constant polynomial is constant in the evaluation domain too.
    std::fill(constant.begin(), constant.end(), x.context->gadget_values[r % l]);
    const Slice<Eval> gadget = w.product.part(0, 1);
    ring.upload(w.stream, gadget, std::span<const u64>(constant), w.scratch.staging);
    for (u32 i = 0; i < x.count; ++i) {
      const Slice<Eval> to = out.state().row(i, r), from = x.row(i, r);
      ring.negate(w.stream, to, from);
      const Slice<Eval> carried = to.part(r < l ? 0 : 1, 1);
      ring.add(w.stream, carried, carried, gadget);
    }
  }
  return out;
}

}  // namespace ringfort::rgsw
