// SPDX-License-Identifier: Apache-2.0
// Device `rpu` (rpu.h). It passes verbs to the functions of verbs.h, with one job for each run(), and turns exceptions
// into Status.
#include "backend/rpu/rpu.h"

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "backend/options/options.h"
#include "backend/rpu/verbs.h"
#include "sim/refusal.h"

namespace ringfort::rpu_host {
namespace {

// A machine of at least this size accepts every plan. The memories are as large as in the default machine. The numbers
// of lanes and banks are the smallest for which kernels have schedules.
constexpr u32 kWordsForEveryPlan = 1u << 18, kScalarsForEveryPlan = 2048, kLeastLanes = 2, kLeastBanks = 2;
constexpr std::string_view kAdvice =
    "open the device with more memory, lanes or banks: rpu:vdm_words=262144,sdm_words=2048 takes every ring, from "
    "hples=2,banks=2 on";

bool takes_every_plan(const rpu::Machine& m) noexcept {
  return m.vdm_words >= kWordsForEveryPlan && m.sdm_words >= kScalarsForEveryPlan && m.hples >= kLeastLanes &&
         m.banks >= kLeastBanks;
}

const RpuPlan& plan_of(const View& view) noexcept { return static_cast<const RpuPlan&>(*view.plan); }

// There is one function for each verb. Callers hold the mutex of the processor.
void execute(const verb::Upload& v) { upload(plan_of(v.to), v.to, v.words); }
void execute(const verb::Download& v) { download(plan_of(v.from), v.from, v.words); }
void execute(const verb::Lift& v) { lift(plan_of(v.to), v); }
void execute(const verb::Copy& v) { copy(plan_of(v.out), v); }
void execute(const verb::Zero& v) { zero(plan_of(v.out), v); }
void execute(const verb::Ntt& v) { transform(plan_of(v.inout), v.inout, false); }
void execute(const verb::Intt& v) { transform(plan_of(v.inout), v.inout, true); }
void execute(const verb::Add& v) { combine(plan_of(v.out), {Routine::add, v.out, v.a, v.b, {}}); }
void execute(const verb::Subtract& v) { combine(plan_of(v.out), {Routine::subtract, v.out, v.a, v.b, {}}); }
void execute(const verb::Negate& v) { combine(plan_of(v.out), {Routine::negate, v.out, v.a, v.a, {}}); }
void execute(const verb::Multiply& v) { combine(plan_of(v.out), {Routine::multiply, v.out, v.a, v.b, {}}); }
void execute(const verb::MultiplyAdd& v) { combine(plan_of(v.out), {Routine::multiply_add, v.out, v.a, v.b, {}}); }
void execute(const verb::MultiplyScalar& v) { combine(plan_of(v.out), {Routine::scale, v.out, v.a, v.a, v.per_limb}); }
void execute(const verb::Decompose& v) { decompose(plan_of(v.out), v.out, v.a, v.gadget); }
void execute(const verb::ExpandUniform& v) { expand_uniform(plan_of(v.out), v); }
void execute(const verb::Automorphism& v) { automorphism(plan_of(v.out), v.out, v.a, v.galois, v.domain); }
void execute(const verb::BaseConvert& v) { base_convert(plan_of(v.out), v.out, v.a, v.kind); }
void execute(const verb::InnerProduct& v) { inner_product(plan_of(v.out), v); }
void execute(const verb::ModDown& v) { mod_down(plan_of(v.out), v); }
void execute(const verb::ModDownRescale& v) { mod_down_rescale(plan_of(v.out), v); }
void execute(const verb::KeySwitch& v) { key_switch(plan_of(v.out), v); }
void execute(const verb::Tensor& v) { tensor(plan_of(v.out), v.out, v.a, v.b); }
void execute(const verb::Polymul& v) { polymul(plan_of(v.out), v.out, v.a, v.b); }
template <Optional V>
void execute(const V&) {}  // not called: the struct Fused is false for all other verbs

struct Fused {
  bool operator()(const verb::InnerProduct&) const noexcept { return true; }
  bool operator()(const verb::Tensor&) const noexcept { return true; }
  bool operator()(const verb::ModDown& v) const noexcept { return mod_down_fits(plan_of(v.out), v); }
  bool operator()(const verb::ModDownRescale& v) const noexcept { return mod_down_rescale_fits(plan_of(v.out), v); }
  bool operator()(const verb::KeySwitch& v) const noexcept { return key_switch_fits(plan_of(v.out)); }
  bool operator()(const verb::Polymul& v) const noexcept { return polymul_fits(plan_of(v.out)); }
  template <class V>
  bool operator()(const V&) const noexcept {
    return false;
  }
};

// Returns the parameters of `ringfort rpu ntt --set`. The model checks their ranges.
std::vector<Option> options_for(rpu::Machine& machine) {
  std::vector<Option> options;
  for (const rpu::ParameterInfo& parameter : rpu::kParameters) {
    options.push_back(
        {std::string(parameter.name), [&machine, name = parameter.name](std::string_view value) -> std::string {
           try {
             rpu::set_by_name(machine, name, value);
             return {};
           } catch (const rpu::Refusal& refused) { return refused.what(); }
         }});
  }
  return options;
}

class Rpu final : public Backend {
 public:
  Rpu(std::string_view name, std::shared_ptr<Library> library)
      : name_(name),
        processor_(std::make_shared<Processor>(std::move(library))) {}

  std::string_view name() const noexcept override { return name_; }
  Capabilities capabilities() const noexcept override {
    const rpu::Machine& machine = processor_->machine();
    Capabilities can;
    can.simulated_time = can.joins_verbs = true;
    can.roofs = {static_cast<double>(machine.hbm_gigabytes) * 1000,
                 static_cast<double>(machine.hples) / machine.multiply_interval * machine.clock_mhz()};
    if (!takes_every_plan(machine)) can.plans = kAdvice;
    return can;
  }

  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    try {
      std::shared_ptr<const RpuPlan> p = rpu_host::prepare(plan, processor_);
      if (p == nullptr) return Status::unsupported;
      out = std::move(p);
      return Status::ok;
    } catch (const rpu::Refusal&) { return Status::unsupported; } catch (const std::bad_alloc&) {
      return Status::out_of_memory;
    } catch (const std::exception&) { return Status::internal; }
  }

  Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept override {
    return memory_.allocate(bytes, contents, privacy, out);
  }
  void release(DeviceBuffer* buffer, bool wipe) noexcept override {
    if (wipe) processor_->forget();
    memory_.release(buffer, wipe);
  }
  MemoryUse memory() const noexcept override { return memory_.use(); }

  bool fuses(const Verb& verb) const noexcept override { return std::visit(Fused{}, verb); }
  Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    const std::lock_guard lock(processor_->mutex());
    try {
      processor_->begin(verbs.size());
      for (u32 i = 0; i < verbs.size(); ++i) {
        processor_->verb(i);
        std::visit([](const auto& v) { rpu_host::execute(v); }, verbs[i]);
      }
      processor_->finish(s, ends);
    } catch (const std::bad_alloc&) {
      processor_->abandon();
      return Status::out_of_memory;
    }
    return processor_->trapped() ? Status::internal : Status::ok;
  }
  Status synchronize(Stream) noexcept override { return Status::ok; }  // the verbs of a run() end before it returns
  Ticket mark(Stream s) noexcept override {
    const std::lock_guard lock(processor_->mutex());
    return processor_->clock(s);
  }
  void report_launches(const LaunchListener* listener) noexcept override {
    const std::lock_guard lock(processor_->mutex());
    processor_->report(listener);
  }

 private:
  std::string name_;
  std::shared_ptr<Processor> processor_;
  host::Memory memory_;
};

}  // namespace

std::shared_ptr<Backend> make(std::string_view device, std::string& refusal) {
  rpu::Machine machine;
  try {
    refusal = read_options(device, options_for(machine));
    return refusal.empty() ? std::make_shared<Rpu>(device, library_of(machine)) : nullptr;
  } catch (const rpu::Refusal& refused) {
    refusal = refused.what();
    return nullptr;
  }
}

}  // namespace ringfort::rpu_host
