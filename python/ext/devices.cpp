// SPDX-License-Identifier: Apache-2.0
// The devices of this machine, the CPU cap, and what a device did.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind.h"
#include "ringfort/device.h"
#include "ringfort/error.h"

namespace {

// A section for `with`: it begins when the block does.
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
                        "ask for \"verb\", \"launch\" or \"section\"");
}

void bind_profile(nb::module_& m) {
  using R = ringfort::VerbRecord;
  nb::class_<R>(m, "VerbRecord", "One verb that a device ran; times in microseconds.")
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
      .def_ro("transform_multiplications", &R::transform_multiplications);
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
      .def_ro("energy_uj", &L::energy_uj);
  using T = ringfort::ProfileRow;
  nb::class_<T>(
      m, "ProfileRow",
      "All verbs, launches or sections of one name on one device. Shares are in [0, 1]; those of the roofs\n"
      "(bytes and products at the device's peak rates, over the time) are negative where the device states no rates.")
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
      .def_ro("energy_uj", &T::energy_uj);
  using P = ringfort::Profile;
  nb::class_<P>(m, "Profile", "The verbs of a context's device while it was profiled.")
      .def(nb::init<>())
      .def_prop_ro("records", &P::records)
      .def_prop_ro("launches", &P::launches)
      .def_prop_ro("lost", &P::lost)
      .def("chrome_trace", &P::chrome_trace, nb::arg("title"))
      .def(
          "section", [](P& p, const std::string& name) { return OpenSection(p, name); }, nb::arg("name"),
          nb::keep_alive<0, 1>(),
          "``with profile.section(\"multiply\"):`` names what runs inside, in all threads. Sections nest.")
      .def(
          "table", [](const P& p, const std::string& by) { return p.table(by_name(by)); }, nb::arg("by") = "verb",
          "Rows by ``\"verb\"``, ``\"launch\"`` or ``\"section\"``, the longest first.\n\nErrors: InvalidArgument.")
      .def(
          "csv", [](const P& p, const std::string& by) { return p.csv(by_name(by)); }, nb::arg("by") = "verb",
          "The table as comma-separated values.")
      .def("json", &P::json, "All three tables.");
  using S = OpenSection;
  nb::class_<S>(m, "ProfileSection", "A section of a profile, for ``with``.")
      .def("__enter__", [](S& s) { s.open(); })
      .def("__exit__", [](S& s, nb::args) { s.close(); }, nb::sig("def __exit__(self, *args: object) -> None"));
}

// Begun by `with`, so that a frame that is only made does nothing.
class OpenFrame {
 public:
  void begin() {
    if (frame_)
      throw ringfort::Error(ringfort::Code::invalid_argument, "a frame was begun twice", "make one for each `with`");
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
  nb::class_<U>(m, "DeviceMemory", "Memory of a context's device in bytes, and how often it was asked for.")
      .def_ro("used", &U::used, "Of arrays, keys and operations that run.")
      .def_ro("cached", &U::cached, "Kept for the next ones.")
      .def_ro("most_used", &U::most_used, "The high-water mark of ``used``.")
      .def_ro("most", &U::most, "The high-water mark of ``used + cached``.")
      .def_ro("most_cached", &U::most_cached, "What may be kept.")
      .def_ro("limit", &U::limit, "What the device has; 0: it does not say.")
      .def_ro("copies", &U::copies, "Of ``used``, copies from other devices that are kept.")
      .def_ro("hits", &U::hits, "Requests that what was kept served.")
      .def_ro("misses", &U::misses, "Requests that the device served.")
      .def("__repr__", [](const U& u) {
        return "DeviceMemory(used=" + std::to_string(u.used) + ", cached=" + std::to_string(u.cached) +
               ", most=" + std::to_string(u.most) + ")";
      });
  nb::class_<OpenFrame>(
      m, "frame",
      "``with rf.frame():`` keeps the memory of what ends inside for the next arrays and operations, without a limit,\n"
      "on the devices that the thread uses. What is above the limit goes back when the outermost frame ends.\n"
      "For loops whose turns make the same arrays.\n\nErrors: InvalidArgument when it ends in another thread.")
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
  nb::class_<ringfort::CpuCap>(m, "CpuCap", "What RINGFORT_CPU asked for and what is used.")
      .def_ro("requested", &ringfort::CpuCap::requested)
      .def_ro("used", &ringfort::CpuCap::used)
      .def_ro("lowered", &ringfort::CpuCap::lowered)
      .def("__repr__", [](const ringfort::CpuCap& c) {
        return "CpuCap(requested='" + c.requested + "', used='" + c.used +
               "', lowered=" + (c.lowered ? "True" : "False") + ")";
      });
  bind_profile(m);
  bind_memory(m);
  m.def("devices", &ringfort::devices, "Every device that opens on this machine.");
  m.def("default_device", &ringfort::default_device,
        "What ``RINGFORT_DEVICE`` names, or ``\"cpu\"``: the device of everything that is given none.");
  m.def(
      "cpu_cap", &ringfort::cpu_cap,
      "The cap that RINGFORT_CPU sets on device \"cpu\".\n\nErrors: InvalidArgument when it names no instruction set.");
}
