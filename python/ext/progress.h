// SPDX-License-Identifier: Apache-2.0
// Runs long calls of the library without the GIL, the interpreter's global lock. During such a call, the library now
// and then calls a Python function with (done, total). The long call ends with Stopped if the function returns False,
// with the function's exception if it raises one, and with KeyboardInterrupt on Ctrl-C.
#pragma once

#include <optional>
#include <utility>

#include "bind.h"
#include "gil.h"
#include "ringfort/error.h"
#include "ringfort/progress.h"

// Calls a Python function from code that runs without the GIL, and looks for Ctrl-C. Without a function (None), only
// looks for Ctrl-C.
class Watch {
 public:
  explicit Watch(nb::object callback) : callback_(std::move(callback)) {}
  bool operator()(std::uint64_t done, std::uint64_t total) {
    const WithGil locked;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!callback_.is_none() && callback_(done, total).is(nb::bool_(false))) return false;
    } catch (nb::python_error& raised) { raised_.emplace(std::move(raised)); }
    return !raised_.has_value();
  }
  void rethrow() {
    if (raised_.has_value()) throw nb::python_error(std::move(*raised_));
  }

 private:
  nb::object callback_;
  std::optional<nb::python_error> raised_;
};

template <class Work>
auto watched(nb::object callback, Work work) {
  Watch watch(std::move(callback));
  try {
    const WithoutGil unlocked;
    return work([&watch](std::uint64_t done, std::uint64_t total) { return watch(done, total); });
  } catch (const ringfort::Error&) {
    watch.rethrow();
    throw;
  }
}
