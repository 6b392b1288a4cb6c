// SPDX-License-Identifier: Apache-2.0
// Implements add, negate and one_minus. The bound of a sum is the sum of the bounds. Therefore both operands may be the
// same ciphertext.
#include "scheme/rgsw/decrypt.h"
#include "scheme/rgsw/operands.h"

namespace ringfort::rgsw {

void require_operand(const EncryptedBits& a, const Context& context) {
  require_filled(a.state(), "the operation");
  require_same(context.state(), a.state().context, "the operation");
}

void require_operands(const EncryptedBits& a, const EncryptedBits& b, const Context& context) {
  require_operand(a, context);
  require_operand(b, context);
  if (a.size() == b.size()) return;
  throw Error(Code::invalid_argument,
              "the operands hold " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " bits",
              "pass batches of equal size");
}

EncryptedBits::State describe_result(const EncryptedBits::State& a, const Bound& bound) {
  (void)decryption_row(*a.context, bound.low, bound.high, bound.deviation);
  EncryptedBits::State result;
  result.context = a.context;
  result.count = a.count;
  result.mode = a.mode;
  result.fresh = false;
  result.shared_errors = a.shared_errors;
  result.low = bound.low;
  result.high = bound.high;
  result.deviation = bound.deviation;
  return result;
}

void Evaluator::add_into(EncryptedBits& out, const EncryptedBits& a, const EncryptedBits& b) const {
  require_operands(a, b, context_);
  const EncryptedBits::State &x = a.state(), &y = b.state();
  EncryptedBits::State result = describe_result(x, {x.low + y.low, x.high + y.high, x.deviation + y.deviation});
  if (y.mode == Mode::public_key) result.mode = Mode::public_key;
  result.shared_errors = x.shared_errors || y.shared_errors;
  const auto work = x.context->workspace(threads_);
  write_result(out, result, [&](EncryptedBits::State& to) {
    to.context->ring.add(work->stream, to.filled(), x.filled(), y.filled());
  });
}

void Evaluator::negate_into(EncryptedBits& out, const EncryptedBits& a) const {
  require_operand(a, context_);
  const EncryptedBits::State& x = a.state();
  const EncryptedBits::State result = describe_result(x, {-x.high, -x.low, x.deviation});
  const auto work = x.context->workspace(threads_);
  write_result(out, result,
               [&](EncryptedBits::State& to) { to.context->ring.negate(work->stream, to.filled(), x.filled()); });
}

// Negates each row r and adds the gadget value g_(r mod l): to c0 if r < l, and otherwise to c1. In the evaluation
// domain, a constant polynomial has equal values everywhere.
void Evaluator::one_minus_into(EncryptedBits& out, const EncryptedBits& a) const {
  require_operand(a, context_);
  const EncryptedBits::State& x = a.state();
  const EncryptedBits::State result = describe_result(x, {1 - x.high, 1 - x.low, x.deviation});
  const auto work = x.context->workspace(threads_);
  write_result(out, result, [&](EncryptedBits::State& to) {
    const Ring& ring = to.context->ring;
    const Scratch<Eval> gadget = work->allocate<Eval>(1, ring.limbs());
    std::vector<u64> constant(ring.n());
    const u32 l = to.context->p.digits;
    for (u32 r = 0; r < to.context->rows; ++r) {
      std::fill(constant.begin(), constant.end(), to.context->gadget_values[r % l]);
      ring.upload(work->stream, gadget.all(), std::span<const u64>(constant), work->staging);
      for (u32 i = 0; i < to.count; ++i) {
        const Slice<Eval> row = to.row(i, r), with_gadget = row.polynomials(r < l ? 0 : 1, 1);
        ring.negate(work->stream, row, x.row(i, r));
        ring.add(work->stream, with_gadget, with_gadget, gadget.all());
      }
    }
  });
}

}  // namespace ringfort::rgsw
