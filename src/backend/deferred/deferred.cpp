// SPDX-License-Identifier: Apache-2.0
// Device `deferred` (deferred.h). It puts verbs, releases and changes of owner into a queue. When a result is needed,
// it runs the verbs on an inner device.
#include "backend/deferred/deferred.h"

#include <array>
#include <cstring>
#include <map>
#include <mutex>

#include "backend/deferred/queue.h"
#include "backend/host.h"
#include "backend/options/options.h"
#include "backend/recycle_listener.h"
#include "base/fork_mutex.h"

namespace ringfort::deferred {

namespace {

enum class Rule : u8 { none, order, host_memory, download, zeroed, release, failure };
constexpr std::array<std::string_view, 7> kRules = {"none",   "order",   "host_memory", "download",
                                                    "zeroed", "release", "failure"};

struct Options {
  u64 seed = 1;
  Rule broken = Rule::none;
  u64 fails = 0;  // number of the verb that fails, counted from 1; 0 means none
};

constexpr int kPattern = 0xA5;  // fills undefined words
constexpr std::size_t kMostWaiting = 256;

struct Memory : host::Buffer {
  using host::Buffer::Buffer;
  bool is_released = false;
};

void spoil(void* to, std::size_t bytes) noexcept {
  if (bytes != 0) std::memset(to, kPattern, bytes);
}

class Deferred final : public Backend, public RecycleListener {
 public:
  Deferred(std::string_view name, const Options& options, std::shared_ptr<Backend> inner)
      : name_(name),
        options_(options),
        inner_(std::move(inner)),
        queue_(options.seed, options.broken != Rule::order) {}
  ~Deferred() override {
    for (Memory* memory : memories_) {
      if (memory->open.size() != 0) wipe(memory->open.data(), memory->open.size());
      delete memory;
    }
  }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

  std::string_view name() const noexcept override { return name_; }
  Capabilities capabilities() const noexcept override {
    return {.by_limbs = true,
            .joins_verbs = options_.seed % 2 == 0,
            .wants_batches = options_.seed % 3 == 0,
            .instruction_set = {},
            .plans = {},
            .roofs = {}};
  }

  Status prepare(const Plan& plan, std::shared_ptr<const PreparedPlan>& out) noexcept override {
    const Status status = inner_->prepare(plan, out);
    const std::lock_guard lock(mutex_);
    try {
      if (status == Status::ok) plans_.push_back(out);  // waiting verbs need the plan
      return status;
    } catch (const std::bad_alloc&) {
      out = nullptr;
      return Status::out_of_memory;
    }
  }

  Status allocate(std::size_t bytes, Contents contents, Privacy privacy, DeviceBuffer*& out) noexcept override {
    const std::lock_guard lock(mutex_);
    out = nullptr;
    try {
      memories_.reserve(memories_.size() + 1);
      auto* memory = new Memory(bytes, contents, privacy);
      if (contents == Contents::undefined || options_.broken == Rule::zeroed) spoil(memory->data(), bytes);
      memories_.push_back(memory);
      out = memory;
      used_ += bytes;
      peak_ = std::max(peak_, used_);
      return Status::ok;
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  // Queues an entry. Like a release, it waits for earlier verbs on the buffer.
  void recycled(DeviceBuffer* buffer) noexcept override {
    const std::lock_guard lock(mutex_);
    Waiting waiting;
    waiting.ended = buffer;
    waiting.is_recycled = true;
    try {
      queue_.push(std::move(waiting));
    } catch (const std::bad_alloc&) {  // no memory for the entry: the next owner finds the old words
    }
  }

  void release(DeviceBuffer* buffer, bool wipe) noexcept override {
    if (buffer == nullptr) return;
    const std::lock_guard lock(mutex_);
    auto* memory = static_cast<Memory*>(buffer);
    memory->is_released = true;
    Waiting waiting;
    waiting.ended = buffer;
    waiting.wipe = wipe;
    if (options_.broken == Rule::release) return end(waiting);
    try {
      queue_.push(std::move(waiting));
    } catch (const std::bad_alloc&) {  // no memory for the entry: the buffer lives as long as the device
    }
  }
  MemoryUse memory() const noexcept override {
    const std::lock_guard lock(mutex_);
    return {.used = used_, .peak = peak_};
  }

  bool fuses(const Verb&) const noexcept override { return false; }

  Status run(Stream s, std::span<const Verb> verbs, std::span<Ticket> ends) noexcept override {
    const std::lock_guard lock(mutex_);
    if (failure_ != Status::ok) return failure_;
    try {
      for (std::size_t i = 0; i < verbs.size(); ++i) {
        if (uses_released(verbs[i])) return Status::internal;
        Waiting waiting = waiting_of(s, verbs[i]);
        if (!ends.empty()) ends[i].event = waiting.event;
        queue_.push(std::move(waiting));
      }
      if (queue_.size() > kMostWaiting) settle([](const Waiting&) { return true; });
      return Status::ok;
    } catch (const std::bad_alloc&) { return Status::out_of_memory; }
  }

  Status synchronize(Stream s) noexcept override {
    const std::lock_guard lock(mutex_);
    if (options_.broken == Rule::download) return failure_;
    settle([&](const Waiting& each) { return !each.is_end() && each.stream == s.index; });
    return failure_;
  }

  Ticket mark(Stream s) noexcept override {
    const std::lock_guard lock(mutex_);
    Ticket ticket = host::now();
    const auto last = last_event_.find(s.index);
    if (last != last_event_.end()) ticket.event = last->second;
    return ticket;
  }
  void resolve(Ticket& ticket) noexcept override {
    if (ticket.event == 0) return;
    const std::lock_guard lock(mutex_);
    settle([&](const Waiting& each) { return each.event == ticket.event; });
    if (const auto end = ends_.find(ticket.event); end != ends_.end()) ticket.us = std::max(ticket.us, end->second);
    ticket.event = 0;
  }

 private:
  static bool uses_released(const Verb& verb) noexcept {
    for (const Operand& operand : operands_of(verb)) {
      if (static_cast<const Memory*>(operand.view.buffer)->is_released) return true;
    }
    return false;
  }

  // Returns an entry with the verb and with copies of its host data. Fills the target of a download with the pattern.
  Waiting waiting_of(Stream s, const Verb& verb) {
    Waiting waiting{.stream = s.index, .verb = verb, .host_copy = std::make_unique<HostCopy>(), .event = ++events_};
    last_event_[s.index] = waiting.event;
    ends_.emplace(waiting.event, 0);  // inserted here, so that no allocation can fail when the verb ends
    const auto hold = [&](const void*& from, std::size_t bytes) {
      if (options_.broken == Rule::host_memory || bytes == 0) return;
      waiting.host_copy->bytes = Secret<u8>(bytes);
      std::memcpy(waiting.host_copy->bytes.data(), from, bytes);
      from = waiting.host_copy->bytes.data();
    };
    if (auto* upload = std::get_if<verb::Upload>(&waiting.verb)) hold(upload->words, bytes_of(upload->to));
    if (auto* lift = std::get_if<verb::Lift>(&waiting.verb))
      hold(lift->integers, std::size_t{lift->to.batch} * lift->to.plan->n() * lift->integer_bytes);
    if (auto* scale = std::get_if<verb::MultiplyScalar>(&waiting.verb);
        scale != nullptr && options_.broken != Rule::host_memory) {
      waiting.host_copy->factors.assign(scale->per_limb.begin(), scale->per_limb.end());
      scale->per_limb = waiting.host_copy->factors;
    }
    if (auto* download = std::get_if<verb::Download>(&waiting.verb)) spoil(download->words, bytes_of(download->from));
    return waiting;
  }
  static std::size_t bytes_of(const View& view) noexcept { return view.words() * word_bytes(view.plan->plan.word); }

  void execute(Waiting& waiting) noexcept {
    if (waiting.is_end()) return end(waiting);
    const bool fails = ++executed_ == options_.fails;
    // the option broken=failure hides the failure
    if (fails && options_.broken != Rule::failure) failure_ = Status::device_lost;
    if (!fails && failure_ == Status::ok) failure_ = inner_->run({}, std::span(&waiting.verb, 1), {});
    if (const auto end = ends_.find(waiting.event); end != ends_.end()) end->second = steady_us();
  }
  void end(const Waiting& waiting) noexcept {
    auto* const memory = static_cast<Memory*>(waiting.ended);
    if (waiting.is_recycled) return spoil(memory->data(), memory->bytes);
    used_ -= memory->bytes;
    if (waiting.wipe && memory->open.size() != 0) wipe(memory->data(), memory->bytes);
    // with the option broken=release, waiting verbs read the pattern
    if (options_.broken == Rule::release) return spoil(memory->data(), memory->bytes);
    memory->open = {};
    memory->secret = {};
  }
  template <class Wanted>
  void settle(Wanted wanted) noexcept {
    try {
      queue_.settle(wanted, [&](Waiting& each) { execute(each); });
    } catch (const std::bad_alloc&) {  // no memory to choose an order: the waiting verbs never run
      failure_ = Status::out_of_memory;
    }
  }

  std::string name_;
  Options options_;
  std::shared_ptr<Backend> inner_;  // computes the results; its buffers are host::Buffer
  // The memory cache calls recycled() while it holds its own mutex. Therefore this mutex is innermost.
  mutable ForkMutex mutex_{ForkMutex::Order::innermost};
  Queue queue_;
  std::vector<Memory*> memories_;  // includes released memory, so that the device detects its use
  std::vector<std::shared_ptr<const PreparedPlan>> plans_;
  std::map<u32, u64> last_event_;  // key: stream
  std::map<u64, double> ends_;
  Status failure_ = Status::ok;
  u64 events_ = 0, executed_ = 0;
  std::size_t used_ = 0, peak_ = 0;
};

std::vector<Option> options_for(Options& options) {
  Option seed = number_option("SEED", 0, ~u64{0}, [&](u64 number) { options.seed = number; });
  seed.is_bare = true;
  return {std::move(seed),
          choice_option("broken", kRules, [&](std::size_t i) { options.broken = static_cast<Rule>(i); }),
          number_option("fails", 0, ~u64{0}, [&](u64 number) { options.fails = number; })};
}

}  // namespace

std::shared_ptr<Backend> make(std::string_view device, std::shared_ptr<Backend> inner, std::string& refusal) {
  Options options;
  refusal = read_options(device, options_for(options));
  return refusal.empty() ? std::make_shared<Deferred>(device, options, std::move(inner)) : nullptr;
}

}  // namespace ringfort::deferred
