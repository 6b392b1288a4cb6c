// SPDX-License-Identifier: Apache-2.0
// Binds ringfort::ckks as ringfort._core.ckks. The public API is ringfort/encrypted, which checks shapes, dtypes and
// values. Most names are those of the library. X_each is the library's verb X for several ciphertexts. Arithmetic and
// ComplexArithmetic have the names of encrypted/packing/arithmetic.py. Vectors are flat and contiguous, with at most
// one value per slot. Every verb releases the GIL, the interpreter's global lock.
#include "ringfort/ckks.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bind.h"
#include "gil.h"
#include "many.h"
#include "ringfort/circuit.h"
#include "ringfort/error.h"

namespace {

using namespace ringfort;
using namespace ringfort::ckks;
using Unlocked = nb::call_guard<WithoutGil>;
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const In<T>& a) {
  return {a.data(), a.size()};
}

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
  nb::class_<Ciphertext>(m, "Ciphertext", "2 to 16 polynomials, with public bounds on the error and on the values.")
      .def("clone", &Ciphertext::clone, Unlocked())
      .def("to", &Ciphertext::to, nb::arg("target"), Unlocked())
      .def_prop_ro("device", &Ciphertext::device)
      .def_prop_ro("size", &Ciphertext::size)
      .def_prop_ro("level", &Ciphertext::level)
      .def_prop_ro("scale", &Ciphertext::scale)
      .def_prop_ro("magnitude", &Ciphertext::magnitude)
      .def_prop_ro("precision_bits", &Ciphertext::precision_bits)
      .def_prop_ro("bound_is_untrusted", &Ciphertext::bound_is_untrusted)
      .def_prop_ro("key_id", &Ciphertext::key_id)
      .def_prop_ro("bytes", &Ciphertext::bytes);
}

template <class T, class Key>
Ciphertext encrypt(const Context& context, const Key& key, In<T> values, std::optional<double> magnitude) {
  const WithoutGil unlocked;
  return Encryptor(context, key)
      .encrypt(Encoder(context).encode(view(values), {.level = {}, .scale = {}, .magnitude = magnitude}));
}

template <class T>
void decrypt(const Context& context, const SecretKey& key, const Ciphertext& ciphertext, Out<T> out) {
  const WithoutGil unlocked;
  Encoder(context).decode(Decryptor(context, key).decrypt(ciphertext), std::span<T>(out.data(), out.size()));
}

template <class T>
void decrypt_raw(const Context& context, const SecretKey& key, const Ciphertext& ciphertext, Out<T> out) {
  const WithoutGil unlocked;
  Encoder(context).decode_raw(Decryptor(context, key).decrypt(ciphertext), std::span<T>(out.data(), out.size()));
}

template <class T>
void bind_values(nb::module_& m) {
  m.def("encrypt", &encrypt<T, PublicKey>, nb::arg("context"), nb::arg("key"), nb::arg("values").noconvert(),
        nb::arg("magnitude") = nb::none());
  m.def("encrypt", &encrypt<T, SecretKey>, nb::arg("context"), nb::arg("key"), nb::arg("values").noconvert(),
        nb::arg("magnitude") = nb::none());
  m.def("decrypt", &decrypt<T>, nb::arg("context"), nb::arg("key"), nb::arg("ciphertext"), nb::arg("out").noconvert());
  m.def("decrypt_raw", &decrypt_raw<T>, nb::arg("context"), nb::arg("key"), nb::arg("ciphertext"),
        nb::arg("out").noconvert());
}

// The operations that encrypted arrays use. Value is the type of a slot: double, or complex for complex arrays.
template <class Value>
struct Arithmetic {
  Arithmetic(const Context& on, const RelinearizationKey* relinearization, const GaloisKeys* galois)
      : context(on),
        by_hand(on),
        automatic(on, relinearization, galois) {
    if (relinearization != nullptr) relinearization_state = relinearization->state();
  }

  // Returns `step`, or step - slots: these two rotations move the slots in the same way. If the ring has more slots
  // than the parameters use, the two are different automorphisms. The library composes a rotation from rotations by
  // signed powers of two. For a step above 2/3 of the slots, one of these powers would be the number of slots, and
  // keygen() by default makes no key for a rotation by all slots.
  std::int64_t turn(std::int64_t step) const {
    const std::int64_t slots = context.slots();
    return slots < context.parameters().chain.n / 2 && 3 * step > 2 * slots ? step - slots : step;
  }
  Ciphertext add_apart(const Ciphertext& a, const Ciphertext& b) const {
    return by_hand.declare_magnitude(automatic.add(a, b), std::max(a.magnitude(), b.magnitude()));
  }
  Ciphertext multiply_number(const Ciphertext& a, Value value) const {
    const double real = std::real(value);
    const bool is_whole = std::imag(value) == 0 && std::trunc(real) == real && std::abs(real) < 0x1p53;
    return is_whole ? by_hand.multiply_integer(a, static_cast<std::int64_t>(real))
                    : multiplied(a, std::vector<Value>(context.slots(), value));
  }
  Ciphertext multiplied(const Ciphertext& a, const std::vector<Value>& values) const {
    return automatic.multiply_plain(a, std::span<const Value>(values));
  }

  Ciphertext polynomial(const Ciphertext& a, const Polynomial& p) const {
    if (relinearization_state == nullptr)
      throw Error(Code::key_missing, "a polynomial needs a relinearization key", "give the array its public keys");
    return PolynomialEvaluator(context, RelinearizationKey(relinearization_state)).evaluate(a, p);
  }

  Context context;
  Evaluator by_hand;
  AutomaticEvaluator automatic;
  std::shared_ptr<const RelinearizationKey::State> relinearization_state;
};

template <class Value>
Ciphertext add_plain(const Arithmetic<Value>& on, const Ciphertext& a, In<Value> values) {
  const WithoutGil unlocked;
  return on.automatic.add_plain(a, view(values));
}

template <class Value>
Ciphertext multiply_plain(const Arithmetic<Value>& on, const Ciphertext& a, In<Value> values) {
  const WithoutGil unlocked;
  return on.automatic.multiply_plain(a, view(values));
}

template <class Value>
Ciphertext multiply_mask(const Arithmetic<Value>& on, const Ciphertext& a, In<std::int64_t> mask) {
  const WithoutGil unlocked;
  return on.multiplied(a, std::vector<Value>(mask.data(), mask.data() + mask.size()));
}

template <class Value>
Ciphertext inner_product_plain(const Arithmetic<Value>& on, const Many<Ciphertext>& a,
                               const std::vector<In<Value>>& values) {
  const WithoutGil unlocked;
  std::vector<std::span<const Value>> views;
  for (const In<Value>& each : values) views.push_back(view(each));
  return on.automatic.template inner_product_plain<Value>(clones<Ciphertext>(a), views);
}

template <class Value>
Ciphertext inner_product_whole(const Arithmetic<Value>& on, const Many<Ciphertext>& a,
                               const std::vector<In<std::int64_t>>& values) {
  const WithoutGil unlocked;
  std::vector<std::vector<Value>> converted;
  for (const In<std::int64_t>& each : values) converted.emplace_back(each.data(), each.data() + each.size());
  const std::vector<std::span<const Value>> views(converted.begin(), converted.end());
  return on.automatic.template inner_product_plain<Value>(clones<Ciphertext>(a), views);
}

template <class Value>
Ciphertext masked_sum(const Arithmetic<Value>& on, const Many<Ciphertext>& a,
                      const std::vector<In<std::int64_t>>& masks) {
  double magnitude = 0;
  for (const Ciphertext* each : a) magnitude = std::max(magnitude, each->magnitude());
  return on.by_hand.declare_magnitude(inner_product_whole(on, a, masks), magnitude);
}

template <class Value>
void bind_arithmetic(nb::module_& m, const char* name) {
  using A = Arithmetic<Value>;
  nb::class_<A> bound(m, name, "Operations of encrypted arrays. The library manages levels and scales.");
  bound
      .def(nb::init<const Context&, const RelinearizationKey*, const GaloisKeys*>(), nb::arg("context"),
           nb::arg("relinearization").none(), nb::arg("galois").none())
      .def("add_apart", &A::add_apart, nb::arg("a"), nb::arg("b"), Unlocked())
      .def("polynomial", &A::polynomial, nb::arg("a"), nb::arg("polynomial"), Unlocked())
      .def("multiply_number", &A::multiply_number, nb::arg("a"), nb::arg("value"), Unlocked())
      .def(
          "conjugate", [](const A& on, const Ciphertext& a) { return on.automatic.conjugate(a); }, nb::arg("a"),
          Unlocked())
      .def("add_plain", &add_plain<Value>, nb::arg("a"), nb::arg("values").noconvert())
      .def("multiply_plain", &multiply_plain<Value>, nb::arg("a"), nb::arg("values").noconvert())
      .def("multiply_plain", &multiply_mask<Value>, nb::arg("a"), nb::arg("values").noconvert())
      .def("inner_product_plain", &inner_product_plain<Value>, nb::arg("a"), nb::arg("values").noconvert())
      .def("inner_product_plain", &inner_product_whole<Value>, nb::arg("a"), nb::arg("values").noconvert())
      .def("masked_sum", &masked_sum<Value>, nb::arg("a"), nb::arg("masks").noconvert());
  ::bind_arithmetic<Ciphertext>(bound);
}

void bind_polynomial(nb::module_& m) {
  nb::class_<Polynomial>(m, "Polynomial", "A real polynomial, in Chebyshev's basis on a domain or in the power basis.")
      .def(
          "__init__",
          [](Polynomial* self, std::vector<double> coefficients, std::pair<double, double> domain, double error,
             std::optional<double> magnitude, bool powers) {
            new (self) Polynomial{powers ? Basis::power : Basis::chebyshev,
                                  std::move(coefficients),
                                  domain.first,
                                  domain.second,
                                  error,
                                  magnitude};
          },
          nb::arg("coefficients"), nb::arg("domain"), nb::arg("error") = 0.0, nb::arg("magnitude") = nb::none(),
          nb::arg("powers") = false)
      .def_prop_ro("levels", &levels_of)
      .def_prop_ro("products", &products_of);
}

}  // namespace

void bind_ckks(nb::module_& m) {
  bind_polynomial(m);
  bind_context(m);
  bind_ciphertext(m);
  bind_values<double>(m);
  bind_values<std::complex<double>>(m);
  m.def(
      "decoded_precision_bits",
      [](const Context& context, const Ciphertext& a) { return Encoder(context).decoded_precision_bits(a); },
      nb::arg("context"), nb::arg("ciphertext"));
  m.def(
      "raw_precision_bits",
      [](const Context& context, const Ciphertext& a) { return Encoder(context).raw_precision_bits(a); },
      nb::arg("context"), nb::arg("ciphertext"));
  bind_arithmetic<double>(m, "Arithmetic");
  bind_arithmetic<std::complex<double>>(m, "ComplexArithmetic");
  nb::class_<Evaluator>(m, "Evaluator", "Operations that consume no level, because they do not rescale.")
      .def(nb::init<const Context&>(), nb::arg("context"))
      .def("multiply",
           static_cast<Ciphertext (Evaluator::*)(const Ciphertext&, const Ciphertext&) const>(&Evaluator::multiply),
           nb::arg("a"), nb::arg("b"), Unlocked())
      .def("multiply_each", &multiply_each<Evaluator, Ciphertext>, nb::arg("a"), nb::arg("b"))
      .def("relinearize",
           static_cast<Ciphertext (Evaluator::*)(const Ciphertext&, const RelinearizationKey&) const>(
               &Evaluator::relinearize),
           nb::arg("a"), nb::arg("key"), Unlocked())
      .def("relinearize_each", &relinearize_each<Evaluator, Ciphertext, RelinearizationKey>, nb::arg("a"),
           nb::arg("key"))
      .def("negate", &Evaluator::negate, nb::arg("a"), Unlocked())
      .def("declare_magnitude", &Evaluator::declare_magnitude, nb::arg("a"), nb::arg("magnitude"), Unlocked())
      .def("multiply_integer", &Evaluator::multiply_integer, nb::arg("a"), nb::arg("factor"), Unlocked());
  m.def("mark_untrusted", &mark_untrusted, nb::arg("a"));
  m.def("declare_approximation", &declare_approximation, nb::arg("a"), nb::arg("magnitude"), nb::arg("error"),
        Unlocked());
}
