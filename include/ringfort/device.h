// SPDX-License-Identifier: Apache-2.0
// Devices of this machine, the effect of RINGFORT_CPU on the choice of CPU kernels, and profiles of a device's work.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ringfort {

struct DeviceInfo {  // a device of this machine
  // accepted by Ntt(n, q, width, device) and every device option: "cpu", "ref", "cpu:avx2"
  std::string name;
  std::string instruction_set;  // instruction set of its kernels; empty if not applicable
};

// Returns every device that opens on this machine, in the registry's order.
[[nodiscard]] std::vector<DeviceInfo> devices();

// Returns the environment variable RINGFORT_DEVICE, or "cpu" if it is not set or empty. Functions use this device if
// their device name is empty. Opening an unknown device fails (device_unknown), with a message that names the variable.
[[nodiscard]] std::string default_device();

// Tells whether a device of this name is a GPU, or works as one, such as "emu" and every device of OpenCL. The machine
// need not have the device.
[[nodiscard]] bool is_gpu(std::string_view device) noexcept;

// Returns the first GPU of this machine, "cuda:0" before "opencl:0", or the GPU that RINGFORT_DEVICE names. Errors:
// device_unknown, with the reason, if there is none.
[[nodiscard]] std::string first_gpu();

// Returns why a device cannot be opened, and what to do; empty if it can.
[[nodiscard]] std::string device_refusal(const std::string& device);

// RINGFORT_CPU=ref|generic|avx2|avx2-fma|avx512|ifma limits the instruction sets of the kernels of device "cpu". If the
// machine lacks the requested set, the limit is lowered.
struct CpuCap {
  std::string requested;  // the variable's text; empty when unset
  std::string used;       // one of these names
  bool lowered = false;   // true if the machine lacks the requested set
};

// Errors: invalid_argument if RINGFORT_CPU is not one of these names.
[[nodiscard]] CpuCap cpu_cap();

// Memory of a context's device in bytes, and numbers of requests since the device was opened. The device keeps freed
// memory in a cache for reuse, up to a limit (KeyContext::keep_at_most). It zeroes secrets first.
struct DeviceMemory {
  std::size_t used = 0;         // memory of values, keys and running operations
  std::size_t keys = 0;         // part of used: keys
  std::size_t scratch = 0;      // part of used: running operations
  std::size_t cached = 0;       // kept for reuse
  std::size_t most_used = 0;    // high-water mark of used
  std::size_t most = 0;         // high-water mark of used + cached
  std::size_t most_cached = 0;  // limit of cached
  std::size_t limit = 0;        // bytes of the device; 0: unknown
  // part of used: kept copies of arrays that are on other devices (KeyContext::keep_copies)
  std::size_t copies = 0;
  std::uint64_t hits = 0, misses = 0;  // requests that the cache served, and requests that the device served
};

// Use a frame around a loop that creates the same objects in every iteration. While a frame is open, devices that its
// thread uses keep all freed memory in their caches, without a limit. When the frame ends, these devices free memory
// above the limit. Frames nest; only the outermost frame of a thread has an effect.
class Frame {
 public:
  Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame();    // if called on another thread, memory is kept until the thread that opened the frame ends
  void end();  // errors: invalid_argument on another thread, or if the frame has ended

 private:
  std::thread::id thread_;
};

// One verb (operation on polynomials) that a device ran. `bytes` is the size of all operands and results, each counted
// once. `multiplications` is the number of modular products of words.
struct VerbRecord {
  std::string verb;
  std::uint32_t stream = 0;
  double start_us = 0, end_us = 0;  // since the profile was created; simulated time: since the device was opened
  std::uint64_t bytes = 0, multiplications = 0;
  bool simulated = false;                       // the device models its time
  double energy_uj = 0;                         // this and the next two: 0 unless the device models them
  double compute_us = 0, transform_us = 0;      // time spent computing; part of it spent in transforms
  std::string device;                           // its name
  std::string section;                          // open sections, outermost first, separated by slashes; empty outside
  std::uint64_t transform_multiplications = 0;  // part of multiplications, in transforms
};

// One launch of a device: a kernel, a program or a transfer. Devices without launches report none.
struct LaunchRecord {
  std::string name, verb;  // verb: "sequence" if the device ran several together
  std::uint32_t stream = 0;
  double start_us = 0, end_us = 0, energy_uj = 0;
  std::string device, section;
  std::uint64_t bytes = 0, multiplications = 0;  // 0: unknown
};

// One line of a table: all verbs, launches or sections of one name on one device. Shares are in [0, 1].
struct ProfileRow {
  std::string name, device;
  std::uint64_t count = 0;        // number of verbs; in the table by launch: of launches
  double us = 0, time_share = 0;  // share of the total time of the device's rows
  double transform_share = 0;     // share of multiplications that are in transforms
  // Time that the row's bytes or multiplications would take at the device's peak rate, divided by the row's time.
  // Negative in the table by launch, and if the device does not state its rates.
  double bandwidth_share = -1, multiplier_share = -1;
  std::uint64_t bytes = 0, multiplications = 0;
  double energy_uj = 0;
};

enum class ProfileBy { verb, launch, section };  // rows of Profile::table

struct ProfileState;

// Collects the verbs of devices. KeyContext::profile attaches it to a context's device. Shareable between threads.
class Profile {
 public:
  Profile();
  Profile(const Profile&) = default;  // copies share the state: a profile is never empty
  Profile& operator=(const Profile&) = default;
  [[nodiscard]] std::vector<VerbRecord> records() const;
  [[nodiscard]] std::vector<LaunchRecord> launches() const;
  [[nodiscard]] std::uint64_t lost() const noexcept;  // verbs and launches beyond the first 2^20 of each

  // While a section is open, verbs of all threads that report to this profile belong to it. Sections nest and end in
  // reverse order.
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

  [[nodiscard]] std::vector<ProfileRow> table(ProfileBy by) const;  // per device, longest first
  [[nodiscard]] std::string csv(ProfileBy by) const;                // a header line, then one line per row
  [[nodiscard]] std::string json() const;                           // all three tables, by name
  // returns JSON for chrome://tracing and Perfetto; each device is a process
  [[nodiscard]] std::string chrome_trace(const std::string& title) const;
  [[nodiscard]] const std::shared_ptr<ProfileState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<ProfileState> state_;
};

}  // namespace ringfort
