// SPDX-License-Identifier: Apache-2.0
// Context (ringfort/rgsw.h): the parameters, the ring and the memory on one device. The check that two objects share a
// context is here too.
#include "scheme/rgsw/state.h"

namespace ringfort::rgsw {

namespace {

Plan plan_of(const Parameters& p) {
  validate(p);
  return {p.n, p.q < (u64{1} << 31) ? ringfort::Word::u32 : ringfort::Word::u64, {p.q}};
}

}  // namespace

Context::State::State(const Parameters& parameters, std::string_view device)
    : p(parameters),
      digest(rgsw::digest(p)),
      ring(Device::open(device), plan_of(p)),
      gadget{p.base_bits, p.digits, p.shift, p.centred},
      rows(2 * p.digits),
      bound_factor(rgsw::bound_factor(p)),
      pool(ring) {
  for (u32 j = 0; j < p.digits; ++j) gadget_values.push_back((u64{1} << (p.shift + p.base_bits * j)) % p.q);
}

Context::Context(const Parameters& parameters, std::string_view device)
    : state_(std::make_shared<const State>(parameters, device)) {}
const Parameters& Context::parameters() const noexcept { return state_->p; }
std::string Context::device() const { return state_->ring.device().name(); }
DeviceMemory Context::memory() const { return state_->ring.device().memory().use(); }
void Context::keep_at_most(std::size_t bytes) const { state_->ring.device().memory().keep_at_most(bytes); }
void Context::trim() const { state_->ring.device().memory().trim(); }

void require_same(const SharedContext& a, const SharedContext& b, std::string_view what) {
  if (a == b) return;
  throw Error(Code::parameters_mismatch,
              std::string(what) + " was given objects of two contexts ('" + a->p.name + "' and '" + b->p.name + "')",
              "make keys and ciphertexts with one Context");
}

}  // namespace ringfort::rgsw
