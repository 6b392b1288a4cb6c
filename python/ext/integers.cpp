// SPDX-License-Identifier: Apache-2.0
// Binds ringfort::bfv and ringfort::bgv as ringfort._core.bfv and ringfort._core.bgv, which have the same interface.
// The public API is ringfort/encrypted, which checks shapes, dtypes and values. Most names are those of the library.
// X_each is the library's verb X for several ciphertexts. Arithmetic has the names of encrypted/packing/arithmetic.py.
// Vectors are flat and contiguous, with at most one value per slot.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <vector>

#include "bind.h"
#include "gil.h"
#include "many.h"
#include "ringfort/bfv.h"
#include "ringfort/bgv.h"

namespace {

using namespace ringfort;
using Unlocked = nb::call_guard<WithoutGil>;
using In = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class S>
struct Bindings {
  using Context = integers::Context<S>;
  using Ciphertext = integers::Ciphertext<S>;
  using Encoder = integers::Encoder<S>;
  using Automatic = integers::AutomaticEvaluator<S>;
  using Evaluator = integers::Evaluator<S>;
  template <class E>
  using Binary = Ciphertext (E::*)(const Ciphertext&, const Ciphertext&) const;
  using Relinearization = Ciphertext (Evaluator::*)(const Ciphertext&, const RelinearizationKey&) const;

  static integers::Plaintext<S> encoded(const Context& context, const In& values) {
    return Encoder(context).encode(std::span<const std::int64_t>(values.data(), values.size()));
  }

  template <class Key>
  static Ciphertext encrypt(const Context& context, const Key& key, In values) {
    const WithoutGil unlocked;
    return integers::Encryptor<S>(context, key).encrypt(encoded(context, values));
  }
  static void decrypt(const Context& context, const SecretKey& key, const Ciphertext& a, Out out) {
    const WithoutGil unlocked;
    Encoder(context).decode(integers::Decryptor<S>(context, key).decrypt(a),
                            std::span<std::int64_t>(out.data(), out.size()));
  }
  static double measured_budget_bits(const Context& context, const SecretKey& key, const Ciphertext& a) {
    return integers::Decryptor<S>(context, key).measured_budget_bits(a);
  }
  // The operations that encrypted arrays use.
  struct Arithmetic {
    Arithmetic(const Context& on, const RelinearizationKey* relinearization, const GaloisKeys* galois)
        : context(on),
          encoder(on),
          by_hand(on),
          automatic(on, relinearization, galois),
          modulus(static_cast<std::int64_t>(on.plain_modulus())) {}

    std::int64_t turn(std::int64_t step) const { return step; }
    std::int64_t centred(std::int64_t value) const {  // value modulo t, in [-(t - 1) / 2, (t - 1) / 2]
      const std::int64_t residue = (value % modulus + modulus) % modulus;
      return residue > (modulus - 1) / 2 ? residue - modulus : residue;
    }
    integers::Plaintext<S> encoded(const In& values) const {
      std::vector<std::int64_t> residues(values.size());
      for (std::size_t i = 0; i < residues.size(); ++i) residues[i] = centred(values.data()[i]);
      return encoder.encode(residues);
    }

    Context context;
    Encoder encoder;
    Evaluator by_hand;
    Automatic automatic;
    std::int64_t modulus;
  };

  static Ciphertext add_plain(const Arithmetic& on, const Ciphertext& a, In values) {
    const WithoutGil unlocked;
    return on.automatic.add_plain(a, on.encoded(values));
  }
  static Ciphertext multiply_plain(const Arithmetic& on, const Ciphertext& a, In values) {
    const WithoutGil unlocked;
    return on.automatic.multiply_plain(a, on.encoded(values));
  }
  static Ciphertext inner_product_plain(const Arithmetic& on, const Many<Ciphertext>& a,
                                        const std::vector<In>& values) {
    if (a.empty() || a.size() != values.size())
      throw Error(Code::invalid_argument, "an inner product needs as many vectors as ciphertexts, and at least one",
                  "give one vector for each ciphertext");
    const WithoutGil unlocked;
    Ciphertext sum = on.automatic.multiply_plain(*a[0], on.encoded(values[0]));
    for (std::size_t i = 1; i < a.size(); ++i)
      sum = on.automatic.add(sum, on.automatic.multiply_plain(*a[i], on.encoded(values[i])));
    return sum;
  }
  static Ciphertext multiply_number(const Arithmetic& on, const Ciphertext& a, std::int64_t value) {
    return on.by_hand.multiply_integer(a, on.centred(value));
  }

  static void values(nb::module_& m) {
    m.def("encrypt", &encrypt<PublicKey>, nb::arg("context"), nb::arg("key"), nb::arg("values").noconvert());
    m.def("encrypt", &encrypt<SecretKey>, nb::arg("context"), nb::arg("key"), nb::arg("values").noconvert());
    m.def("decrypt", &decrypt, nb::arg("context"), nb::arg("key"), nb::arg("ciphertext"), nb::arg("out").noconvert());
    m.def("measured_budget_bits", &measured_budget_bits, nb::arg("context"), nb::arg("key"), nb::arg("ciphertext"),
          Unlocked());
  }

  static void objects(nb::module_& m) {
    nb::class_<Context>(m, "Context", "Parameters on a device.")
        .def(nb::init<const typename Context::Parameters&, const std::string&>(), nb::arg("parameters"),
             nb::arg("device"), Unlocked())
        .def_prop_ro("device", &Context::device)
        .def_prop_ro("plain_modulus", &Context::plain_modulus)
        .def_prop_ro("has_slots", &Context::has_slots)
        .def_prop_ro("top_level", &Context::top_level)
        .def_prop_ro("keys", &Context::keys, nb::rv_policy::copy);
    nb::class_<Ciphertext>(m, "Ciphertext", "2 to 16 polynomials, with a public bound on the noise.")
        .def("clone", &Ciphertext::clone, Unlocked())
        .def("to", &Ciphertext::to, nb::arg("target"), Unlocked())
        .def_prop_ro("device", &Ciphertext::device)
        .def_prop_ro("size", &Ciphertext::size)
        .def_prop_ro("level", &Ciphertext::level)
        .def_prop_ro("budget_bits", &Ciphertext::budget_bits)
        .def_prop_ro("bound_is_untrusted", &Ciphertext::bound_is_untrusted)
        .def_prop_ro("key_id", &Ciphertext::key_id)
        .def_prop_ro("bytes", &Ciphertext::bytes);
  }

  static void verbs(nb::module_& m) {
    nb::class_<Arithmetic> arithmetic(m, "Arithmetic", "Operations of encrypted arrays. The library manages levels.");
    arithmetic
        .def(nb::init<const Context&, const RelinearizationKey*, const GaloisKeys*>(), nb::arg("context"),
             nb::arg("relinearization").none(), nb::arg("galois").none())
        .def(
            "add_apart",
            [](const Arithmetic& on, const Ciphertext& a, const Ciphertext& b) { return on.automatic.add(a, b); },
            nb::arg("a"), nb::arg("b"), Unlocked())
        .def("multiply_number", &multiply_number, nb::arg("a"), nb::arg("value"), Unlocked())
        .def(
            "swap_rows", [](const Arithmetic& on, const Ciphertext& a) { return on.automatic.swap_rows(a); },
            nb::arg("a"), Unlocked())
        .def("add_plain", &add_plain, nb::arg("a"), nb::arg("values").noconvert())
        .def("multiply_plain", &multiply_plain, nb::arg("a"), nb::arg("values").noconvert())
        .def("inner_product_plain", &inner_product_plain, nb::arg("a"), nb::arg("values").noconvert())
        .def("masked_sum", &inner_product_plain, nb::arg("a"), nb::arg("masks").noconvert());
    bind_arithmetic<Ciphertext>(arithmetic);
    nb::class_<Evaluator>(m, "Evaluator", "Operations that consume no level, because they do not switch the modulus.")
        .def(nb::init<const Context&>(), nb::arg("context"))
        .def("add", &Evaluator::add, nb::arg("a"), nb::arg("b"), Unlocked())
        .def("multiply", static_cast<Binary<Evaluator>>(&Evaluator::multiply), nb::arg("a"), nb::arg("b"), Unlocked())
        .def("multiply_each", &multiply_each<Evaluator, Ciphertext>, nb::arg("a"), nb::arg("b"))
        .def("relinearize", static_cast<Relinearization>(&Evaluator::relinearize), nb::arg("a"), nb::arg("key"),
             Unlocked())
        .def("relinearize_each", &relinearize_each<Evaluator, Ciphertext, RelinearizationKey>, nb::arg("a"),
             nb::arg("key"))
        .def("negate", &Evaluator::negate, nb::arg("a"), Unlocked())
        .def("multiply_integer", &Evaluator::multiply_integer, nb::arg("a"), nb::arg("factor"), Unlocked());
  }
};

template <class S>
void bind_scheme(nb::module_& m) {
  Bindings<S>::objects(m);
  Bindings<S>::values(m);
  Bindings<S>::verbs(m);
}

}  // namespace

void bind_integers(nb::module_& bfv, nb::module_& bgv) {
  bind_scheme<bfv::Scheme>(bfv);
  bind_scheme<bgv::Scheme>(bgv);
}
