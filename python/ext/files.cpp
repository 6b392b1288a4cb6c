// SPDX-License-Identifier: Apache-2.0
// Binds ringfort/files.h and ringfort/release_ledger.h as ringfort._core.files. The public API is ringfort.save,
// ringfort.load, ringfort.inspect, pickle, and decryption for others. Encoders return NumPy arrays that own the bytes
// of a file. Decoders read contiguous buffers of uint8 in place. Memory that this module allocates for a file with a
// secret key is zeroed when the last array that refers to it is destroyed.
#include "ringfort/files.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "gil.h"
#include "progress.h"
#include "ringfort/release_ledger.h"

namespace {

using namespace ringfort;
using Interval = std::pair<std::int64_t, std::int64_t>;

using In = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OwnedArray = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>;

io::ByteView view(const In& bytes) { return {bytes.data(), bytes.size()}; }
std::vector<io::ByteView> views(const std::vector<In>& all) {
  std::vector<io::ByteView> found;
  for (const In& bytes : all) found.push_back(view(bytes));
  return found;
}
nb::bytes copied(io::ByteView bytes) { return nb::bytes(bytes.data(), bytes.size()); }

template <class Bytes>
nb::capsule owner_of(Bytes&& bytes) {
  auto kept = std::make_unique<Bytes>(std::move(bytes));
  const nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<Bytes*>(p); });
  (void)kept.release();
  return owner;
}

template <class Bytes>
OwnedArray owned_array(Bytes&& bytes) {
  const nb::capsule owner = owner_of(std::move(bytes));
  const io::ByteView all = *static_cast<const Bytes*>(owner.data());
  return OwnedArray(all.data(), {all.size()}, owner);
}

template <class Work>
auto unlocked(Work work) {
  const WithoutGil released;
  return work();
}

template <class Work>
auto decoded(const In& bytes, Work work) {
  return unlocked([&] { return work(view(bytes)); });
}

template <class Context, class Ciphertext>
void bind_ciphertext(nb::module_& m) {
  m.def("scope", [](const Context& context) { return io::Scope(context); }, nb::arg("context"));
  m.def(
      "encode_ciphertext",
      [](const Context& context, const Ciphertext& c) {
        return owned_array(unlocked([&] { return io::encode_ciphertext(context, c); }));
      },
      nb::arg("context"), nb::arg("ciphertext"));
  m.def(
      "decode_ciphertext",
      [](const Context& context, const In& bytes, bool trust_bound) {
        return decoded(bytes, [&](io::ByteView from) { return io::decode_ciphertext(context, from, trust_bound); });
      },
      nb::arg("context"), nb::arg("data"), nb::arg("trust_bound"));
}

template <class Key>
void bind_key(nb::module_& m, const char* name, Key (*decode)(const io::Scope&, io::ByteView)) {
  m.def(
      "encode_key",
      [](const io::Scope& scope, const Key& key) {
        return owned_array(unlocked([&] { return io::encode_key(scope, key); }));
      },
      nb::arg("scope"), nb::arg("key"));
  m.def(
      name,
      [decode](const io::Scope& scope, const In& bytes) {
        return decoded(bytes, [&](io::ByteView from) { return decode(scope, from); });
      },
      nb::arg("scope"), nb::arg("data"));
}

void bind_keys(nb::module_& m) {
  bind_key<PublicKey>(m, "decode_public_key", &io::decode_public_key);
  bind_key<RelinearizationKey>(m, "decode_relinearization_key", &io::decode_relinearization_key);
  bind_key<GaloisKeys>(m, "decode_galois_keys", &io::decode_galois_keys);
  m.def(
      "encode_secret_key",
      [](const io::Scope& scope, const SecretKey& key, const std::string& passphrase, unsigned strength,
         const std::vector<In>& beside) {
        const std::vector<io::ByteView> files = views(beside);
        return owned_array(watched(nb::none(), [&](const Progress& told) {
          return io::encode_secret_key(scope, key, passphrase, strength, files, told);
        }));
      },
      nb::arg("scope"), nb::arg("key"), nb::arg("passphrase"), nb::arg("strength"),
      nb::arg("beside") = std::vector<In>());
  m.def(
      "require_beside",
      [](const In& secret, const std::vector<In>& beside) { return io::require_beside(view(secret), views(beside)); },
      nb::arg("secret"), nb::arg("beside"));
  m.def(
      "is_secret",
      [](const In& bytes) {
        const io::FileType type = io::type_of(view(bytes));
        return type == io::FileType::secret_key || type == io::FileType::secret_keys;
      },
      nb::arg("data"));
  m.def(
      "decode_secret_key",
      [](const io::Scope& scope, const In& bytes, const std::string& passphrase, unsigned most_strength) {
        return watched(nb::none(), [&](const Progress& told) {
          return io::decode_secret_key(scope, view(bytes), passphrase, {.strength = most_strength}, told);
        });
      },
      nb::arg("scope"), nb::arg("data"), nb::arg("passphrase"), nb::arg("most_strength") = 1);
  m.def(
      "encode_parameters", [](const io::Scope& scope) { return owned_array(io::encode_parameters(scope)); },
      nb::arg("scope"));
  m.def(
      "decode_parameters",
      [](const In& bytes, bool allow_insecure, std::uint32_t most_degree, std::uint32_t most_primes) {
        return io::decode_parameters(view(bytes), allow_insecure, {most_degree, most_primes});
      },
      nb::arg("data"), nb::arg("allow_insecure"), nb::arg("most_degree"), nb::arg("most_primes"));
}

struct Array {
  std::vector<std::uint64_t> shape;
  std::uint64_t rows, cols, stride;
  std::uint8_t unused_slots;
  std::optional<Interval> interval;
  std::vector<In> ciphertexts;
  std::optional<std::pair<double, double>> domain;
};

OwnedArray encode_array(const Array& a) {
  io::ArrayRecord record{.shape = a.shape,
                         .rows = a.rows,
                         .cols = a.cols,
                         .stride = a.stride,
                         .unused_slots = a.unused_slots,
                         .interval = {},
                         .ciphertexts = {},
                         .domain = {}};
  if (a.domain) record.domain = {a.domain->first, a.domain->second};
  if (a.interval) record.interval = {a.interval->first, a.interval->second};
  for (const In& bytes : a.ciphertexts) record.ciphertexts.push_back(view(bytes));
  return owned_array(unlocked([&] { return io::encode_array(record); }));
}

// Decodes an array. The ciphertexts of the result are views into `bytes`, and keep `bytes` alive.
Array decode_array(const In& bytes) {
  const io::ArrayRecord r = decoded(bytes, &io::decode_array);
  Array a{.shape = r.shape,
          .rows = r.rows,
          .cols = r.cols,
          .stride = r.stride,
          .unused_slots = r.unused_slots,
          .interval = {},
          .ciphertexts = {},
          .domain = {}};
  if (r.domain) a.domain = {r.domain->low, r.domain->high};
  if (r.interval) a.interval = {r.interval->low, r.interval->high};
  for (const io::ByteView ciphertext : r.ciphertexts)
    a.ciphertexts.emplace_back(ciphertext.data(), std::initializer_list<std::size_t>{ciphertext.size()},
                               nb::find(bytes));
  return a;
}

void bind_array(nb::module_& m) {
  nb::class_<Array>(
      m, "Array",
      "An encrypted array as it is stored: its shape, its layout in slots, and the bytes of its ciphertexts.")
      .def(nb::init<>())
      .def_rw("shape", &Array::shape)
      .def_rw("rows", &Array::rows)
      .def_rw("cols", &Array::cols)
      .def_rw("stride", &Array::stride)
      .def_rw("unused_slots", &Array::unused_slots)
      .def_rw("interval", &Array::interval, nb::arg("interval").none())
      .def_rw("domain", &Array::domain, nb::arg("domain").none())
      .def_rw("ciphertexts", &Array::ciphertexts, nb::rv_policy::reference);
  m.def("encode_array", &encode_array, nb::arg("array"));
  m.def("decode_array", &decode_array, nb::arg("data"));
}

using Objects = std::vector<std::pair<std::string, In>>;

io::SecretBytes container_of(const Objects& objects) {
  std::vector<io::NamedObject> named;
  for (const auto& object : objects) named.push_back({object.first, view(object.second)});
  return unlocked([&] { return io::encode_container(named); });
}

std::size_t save(const Path& path, const Objects& objects) {
  const io::SecretBytes bytes = container_of(objects);
  unlocked([&] { io::save(path, bytes); });
  return bytes.view().size();
}

std::vector<std::pair<std::string, OwnedArray>> split(io::ByteView bytes, const nb::handle& owner) {
  const std::vector<io::NamedObject> named = unlocked([&] { return io::decode_container(bytes); });
  std::vector<std::pair<std::string, OwnedArray>> objects;
  for (const io::NamedObject& object : named)
    objects.emplace_back(object.name, OwnedArray(object.bytes.data(), {object.bytes.size()}, owner));
  return objects;
}

auto load(const Path& path, std::uint64_t limit_bytes) {
  const nb::capsule owner = owner_of(unlocked([&] { return io::load(path, limit_bytes); }));
  return split(*static_cast<const io::SecretBytes*>(owner.data()), owner);
}

// Decrypts each ciphertext into a row of `out`. The ledger counts one release for each ciphertext: all of them at once,
// before the first decryption. If fewer releases are left than there are ciphertexts, counts none and throws.
void decrypt_for_others(const ckks::Context& context, const SecretKey& key,
                        const std::vector<const ckks::Ciphertext*>& all, const Release& release,
                        io::ReleaseLedger& ledger,
                        const nb::ndarray<std::complex<double>, nb::ndim<2>, nb::c_contig, nb::device::cpu>& out) {
  watched(nb::none(), [&](const Progress& waiting) {
    std::uint64_t uncounted = all.size();
    const auto count = [&](std::uint64_t, const Release&) {
      if (uncounted != 0) ledger.spend(std::exchange(uncounted, 0), waiting);
    };
    for (std::size_t i = 0; i < std::min(all.size(), out.shape(0)); ++i) {
      const std::span<std::complex<double>> row(out.data() + i * out.shape(1), out.shape(1));
      ckks::Encoder(context).decode(ckks::Decryptor(context, key).decrypt(*all[i], release, count), row);
    }
  });
}

void bind_ledger(nb::module_& m) {
  using L = io::ReleaseLedger;
  nb::class_<L>(m, "ReleaseLedger", "Counts decryptions for others, in a file beside the secret key.")
      .def_static(
          "create",
          [](const Path& path, const ckks::Context& context, const SecretKey& key) {
            return watched(nb::none(), [&](const Progress& waiting) { return L::create(path, context, key, waiting); });
          },
          nb::arg("path"), nb::arg("context"), nb::arg("key"))
      .def_static(
          "open",
          [](const Path& path, const ckks::Context& context, const SecretKey& key) {
            return watched(nb::none(), [&](const Progress& waiting) { return L::open(path, context, key, waiting); });
          },
          nb::arg("path"), nb::arg("context"), nb::arg("key"))
      .def_static(
          "mark", [](const ckks::Context& context, const SecretKey& key) { return owned_array(L::mark(context, key)); },
          nb::arg("context"), nb::arg("key"))
      .def_static(
          "remember",
          [](const ckks::Context& context, const SecretKey& key, const In& mark) {
            L::remember(context, key, view(mark));
          },
          nb::arg("context"), nb::arg("key"), nb::arg("mark"))
      .def_prop_ro("planned", &L::planned)
      .def_prop_ro("taken", &L::taken);
  m.def("decrypt_for_others", &decrypt_for_others, nb::arg("context"), nb::arg("key"), nb::arg("ciphertexts"),
        nb::arg("release"), nb::arg("ledger"), nb::arg("out").noconvert());
}

}  // namespace

void bind_leveled_files(nb::module_& m) {
  nb::class_<io::Scope>(m, "Scope", "The parameters of the objects in a file, and the digest of these parameters.")
      .def_prop_ro("digest", [](const io::Scope& scope) { return copied(scope.digest()); });
  bind_ciphertext<ckks::Context, ckks::Ciphertext>(m);
  bind_ciphertext<bfv::Context, bfv::Ciphertext>(m);
  bind_ciphertext<bgv::Context, bgv::Ciphertext>(m);
  bind_keys(m);
  bind_array(m);
  bind_ledger(m);
  m.def("save", &save, nb::arg("path"), nb::arg("objects"));
  m.def("load", &load, nb::arg("path"), nb::arg("limit_bytes"));
  m.def("pack", [](const Objects& objects) { return owned_array(container_of(objects)); }, nb::arg("objects"));
  m.def("unpack", [](const In& bytes) { return split(view(bytes), nb::find(bytes)); }, nb::arg("data"));
  m.def(
      "inspect", [](const In& bytes) { return decoded(bytes, [](io::ByteView from) { return io::inspect(from); }); },
      nb::arg("data"), "Returns the name and value of every public field of a file. data: the bytes of the file.");
}
