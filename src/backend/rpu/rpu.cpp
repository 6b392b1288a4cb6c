// SPDX-License-Identifier: Apache-2.0
#include "backend/rpu/rpu.h"

#include <atomic>
#include <exception>
#include <new>
#include <string>

#include "backend/rpu/verbs.h"
#include "sim/refusal.h"

namespace ringfort::rpu_host {
namespace {

// From here on every plan is taken: the default machine's memories, and the fewest lanes and banks whose kernels have schedules.
constexpr u32 kWordsForEveryPlan = 1u << 18, kScalarsForEveryPlan = 2048, kLeastLanes = 2, kLeastBanks = 2;
constexpr std::string_view kAdvice =
    "open the device with more memory, lanes or banks: rpu:vdm_words=262144,sdm_words=2048 takes every ring, from hples=2,banks=2 on";

bool takes_every_plan(const rpu::Machine& m) noexcept {
  return m.vdm_words >= kWordsForEveryPlan && m.sdm_words >= kScalarsForEveryPlan && m.hples >= kLeastLanes && m.banks >= kLeastBanks;
}

const Prepared& prepared(const View& view) { return *reinterpret_cast<const Prepared*>(view.plan); }

bool valid(const View& view) { return view.plan != nullptr && host::fits(view, prepared(view).plan); }

class Rpu final : public Backend {
 public:
  Rpu(std::string_view name, std::shared_ptr<Library> library) : name_(name), processor_(std::make_shared<Processor>(std::move(library))) {}

  std::string_view name() const noexcept override { return name_; }
  Capabilities capabilities() const noexcept override {
    Capabilities can;
    can.simulated_time = can.polymul = can.inner_product = can.tensor = can.mod_down = can.key_switch = true;
    if (!takes_every_plan(processor_->machine())) can.plans = kAdvice;
    return can;
  }

  Status prepare(const Plan& plan, std::shared_ptr<const PlanHandle>& out) noexcept override {
    try {
      const std::shared_ptr<const Prepared> p = rpu_host::prepare(plan, processor_);
      if (p == nullptr) return Status::unsupported;
      out = std::shared_ptr<const PlanHandle>(p, reinterpret_cast<const PlanHandle*>(p.get()));
      return Status::ok;
    } catch (const rpu::Refusal&) {
      return Status::unsupported;
    } catch (const std::bad_alloc&) {
      return Status::out_of_memory;
    } catch (const std::exception&) {
      return Status::internal;
    }
  }

  Status allocate(std::size_t bytes, Contents contents, BufferHandle*& out) noexcept override { return host::allocate(bytes, contents, out); }
  void release(BufferHandle* buffer, bool wipe) noexcept override {
    if (wipe) processor_->forget();
    host::release(buffer, wipe);
  }

  Status upload(Stream s, const View& to, Domain, const void* words) noexcept override {
    if (!valid(to)) return Status::internal;
    return charged(s, [&] { rpu_host::upload(prepared(to), to, words); });
  }
  Status download(Stream s, const View& from, Domain, void* words) noexcept override {
    if (!valid(from)) return Status::internal;
    return charged(s, [&] { rpu_host::download(prepared(from), from, words); });
  }

  Status record(Stream, u64& event) noexcept override {
    event = ++events_;
    return Status::ok;
  }
  Status wait(Stream, u64) noexcept override { return Status::ok; }        // every verb has ended when it returns
  Status synchronize(Stream) noexcept override { return Status::ok; }
  ModelClock model_clock(Stream s) const noexcept override { return processor_->clock(s); }

  Status ntt(Stream s, const View& inout) noexcept override { return transformed(s, inout, false); }
  Status intt(Stream s, const View& inout) noexcept override { return transformed(s, inout, true); }

  Status add(Stream s, const View& out, const View& a, const View& b) noexcept override {
    return host::same_shape(a, b) ? combined(s, {Routine::add, out, a, b, {}}) : Status::internal;
  }
  Status sub(Stream s, const View& out, const View& a, const View& b) noexcept override {
    return host::same_shape(a, b) ? combined(s, {Routine::subtract, out, a, b, {}}) : Status::internal;
  }
  Status negate(Stream s, const View& out, const View& a) noexcept override { return combined(s, {Routine::negate, out, a, a, {}}); }
  Status multiply(Stream s, const View& out, const View& a, const View& b) noexcept override {
    return combined(s, {Routine::multiply, out, a, b, {}});
  }
  Status multiply_add(Stream s, const View& out, const View& a, const View& b) noexcept override {
    return combined(s, {Routine::multiply_add, out, a, b, {}});
  }
  Status multiply_scalar(Stream s, const View& out, const View& a, std::span<const u128> per_limb) noexcept override {
    return per_limb.size() == out.limbs ? combined(s, {Routine::scale, out, a, a, per_limb}) : Status::internal;
  }

  Status decompose(Stream s, const View& out, const View& a, const Gadget& gadget) noexcept override {
    if (!valid(out) || !valid(a) || !host::decompose_shapes(out, a, gadget)) return Status::internal;
    const Prepared& p = prepared(a);
    if (!host::gadget_is_supported(gadget, p.plan.moduli[a.first_limb])) return Status::unsupported;
    return charged(s, [&] { rpu_host::decompose(p, out, a, gadget); });
  }
  Status expand_uniform(Stream s, const View& out, const Expansion& from) noexcept override {
    if (!valid(out)) return Status::internal;
    return charged(s, [&] { rpu_host::expand_uniform(prepared(out), out, from); });
  }
  Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept override {
    if (!valid(out) || !valid(a) || !host::automorphism_shapes(out, a, galois, prepared(out).plan.n)) return Status::internal;
    return charged(s, [&] { rpu_host::automorphism(prepared(out), out, a, galois, domain); });
  }
  Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept override {
    if (!valid(out) || !valid(a) || !host::conversion_shapes(out, a)) return Status::internal;
    if (!host::conversion_is_supported(prepared(out).basis, host::limbs_of(a))) return Status::unsupported;
    return charged(s, [&] { rpu_host::base_convert(prepared(out), out, a, kind); });
  }

  Status inner_product(Stream s, const InnerProduct& m) noexcept override {
    if (!valid(m.out) || !valid(m.a) || !valid(m.b) || !host::product_shapes(m)) return Status::internal;
    return charged(s, [&] { rpu_host::inner_product(prepared(m.out), m); });
  }
  Status mod_down(Stream s, const ModDown& m) noexcept override {
    if (!valid(m.out) || !valid(m.a) || !valid(m.scratch) || !host::mod_down_shapes(m)) return Status::internal;
    const Prepared& p = prepared(m.out);
    if (!host::division_is_supported(p.basis, m)) return Status::unsupported;
    if (!mod_down_fits(p, m)) return Status::declined;
    return charged(s, [&] { rpu_host::mod_down(p, m); });
  }
  Status key_switch(Stream s, const KeySwitch& k) noexcept override {
    for (const View* view : {&k.out, &k.a, &k.coefficients, &k.digits, &k.key}) {
      if (!valid(*view)) return Status::internal;
    }
    if (!k.is_whole()) return Status::internal;
    const Prepared& p = prepared(k.out);
    if (!host::conversion_is_supported(p.basis, host::limbs_of(k.a))) return Status::unsupported;
    if (!key_switch_fits(p, k)) return Status::declined;
    return charged(s, [&] { rpu_host::key_switch(p, k); });
  }
  Status tensor(Stream s, const View& out, const View& a, const View& b) noexcept override {
    if (!valid(out) || !valid(a) || !valid(b) || !host::tensor_shapes(out, a, b)) return Status::internal;
    return charged(s, [&] { rpu_host::tensor(prepared(out), out, a, b); });
  }
  Status polymul(Stream s, const View& out, const View& a, const View& b) noexcept override {
    if (!valid(out) || !valid(a) || !valid(b) || !host::same_shape(out, a) || !host::same_shape(a, b)) return Status::internal;
    if (!polymul_fits(prepared(out))) return Status::declined;
    return charged(s, [&] { rpu_host::polymul(prepared(out), out, a, b); });
  }

 private:
  // The whole verb, alone on the processor.
  template <class Verb>
  Status charged(Stream s, Verb verb) noexcept {
    const std::lock_guard lock(processor_->mutex());
    processor_->begin();
    verb();
    processor_->finish(s);
    return processor_->trapped() ? Status::internal : Status::ok;
  }

  Status transformed(Stream s, const View& inout, bool inverse) noexcept {
    if (!valid(inout)) return Status::internal;
    return charged(s, [&] { transform(prepared(inout), inout, inverse); });
  }
  Status combined(Stream s, const Elements& e) noexcept {
    if (!valid(e.out) || !valid(e.a) || !valid(e.b) || !host::same_shape(e.out, e.a) || !host::same_or_single(e.a, e.b)) return Status::internal;
    return charged(s, [&] { combine(prepared(e.out), e); });
  }

  std::string name_;
  std::shared_ptr<Processor> processor_;
  std::atomic<u64> events_{0};
};

}  // namespace

std::shared_ptr<Backend> make(std::string_view device) {
  rpu::Machine machine;
  if (const std::size_t colon = device.find(':'); colon != std::string_view::npos) {
    if (colon + 1 == device.size()) throw rpu::Refusal("no parameter stands behind the colon", "write for example rpu:hples=64, or rpu alone");
    rpu::set_from_list(machine, device.substr(colon + 1));
  }
  return std::make_shared<Rpu>(device, library_of(machine));
}

}  // namespace ringfort::rpu_host
