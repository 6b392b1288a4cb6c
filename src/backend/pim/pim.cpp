// SPDX-License-Identifier: Apache-2.0
// Backend `pim`: the host of a system of DPUs, which hw/pim simulates. This file checks views, takes the lock, keeps each stream's
// time, and turns what is thrown into Status; verbs.h has the work. Evaluation order is the canonical one.
// Words of 32 bits and primes c 2^16 + 1 only: prepare() refuses the rest.
#include "backend/pim/pim.h"

#include <map>
#include <new>

#include "backend/host.h"
#include "backend/pim/exchange.h"

namespace ringfort::pim_host {
namespace {

constexpr std::string_view kPlans =
    "pim takes 32-bit words, n = 64 .. 65536, and primes c*2^16 + 1 below 2^30 (below 2^24 they cost two thirds): ask for primes={\"bits\": 30, \"form\": "
    "\"c*2^16+1\"} (C++: PrimeChoice{30, PrimeForm::c_2_16_1}), or use device cpu";

bool valid(const View& view) noexcept {
  if (view.plan == nullptr || view.buffer == nullptr) return false;
  const Plan& plan = prepared(view).plan;
  if (view.first_limb + std::size_t{view.limbs} > plan.moduli.size() || view.step() < view.limbs || view.offset % plan.n != 0 || view.limbs == 0) return false;
  const std::size_t words = buffer_of(view.buffer)->words;
  const std::size_t spread = view.batch == 0 ? 0 : ((view.batch - std::size_t{1}) * view.step() + view.limbs) * plan.n;
  return view.offset <= words && spread <= words - view.offset;
}

template <class... Views>
bool all_valid(const Views&... views) noexcept {
  return (valid(views) && ...);
}

class Pim final : public Backend {
 public:
  Pim(std::string_view name, const Options& options) : name_(name), machine_(std::make_shared<Machine>(options)) {}

  std::string_view name() const noexcept override { return name_; }
  Capabilities capabilities() const noexcept override {
    Capabilities c;
    c.inner_product = c.tensor = c.mod_down = c.key_switch = c.simulated_time = true;
    c.instruction_set = has_instructions() ? "DPU, simulated" : "DPU, computed on the host: cycles estimated";
    c.plans = kPlans;
    return c;
  }
  const Traffic& traffic() const noexcept { return machine_->system.traffic(); }

  Status prepare(const Plan& plan, std::shared_ptr<const PlanHandle>& out) noexcept override {
    try {
      std::shared_ptr<Prepared> p;
      const Status status = pim_host::prepare(plan, machine_, p);
      if (status == Status::ok) out = std::shared_ptr<const PlanHandle>(p, reinterpret_cast<const PlanHandle*>(p.get()));
      return status;
    } catch (const std::bad_alloc&) {
      return Status::out_of_memory;
    }
  }

  Status allocate(std::size_t bytes, Contents, BufferHandle*& out) noexcept override {
    out = nullptr;
    if (bytes > kMost * machine_->system.dpus()) return Status::out_of_memory;
    auto* buffer = new (std::nothrow) Buffer;
    if (buffer == nullptr) return Status::out_of_memory;
    buffer->words = bytes / sizeof(u32);
    out = reinterpret_cast<BufferHandle*>(buffer);
    return Status::ok;
  }

  void release(BufferHandle* handle, bool wipe) noexcept override {
    const std::unique_ptr<Buffer> buffer(buffer_of(handle));
    if (buffer == nullptr) return;
    for (const auto& block : buffer->blocks) {
      if (wipe && block->written) block->lost = run({block->stream, 1}, [&] { return clear_block(*block); }) != Status::ok;
    }
    const std::lock_guard lock(machine_->mutex);
    machine_->memory.forget(*buffer);
  }

  Status upload(Stream s, const View& to, Domain, const void* words) noexcept override {
    if (!valid(to)) return Status::internal;
    return run(s, to, [&] {
      Operand operand;
      if (const Status placed = machine_->memory.place(s, to, prepared(to).plan.n, false, operand); placed != Status::ok) return placed;
      const Status written = machine_->memory.write(operand, static_cast<const u32*>(words));
      if (written == Status::ok) machine_->memory.wrote(s, operand);
      return written;
    });
  }

  Status download(Stream s, const View& from, Domain, void* words) noexcept override {
    if (!valid(from)) return Status::internal;
    return run(s, from, [&] {
      Operand operand;
      if (const Status placed = machine_->memory.place(s, from, prepared(from).plan.n, true, operand); placed != Status::ok) return placed;
      return machine_->memory.read(operand, static_cast<u32*>(words));
    });
  }

  // Calls of a stream are in order, and those of another wait for what they read: events need no marks of their own.
  Status record(Stream, u64& event) noexcept override {
    const std::lock_guard lock(machine_->mutex);
    event = ++events_;
    return Status::ok;
  }
  Status wait(Stream, u64) noexcept override { return Status::ok; }
  Status synchronize(Stream s) noexcept override {
    return run(s, [&] { return machine_->system.synchronize(s.index % machine_->system.ranks()); });
  }

  ModelClock model_clock(Stream s) const noexcept override {
    const std::lock_guard lock(machine_->mutex);
    const auto spent = spent_us_.find(s.index);
    return {spent == spent_us_.end() ? 0 : spent->second, 0};
  }

  Status ntt(Stream s, const View& inout) noexcept override {
    if (!valid(inout)) return Status::internal;
    return run(s, inout, [&] { return transform(s, inout, false); });
  }
  Status intt(Stream s, const View& inout) noexcept override {
    if (!valid(inout)) return Status::internal;
    return run(s, inout, [&] { return transform(s, inout, true); });
  }

  Status add(Stream s, const View& out, const View& a, const View& b) noexcept override { return sums(s, out, a, b, Sum::add); }
  Status sub(Stream s, const View& out, const View& a, const View& b) noexcept override { return sums(s, out, a, b, Sum::sub); }
  Status negate(Stream s, const View& out, const View& a) noexcept override { return sums(s, out, a, a, Sum::negate); }

  Status multiply(Stream s, const View& out, const View& a, const View& b) noexcept override {
    if (!all_valid(out, a, b) || !host::same_shape(out, a) || !host::same_or_single(a, b)) return Status::internal;
    return run(s, out, [&] { return pim_host::multiply(s, out, a, b); });
  }
  Status multiply_add(Stream s, const View& out, const View& a, const View& b) noexcept override {
    if (!all_valid(out, a, b) || !host::same_shape(out, a) || !host::same_or_single(a, b)) return Status::internal;
    return run(s, out, [&] { return pim_host::multiply_add(s, out, a, b); });
  }
  Status multiply_scalar(Stream s, const View& out, const View& a, std::span<const u128> per_limb) noexcept override {
    if (!all_valid(out, a) || !host::same_shape(out, a) || per_limb.size() != out.limbs) return Status::internal;
    return run(s, out, [&] { return pim_host::multiply_scalar(s, out, a, per_limb); });
  }

  Status decompose(Stream s, const View& out, const View& a, const Gadget& gadget) noexcept override {
    if (!all_valid(out, a) || !host::decompose_shapes(out, a, gadget)) return Status::internal;
    if (!host::gadget_is_supported(gadget, prepared(a).plan.moduli[a.first_limb])) return Status::unsupported;
    return run(s, out, [&] { return pim_host::decompose(s, out, a, gadget); });
  }
  Status expand_uniform(Stream s, const View& out, const Expansion& from) noexcept override {
    if (!valid(out)) return Status::internal;
    return run(s, out, [&] { return pim_host::expand_uniform(s, out, from); });
  }
  Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept override {
    if (!all_valid(out, a) || !host::automorphism_shapes(out, a, galois, prepared(out).plan.n)) return Status::internal;
    return run(s, out, [&] { return pim_host::automorphism(s, out, a, galois, domain); });
  }
  Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept override {
    if (!all_valid(out, a) || !host::conversion_shapes(out, a)) return Status::internal;
    if (!host::conversion_is_supported(prepared(out).basis, host::limbs_of(a))) return Status::unsupported;
    return run(s, out, [&] { return pim_host::base_convert(s, out, a, kind); });
  }

  Status inner_product(Stream s, const InnerProduct& product) noexcept override {
    if (!all_valid(product.out, product.a, product.b) || !host::product_shapes(product)) return Status::internal;
    return run(s, product.out, [&] { return pim_host::inner_product(s, product); });
  }
  Status mod_down(Stream s, const ModDown& division) noexcept override {
    if (!all_valid(division.out, division.a, division.scratch) || !host::mod_down_shapes(division)) return Status::internal;
    if (!host::division_is_supported(prepared(division.a).basis, division)) return Status::unsupported;
    return run(s, division.out, [&] { return pim_host::mod_down(s, division); });
  }
  Status key_switch(Stream s, const KeySwitch& sum) noexcept override {
    if (!all_valid(sum.out, sum.a, sum.coefficients, sum.digits, sum.key) || !sum.is_whole()) return Status::internal;
    if (!host::conversion_is_supported(prepared(sum.a).basis, host::limbs_of(sum.a))) return Status::unsupported;
    return run(s, sum.out, [&] { return pim_host::key_switch(s, sum); });
  }
  Status tensor(Stream s, const View& out, const View& a, const View& b) noexcept override {
    if (!all_valid(out, a, b) || !host::tensor_shapes(out, a, b)) return Status::internal;
    return run(s, out, [&] { return pim_host::tensor(s, out, a, b); });
  }

 private:
  static constexpr std::size_t kMost = 64u << 20;            // bytes of a DPU

  // What the host's clock moves on meanwhile is the stream's time.
  template <class Work>
  Status run(Stream s, Work work) noexcept {
    const std::lock_guard lock(machine_->mutex);
    try {
      double& spent = spent_us_[s.index];
      const double before = machine_->system.clock_us();
      const Status status = work();
      spent += machine_->system.clock_us() - before;
      return status;
    } catch (const std::bad_alloc&) {
      return Status::out_of_memory;
    }
  }

  // A verb on no polynomials has nothing to do.
  template <class Work>
  Status run(Stream s, const View& out, Work work) noexcept {
    return out.batch == 0 ? Status::ok : run(s, work);
  }

  Status sums(Stream s, const View& out, const View& a, const View& b, Sum what) noexcept {
    if (!all_valid(out, a, b) || !host::same_shape(out, a) || !host::same_shape(a, b)) return Status::internal;
    return run(s, out, [&] { return sum(s, out, a, b, what); });
  }

  Status clear_block(const Block& block) {
    std::vector<u8> used(block.dpus);
    for (u32 column = 0; column < block.step; ++column) used[(column + block.shift) % block.dpus] = 1;
    return clear(*machine_, block.rank, block.place, block.words(), used);
  }

  std::string name_;
  std::shared_ptr<Machine> machine_;
  std::map<u32, double> spent_us_;
  u64 events_ = 0;
};

}  // namespace

std::shared_ptr<Backend> make(std::string_view device, std::string& refusal) {
  Options options;
  return parse(device, options, refusal) ? std::make_shared<Pim>(device, options) : nullptr;
}

Traffic traffic_of(Backend& backend) noexcept { return static_cast<Pim&>(backend).traffic(); }

}  // namespace ringfort::pim_host
