// SPDX-License-Identifier: Apache-2.0
// Binds the parts of the word search that need neither keys nor an index: parameters, security, plans, options and
// estimates.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bind.h"
#include "gil.h"
#include "ringfort/search.h"

namespace {

namespace rgsw = ringfort::rgsw;
namespace search = ringfort::search;
using Unlocked = nb::call_guard<WithoutGil>;

void bind_parameters(nb::module_& m) {
  using rgsw::Parameters;
  nb::class_<Parameters>(m, "Parameters", "Parameters of the Ring-GSW scheme.")
      .def_ro("name", &Parameters::name)
      .def_ro("n", &Parameters::n)
      .def_ro("q", &Parameters::q)
      .def_ro("base_bits", &Parameters::base_bits)
      .def_ro("digits", &Parameters::digits)
      .def_ro("public_key_allowed", &Parameters::public_key_allowed)
      .def_ro("literal_allowed", &Parameters::literal_allowed)
      .def_ro("failure_bits", &Parameters::failure_bits)
      .def_ro("insecure_reason", &Parameters::insecure_reason);
  nb::class_<rgsw::Security>(m, "Security", "Estimated security of a parameter set.")
      .def_ro("bits", &rgsw::Security::bits)
      .def_ro("source", &rgsw::Security::source)
      .def_ro("log2_q", &rgsw::Security::log2_q)
      .def_ro("limit_log2_q", &rgsw::Security::limit_log2_q)
      .def_ro("accepted", &rgsw::Security::accepted);
  m.def("preset", &rgsw::preset, nb::arg("name"), nb::arg("allow_insecure") = false);
  m.def("preset_names", [] {
    const auto names = rgsw::preset_names();
    return std::vector<std::string>(names.begin(), names.end());
  });
  m.def("security", &rgsw::security, nb::arg("parameters"));
}

void bind_plan(nb::module_& m) {
  using rgsw::SearchPlan;
  nb::enum_<rgsw::Mode>(m, "Mode",
                        "The key that encrypted: the owner's secret key, or the public key, which senders use.")
      .value("secret_key", rgsw::Mode::secret_key)
      .value("public_key", rgsw::Mode::public_key);
  nb::class_<SearchPlan>(m, "SearchPlan", "Limits of a search, and a bound on the probability of a wrong count.")
      .def_ro("mode", &SearchPlan::mode)
      .def_ro("words", &SearchPlan::words)
      .def_ro("max_matches", &SearchPlan::max_matches)
      .def_ro("factors", &SearchPlan::factors)
      .def_ro("count_range", &SearchPlan::count_range)
      .def_ro("steps", &SearchPlan::steps)
      .def_ro("noise_bits", &SearchPlan::noise_bits)
      .def_ro("margin_bits", &SearchPlan::margin_bits)
      .def_ro("failure_log2", &SearchPlan::failure_log2);
}

void bind_options(nb::module_& m) {
  using search::IndexOptions;
  using search::SearchOptions;
  nb::class_<IndexOptions>(m, "IndexOptions", "See ringfort.search.Index.add.")
      .def(
          "__init__",
          [](IndexOptions* o, unsigned threads, bool as_sender, bool pad_bodies, bool pad_words) {
            new (o) IndexOptions{threads, as_sender, pad_bodies, pad_words};
          },
          nb::arg("threads"), nb::arg("as_sender"), nb::arg("pad_bodies"), nb::arg("pad_words"));
  m.def("padded_words", &search::padded_words, nb::arg("words"),
        "Returns the number of words that an index stores for a document of ``words`` words if pad_words is set.");
  nb::enum_<search::Engine>(m, "Engine", "The method of comparing words with a query.")
      .value("row", search::Engine::row)
      .value("literal", search::Engine::literal);
  nb::class_<SearchOptions>(m, "SearchOptions", "See ringfort.search.search.")
      .def(nb::init<>())
      .def_rw("engine", &SearchOptions::engine)
      .def_rw("threads", &SearchOptions::threads)
      .def_rw("total", &SearchOptions::total)
      .def_rw("max_matches", &SearchOptions::max_matches)
      .def_rw("count_range", &SearchOptions::count_range)
      .def_rw("memory_bytes", &SearchOptions::memory_bytes)
      .def_rw("words_at_once", &SearchOptions::words_at_once);
}

void bind_estimate(nb::module_& m) {
  using search::Estimate;
  using search::EstimateOptions;
  nb::class_<EstimateOptions>(m, "EstimateOptions", "See ringfort.search.estimate.")
      .def(nb::init<>())
      .def_rw("words", &EstimateOptions::words)
      .def_rw("documents", &EstimateOptions::documents)
      .def_rw("most_words", &EstimateOptions::most_words)
      .def_rw("as_sender", &EstimateOptions::as_sender)
      .def_rw("search", &EstimateOptions::search)
      .def_rw("measure", &EstimateOptions::measure);
  nb::class_<Estimate>(m, "Estimate", "Estimated cost and guarantees of an index and a search.")
      .def_ro("security", &Estimate::security)
      .def_ro("plan", &Estimate::plan)
      .def_ro("false_positives", &Estimate::false_positives)
      .def_ro("index_bytes", &Estimate::index_bytes)
      .def_ro("answer_bytes", &Estimate::answer_bytes)
      .def_ro("answers", &Estimate::answers)
      .def_ro("index_seconds", &Estimate::index_seconds)
      .def_ro("search_seconds", &Estimate::search_seconds);
  m.def(
      "estimate",
      [](const std::string& preset, bool allow_insecure, std::uint32_t hash_bits, bool constant_weight,
         const EstimateOptions& options) {
        return search::estimate({preset, allow_insecure, hash_bits, constant_weight}, options);
      },
      nb::arg("preset"), nb::arg("allow_insecure"), nb::arg("hash_bits"), nb::arg("constant_weight"),
      nb::arg("options"), Unlocked());
}

}  // namespace

void bind_search_records(nb::module_& m) {
  bind_parameters(m);
  bind_plan(m);
  bind_options(m);
  bind_estimate(m);
}
