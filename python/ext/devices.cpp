// SPDX-License-Identifier: Apache-2.0
// Binds the list of the machine's devices, the limit that RINGFORT_CPU sets, profiles, facts about the memory of
// devices, and frames (sections in which devices keep freed memory).
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <charconv>
#include <new>
#include <optional>
#include <tuple>

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

// Lets Python pickle and copy records of plain members. `members` are all members of T.
template <class T, class... Member>
void bind_pickles(nb::class_<T>& type, Member T::*... members) {
  type.def("__getstate__", [=](const T& t) { return std::tuple(t.*members...); });
  type.def("__setstate__", [=](T& t, const std::tuple<Member...>& state) {
    new (&t) T();
    std::tie(t.*members...) = state;
  });
}

void bind_records(nb::module_& m) {
  using R = ringfort::VerbRecord;
  nb::class_<R> verb(m, "VerbRecord",
                     "One operation (verb) that a device has computed. Times are in us, energy in uJ.");
  verb.def_ro("verb", &R::verb)
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
  bind_pickles(verb, &R::verb, &R::stream, &R::start_us, &R::end_us, &R::bytes, &R::multiplications, &R::simulated,
               &R::energy_uj, &R::compute_us, &R::transform_us, &R::device, &R::section, &R::transform_multiplications);
  using L = ringfort::LaunchRecord;
  nb::class_<L> launch(
      m, "LaunchRecord",
      "A kernel, a program or a transfer that a device launched for a verb. Times are in us, energy in uJ.");
  launch.def_ro("name", &L::name)
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
  bind_pickles(launch, &L::name, &L::verb, &L::stream, &L::start_us, &L::end_us, &L::energy_uj, &L::device, &L::section,
               &L::bytes, &L::multiplications);
}

void bind_profile(nb::module_& m) {
  using T = ringfort::ProfileRow;
  nb::class_<T> row(
      m, "ProfileRow",
      "Totals of all verbs, launches or sections with the same name on the same device. ``time_share`` is the row's\n"
      "part of the time of all rows of the device, and ``transform_share`` is the part of the multiplications that\n"
      "belongs to transforms. ``bandwidth_share`` and ``multiplier_share`` are fractions of the device's peak rates.\n"
      "They are negative in rows of launches, and if the device does not state its peak rates.");
  row.def_ro("name", &T::name)
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
  bind_pickles(row, &T::name, &T::device, &T::count, &T::us, &T::time_share, &T::transform_share, &T::bandwidth_share,
               &T::multiplier_share, &T::bytes, &T::multiplications, &T::energy_uj);
  using P = ringfort::Profile;
  nb::class_<P>(m, "Profile", "Collects records of the operations of a context's device.")
      .def(nb::init<>())
      .def_prop_ro("records", &P::records)
      .def_prop_ro("launches", &P::launches)
      .def_prop_ro("lost", &P::lost)
      .def("chrome_trace", &P::chrome_trace, nb::arg("title"))
      .def(
          "section", [](P& p, const std::string& name) { return OpenSection(p, name); }, nb::arg("name"),
          nb::keep_alive<0, 1>(),
          "Opens a section for a block: ``with profile.section(\"multiply\"):``. All operations that the profile\n"
          "records in the block, in any thread, belong to the section. Sections nest.")
      .def(
          "table", [](const P& p, const std::string& by) { return p.table(by_name(by)); }, nb::arg("by") = "verb",
          "Returns one row for each ``\"verb\"``, ``\"launch\"`` or ``\"section\"`` of each device. The rows of a\n"
          "device are together, the longest time first.\n\n"
          "Errors: InvalidArgument.")
      .def(
          "csv", [](const P& p, const std::string& by) { return p.csv(by_name(by)); }, nb::arg("by") = "verb",
          "Returns the table as comma-separated values, with a header line.")
      .def("json", &P::json, "Returns all three tables as JSON.");
  using S = OpenSection;
  nb::class_<S>(m, "ProfileSection", "A section of a profile, for a block ``with``.")
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
  nb::class_<U> memory(m, "DeviceMemory",
                       "Use of the memory of a context's device, in bytes, and numbers of requests for memory.");
  memory.def_ro("used", &U::used, "Memory of arrays, keys and running operations.")
      .def_ro("cached", &U::cached, "Freed memory that is kept for later requests.")
      .def_ro("most_used", &U::most_used, "The largest value of ``used`` so far.")
      .def_ro("most", &U::most, "The largest value of ``used + cached`` so far.")
      .def_ro("keys", &U::keys, "The part of ``used`` that belongs to keys.")
      .def_ro("scratch", &U::scratch, "The part of ``used`` that belongs to running operations.")
      .def_ro("most_cached", &U::most_cached, "The limit of ``cached``.")
      .def_ro("limit", &U::limit, "The memory that the device has; 0 if unknown.")
      .def_ro("copies", &U::copies, "The part of ``used`` that belongs to kept copies of arrays from other devices.")
      .def_ro("hits", &U::hits, "Number of requests that were served from kept memory.")
      .def_ro("misses", &U::misses, "Number of requests that the device itself served.")
      .def("__repr__", [](const U& u) {
        return "DeviceMemory(used=" + std::to_string(u.used) + ", cached=" + std::to_string(u.cached) +
               ", most=" + std::to_string(u.most) + ")";
      });
  bind_pickles(memory, &U::used, &U::keys, &U::scratch, &U::cached, &U::most_used, &U::most, &U::most_cached, &U::limit,
               &U::copies, &U::hits, &U::misses);
  nb::class_<OpenFrame>(
      m, "frame",
      "A block ``with rf.frame():`` speeds up a loop whose iterations make arrays of the same sizes. In the block,\n"
      "the devices that this thread uses keep all freed memory for the next arrays and operations, without a limit.\n"
      "When the outermost block ends, the devices free the kept memory above their usual limit.\n\n"
      "Errors: InvalidArgument if the block ends in another thread, or if the object is in use already.")
      .def(nb::init<>())
      .def("__enter__", &OpenFrame::begin)
      .def("__exit__", [](OpenFrame& f, nb::args) { f.end(); }, nb::sig("def __exit__(self, *args: object) -> None"));
}

}  // namespace

void bind_devices(nb::module_& m) {
  nb::class_<ringfort::DeviceInfo> info(
      m, "DeviceInfo",
      "A device. ``instruction_set`` is the instruction set of its kernels, or empty if the device states none.");
  info.def_ro("name", &ringfort::DeviceInfo::name)
      .def_ro("instruction_set", &ringfort::DeviceInfo::instruction_set)
      .def("__repr__", [](const ringfort::DeviceInfo& d) {
        return "DeviceInfo('" + d.name + "', instruction_set='" + d.instruction_set + "')";
      });
  bind_pickles(info, &ringfort::DeviceInfo::name, &ringfort::DeviceInfo::instruction_set);
  nb::class_<ringfort::CpuCap> cap(m, "CpuCap",
                                   "The instruction set that RINGFORT_CPU requests, and the limit in effect.");
  cap.def_ro("requested", &ringfort::CpuCap::requested)
      .def_ro("used", &ringfort::CpuCap::used)
      .def_ro("lowered", &ringfort::CpuCap::lowered)
      .def("__repr__", [](const ringfort::CpuCap& c) {
        return "CpuCap(requested='" + c.requested + "', used='" + c.used +
               "', lowered=" + (c.lowered ? "True" : "False") + ")";
      });
  bind_pickles(cap, &ringfort::CpuCap::requested, &ringfort::CpuCap::used, &ringfort::CpuCap::lowered);
  bind_records(m);
  bind_profile(m);
  bind_memory(m);
  m.def("devices", &ringfort::devices, "Returns the devices that can be opened on this machine.");
  m.def(
      "default_device", [] { return shown(ringfort::default_device()); },
      "Returns the default device: the value of ``RINGFORT_DEVICE``, or ``\"cpu\"`` if it is not set.");
  m.def(
      "is_gpu", [](const std::string& device) { return ringfort::is_gpu(device); }, nb::arg("device"),
      "Tells whether a device name belongs to a GPU, or to a device that works as one: emu, OpenCL.");
  m.def("first_gpu", &ringfort::first_gpu,
        "Returns the GPU that ``RINGFORT_DEVICE`` names, or else the first GPU of this machine.\n\n"
        "Errors: DeviceUnknown, with the reason, if there is none.");
  m.def(
      "device_refusal", &ringfort::device_refusal, nb::arg("device"),
      "Returns why a device cannot be opened, and how to fix this. Returns an empty text if the device can be opened.");
  m.def("cpu_cap", &ringfort::cpu_cap,
        "Returns the limit that ``RINGFORT_CPU`` sets for the kernels of device ``\"cpu\"``.\n\n"
        "Errors: InvalidArgument if ``RINGFORT_CPU`` is not the name of an instruction set.");
}
