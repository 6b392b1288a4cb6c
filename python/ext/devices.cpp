// SPDX-License-Identifier: Apache-2.0
// The devices of this machine, the CPU cap, and what a device did.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "ringfort/device.h"

namespace {

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
      .def_ro("transform_us", &R::transform_us);
  using P = ringfort::Profile;
  nb::class_<P>(m, "Profile", "The verbs of a context's device while it was profiled.")
      .def(nb::init<>())
      .def_prop_ro("records", &P::records)
      .def_prop_ro("lost", &P::lost)
      .def("chrome_trace", &P::chrome_trace, nb::arg("title"));
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
        return "CpuCap(requested='" + c.requested + "', used='" + c.used + "', lowered=" + (c.lowered ? "True" : "False") + ")";
      });
  bind_profile(m);
  m.def("devices", &ringfort::devices, "Every device that opens on this machine.");
  m.def("cpu_cap", &ringfort::cpu_cap,
        "The cap that RINGFORT_CPU sets on device \"cpu\".\n\nErrors: InvalidArgument when it names no instruction set.");
}
