// SPDX-License-Identifier: Apache-2.0
// Binds the list of the machine's devices, the limit that RINGFORT_CPU sets, profiles, facts about the memory of
// devices, and frames.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <charconv>
#include <optional>

#include "bind.h"
#include "ringfort/device.h"
#include "ringfort/error.h"

namespace {

// A section of a profile, for `with`. The section opens when the block begins: construction alone has no effect.
class OpenSection {
 public:
  OpenSection(ringfort::Profile& profile, std::string name) : profile_(profile), name_(std::move(name)) {}
  void open() { section_.emplace(profile_.section(name_)); }
  void close() { section_.reset(); }

 private:
  ringfort::Profile& profile_;
  std::string name_;
  std::optional<ringfort::Profile::Section> section_;
};

ringfort::ProfileBy by_name(const std::string& name) {
  if (name == "verb") return ringfort::ProfileBy::verb;
  if (name == "launch") return ringfort::ProfileBy::launch;
  if (name == "section") return ringfort::ProfileBy::section;
  throw ringfort::Error(ringfort::Code::invalid_argument, "a profile has no table of that kind",
                        "give \"verb\", \"launch\" or \"section\"");
}

// Returns the text by which Python shows a record or a row: its type, its name, its device, its time, its bytes.
std::string shown(const char* type, const std::string& name, const std::string& device, double us,
                  std::uint64_t bytes) {
  std::array<char, 32> time{};
  std::to_chars(time.begin(), time.end(), us, std::chars_format::general, 4);  // a point in every locale
  return std::string(type) + "('" + name + "', device='" + device + "', us=" + time.data() +
         ", bytes=" + std::to_string(bytes) + ")";
}

void bind_profile(nb::module_& m) {
  using R = ringfort::VerbRecord;
  nb::class_<R>(m, "VerbRecord", "One operation (verb) that a device ran; times in microseconds.")
      .def_ro("verb", &R::verb)
      .def_ro("device", &R::device)
      .def_ro("stream", &R::stream)
      .def_ro("start_us", &R::start_us)
      .def_ro("end_us", &R::end_us)
      .def_ro("bytes", &R::bytes)
      .def_ro("multiplications", &R::multiplications)
      .def_ro("simulated", &R::simulated)
      .def_ro("energy_uj", &R::energy_uj)
      .def_ro("compute_us", &R::compute_us)
      .def_ro("transform_us", &R::transform_us)
      .def_ro("section", &R::section)
      .def_ro("transform_multiplications", &R::transform_multiplications)
      .def("__repr__",
           [](const R& r) { return shown("VerbRecord", r.verb, r.device, r.end_us - r.start_us, r.bytes); });
  using L = ringfort::LaunchRecord;
  nb::class_<L>(m, "LaunchRecord",
                "A kernel, a program or a transfer that a device launched to run a verb; times in microseconds.")
      .def_ro("name", &L::name)
      .def_ro("verb", &L::verb)
      .def_ro("device", &L::device)
      .def_ro("section", &L::section)
      .def_ro("stream", &L::stream)
      .def_ro("start_us", &L::start_us)
      .def_ro("end_us", &L::end_us)
      .def_ro("energy_uj", &L::energy_uj)
      .def_ro("bytes", &L::bytes)
      .def_ro("multiplications", &L::multiplications)
      .def("__repr__",
           [](const L& l) { return shown("LaunchRecord", l.name, l.device, l.end_us - l.start_us, l.bytes); });
  using T = ringfort::ProfileRow;
  nb::class_<T>(
      m, "ProfileRow",
      "Totals of the verbs, launches or sections with one name on one device. Shares are in [0, 1].\n"
      "``bandwidth_share`` and ``multiplier_share`` are the shares of the device's peak rates that were used;\n"
      "they are negative if the device states no rates.")
      .def_ro("name", &T::name)
      .def_ro("device", &T::device)
      .def_ro("count", &T::count)
      .def_ro("us", &T::us)
      .def_ro("time_share", &T::time_share)
      .def_ro("transform_share", &T::transform_share)
      .def_ro("bandwidth_share", &T::bandwidth_share)
      .def_ro("multiplier_share", &T::multiplier_share)
      .def_ro("bytes", &T::bytes)
      .def_ro("multiplications", &T::multiplications)
      .def_ro("energy_uj", &T::energy_uj)
      .def("__repr__", [](const T& t) { return shown("ProfileRow", t.name, t.device, t.us, t.bytes); });
  using P = ringfort::Profile;
  nb::class_<P>(m, "Profile", "Records the verbs that a context's device runs while it is profiled.")
      .def(nb::init<>())
      .def_prop_ro("records", &P::records)
      .def_prop_ro("launches", &P::launches)
      .def_prop_ro("lost", &P::lost)
      .def("chrome_trace", &P::chrome_trace, nb::arg("title"))
      .def(
          "section", [](P& p, const std::string& name) { return OpenSection(p, name); }, nb::arg("name"),
          nb::keep_alive<0, 1>(),
          "In ``with profile.section(\"multiply\"):`` every verb of every thread belongs to this section. Sections "
          "nest.")
      .def(
          "table", [](const P& p, const std::string& by) { return p.table(by_name(by)); }, nb::arg("by") = "verb",
          "Returns rows by ``\"verb\"``, ``\"launch\"`` or ``\"section\"``, device by device, the longest "
          "first.\n\nErrors: "
          "InvalidArgument.")
      .def(
          "csv", [](const P& p, const std::string& by) { return p.csv(by_name(by)); }, nb::arg("by") = "verb",
          "Returns the table as comma-separated values.")
      .def("json", &P::json, "Returns all three tables.");
  using S = OpenSection;
  nb::class_<S>(m, "ProfileSection", "A section of a profile, for ``with``.")
      .def("__enter__", [](S& s) { s.open(); })
      .def("__exit__", [](S& s, nb::args) { s.close(); }, nb::sig("def __exit__(self, *args: object) -> None"));
}

// A frame, for `with`. The frame begins when the block begins: construction alone has no effect.
class OpenFrame {
 public:
  void begin() {
    if (frame_)
      throw ringfort::Error(ringfort::Code::invalid_argument, "a frame was begun twice",
                            "make a frame for each `with`");
    frame_.emplace();
  }
  void end() {
    if (frame_) frame_->end();
    frame_.reset();
  }

 private:
  std::optional<ringfort::Frame> frame_;
};

void bind_memory(nb::module_& m) {
  using U = ringfort::DeviceMemory;
  nb::class_<U>(
      m, "DeviceMemory",
      "Memory of a context's device in bytes, and requests that kept memory (hits) and the device (misses) served.")
      .def_ro("used", &U::used, "Memory of arrays, keys and running operations.")
      .def_ro("cached", &U::cached, "Freed memory that is kept for reuse.")
      .def_ro("most_used", &U::most_used, "The high-water mark of ``used``.")
      .def_ro("most", &U::most, "The high-water mark of ``used + cached``.")
      .def_ro("keys", &U::keys, "Part of ``used``: keys.")
      .def_ro("scratch", &U::scratch, "Part of ``used``: operations that run now.")
      .def_ro("most_cached", &U::most_cached, "The limit of ``cached``.")
      .def_ro("limit", &U::limit, "Memory of the device; 0 if unknown.")
      .def_ro("copies", &U::copies, "Part of ``used``: kept copies of arrays that are on other devices.")
      .def_ro("hits", &U::hits, "Requests served from kept memory.")
      .def_ro("misses", &U::misses, "Requests served by the device.")
      .def("__repr__", [](const U& u) {
        return "DeviceMemory(used=" + std::to_string(u.used) + ", cached=" + std::to_string(u.cached) +
               ", most=" + std::to_string(u.most) + ")";
      });
  nb::class_<OpenFrame>(
      m, "frame",
      "``with rf.frame():`` speeds up loops whose iterations make arrays of the same sizes. On the devices that the\n"
      "thread uses in the block, freed memory is kept for the next arrays and operations, and has no limit. When the\n"
      "outermost frame ends, kept memory above the usual limit is freed.\n\n"
      "Errors: InvalidArgument if it ends in another thread.")
      .def(nb::init<>())
      .def("__enter__", &OpenFrame::begin)
      .def("__exit__", [](OpenFrame& f, nb::args) { f.end(); }, nb::sig("def __exit__(self, *args: object) -> None"));
}

}  // namespace

void bind_devices(nb::module_& m) {
  nb::class_<ringfort::DeviceInfo>(m, "DeviceInfo", "A device and the instruction set of its kernels.")
      .def_ro("name", &ringfort::DeviceInfo::name)
      .def_ro("instruction_set", &ringfort::DeviceInfo::instruction_set)
      .def("__repr__", [](const ringfort::DeviceInfo& d) {
        return "DeviceInfo('" + d.name + "', instruction_set='" + d.instruction_set + "')";
      });
  nb::class_<ringfort::CpuCap>(m, "CpuCap", "The instruction set that RINGFORT_CPU names, and the one in use.")
      .def_ro("requested", &ringfort::CpuCap::requested)
      .def_ro("used", &ringfort::CpuCap::used)
      .def_ro("lowered", &ringfort::CpuCap::lowered)
      .def("__repr__", [](const ringfort::CpuCap& c) {
        return "CpuCap(requested='" + c.requested + "', used='" + c.used +
               "', lowered=" + (c.lowered ? "True" : "False") + ")";
      });
  bind_profile(m);
  bind_memory(m);
  m.def("devices", &ringfort::devices, "Returns the devices that are available on this machine.");
  m.def("default_device", &ringfort::default_device,
        "Returns the default device: ``RINGFORT_DEVICE``, or ``\"cpu\"``.");
  m.def(
      "is_gpu", [](const std::string& device) { return ringfort::is_gpu(device); }, nb::arg("device"),
      "Tells whether a device is a GPU, or emulates one.");
  m.def("first_gpu", &ringfort::first_gpu,
        "Returns the first GPU of this machine, or the GPU that RINGFORT_DEVICE names.\n\n"
        "Errors: DeviceUnknown, with the reason, if there is none.");
  m.def("device_refusal", &ringfort::device_refusal, nb::arg("device"),
        "Returns why a device cannot be opened, and what to do; empty if it can.");
  m.def("cpu_cap", &ringfort::cpu_cap,
        "Returns the cap that RINGFORT_CPU sets on device \"cpu\".\n\n"
        "Errors: InvalidArgument if RINGFORT_CPU is not an instruction set.");
}
