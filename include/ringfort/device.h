// SPDX-License-Identifier: Apache-2.0
// Devices of this machine, the effect of the environment variable RINGFORT_CPU on CPU kernels, and records of the work
// of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ringfort/error.h"

namespace ringfort {

struct DeviceInfo {  // a device of this machine
  // a name that every `device` argument accepts, for example "cpu", "ref" or "cpu:avx2"
  std::string name;
  std::string instruction_set;  // instruction set of the device's kernels; empty if the device has none to choose
};

// Returns the devices that can be opened on this machine; GPUs are last.
[[nodiscard]] std::vector<DeviceInfo> devices();

// Returns the environment variable RINGFORT_DEVICE, or "cpu" if the variable is not set or empty. Functions with an
// empty `device` argument use this device. If the variable names an unknown device, opening fails (device_unknown), and
// the message names the variable.
[[nodiscard]] std::string default_device();

// Tells whether a device name belongs to a GPU, or to a device that works as one: "emu" (an emulated GPU) and every
// OpenCL device. The machine need not have the device.
[[nodiscard]] bool is_gpu(std::string_view device) noexcept;

// Returns the GPU that RINGFORT_DEVICE names, or else the first GPU of this machine; "cuda:0" precedes "opencl:0".
// Errors: device_unknown, with the reason, if there is none.
[[nodiscard]] std::string first_gpu();

// Returns why the device cannot be opened, and what to do about it; empty if it can be opened.
[[nodiscard]] std::string device_refusal(const std::string& device);

// The environment variable RINGFORT_CPU limits the instruction set of the kernels of device "cpu". Its value is one of
// ref, generic, avx2, avx2-fma, avx512 and ifma. If the machine lacks this set, the limit is lowered.
struct CpuCap {
  std::string requested;  // the variable's text; empty when unset
  std::string used;       // the limit in effect, one of these names
  bool lowered = false;   // true if the machine lacks the requested set
};

// Errors: invalid_argument if RINGFORT_CPU is not one of these names.
[[nodiscard]] CpuCap cpu_cap();

// Memory of a context's device, in bytes, and numbers of requests for memory since the device was opened. The device
// keeps freed memory in a cache, up to a limit (KeyContext::keep_at_most). It zeroes secrets before it keeps their
// memory.
struct DeviceMemory {
  std::size_t used = 0;         // memory of values, keys and running operations
  std::size_t keys = 0;         // part of used: keys
  std::size_t scratch = 0;      // part of used: running operations
  std::size_t cached = 0;       // freed memory, kept for reuse
  std::size_t most_used = 0;    // largest value of used so far
  std::size_t most = 0;         // largest value of used + cached so far
  std::size_t most_cached = 0;  // limit of cached
  std::size_t limit = 0;        // memory that the device has; 0: unknown
  // part of used: copies of arrays from other devices (KeyContext::keep_copies)
  std::size_t copies = 0;
  std::uint64_t hits = 0, misses = 0;  // requests served from the cache, and requests served by the device
};

// Use a frame around a loop that creates the same objects in every iteration. A frame applies to the devices that its
// thread uses. While the frame is open, the caches of these devices keep freed memory without a limit. A device then
// frees its cache only if it runs out of memory, or in KeyContext::trim(). When the frame ends, the devices free the
// memory above their limits. Frames nest; only the outermost frame of a thread has an effect.
class Frame {
 public:
  Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame();    // on another thread: memory is kept until the thread that opened the frame has ended
  void end();  // errors: invalid_argument (on another thread, or the frame has ended before)

 private:
  std::thread::id thread_;
};

// One verb that a device has computed. A verb is an operation on polynomials. Verbs of one stream take effect in order.
// `bytes` is the size of all operands and results, without scratch memory; each is counted once. `multiplications` is
// the number of modular products of words.
struct VerbRecord {
  std::string verb;
  std::uint32_t stream = 0;
  // measured times count from the creation of the profile, simulated times from the opening of the device
  double start_us = 0, end_us = 0;
  std::uint64_t bytes = 0, multiplications = 0;
  bool simulated = false;  // true if the times come from the device's model
  double energy_uj = 0;    // energy_uj, compute_us and transform_us are 0 if the device has no model of them
  double compute_us = 0, transform_us = 0;  // time of computing, and the part of it in transforms
  std::string device;                       // name of the device
  std::string section;  // names of the open sections, outermost first, separated by slashes; empty if none is open
  std::uint64_t transform_multiplications = 0;  // part of `multiplications` that belongs to transforms
};

// One launch of a device: a kernel, a program or a transfer. Some devices have no launches.
struct LaunchRecord {
  std::string name, verb;  // verb: "sequence" if the launch computed several verbs
  std::uint32_t stream = 0;
  double start_us = 0, end_us = 0, energy_uj = 0;
  std::string device, section;
  std::uint64_t bytes = 0, multiplications = 0;  // 0: unknown
};

// One row of a table: all verbs or launches that have this name and device, or all verbs of a section on a device.
struct ProfileRow {
  std::string name, device;
  std::uint64_t count = 0;        // number of verbs; in the table by launch, number of launches
  double us = 0, time_share = 0;  // time_share: part, in [0, 1], of the total time of all rows of the device
  double transform_share = 0;     // part, in [0, 1], of the multiplications that belongs to transforms
  // The time that the row's bytes, or its multiplications, would take at the device's peak rate, divided by the time of
  // the row. Both shares are -1 in the table by launch. A share is -1 if the device does not state this peak rate.
  double bandwidth_share = -1, multiplier_share = -1;
  std::uint64_t bytes = 0, multiplications = 0;
  double energy_uj = 0;
};

enum class ProfileBy { verb, launch, section };  // rows of Profile::table

struct ProfileState;

// Collects records of the verbs of devices. KeyContext::profile attaches a profile to a context's device. Shareable
// between threads.
class Profile {
 public:
  Profile();
  Profile(const Profile&) = default;  // copies share the state: a profile is never empty
  Profile& operator=(const Profile&) = default;
  [[nodiscard]] std::vector<VerbRecord> records() const;
  [[nodiscard]] std::vector<LaunchRecord> launches() const;
  // number of verbs and launches without a record: those after the first 2^20 of each, or for which memory was lacking
  [[nodiscard]] std::uint64_t lost() const noexcept;

  // While a section is open, all verbs that this profile records belong to the section, whichever thread runs them.
  // Sections nest; end them in reverse order.
  class Section {
   public:
    Section(Section&& o) noexcept : state_(std::move(o.state_)) {}
    Section& operator=(Section&&) = delete;
    ~Section();

   private:
    friend class Profile;
    explicit Section(std::shared_ptr<ProfileState> state) : state_(std::move(state)) {}
    std::shared_ptr<ProfileState> state_;
  };
  [[nodiscard]] Section section(const std::string& name);

  [[nodiscard]] std::vector<ProfileRow> table(ProfileBy by) const;  // rows of each device, longest time first
  [[nodiscard]] std::string csv(ProfileBy by) const;                // returns a header line, then one line per row
  [[nodiscard]] std::string json() const;                           // returns all three tables, by name
  // returns JSON for chrome://tracing and Perfetto, where each device is a process
  [[nodiscard]] std::string chrome_trace(const std::string& title) const;
  [[nodiscard]] const std::shared_ptr<ProfileState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<ProfileState> state_;
};

}  // namespace ringfort
