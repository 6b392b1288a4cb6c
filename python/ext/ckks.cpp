// SPDX-License-Identifier: Apache-2.0
// ringfort::ckks as ringfort._core.ckks, name by name; the face that users import is ringfort/encrypted, which checks shapes,
// dtypes and values. Vectors are flat, contiguous and at most one value a slot. Every verb releases the GIL.
#include "ringfort/ckks.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "bind.h"
#include "many.h"

namespace {

using namespace ringfort;
using namespace ringfort::ckks;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const In<T>& a) { return {a.data(), a.size()}; }

void bind_context(nb::module_& m) {
  nb::class_<Context>(m, "Context", "Parameters on a device.")
      .def(nb::init<const Parameters&, const std::string&>(), nb::arg("parameters"), nb::arg("device"), Unlocked())
      .def_prop_ro("parameters", &Context::parameters, nb::rv_policy::copy)
      .def_prop_ro("device", &Context::device)
      .def_prop_ro("slots", &Context::slots)
      .def_prop_ro("top_level", &Context::top_level)
      .def("scale", &Context::scale, nb::arg("level"))
      .def_prop_ro("keys", &Context::keys, nb::rv_policy::copy);
}

void bind_ciphertext(nb::module_& m) {
  nb::class_<Ciphertext>(m, "Ciphertext", "2 or 3 polynomials with public bounds on error and values.")
      .def("clone", &Ciphertext::clone, Unlocked())
      .def("to", &Ciphertext::to, nb::arg("target"), Unlocked())
      .def_prop_ro("device", &Ciphertext::device)
      .def_prop_ro("size", &Ciphertext::size)
      .def_prop_ro("level", &Ciphertext::level)
      .def_prop_ro("scale", &Ciphertext::scale)
      .def_prop_ro("magnitude", &Ciphertext::magnitude)
      .def_prop_ro("precision_bits", &Ciphertext::precision_bits)
      .def_prop_ro("bound_is_claimed", &Ciphertext::bound_is_claimed)
      .def_prop_ro("bytes", &Ciphertext::bytes);
}

template <class T, class Key>
Ciphertext encrypt(const Context& context, const Key& key, In<T> values, std::optional<double> magnitude) {
  const nb::gil_scoped_release unlocked;
  return Encryptor(context, key).encrypt(Encoder(context).encode(view(values), {.magnitude = magnitude}));
}

template <class T>
void decrypt(const Context& context, const SecretKey& key, const Ciphertext& ciphertext, Out<T> out) {
  const nb::gil_scoped_release unlocked;
  Encoder(context).decode(Decryptor(context, key).decrypt(ciphertext), std::span<T>(out.data(), out.size()));
}

template <class T>
void decrypt_raw(const Context& context, const SecretKey& key, const Ciphertext& ciphertext, Out<T> out) {
  const nb::gil_scoped_release unlocked;
  Encoder(context).decode_raw(Decryptor(context, key).decrypt(ciphertext), std::span<T>(out.data(), out.size()));
}

template <class T>
void bind_values(nb::module_& m) {
  m.def("encrypt", &encrypt<T, PublicKey>, nb::arg("context"), nb::arg("key"), nb::arg("values").noconvert(), nb::arg("magnitude") = nb::none());
  m.def("encrypt", &encrypt<T, SecretKey>, nb::arg("context"), nb::arg("key"), nb::arg("values").noconvert(), nb::arg("magnitude") = nb::none());
  m.def("decrypt", &decrypt<T>, nb::arg("context"), nb::arg("key"), nb::arg("ciphertext"), nb::arg("out").noconvert());
  m.def("decrypt_raw", &decrypt_raw<T>, nb::arg("context"), nb::arg("key"), nb::arg("ciphertext"), nb::arg("out").noconvert());
}

template <class T>
Ciphertext add_values(const AutomaticEvaluator& e, const Ciphertext& a, In<T> values) {
  const nb::gil_scoped_release unlocked;
  return e.add(a, view(values));
}

template <class T>
Ciphertext multiply_values(const AutomaticEvaluator& e, const Ciphertext& a, In<T> values) {
  const nb::gil_scoped_release unlocked;
  return e.multiply(a, view(values));
}

void bind_automatic(nb::module_& m) {
  using A = AutomaticEvaluator;
  using Binary = Ciphertext (A::*)(const Ciphertext&, const Ciphertext&) const;
  using Power = Ciphertext (A::*)(const Ciphertext&, std::uint32_t) const;
  using Rotation = Ciphertext (A::*)(const Ciphertext&, std::int64_t) const;
  nb::class_<A> bound(m, "AutomaticEvaluator", "Verbs whose levels and scales are kept by the library.");
  bind_many<Ciphertext>(bound);
  bound.def("__init__", [](A* self, const Context& context, const RelinearizationKey* relinearization, const GaloisKeys* galois) {
        new (self) A(context, relinearization, galois);
      }, nb::arg("context"), nb::arg("relinearization").none(), nb::arg("galois").none())
      .def("add", static_cast<Binary>(&A::add), nb::arg("a"), nb::arg("b"), Unlocked())
      .def("sub", static_cast<Binary>(&A::sub), nb::arg("a"), nb::arg("b"), Unlocked())
      .def("multiply", static_cast<Binary>(&A::multiply), nb::arg("a"), nb::arg("b"), Unlocked())
      .def("exponentiate", static_cast<Power>(&A::exponentiate), nb::arg("a"), nb::arg("exponent"), Unlocked())
      .def("rotate", static_cast<Rotation>(&A::rotate), nb::arg("a"), nb::arg("step"), Unlocked())
      .def("conjugate", &A::conjugate, nb::arg("a"), Unlocked())
      .def("add_values", &add_values<double>, nb::arg("a"), nb::arg("values").noconvert())
      .def("add_values", &add_values<std::complex<double>>, nb::arg("a"), nb::arg("values").noconvert())
      .def("multiply_values", &multiply_values<double>, nb::arg("a"), nb::arg("values").noconvert())
      .def("multiply_values", &multiply_values<std::complex<double>>, nb::arg("a"), nb::arg("values").noconvert());
}

}  // namespace

void bind_ckks(nb::module_& m) {
  bind_context(m);
  bind_ciphertext(m);
  bind_values<double>(m);
  bind_values<std::complex<double>>(m);
  m.def("decoded_precision_bits", [](const Context& context, const Ciphertext& a) { return Encoder(context).decoded_precision_bits(a); },
        nb::arg("context"), nb::arg("ciphertext"));
  m.def("raw_precision_bits", [](const Context& context, const Ciphertext& a) { return Encoder(context).raw_precision_bits(a); },
        nb::arg("context"), nb::arg("ciphertext"));
  bind_automatic(m);
  nb::class_<Evaluator>(m, "Evaluator", "Verbs that touch no level.")
      .def(nb::init<const Context&>(), nb::arg("context"))
      .def("multiply", static_cast<Ciphertext (Evaluator::*)(const Ciphertext&, const Ciphertext&) const>(&Evaluator::multiply), nb::arg("a"), nb::arg("b"), Unlocked())
      .def("multiply_many", &multiply_many<Evaluator, Ciphertext>, nb::arg("a"), nb::arg("b"))
      .def("relinearize", static_cast<Ciphertext (Evaluator::*)(const Ciphertext&, const RelinearizationKey&) const>(&Evaluator::relinearize), nb::arg("a"), nb::arg("key"), Unlocked())
      .def("relinearize_many", &relinearize_many<Evaluator, Ciphertext, RelinearizationKey>, nb::arg("a"), nb::arg("key"))
      .def("negate", &Evaluator::negate, nb::arg("a"), Unlocked())
      .def("declare_magnitude", &Evaluator::declare_magnitude, nb::arg("a"), nb::arg("magnitude"), Unlocked())
      .def("multiply_integer", &Evaluator::multiply_integer, nb::arg("a"), nb::arg("factor"), Unlocked());
}
