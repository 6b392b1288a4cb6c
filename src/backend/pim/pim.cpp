// SPDX-License-Identifier: Apache-2.0
// Device `pim`: the host of a system of DPUs (processors in memory banks), which hw/pim simulates. This file locks the
// mutex of the machine, keeps the time of each stream, and turns exceptions into Status. verbs.h has the verbs.
// Evaluations are in the canonical order (backend/plan.h). If all primes of a plan have the form c 2^16 + 1 and are
// below 2^30, the plan computes in words of 32 bits. All other plans compute in words of 64 bits. Offsets of views must
// be multiples of n.
#include "backend/pim/pim.h"

#include <algorithm>
#include <new>

#include "backend/pim/verbs.h"

namespace ringfort::pim_host {
namespace {

constexpr std::string_view kPlans =
    "pim takes n = 64 .. 65536, and primes below 2^62 in words of 32 or 64 bits; primes c*2^16 + 1 below 2^30 cost "
    "least "
    "(primes={\"bits\": 30, \"form\": \"c*2^16+1\"}; C++: PrimeChoice{30, PrimeForm::c_2_16_1}); for other rings use "
    "device cpu";

constexpr std::size_t kDpuBytes = 64u << 20;  // MRAM of a DPU
constexpr double kBytesPerCycle = 1 / 0.54;   // rate of long transfers between MRAM and a DPU (hw/pim/sim/chip.h)
constexpr double kCyclesPerProduct = 62;      // a product modulo a 30-bit prime (docs/pim.md)

// Returns the operand with the polynomials and the limbs on which the verb works.
template <class V>
const View& shape_of(const V& v) noexcept {
  if constexpr (requires { v.out; }) return v.out;
  else if constexpr (requires { v.to; }) return v.to;
  else if constexpr (requires { v.from; }) return v.from;
  else if constexpr (requires { v.inout; }) return v.inout;
  else return v.digits;
}

// Tells whether the device runs the optional verb. Kernels need contiguous polynomials: the polynomials of a row of a
// matrix, of a product of ciphertexts, or of the digits of a polynomial.
template <class V>
bool fused(const V&) noexcept {
  return false;
}
bool fused(const verb::InnerProduct& v) noexcept { return !skips_rows(v.out) && !skips_rows(v.a) && !skips_rows(v.b); }
bool fused(const verb::Tensor& v) noexcept { return !skips_rows(v.out); }
bool fused(const verb::ModDown&) noexcept { return true; }
bool fused(const verb::ModUp& v) noexcept {
  return !skips_rows(v.digits) && common(v.a.limbs, v.digits.limbs) == v.a.limbs;
}
bool fused(const verb::KeySwitch& v) noexcept {
  return v.digits.limbs == v.out.limbs && fused(v.mod_up()) && fused(v.inner_product());
}

class Pim final : public Backend {
 public:
  Pim(std::string_view name, const Options& options) : name_(name), machine_(std::make_shared<Machine>(options)) {}

  std::string_view name() const noexcept override { return name_; }
  Capabilities capabilities() const noexcept override {
    const double cycles_per_us =
        machine_->system.options().clock_mhz * machine_->system.ranks() * machine_->system.dpus();
    return {.simulated_time = true,
            .wants_batches = true,
            .instruction_set = has_instructions() ? "DPU, simulated" : "DPU, computed on the host: cycles estimated",
            .plans = kPlans,
            .roofs = {cycles_per_us * kBytesPerCycle, cycles_per_us / kCyclesPerProduct}};
  }
  const Traffic& traffic() const noexcept { return machine_->system.traffic(); }

  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    try {
      return pim_host::prepare(plan, machine_, out);
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  // Allocates a buffer, whose words are zero. It takes MRAM when a verb first uses it.
  Status allocate(std::size_t bytes, Contents, Privacy, DeviceBuffer*& out) noexcept override {
    out = nullptr;
    if (bytes > kDpuBytes * machine_->system.dpus()) return Status::out_of_memory;
    out = new (std::nothrow) Buffer(bytes);
    if (out == nullptr) return Status::out_of_memory;
    const std::lock_guard lock(machine_->mutex);
    use_.used += bytes;
    use_.peak = std::max(use_.peak, use_.used);
    return Status::ok;
  }

  void release(DeviceBuffer* handle, bool wipe) noexcept override {
    const std::unique_ptr<Buffer> buffer(buffer_of(handle));
    if (buffer == nullptr) return;
    const std::lock_guard lock(machine_->mutex);
    for (const auto& allocation : buffer->allocations) {
      if (wipe) wipe_allocation(*allocation);
    }
    machine_->memory.forget(*buffer);
    use_.used -= buffer->bytes;
  }

  MemoryUse memory() const noexcept override {
    const std::lock_guard lock(machine_->mutex);
    MemoryUse use = use_;
    use.limit = kDpuBytes * machine_->system.dpus() * machine_->system.ranks();
    return use;
  }

  bool fuses(const Verb& verb) const noexcept override {
    return std::visit([]<class V>(const V& v) { return Optional<V> && fused(v); }, verb);
  }

  Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    const std::lock_guard lock(machine_->mutex);
    const Status status = attempt(s, [&] { return run_in_turn(s, verbs, ends); });
    // Launches the queued requests, even if a verb has failed.
    const Status launched = machine_->system.finish(s.index % machine_->system.ranks());
    return status == Status::ok ? launched : status;
  }

  Status synchronize(Stream s) noexcept override {
    const std::lock_guard lock(machine_->mutex);
    return machine_->system.synchronize(s.index % machine_->system.ranks());
  }
  Ticket mark(Stream s) noexcept override {
    const std::lock_guard lock(machine_->mutex);
    return machine_->system.mark(s);
  }
  void report_launches(const LaunchListener* listener) noexcept override {
    const std::lock_guard lock(machine_->mutex);
    machine_->system.report_to(listener);
  }

 private:
  template <class Work>
  Status attempt(Stream s, Work work) noexcept {
    try {
      machine_->system.work_for(s);
      return work();
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  // Runs verbs one after the other. If launches of a verb are still queued after the verb, the end time of the verb is
  // known only when they are launched.
  Status run_in_turn(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) {
    System& system = machine_->system;
    const u32 rank = s.index % system.ranks();
    for (std::size_t i = 0, next = 0; i < verbs.size(); i = next) {
      for (const Memory::Redundant& allocation : machine_->memory.take_redundant()) {
        wipe_allocation(*allocation.allocation);
        machine_->memory.drop(allocation);
      }
      machine_->system.work_for(s);
      const std::vector<const verb::Copy*> copies = copies_in(verbs.subspan(i));
      next = i + std::max<std::size_t>(copies.size(), 1);
      const Status status = copies.empty() ? std::visit([&](const auto& v) { return run_one(s, v); }, verbs[i])
                                           : pim_host::execute(s, copies);
      if (status != Status::ok) return status;
      for (std::size_t done = i; done < next && !ends.empty(); ++done) {
        if (system.is_waiting(rank)) system.tell(rank, ends[done]);
        else ends[done] = system.mark(s);
      }
    }
    return Status::ok;
  }

  // Returns the copies at the beginning of `verbs` that can run together. They have one plan, and none of them uses
  // words that another of them writes.
  static std::vector<const verb::Copy*> copies_in(std::span<const Verb> verbs) {
    std::vector<const verb::Copy*> copies;
    const auto end = [](const View& view) {
      return view.offset + ((view.batch - 1) * view.limb_stride() + view.limbs.count) * view.plan->n();
    };
    const auto touch = [&](const View& x, const View& y) {
      return x.buffer == y.buffer && x.offset < end(y) && y.offset < end(x);
    };
    for (const Verb& verb : verbs) {
      const auto* copy = std::get_if<verb::Copy>(&verb);
      if (copy == nullptr || copy->out.batch == 0 || copy->out.limbs.count == 0) break;
      const bool apart = std::all_of(copies.begin(), copies.end(), [&](const verb::Copy* before) {
        return before->out.plan == copy->out.plan && !touch(before->out, copy->out) && !touch(before->out, copy->a) &&
               !touch(before->a, copy->out);
      });
      if (!apart) break;
      copies.push_back(copy);
    }
    return copies;
  }

  // Runs one verb. Does nothing if there are no polynomials or limbs.
  template <class V>
  static Status run_one(Stream s, const V& v) {
    const View& shape = shape_of(v);
    return shape.batch == 0 || shape.limbs.count == 0 ? Status::ok : pim_host::execute(s, v);
  }

  // Zeroes an allocation. If this fails, its memory is never used again.
  void wipe_allocation(Allocation& allocation) noexcept {
    if (!allocation.written) return;
    allocation.lost = attempt({allocation.stream, 1}, [&] { return clear_allocation(allocation); }) != Status::ok;
    (void)machine_->system.finish(allocation.rank);
  }

  Status clear_allocation(const Allocation& allocation) {
    std::vector<u8> used(machine_->system.dpus(), allocation.everywhere);
    for (const u8 dpu : allocation.dpus) {
      if (dpu != Allocation::kNowhere) used[dpu] = 1;
    }
    return clear(*machine_, allocation.rank, {allocation.start, allocation.bytes(), allocation.extent.word_bytes},
                 used);
  }

  std::string name_;
  std::shared_ptr<Machine> machine_;
  MemoryUse use_;
};

}  // namespace

std::shared_ptr<Backend> make(std::string_view device, std::string& refusal) {
  Options options;
  return parse(device, options, refusal) ? std::make_shared<Pim>(device, options) : nullptr;
}

Traffic traffic_of(Backend& backend) noexcept { return static_cast<Pim&>(backend).traffic(); }

}  // namespace ringfort::pim_host
