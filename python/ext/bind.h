// SPDX-License-Identifier: Apache-2.0
// Every source of this folder except module.cpp has one bind function. bind_search calls bind_search_records, and
// module.cpp calls the others. A binding is short, because Python (python/src/ringfort) checks shapes and dtypes, and
// the library computes.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace nb = nanobind;

using Path = std::filesystem::path;  // may have any bytes: names of files need not be UTF-8

namespace nanobind::detail {

// Converts the argument of a binding to a path. The converter of nanobind/stl/filesystem.h drops every error of
// __fspath__, which pathlib's paths define in Python. Therefore Ctrl-C during a conversion became a TypeError. This
// converter drops only a TypeError, which means that the object is no path.
template <>
class type_caster<Path> {
 public:
  using Value = Path;
  static constexpr auto Name = const_name("str | os.PathLike");
  template <typename T>
  using Cast = movable_cast_t<T>;
  template <typename T>
  static constexpr bool can_cast() {
    return true;
  }

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    const object given = steal(PyOS_FSPath(source.ptr()));
    PyObject* bytes = nullptr;
    if (given.is_valid() && PyUnicode_FSConverter(given.ptr(), &bytes) != 0) {
      value_ = PyBytes_AsString(bytes);
      Py_DECREF(bytes);
      return true;
    }
    if (!given.is_valid() && PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
      raised_.emplace();  // the call raises it again, when it takes the path
      return true;
    }
    PyErr_Clear();
    return false;
  }
  explicit operator Path*() { return &path(); }
  explicit operator Path&() { return path(); }
  explicit operator Path&&() { return std::move(path()); }

 private:
  Path& path() {
    if (raised_.has_value()) throw python_error(std::move(*raised_));
    return value_;
  }
  Path value_;
  std::optional<python_error> raised_;
};

}  // namespace nanobind::detail

// Returns text for display. Replaces bytes that are not UTF-8: file names, and texts that were cut, can have such
// bytes.
inline nb::str shown(const std::string& raw) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(raw.data(), static_cast<Py_ssize_t>(raw.size()), "replace"));
}

void bind_errors(nb::module_& m);
void bind_ring(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_search(nb::module_& m);
void bind_search_records(nb::module_& m);
void bind_leveled_parameters(nb::module_& m);
void bind_leveled_keys(nb::module_& m);
void bind_ckks(nb::module_& m);
void bind_integers(nb::module_& bfv, nb::module_& bgv);
void bind_leveled_files(nb::module_& m);
void bind_statistics(nb::module_& m, nb::module_& bfv, nb::module_& bgv);
void bind_bench(nb::module_& m);
