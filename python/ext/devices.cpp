// SPDX-License-Identifier: Apache-2.0
// The devices of this machine and the CPU cap.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "ringfort/device.h"

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
  m.def("devices", &ringfort::devices, "Every device that opens on this machine.");
  m.def("cpu_cap", &ringfort::cpu_cap,
        "The cap that RINGFORT_CPU sets on device \"cpu\".\n\nErrors: InvalidArgument when it names no instruction set.");
}
