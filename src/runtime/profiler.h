// SPDX-License-Identifier: Apache-2.0
// A Profiler records an event for each verb that devices run, and for each launch that is part of a verb, up to a
// limit. While verbs run, the profiler only takes tickets. A ticket marks a point of a stream. The profiler finds out
// the times of the tickets when a caller reads the events. Therefore it does not wait for the verbs. Times are in
// microseconds of the host's steady clock. If a device models its time, times are in microseconds of the model's clock
// since the device was opened. `bytes` counts every operand as read once, and every result as written once.
// `multiplications` counts modular products of words.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/fork_mutex.h"
#include "ringfort/device.h"

namespace ringfort {

// A verb that ran, and whose times are not known yet. It keeps the backend alive until they are known.
struct VerbRun {
  std::string_view verb;  // a string literal
  u32 stream = 0;
  Cost cost;
  bool simulated = false;
  Ticket begin, end;
  std::shared_ptr<Backend> backend;
};

// An event of a verb. The profiler owns all texts of the event.
struct VerbEvent {
  std::string_view verb;
  u32 stream = 0;
  double start_us = 0, end_us = 0;  // since the profiler was created; for simulated time, since the device was opened
  u64 bytes = 0, multiplications = 0;
  bool simulated = false;
  double energy_uj = 0;  // energy_uj, compute_us and transform_us are 0 unless the time is simulated
  double compute_us = 0, transform_us = 0;
  std::string_view device = {}, section = {};
  u64 transform_multiplications = 0;
};

struct LaunchEvent {
  std::string_view name, verb;
  u32 stream = 0;
  double start_us = 0, end_us = 0, energy_uj = 0;
  std::string_view device, section;
  Cost cost;
};

class Profiler {
 public:
  explicit Profiler(std::size_t most_events = std::size_t{1} << 20);  // largest number of verbs, and of launches
  // Adds a run. If the limit is reached or memory runs out, counts the run as lost.
  void add(VerbRun&& run) noexcept;
  void add(const Launch& launch, std::string_view verb, const std::shared_ptr<Backend>& backend) noexcept;
  void open_section(const std::string& name);
  void close_section() noexcept;

  // events() and launches() wait for verbs that have not ended.
  [[nodiscard]] std::vector<VerbEvent> events() const;
  [[nodiscard]] std::vector<LaunchEvent> launches() const;
  [[nodiscard]] u64 lost() const noexcept;
  [[nodiscard]] std::map<std::string_view, Roofs> roofs() const;  // peak rates by device
  // Returns JSON in the Trace Event format of chrome://tracing and Perfetto. Each device is a process, whose name
  // consists of the title and the device's name. A process has one row for each stream. In a row, launches are below
  // their verb. Launches that overlap, and of which none contains the other, are in further rows. A further row has the
  // number of its stream plus a multiple of one more than the largest number of a stream.
  [[nodiscard]] std::string chrome_trace(std::string_view title) const;

 private:
  struct Open {  // an event whose times are not known yet
    std::size_t event;
    Ticket begin, end;
    std::shared_ptr<Backend> backend;
  };
  [[nodiscard]] std::string_view device(const Backend& backend);
  template <class Event>
  void settle(Event& event, Open& open) const;
  void keep_or_settle(std::vector<Open>& open, auto& events, Open&& times);

  double begin_us_;
  std::size_t most_;
  mutable ForkMutex mutex_{ForkMutex::Order::inner};  // guards the rest
  mutable std::vector<VerbEvent> events_;
  mutable std::vector<LaunchEvent> launches_;
  mutable std::vector<Open> open_events_, open_launches_;
  std::map<std::string, Roofs, std::less<>> devices_;  // owns the names
  std::set<std::string> sections_;
  std::vector<std::string_view> stack_;  // paths of the open sections
  u64 lost_ = 0;
};

struct ProfileState {
  std::shared_ptr<Profiler> profiler = std::make_shared<Profiler>();
};

}  // namespace ringfort
