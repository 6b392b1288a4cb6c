// SPDX-License-Identifier: Apache-2.0
// Opens devices, runs verbs, and allocates device memory (device.h).
#include "runtime/device.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/devices.h"
#include "base/shown.h"
#include "ringfort/error.h"
#include "runtime/collector.h"
#include "runtime/dispatch.h"

namespace ringfort {

void check(Status status, std::string_view what, std::string_view device, std::string_view cause) {
  // every verb calls this function, so it builds a text only after a failure
  if (status == Status::ok) return;
  const std::string where = std::string(what) + " on device " + std::string(device);
  switch (status) {
    case Status::ok: break;
    case Status::out_of_memory:
      throw Error(Code::out_of_memory, where + " ran out of memory", "use smaller batches or fewer threads");
    case Status::unsupported:
      if (!cause.empty())
        throw Error(Code::unsupported, (where + " is not possible: ").append(cause), "use a device that computes");
      throw Error(Code::unsupported, where + " is not supported for this degree, modulus or gadget",
                  "n is a power of two in 2 .. 2^17, q a prime that is 1 mod 2n and fits the word");
    case Status::device_lost:
    case Status::timed_out:
      throw Error(Code::device_lost, (where + " failed: ").append(cause.empty() ? "the device does not answer" : cause),
                  "restart the process, or use device cpu");
    case Status::internal: break;
  }
  throw Error(Code::internal,
              (where + " broke a contract inside the library").append(cause.empty() ? "" : ": ").append(cause),
              "please report this");
}

std::shared_ptr<const Device> Device::open(std::string_view name) {
  if (name.empty()) name = environment_device();
  std::string refusal;
  auto backend = open_backend(name, &refusal);
  if (backend != nullptr) return std::make_shared<const Device>(std::move(backend));
  const std::string chosen(environment_device());
  // the name of a GPU without a number, such as "cuda", means "cuda:0"
  // "cpu" is the default device also without the variable
  const bool is_chosen = name != "cpu" && (name == chosen || (is_gpu(name) && name == chosen + ":0"));
  const std::string source = is_chosen ? ", which RINGFORT_DEVICE names," : "";
  if (!refusal.empty())
    throw Error(Code::device_unknown, "device '" + shown(name) + "'" + source + " cannot be opened", refusal);
  if (is_known_device(name))
    throw Error(Code::out_of_memory, "opening device " + shown(name) + " ran out of memory",
                "free memory and try again");
  std::string known;
  for (const std::string_view candidate : backend_names())
    known += (known.empty() ? "" : ", ") + std::string(candidate);
  for (const std::string_view candidate : {"cuda:0", "opencl:0", "emu:0"})
    if (is_known_device(candidate)) known.append(", ").append(candidate);
  throw Error(Code::device_unknown, "there is no device '" + shown(name) + "'" + source + " on this machine",
              "known: " + known);
}

std::shared_ptr<const PreparedPlan> Device::prepare(const Plan& plan) const {
  std::shared_ptr<const PreparedPlan> prepared;
  const Status status = backend_->prepare(plan, prepared);
  const std::string_view advice = backend_->capabilities().plans;
  if (status == Status::unsupported && !advice.empty()) {
    throw Error(Code::unsupported, "device " + name() + " does not compute with these primes or this degree",
                std::string(advice));
  }
  check(status, "prepare");
  return prepared;
}

namespace {

thread_local std::string_view running;  // the verb whose launches this thread reports

}  // namespace

void Device::launched(const Launch& launch) const noexcept {
  if (const std::shared_ptr<Profiler> profiler = listener()) profiler->add(launch, running, backend_);
}

void Device::profile(std::shared_ptr<Profiler> profiler) const noexcept {
  backend_->report_launches(profiler == nullptr ? nullptr : this);
  const std::lock_guard lock(mutex_);
  listening_.store(profiler != nullptr, std::memory_order_relaxed);
  profiler_.swap(profiler);  // the previous profiler is destroyed after the lock
}

std::shared_ptr<Profiler> Device::listener() const noexcept {
  if (!listening_.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(mutex_);
  return profiler_;
}

void Device::run(Stream s, std::span<const Verb> verbs) const {
  const ContractCheck contract = check_contracts(verbs);
  if (contract.status != Status::ok) check(contract.status, contract.verb);
  Collector* const collector = Collector::of(*this);
  if (collector == nullptr || !collector->collect(s, verbs)) run_at_once(s, verbs);
}

void Device::run(Stream s, const Verb& verb) const { run(s, std::span(&verb, 1)); }

void Device::synchronize(Stream s) const {
  if (Collector* const collector = Collector::of(*this)) collector->flush();
  check(backend_->synchronize(s), "synchronize");
}

void Device::run_at_once(Stream s, std::span<const Verb> verbs) const {
  if (runs_all(*backend_, verbs)) return run_whole(s, verbs);
  run_whole(s, composed(*backend_, verbs).verbs);
}

namespace {

std::string_view title(std::span<const Verb> verbs) noexcept {
  return verbs.size() == 1 ? name_of(verbs[0]) : "a sequence of verbs";
}

}  // namespace

void Device::run_whole(Stream s, std::span<const Verb> verbs) const {
  const std::shared_ptr<Profiler> profiler = listener();
  const Status status = profiler == nullptr ? backend_->run(s, verbs, {}) : run_profiled(s, verbs, *profiler);
  if (status != Status::ok) check(status, title(verbs));
  if (fault::strikes(fault::Point::verb)) check(Status::device_lost, title(verbs));
}

Status Device::run_profiled(Stream s, std::span<const Verb> verbs, Profiler& profiler) const {
  const bool simulated = backend_->capabilities().simulated_time;
  std::unique_lock turn(turns_, std::defer_lock);
  if (simulated) turn.lock();  // the measured time must not include another thread's verb on this stream
  std::vector<Ticket> ends(verbs.size());
  Ticket begin = backend_->mark(s);
  running = verbs.size() == 1 ? name_of(verbs[0]) : "sequence";
  const Status status = backend_->run(s, verbs, ends);
  running = {};
  if (status != Status::ok) return status;
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    const Cost cost = std::visit([](const auto& v) { return v.cost(); }, verbs[i]);
    profiler.add({name_of(verbs[i]), s.index, cost, simulated, begin, ends[i], backend_});
    begin = ends[i];
  }
  return status;
}

namespace {

std::string shown_bytes(std::size_t bytes) {
  const bool small = bytes < (std::size_t{1} << 30);
  return fixed(std::ldexp(static_cast<double>(bytes), small ? -20 : -30), 1) + (small ? " MiB" : " GiB");
}

// Returns text that names the users of a device's memory, beginning with the largest user.
std::string users_of(const DeviceMemory& memory) {
  const std::size_t values = memory.used - memory.keys - memory.scratch;
  std::array<std::pair<std::size_t, std::string_view>, 3> users = {
      {{values, "ciphertexts and other polynomials"}, {memory.keys, "keys"}, {memory.scratch, "running operations"}}};
  std::sort(users.rbegin(), users.rend());
  std::string text;
  for (const auto& [bytes, user] : users)
    text += (text.empty() ? "" : ", ") + shown_bytes(bytes) + " are in " + std::string(user);
  if (memory.limit != 0) text += "; the device has " + shown_bytes(memory.limit);
  return text;
}

}  // namespace

Buffer::Buffer(std::shared_ptr<const Device> device, const MemoryRequest& request)
    : device_(std::move(device)),
      request_(request) {
  Status status = device_->memory().allocate(request, handle_);
  if (status == Status::out_of_memory && device_->copies().drop())
    status = device_->memory().allocate(request, handle_);
  // Builds the text only after a failure. Building the text allocates memory. If this allocation threw an exception
  // after a success, `handle_` would leak.
  if (status == Status::out_of_memory) {
    throw Error(Code::out_of_memory,
                "allocate " + std::to_string(request.bytes) + " bytes on device " + device_->name() +
                    " ran out of memory: " + users_of(device_->memory().use()),
                "free arrays and keys that you no longer need; use smaller batches or fewer threads");
  }
  if (status != Status::ok) device_->check(status, "allocate " + std::to_string(request.bytes) + " bytes");
}

Buffer::~Buffer() {
  if (handle_ == nullptr) return;
  MemoryCache& memory = device_->memory();
  // the verbs of this thread that use the buffer still wait, so only this thread may reuse it now
  if (!wipe_ && memory.hold(handle_, request_)) return;
  if (Collector* const collector = Collector::of(*device_);
      collector != nullptr && collector->release_later(handle_, request_, wipe_))
    return;
  memory.give_back(handle_, request_, wipe_);
}

LentBuffer::LentBuffer(const Device& device, void* memory, std::size_t bytes) noexcept : device_(device) {
  if (reinterpret_cast<std::uintptr_t>(memory) % kAlignment == 0) handle_ = device.backend().lend(memory, bytes);
}

}  // namespace ringfort
