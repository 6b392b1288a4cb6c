// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

namespace {

Plan plan_of(const Parameters& p) {
  validate(p);
  return {p.n, p.q < (u64{1} << 31) ? ringfort::Word::u32 : ringfort::Word::u64, {p.q}};
}

}  // namespace

Context::State::State(const Parameters& parameters, std::string_view device)
    : p(parameters), digest(rgsw::digest(p)), ring(OpenDevice::open(device), plan_of(p)),
      gadget{p.base_bits, p.digits, p.shift, p.centred}, rows(2 * p.digits), bound_factor(rgsw::bound_factor(p)) {
  for (u32 j = 0; j < p.digits; ++j) gadget_values.push_back((u64{1} << (p.shift + p.base_bits * j)) % p.q);
}

Context::Context(const Parameters& parameters, std::string_view device)
    : state_(std::make_shared<const State>(parameters, device)) {}
const Parameters& Context::parameters() const noexcept { return state_->p; }
std::string Context::device() const { return state_->ring.device().name(); }

Worker::State::State(const SharedContext& shared, u32 index)
    : context(shared), stream{index, 1}, scratch(shared->ring), accumulator(shared->ring.make<Coeff>(2)),
      digits(shared->ring.make<Coeff>(shared->rows)), product(shared->ring.make_secret<Eval>(2, shared->ring.limbs())) {}

Worker::Worker(const Context& context, std::uint32_t stream) : state_(std::make_unique<State>(context.state(), stream)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

Bits::Bits(const Context& context) : state_(std::make_unique<State>()) { state_->context = context.state(); }
Bits::Bits(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Bits::Bits(Bits&&) noexcept = default;
Bits& Bits::operator=(Bits&&) noexcept = default;
Bits::~Bits() = default;
std::uint32_t Bits::size() const noexcept { return state_->count; }
Mode Bits::mode() const noexcept { return state_->mode; }
double Bits::noise_bits() const noexcept { return std::log2(state_->context->bound_factor * state_->deviation); }

Bits Bits::clone(Worker& worker) const {
  require_same(state_->context, worker.state().context, "clone");
  auto copy = std::make_unique<State>();
  copy->context = state_->context;
  copy->resize(state_->count);
  copy->describe_as(*state_);
  if (state_->count != 0) state_->context->ring.copy(worker.state().stream, copy->filled(), state_->filled());
  return Bits(std::move(copy));
}

void Bits::State::describe_as(const State& other) noexcept {
  mode = other.mode;
  fresh = other.fresh;
  seed = other.seed;
  shared_errors = other.shared_errors;
  deviation = other.deviation;
  low = other.low;
  high = other.high;
}

void Bits::State::resize(u32 bits) {
  if (bits > capacity) {
    rows = Poly<Eval>();
    capacity = 0;
    rows = context->ring.make<Eval>(bits * bit_polynomials());
    rows.keep_contents();
    capacity = bits;
  }
  count = bits;
}

void require_same(const SharedContext& a, const SharedContext& b, std::string_view what) {
  if (a == b) return;
  throw Error(Code::parameters_mismatch, std::string(what) + " was given objects of two contexts ('" + a->p.name + "' and '" + b->p.name + "')",
              "make keys, ciphertexts and workers with one Context");
}

}  // namespace ringfort::rgsw
