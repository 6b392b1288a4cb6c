// SPDX-License-Identifier: Apache-2.0
// Device `dry` (dry.h). It answers every call of a backend without memory or arithmetic.
#include "backend/dry/dry.h"

#include <atomic>
#include <type_traits>

#include "backend/host.h"

namespace ringfort::dry {
namespace {

class Dry final : public Backend {
 public:
  std::string_view name() const noexcept override { return "dry"; }
  Capabilities capabilities() const noexcept override {
    return {.computes = false, .instruction_set = {}, .plans = {}, .roofs = {}};
  }

  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    if (!host::degree_is_supported(plan)) return Status::unsupported;
    for (const u128 q : plan.moduli) {
      if (q < 3 || (q >> host::modulus_bits(plan.word)) != 0 || q % (2 * u128{plan.n}) != 1) return Status::unsupported;
    }
    try {
      out = std::make_shared<PreparedPlan>(plan);
      return Status::ok;
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  Status allocate(std::size_t bytes, Contents, Privacy, DeviceBuffer*& out) noexcept override {
    out = new (std::nothrow) DeviceBuffer(bytes);
    if (out == nullptr) return Status::out_of_memory;
    const std::size_t now = used_.fetch_add(bytes) + bytes;
    std::size_t peak = peak_.load();
    while (now > peak && !peak_.compare_exchange_weak(peak, now)) {}
    return Status::ok;
  }
  void release(DeviceBuffer* buffer, bool) noexcept override {
    if (buffer == nullptr) return;
    used_.fetch_sub(buffer->bytes);
    delete buffer;
  }
  MemoryUse memory() const noexcept override { return {.used = used_.load(), .peak = peak_.load()}; }

  bool fuses(const Verb&) const noexcept override { return true; }
  Status run(Stream, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    return host::in_turn(verbs, ends, [this]<class V>(const V&) {
      if constexpr (!std::is_same_v<V, verb::Download>) return Status::ok;
      is_read_ = true;
      return Status::unsupported;
    });
  }
  std::string failure() const override { return is_read_ ? "a dry run has no words" : ""; }
  Status synchronize(Stream) noexcept override { return Status::ok; }
  Ticket mark(Stream) noexcept override { return host::now(); }

 private:
  std::atomic<std::size_t> used_{0}, peak_{0};
  std::atomic<bool> is_read_{false};  // true after a refused download
};

}  // namespace

std::shared_ptr<Backend> make() { return std::make_shared<Dry>(); }

}  // namespace ringfort::dry
