// SPDX-License-Identifier: Apache-2.0
// One event for every verb that a device ran: name, device, stream, start, end, bytes, multiplications. A Profiler collects them
// from any number of devices and threads and writes them as a Chrome trace; Observed is the backend that reports to one while it is set, and
// otherwise passes every call on.
// Times are microseconds of the host's steady clock around the verb and its completion. A device that models its time reports that
// instead, since it was opened, and the energy. bytes: every operand read once, every result written once. multiplications: modular products of words.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "ringfort/device.h"

namespace ringfort {

struct VerbEvent {
  std::string_view verb;            // a literal
  u32 stream = 0;
  double start_us = 0, end_us = 0;  // since the profiler was made
  u64 bytes = 0, multiplications = 0;
  bool simulated = false;
  double energy_uj = 0;             // where it is simulated, as the other two
  double compute_us = 0, transform_us = 0;
  std::string_view device = {};     // of what a profiler has: as long as that lives
};

class Profiler {
 public:
  explicit Profiler(std::size_t most_events = std::size_t{1} << 20) : most_(most_events) {}
  [[nodiscard]] double now_us() const noexcept;
  void add(const VerbEvent& event) noexcept;           // beyond the limit, or without memory, it is counted and not kept
  [[nodiscard]] std::vector<VerbEvent> events() const;
  [[nodiscard]] u64 lost() const noexcept;
  // JSON of the Trace Event format: chrome://tracing and Perfetto open it. One process a device, called by the title and the
  // device's name, with one row a stream.
  [[nodiscard]] std::string chrome_trace(std::string_view title) const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<VerbEvent> events_;
  std::set<std::string, std::less<>> devices_;         // their names outlive them
  u64 lost_ = 0;
};

struct Profile::State {
  std::shared_ptr<Profiler> profiler = std::make_shared<Profiler>();
};

class Observed final : public Backend {
 public:
  explicit Observed(std::shared_ptr<Backend> inner) : inner_(std::move(inner)) {}
  // nullptr: nobody listens. Verbs that have begun still report to the one before.
  void report_to(std::shared_ptr<Profiler> profiler) noexcept;

  std::string_view name() const noexcept override { return inner_->name(); }
  Capabilities capabilities() const noexcept override { return inner_->capabilities(); }
  Status prepare(const Plan& plan, std::shared_ptr<const PlanHandle>& out) noexcept override;
  Status allocate(std::size_t bytes, Contents contents, BufferHandle*& out) noexcept override { return inner_->allocate(bytes, contents, out); }
  void release(BufferHandle* buffer, bool wipe) noexcept override { inner_->release(buffer, wipe); }
  Status upload(Stream s, const View& to, Domain domain, const void* words) noexcept override;
  Status download(Stream s, const View& from, Domain domain, void* words) noexcept override;
  Status record(Stream s, u64& event) noexcept override { return inner_->record(s, event); }
  Status wait(Stream s, u64 event) noexcept override { return inner_->wait(s, event); }
  Status synchronize(Stream s) noexcept override { return inner_->synchronize(s); }
  ModelClock model_clock(Stream s) const noexcept override { return inner_->model_clock(s); }
  Status ntt(Stream s, const View& inout) noexcept override;
  Status intt(Stream s, const View& inout) noexcept override;
  Status add(Stream s, const View& out, const View& a, const View& b) noexcept override;
  Status sub(Stream s, const View& out, const View& a, const View& b) noexcept override;
  Status negate(Stream s, const View& out, const View& a) noexcept override;
  Status multiply(Stream s, const View& out, const View& a, const View& b) noexcept override;
  Status multiply_add(Stream s, const View& out, const View& a, const View& b) noexcept override;
  Status multiply_scalar(Stream s, const View& out, const View& a, std::span<const u128> per_limb) noexcept override;
  Status decompose(Stream s, const View& out, const View& a, const Gadget& gadget) noexcept override;
  Status expand_uniform(Stream s, const View& out, const Expansion& from) noexcept override;
  Status automorphism(Stream s, const View& out, const View& a, u32 galois, Domain domain) noexcept override;
  Status base_convert(Stream s, const View& out, const View& a, Conversion kind) noexcept override;
  Status inner_product(Stream s, const InnerProduct& product) noexcept override;
  Status gadget_product(Stream s, const GadgetProduct& product) noexcept override;
  Status mod_down(Stream s, const ModDown& division) noexcept override;
  Status key_switch(Stream s, const KeySwitch& sum) noexcept override;
  Status tensor(Stream s, const View& out, const View& a, const View& b) noexcept override;
  Status polymul(Stream s, const View& out, const View& a, const View& b) noexcept override;

 private:
  struct Shape {
    u32 n = 0;
    u32 word_bytes = 0;
  };
  struct Cost {
    u64 words = 0;                  // read and written
    u64 multiplications = 0;
  };
  [[nodiscard]] Shape shape_of(const View& view) const noexcept;
  [[nodiscard]] std::shared_ptr<Profiler> listener() const noexcept;
  // run(): the verb itself; cost(n): what it took, asked only when somebody listens.
  template <class Verb, class Costs>
  Status observe(std::string_view verb, Stream s, const View& view, Verb run, Costs cost) noexcept;

  std::shared_ptr<Backend> inner_;
  std::atomic<bool> listening_{false};        // the only thing that a verb looks at when nobody listens
  std::mutex turns_;                          // of verbs in simulated time while somebody listens
  mutable std::mutex mutex_;
  std::shared_ptr<Profiler> profiler_;
  std::map<const PlanHandle*, Shape> shapes_;
};

}  // namespace ringfort
