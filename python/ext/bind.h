// SPDX-License-Identifier: Apache-2.0
// Every source of this folder except module.cpp has one bind function. bind_search calls bind_search_records, and
// module.cpp calls the others. A binding is short, because Python (python/src/ringfort) checks shapes and dtypes, and
// the library computes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include <filesystem>
#include <string>

namespace nb = nanobind;

using Path = std::filesystem::path;  // may have any bytes: names of files need not be UTF-8

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
