// SPDX-License-Identifier: Apache-2.0
// One function per file of bindings; module.cpp calls them all. A binding function has at most ten lines: shapes, words
// and messages are checked in Python (python/src/ringfort), arithmetic is done in the library.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include <filesystem>
#include <string>

namespace nb = nanobind;

using Path = std::filesystem::path;  // of any bytes: names need not be UTF-8

// For people: what is cut inside a character, or is a name that is no UTF-8.
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
