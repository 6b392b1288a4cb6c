// SPDX-License-Identifier: Apache-2.0
// Records the times of verbs and launches (profiler.h).
#include "runtime/profiler.h"

#include "base/clock.h"

namespace ringfort {

Profiler::Profiler(std::size_t most_events) : begin_us_(steady_us()), most_(most_events) {}

std::string_view Profiler::device(const Backend& backend) {
  const auto found = devices_.find(backend.name());
  return found != devices_.end()
             ? found->first
             : devices_.emplace(std::string(backend.name()), backend.capabilities().roofs).first->first;
}

template <class Event>
void Profiler::settle(Event& event, Open& open) const {
  open.backend->resolve(open.begin);
  open.backend->resolve(open.end);
  const double zero = open.backend->capabilities().simulated_time ? 0 : begin_us_;
  event.start_us = open.begin.us - zero;
  event.end_us = open.end.us - zero;
  event.energy_uj = open.end.energy_uj - open.begin.energy_uj;
  if constexpr (requires { event.compute_us; }) {
    event.compute_us = open.end.compute_us - open.begin.compute_us;
    event.transform_us = open.end.transform_us - open.begin.transform_us;
  }
}

// Sets the times of the last event in `events`. If the times are not known yet, stores them in `open` for later.
void Profiler::keep_or_settle(std::vector<Open>& open, auto& events, Open&& times) {
  if (times.begin.event == 0 && times.end.event == 0) return settle(events.back(), times);
  try {
    open.push_back(std::move(times));
  } catch (const std::bad_alloc&) {
    events.pop_back();
    throw;
  }
}

void Profiler::add(VerbRun&& run) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    if (events_.size() < most_) {
      VerbEvent event{.verb = run.verb,
                      .stream = run.stream,
                      .bytes = run.cost.bytes,
                      .multiplications = run.cost.multiplications,
                      .simulated = run.simulated};
      event.device = device(*run.backend);
      if (!stack_.empty()) event.section = stack_.back();
      event.transform_multiplications = run.cost.transform_multiplications;
      events_.push_back(event);
      return keep_or_settle(open_events_, events_, {events_.size() - 1, run.begin, run.end, std::move(run.backend)});
    }
  } catch (const std::bad_alloc&) {  // `lost_` counts this run
  }
  ++lost_;
}

void Profiler::add(const Launch& launch, std::string_view verb, const std::shared_ptr<Backend>& backend) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    if (launches_.size() < most_) {
      launches_.push_back({.name = launch.name,
                           .verb = launch.verb.empty() ? verb : launch.verb,
                           .stream = launch.stream,
                           .device = device(*backend),
                           .section = stack_.empty() ? std::string_view() : stack_.back(),
                           .cost = launch.cost});
      return keep_or_settle(open_launches_, launches_, {launches_.size() - 1, launch.begin, launch.end, backend});
    }
  } catch (const std::bad_alloc&) {  // `lost_` counts this launch
  }
  ++lost_;
}

void Profiler::open_section(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const std::string path = stack_.empty() ? name : std::string(stack_.back()) + "/" + name;
  stack_.push_back(*sections_.insert(path).first);
}

void Profiler::close_section() noexcept {
  const std::lock_guard lock(mutex_);
  if (!stack_.empty()) stack_.pop_back();
}

std::vector<VerbEvent> Profiler::events() const {
  const std::lock_guard lock(mutex_);
  for (Open& open : open_events_) settle(events_[open.event], open);
  open_events_.clear();
  return events_;
}

std::vector<LaunchEvent> Profiler::launches() const {
  const std::lock_guard lock(mutex_);
  for (Open& open : open_launches_) settle(launches_[open.event], open);
  open_launches_.clear();
  return launches_;
}

u64 Profiler::lost() const noexcept {
  const std::lock_guard lock(mutex_);
  return lost_;
}

std::map<std::string_view, Roofs> Profiler::roofs() const {
  const std::lock_guard lock(mutex_);
  return {devices_.begin(), devices_.end()};
}

}  // namespace ringfort
