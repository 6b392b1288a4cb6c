// SPDX-License-Identifier: Apache-2.0
// Binds the benchmarks. A measured row is a dictionary with the fields that `ringfort bench` writes, without `versus`.
// Benchmarks of GPUs return their rows in a JSON document. Python adds the description of the machine, and comparisons
// with other libraries.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#if RINGFORT_PROBES
#include "bench/gpu/run.h"
#endif
#include "bench/kernels/bench.h"
#include "bench/operations.h"
#include "bench/search.h"
#include "bind.h"
#include "gil.h"
#include "ringfort/error.h"

namespace {

namespace bench = ringfort::bench;
using bench::Row;
using Rows = nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>>;
using ProgressCallback = nb::typed<nb::callable, nb::object(std::string)>;

nb::dict described(const Row& row) {
  nb::dict params;
  for (const auto& [name, value] : row.params) params[name.c_str()] = value;
  nb::dict d;
  d["name"] = row.name;
  d["device"] = row.device;
  d["params"] = params;
  d["unit"] = row.unit;
  d["min"] = row.min;
  d["median"] = row.median;
  d["max"] = row.max;
  d["limit_share"] = row.limit_share;
  return d;
}

Rows described(const std::vector<Row>& rows) {
  Rows found;
  for (const Row& row : rows) found.append(described(row));
  return found;
}

std::vector<Row> measured(const std::string& family, const bench::KernelBench& options) {
  if (family == "ntt") return bench::bench_ntt(options);
  if (family == "polymul") return bench::bench_polymul(options);
  if (family == "modmul") return bench::bench_modmul(options);
  if (family == "inner_product") return bench::bench_inner_product(options);
  if (family == "limbs") return bench::bench_limbs(options);
  throw ringfort::Error(ringfort::Code::invalid_argument, "no kernel benchmark is called " + family,
                        "choose ntt, polymul, modmul, inner_product or limbs");
}

Rows kernel_rows(const std::string& family, const std::string& device, std::uint32_t repeats,
                 const std::vector<std::string>& only) {
  std::vector<Row> rows;
  {
    const WithoutGil unlocked;
    rows = measured(family, {device, repeats, only});
  }
  return described(rows);
}

// Passes texts about the progress to a Python function. A text is the name of the row that is measured next or, in a
// run on a GPU, a line that the run reports. An exception of the function ends the run, and so does Ctrl-C.
class ProgressRelay {
 public:
  explicit ProgressRelay(const nb::callable& progress) : progress_(progress) {}
  bool operator()(const std::string& name) {
    const WithGil locked;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      progress_(name);
    } catch (nb::python_error& error) { raised_.emplace(std::move(error)); }
    return !raised_.has_value();
  }
  void raise_if_any() {
    if (raised_.has_value()) throw nb::python_error(std::move(*raised_));
  }

 private:
  const nb::callable& progress_;
  std::optional<nb::python_error> raised_;
};

Rows search_rows(const std::string& folder, bool quick, unsigned threads, const std::vector<std::string>& only,
                 const ProgressCallback& progress) {
  ProgressRelay told(progress);
  std::vector<Row> rows;
  {
    const WithoutGil unlocked;
    rows = bench::search_rows({folder, quick, threads, only, std::ref(told)});
  }
  told.raise_if_any();
  return described(rows);
}

Rows operation_rows(const std::string& device, bool quick, unsigned threads, const std::vector<std::string>& only,
                    const ProgressCallback& progress) {
  ProgressRelay told(progress);
  std::vector<Row> rows;
  {
    const WithoutGil unlocked;
    rows = bench::bench_operations({device, quick, threads, only, std::ref(told)});
  }
  told.raise_if_any();
  return described(rows);
}

// Returns the document {"machine", "rows"} of a run on a GPU as JSON.
std::string gpu_document(const std::string& device, const std::vector<std::string>& sections, bool quick,
                         double seconds, const ProgressCallback& progress) {
#if RINGFORT_PROBES
  ProgressRelay told(progress);
  bench::gpu::Options options;
  options.device = device;
  options.quick = quick;
  options.seconds = seconds;
  bench::gpu::Report report(device, std::ref(told));
  {
    const WithoutGil unlocked;
    bench::gpu::run_sections(options, sections, report);
  }
  told.raise_if_any();
  return report.json();
#else
  (void)sections, (void)quick, (void)seconds, (void)progress;
  throw ringfort::Error(ringfort::Code::device_unknown, device + ": this build has no benchmarks of GPUs",
                        "build it with RINGFORT_PROBES=ON and RINGFORT_SIMULATORS=ON");
#endif
}

}  // namespace

void bind_bench(nb::module_& m) {
  m.def("kernel_rows", &kernel_rows, nb::arg("family"), nb::arg("device"), nb::arg("repeats"), nb::arg("only"),
        "Returns the rows of a family of kernels (ntt, polymul, modmul, inner_product or limbs), on one thread.\n\n"
        "only: beginnings of the names of the wanted rows; empty: all rows.");
  m.def("search_rows", &search_rows, nb::arg("folder"), nb::arg("quick"), nb::arg("threads"), nb::arg("only"),
        nb::arg("progress"),
        "Returns the rows of the word search. folder: a new or empty folder, in which the run writes about 0.5 GB.");
  m.def("operation_rows", &operation_rows, nb::arg("device"), nb::arg("quick"), nb::arg("threads"), nb::arg("only"),
        nb::arg("progress"), "Returns the rows of CKKS, BFV and BGV, on one thread and on ``threads`` threads.");
  m.def("gpu_document", &gpu_document, nb::arg("device"), nb::arg("sections"), nb::arg("quick"), nb::arg("seconds"),
        nb::arg("progress"),
        "Runs sections of the benchmark of a GPU. Returns the facts of the machine, and the rows, as JSON.");
}
