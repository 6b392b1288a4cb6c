// SPDX-License-Identifier: Apache-2.0
// Binds ringfort/parameters.h as ringfort._core.parameters: requirements and parameters of CKKS, BFV and BGV, which are
// records with defaults, and the functions choose, explain and *_preset.
#include "ringfort/parameters.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "gil.h"

namespace {

using namespace ringfort;
using Unlocked = nb::call_guard<WithoutGil>;

void bind_goals(nb::module_& m) {
  nb::class_<SecurityGoal>(m, "SecurityGoal")
      .def(nb::init<>())
      .def_rw("bits", &SecurityGoal::bits)
      .def_rw("standard", &SecurityGoal::standard)
      .def_rw("quantum", &SecurityGoal::quantum);
  nb::enum_<PrimeForm>(m, "PrimeForm").value("any", PrimeForm::any).value("c_2_16_1", PrimeForm::c_2_16_1);
  nb::class_<PrimeChoice>(m, "PrimeChoice")
      .def(nb::init<>())
      .def_rw("bits", &PrimeChoice::bits)
      .def_rw("form", &PrimeChoice::form);
  nb::class_<Release>(m, "Release", "A plan of decryptions for others: their number, and the security after them.")
      .def(
          "__init__",
          [](Release* self, std::uint32_t bits, std::uint64_t queries) { new (self) Release{bits, queries}; },
          nb::arg("bits"), nb::arg("queries") = 1)
      .def_rw("bits", &Release::bits)
      .def_rw("queries", &Release::queries)
      .def("__repr__", [](const Release& r) {
        return "Release(bits=" + std::to_string(r.bits) + ", queries=" + std::to_string(r.queries) + ")";
      });
}

void bind_chain(nb::module_& m) {
  using P = ChainParameters;
  nb::class_<P>(m, "ChainParameters", "Ring degree, data and special primes, digits of key switching.")
      .def(nb::init<>())
      .def_rw("n", &P::n)
      .def_rw("data", &P::data)
      .def_rw("special", &P::special)
      .def_rw("limbs_per_level", &P::limbs_per_level)
      .def_rw("digit_limbs", &P::digit_limbs)
      .def_rw("insecure_reason", &P::insecure_reason)
      .def_rw("security", &P::security);
}

void bind_requirements(nb::module_& m) {
  using R = RingRequirements;
  nb::class_<R>(m, "RingRequirements", "Requirements that all schemes share.")
      .def(nb::init<>())
      .def_rw("depth", &R::depth)
      .def_rw("slots", &R::slots)
      .def_rw("n", &R::n)
      .def_rw("security", &R::security)
      .def_rw("insecure_reason", &R::insecure_reason)
      .def_rw("primes", &R::primes)
      .def_rw("shared_chain", &R::shared_chain);
}

void bind_explanation(nb::module_& m) {
  using E = Explanation;
  nb::class_<E>(m, "Explanation", "Security, sizes, and precision or noise budget of parameters.")
      .def_ro("n", &E::n)
      .def_ro("slots", &E::slots)
      .def_ro("depth", &E::depth)
      .def_ro("log2_qp", &E::log2_qp)
      .def_ro("log2_qp_limit", &E::log2_qp_limit)
      .def_ro("security", &E::security)
      .def_ro("bits_left", &E::bits_left)
      .def_ro("ciphertext_bytes", &E::ciphertext_bytes)
      .def_ro("secret_key_bytes", &E::secret_key_bytes)
      .def_ro("public_key_bytes", &E::public_key_bytes)
      .def_ro("relinearization_key_bytes", &E::relinearization_key_bytes)
      .def_ro("galois_key_bytes", &E::galois_key_bytes)
      .def("text", &E::text);
}

void bind_ckks_parameters(nb::module_& m) {
  using R = ckks::Requirements;
  using P = ckks::Parameters;
  nb::class_<R, RingRequirements>(m, "CkksRequirements")
      .def(nb::init<>())
      .def_rw("precision", &R::precision)
      .def_rw("magnitude", &R::magnitude)
      .def_rw("release", &R::release);
  nb::class_<P>(m, "CkksParameters",
                "Chain, scale, slots, bound on the encrypted values, plan of decryptions for others.")
      .def(nb::init<>())
      .def_rw("chain", &P::chain)
      .def_rw("scale", &P::scale)
      .def_rw("slots", &P::slots)
      .def_rw("magnitude", &P::magnitude)
      .def_rw("release", &P::release);
  m.def("choose", nb::overload_cast<const R&>(&ckks::choose), nb::arg("requirements"), Unlocked());
  m.def("explain", nb::overload_cast<const P&>(&ckks::explain), nb::arg("parameters"), Unlocked());
  m.def("ckks_preset", &ckks::preset, nb::arg("name"), Unlocked());
  m.def("ckks_preset_names", &ckks::preset_names);
}

template <class R, class P>
void bind_integer_parameters(nb::module_& m, const std::string& prefix) {
  nb::class_<R, RingRequirements>(m, (prefix + "Requirements").c_str())
      .def(nb::init<>())
      .def_rw("plain_modulus", &R::plain_modulus);
  nb::class_<P>(m, (prefix + "Parameters").c_str(), "Chain and plaintext modulus.")
      .def(nb::init<>())
      .def_rw("chain", &P::chain)
      .def_rw("plain_modulus", &P::plain_modulus);
  m.def("choose", [](const R& wanted) { return choose(wanted); }, nb::arg("requirements"), Unlocked());
  m.def("explain", [](const P& parameters) { return explain(parameters); }, nb::arg("parameters"), Unlocked());
}

}  // namespace

void bind_leveled_parameters(nb::module_& m) {
  bind_goals(m);
  bind_chain(m);
  bind_requirements(m);
  bind_explanation(m);
  bind_ckks_parameters(m);
  bind_integer_parameters<bfv::Requirements, bfv::Parameters>(m, "Bfv");
  bind_integer_parameters<bgv::Requirements, bgv::Parameters>(m, "Bgv");
  m.def("bfv_preset", &bfv::preset, nb::arg("name"), Unlocked());
  m.def("bfv_preset_names", &bfv::preset_names);
  m.def("bgv_preset", &bgv::preset, nb::arg("name"), Unlocked());
  m.def("bgv_preset_names", &bgv::preset_names);
}
