// SPDX-License-Identifier: Apache-2.0
// One function per file of bindings; module.cpp calls them all. A binding function has at most ten lines: shapes, words and
// messages are checked in Python (python/src/ringfort), arithmetic is done in the library.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

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
