// SPDX-License-Identifier: Apache-2.0
// Binds ringfort/keys.h, the keys of CKKS, BFV and BGV, as ringfort._core.keys. The public API is ringfort/encrypted.
// Keys and plans are immutable. Key generation releases the GIL, the interpreter's global lock.
#include "ringfort/keys.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "gil.h"
#include "progress.h"

namespace {

using namespace ringfort;
using Unlocked = nb::call_guard<WithoutGil>;

template <class Key>
nb::class_<Key> bind_key(nb::module_& m, const char* name, const char* doc) {
  return nb::class_<Key>(m, name, doc)
      .def("to", &Key::to, nb::arg("target"), Unlocked())
      .def_prop_ro("device", &Key::device);
}

void bind_context(nb::module_& m) {
  nb::class_<KeyContext>(m, "KeyContext", "The part of a context that all schemes share: ring and primes, on a device.")
      .def_prop_ro("chain", &KeyContext::chain, nb::rv_policy::copy)
      .def("profile", &KeyContext::profile, nb::arg("profile").none())
      .def("memory", &KeyContext::memory)
      .def("keep_at_most", &KeyContext::keep_at_most, nb::arg("bytes"))
      .def("trim", &KeyContext::trim)
      .def("keep_copies", &KeyContext::keep_copies, nb::arg("bytes"))
      .def_prop_ro("device", &KeyContext::device)
      .def_prop_ro("top_level", &KeyContext::top_level)
      .def_prop_ro("wants_batches", &KeyContext::wants_batches);
}

void bind_plan(nb::module_& m) {
  nb::class_<RotationPath>(m, "RotationPath", "A requested rotation, as a sequence of rotations that have keys.")
      .def_ro("step", &RotationPath::step)
      .def_ro("keys", &RotationPath::keys);
  nb::class_<KeyPlan>(m, "KeyPlan", "The keys that a set of rotations needs, and the memory of these keys.")
      .def_ro("steps", &KeyPlan::steps)
      .def_ro("conjugation", &KeyPlan::conjugation)
      .def_ro("paths", &KeyPlan::paths)
      .def_ro("bytes_per_key", &KeyPlan::bytes_per_key)
      .def_ro("galois_bytes", &KeyPlan::galois_bytes)
      .def_ro("relinearization_bytes", &KeyPlan::relinearization_bytes)
      .def("__repr__", [](const KeyPlan& p) {
        return "KeyPlan(" + std::to_string(p.steps.size() + (p.conjugation ? 1 : 0)) + " rotation keys of " +
               std::to_string(p.bytes_per_key) + " bytes, galois_bytes=" + std::to_string(p.galois_bytes) +
               ", relinearization_bytes=" + std::to_string(p.relinearization_bytes) + ")";
      });
  m.def(
      "plan_keys",
      [](const KeyContext& context, const std::vector<std::int32_t>& rotations, bool conjugation,
         std::size_t max_bytes) { return plan_keys(context, {rotations, conjugation, max_bytes}); },
      nb::arg("context"), nb::arg("rotations"), nb::arg("conjugation"), nb::arg("max_bytes"));
}

}  // namespace

void bind_leveled_keys(nb::module_& m) {
  bind_context(m);
  bind_plan(m);
  bind_key<SecretKey>(m, "SecretKey", "The key that decrypts.")
      .def("for_modulus_of", &SecretKey::for_modulus_of, nb::arg("target"), Unlocked());
  bind_key<PublicKey>(m, "PublicKey", "A key that encrypts.").def_prop_ro("key_id", &PublicKey::key_id);
  bind_key<RelinearizationKey>(m, "RelinearizationKey", "The key that products of ciphertexts need.");
  bind_key<GaloisKeys>(m, "GaloisKeys", "The keys that rotations, conjugate and swap_rows need.")
      .def("joined", &GaloisKeys::joined, nb::arg("more"), Unlocked())
      .def_prop_ro("plan", &GaloisKeys::plan, nb::rv_policy::copy);
  m.def("same_identity", &same_identity, nb::arg("secret"), nb::arg("key"));
  m.def("require_matching", nb::overload_cast<const SecretKey&, const PublicKey&>(&require_matching), nb::arg("secret"),
        nb::arg("key"), Unlocked());
  m.def("require_matching", nb::overload_cast<const SecretKey&, const RelinearizationKey&>(&require_matching),
        nb::arg("secret"), nb::arg("key"), Unlocked());
  m.def("require_matching", nb::overload_cast<const SecretKey&, const GaloisKeys&>(&require_matching),
        nb::arg("secret"), nb::arg("keys"), Unlocked());
  nb::class_<KeyGenerator>(m, "KeyGenerator", "Makes keys for a secret key: for ``secret``, or else for a fresh one.")
      .def(nb::init<const KeyContext&>(), nb::arg("context"), Unlocked())
      .def(
          "__init__",
          [](KeyGenerator* g, const KeyContext& c, const SecretKey& s) { new (g) KeyGenerator(c, s.to(c)); },
          nb::arg("context"), nb::arg("secret"), Unlocked())
      .def("secret_key", [](const KeyGenerator& g) { return SecretKey(g.secret_key().state()); })
      .def("create_public_key", &KeyGenerator::create_public_key, Unlocked())
      .def("create_relinearization_key", &KeyGenerator::create_relinearization_key, Unlocked())
      .def(
          "create_galois_keys",
          [](const KeyGenerator& g, const KeyPlan& plan, nb::object progress) {
            return watched(std::move(progress), [&](const Progress& told) { return g.create_galois_keys(plan, told); });
          },
          nb::arg("plan"), nb::arg("progress").none());
}
