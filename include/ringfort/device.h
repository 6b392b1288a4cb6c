// SPDX-License-Identifier: Apache-2.0
// Which devices this machine offers, what RINGFORT_CPU made of the choice of CPU kernels, and what a device did.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ringfort {

struct DeviceInfo {
  // what Ntt(n, q, width, device) and every device option take: "cpu", "ref", "cpu:avx2"
  std::string name;
  std::string instruction_set;  // of its kernels; empty where it means nothing
};

// Every device that opens on this machine, in the registry's order.
[[nodiscard]] std::vector<DeviceInfo> devices();

// RINGFORT_DEVICE, or "cpu" where it is not set or empty: what an empty name means wherever a device is named. It is
// read when a device is opened, which refuses an unknown one (device_unknown) and says that the variable names it.
[[nodiscard]] std::string default_device();

// RINGFORT_CPU=ref|generic|avx2|avx512|ifma caps the kernels of device "cpu". A cap above the machine is lowered.
struct CpuCap {
  std::string requested;  // the variable's text; empty when unset
  std::string used;       // one of the five names
  bool lowered = false;   // the machine has less than was asked for
};

// Errors: invalid_argument when the variable holds none of the five names.
[[nodiscard]] CpuCap cpu_cap();

// Memory of a context's device, in bytes, and how often it was asked for, since the device was opened. Scratch memory
// and what public objects leave behind is kept for the next ones (KeyContext::keep_at_most says how much); secrets are
// zeroed first.
struct DeviceMemory {
  std::size_t used = 0;         // of objects, keys and verbs that run
  std::size_t cached = 0;       // kept for the next ones
  std::size_t most_used = 0;    // high-water marks: of used,
  std::size_t most = 0;         // and of used + cached
  std::size_t most_cached = 0;  // what may be kept
  std::size_t limit = 0;        // of the device; 0: it does not say
  // of used, copies from other devices that are kept (KeyContext::keep_copies)
  std::size_t copies = 0;
  std::uint64_t hits = 0, misses = 0;  // requests that what was kept served, and that the device had to
};

// While a frame is open, the devices on which its thread makes or ends objects keep all memory that ends, from all
// threads and without a limit, for the next objects and verbs; when it ends, what is above the limit is given back.
// Frames nest: the outermost of a thread counts. For loops whose turns make the same objects.
class Frame {
 public:
  Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame();    // on another thread than it began: memory is kept until that thread ends
  void end();  // once; Errors: invalid_argument on another thread, or when it has ended

 private:
  std::thread::id thread_;
};

// One verb that a device ran. Bytes: operands read once, results written once; multiplications: modular products of
// words.
struct VerbRecord {
  std::string verb;
  std::uint32_t stream = 0;
  double start_us = 0, end_us = 0;  // since the profile was made; simulated: since the device was opened
  std::uint64_t bytes = 0, multiplications = 0;
  bool simulated = false;                   // the device models its time
  double energy_uj = 0;                     // where it does, as the next two
  double compute_us = 0, transform_us = 0;  // of its time, while it computed; of that, in transforms
  std::string device;                       // its name
  std::string section;                      // the open sections, outermost first, with slashes between; empty outside
  std::uint64_t transform_multiplications = 0;  // of multiplications, in transforms
};

// What a device launched to run verbs: a kernel, a program, a transfer. Devices that have no such level report none.
struct LaunchRecord {
  std::string name, verb;  // verb: "sequence" where the device ran several together
  std::uint32_t stream = 0;
  double start_us = 0, end_us = 0, energy_uj = 0;
  std::string device, section;
};

// One line of a table: all verbs, launches or sections of one name on one device. Shares are in [0, 1].
struct ProfileRow {
  std::string name, device;
  std::uint64_t count = 0;        // of verbs; by launch: of launches
  double us = 0, time_share = 0;  // of the time of all rows of the device
  double transform_share = 0;     // multiplications in transforms over all; 0 by launch
  // What the row's bytes and multiplications would take at the device's peak rates, over its time; negative where the
  // device does not state its rates, and by launch.
  double bandwidth_share = -1, multiplier_share = -1;
  std::uint64_t bytes = 0, multiplications = 0;
  double energy_uj = 0;
};

enum class ProfileBy { verb, launch, section };

struct ProfileState;

// Collects the verbs of the devices of all contexts that it is attached to (KeyContext::profile). Shareable between
// threads.
class Profile {
 public:
  Profile();
  Profile(const Profile&) = default;  // shared: a profile is never empty
  Profile& operator=(const Profile&) = default;
  [[nodiscard]] std::vector<VerbRecord> records() const;
  [[nodiscard]] std::vector<LaunchRecord> launches() const;
  [[nodiscard]] std::uint64_t lost() const noexcept;  // verbs and launches beyond the first 2^20 of each

  // Until it ends, verbs of all threads that report to this profile belong to the section. Sections nest, and end in
  // reverse.
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

  [[nodiscard]] std::vector<ProfileRow> table(ProfileBy by) const;  // the longest first, device by device
  [[nodiscard]] std::string csv(ProfileBy by) const;                // a line of names, then a line a row
  [[nodiscard]] std::string json() const;                           // all three tables, by name
  // JSON for chrome://tracing and Perfetto: one process a device
  [[nodiscard]] std::string chrome_trace(const std::string& title) const;
  [[nodiscard]] const std::shared_ptr<ProfileState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<ProfileState> state_;
};

}  // namespace ringfort
