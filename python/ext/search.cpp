// SPDX-License-Identifier: Apache-2.0
// Binds ringfort::search, and the keys, queries, answers and indexes of ringfort::io, as ringfort._core.search. The
// public API is ringfort/search. Objects own their contents. Threads use an Index or a Server in turn.
#include "ringfort/search.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "gil.h"
#include "progress.h"
#include "ringfort/error.h"
#include "shared.h"

namespace {

namespace io = ringfort::io;
namespace rgsw = ringfort::rgsw;
namespace search = ringfort::search;
using Unlocked = nb::call_guard<WithoutGil>;
using SharedIndex = Shared<io::Index>;
using SharedServer = Shared<search::Server>;

nb::bytes bytes_of(std::span<const std::uint8_t> raw) { return nb::bytes(raw.data(), raw.size()); }
std::string text_of(const nb::bytes& raw) { return {static_cast<const char*>(raw.data()), raw.size()}; }

// Returns `raw` as a digest. If `raw` is empty, the document has no digest: returns a digest of zeros.
io::ContentDigest digest_of(const nb::bytes& raw) {
  io::ContentDigest digest{};
  if (raw.size() != 0 && raw.size() != digest.size()) {
    throw ringfort::Error(ringfort::Code::invalid_argument, "a digest has " + std::to_string(raw.size()) + " bytes",
                          "give 32 bytes");
  }
  std::copy_n(static_cast<const std::uint8_t*>(raw.data()), raw.size(), digest.begin());
  return digest;
}

search::IndexReport add_documents(SharedIndex& shared, const io::Keys& keys,
                                  const std::vector<search::Document>& documents, const search::IndexOptions& options,
                                  nb::object progress) {
  return watched(std::move(progress), [&](const ringfort::Progress& told) {
    return shared.use([&](io::Index& index) { return search::add_documents(index, keys, documents, options, told); });
  });
}

io::AnswerFile run_search(SharedServer& shared, const io::Query& query, const search::SearchOptions& options,
                          nb::object progress) {
  return watched(std::move(progress), [&](const ringfort::Progress& told) {
    return shared.use([&](search::Server& server) { return server.search(query, options, told); });
  });
}

std::vector<io::Index::Document> read_documents(SharedIndex& shared, const std::vector<std::uint32_t>& numbers,
                                                const io::Keys& keys) {
  return watched(nb::none(), [&](const ringfort::Progress& told) {
    return shared.use([&](const io::Index& index) { return index.read_documents(numbers, keys, told); });
  });
}

std::vector<bool> contains(SharedIndex& shared, const std::vector<nb::bytes>& digests, const io::Keys& keys) {
  std::vector<io::ContentDigest> contents;
  for (const nb::bytes& digest : digests) contents.push_back(digest_of(digest));
  return watched(nb::none(), [&](const ringfort::Progress& told) {
    return shared.use([&](const io::Index& index) { return index.contains(contents, keys, told); });
  });
}

nb::bytes read_body(SharedIndex& shared, std::uint32_t number, const io::Keys& keys) {
  const std::string body = in_turn(&io::Index::body)(shared, number, keys);
  return nb::bytes(body.data(), body.size());
}

nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>> decrypt(const io::Keys& keys, const io::AnswerFile& answer) {
  auto* counts = new std::vector<std::uint32_t>();
  const nb::capsule owner(counts, [](void* p) noexcept { delete static_cast<std::vector<std::uint32_t>*>(p); });
  const WithoutGil unlocked;
  *counts = search::decrypt(keys, answer);
  const WithGil locked;
  return {counts->data(), {counts->size()}, owner};
}

void bind_keys(nb::module_& m) {
  using io::Keys;
  nb::class_<Keys>(m, "Keys", "Secret keys or public keys. Public keys can only append words and make queries.")
      .def_static(
          "generate",
          [](const std::string& preset, bool allow_insecure, std::uint32_t hash_bits, bool constant_weight) {
            return search::generate_keys({preset, allow_insecure, hash_bits, constant_weight});
          },
          nb::arg("preset"), nb::arg("allow_insecure"), nb::arg("hash_bits"), nb::arg("constant_weight"), Unlocked())
      .def_static(
          "load_secret",
          [](const Path& path, const std::string& passphrase, bool allow_insecure, unsigned most_strength) {
            return watched(nb::none(), [&](const ringfort::Progress& told) {
              return Keys::load_secret(path, passphrase, allow_insecure, io::kKeyLimit, {.strength = most_strength},
                                       told);
            });
          },
          nb::arg("path"), nb::arg("passphrase"), nb::arg("allow_insecure") = false, nb::arg("most_strength") = 1)
      .def_static(
          "load_public", [](const Path& path, bool allow_insecure) { return Keys::load_public(path, allow_insecure); },
          nb::arg("path"), nb::arg("allow_insecure") = false, Unlocked())
      .def(
          "save_secret",
          [](const Keys& k, const Path& path, const std::string& passphrase, unsigned strength) {
            watched(nb::none(),
                    [&](const ringfort::Progress& told) { k.save_secret(path, passphrase, strength, told); });
          },
          nb::arg("path"), nb::arg("passphrase"), nb::arg("strength"))
      .def(
          "save_public", [](const Keys& k, const Path& path) { k.save_public(path); }, nb::arg("path"), Unlocked())
      .def_prop_ro("parameters", [](const Keys& k) { return k.profile().parameters; })
      .def_prop_ro("hash_bits", [](const Keys& k) { return k.profile().hash_bits; })
      .def_prop_ro("constant_weight", [](const Keys& k) { return k.profile().constant_weight; })
      .def_prop_ro("key_id", [](const Keys& k) { return bytes_of(k.profile().key_id); })
      .def_prop_ro(
          "fingerprint", [](const Keys& k) { return nb::cast<nb::str>(bytes_of(k.fingerprint()).attr("hex")(" ", 2)); },
          "A digest of the public keys and the parameters: 128 bits, as groups of four digits to read aloud.")
      .def_prop_ro("has_secret", [](const Keys& k) { return k.secret_key() != nullptr; })
      .def_prop_ro("has_public", [](const Keys& k) { return k.public_key() != nullptr; })
      .def(
          "pattern",
          [](const Keys& k, const std::string& word) { return search::pattern_of(k.profile(), k.word_key(), word); },
          nb::arg("word"),
          "Returns the bits that represent a word. An index encrypts them. A query shows them to the server.");
}

void bind_files(nb::module_& m) {
  nb::class_<io::Query>(m, "Query", "The keyed hash of one word, which the server sees.")
      .def_static("make", [](const io::Keys& k, const std::string& word) { return search::make_query(k, word); })
      .def_static(
          "load", [](const Path& path) { return io::load_query(path); }, nb::arg("path"))
      .def(
          "save", [](const io::Query& q, const Path& path) { io::save_query(path, q); }, nb::arg("path"))
      .def_ro("pattern", &io::Query::pattern)
      .def_prop_ro("key_id", [](const io::Query& q) { return bytes_of(q.profile.key_id); });
  nb::class_<io::AnswerFile>(m, "Answer", "The encrypted counts of a search.")
      .def_static(
          "load", [](const Path& path) { return io::load_answer(path); }, nb::arg("path"))
      .def(
          "save", [](const io::AnswerFile& a, const Path& path) { io::save_answer(path, a); }, nb::arg("path"))
      .def(
          "decrypt", [](const io::AnswerFile& a, const io::Keys& k) { return decrypt(k, a); }, nb::arg("keys"))
      .def_ro("total", &io::AnswerFile::total)
      .def_ro("documents", &io::AnswerFile::documents)
      .def_prop_ro("plans",
                   [](const io::AnswerFile& a) {
                     std::vector<rgsw::SearchPlan> plans;
                     for (const rgsw::Answer& answer : a.answers) plans.push_back(answer.plan);
                     return plans;
                   })
      .def_prop_ro("key_id", [](const io::AnswerFile& a) { return bytes_of(a.profile.key_id); })
      .def_prop_ro("index_id", [](const io::AnswerFile& a) { return bytes_of(a.index_id); })
      .def_prop_ro("parameters", [](const io::AnswerFile& a) { return a.profile.parameters; })
      .def("__repr__", [](const io::AnswerFile& a) {
        return "Answer(" + a.profile.parameters.name + ", documents=" + std::to_string(a.documents) +
               (a.total ? ", total)" : ")");
      });
  m.def(
      "inspect", [](const Path& path) { return io::inspect(path); }, nb::arg("path"), Unlocked(),
      "Returns the name and value of every public field of a file.");
}

void bind_documents(nb::module_& m) {
  using io::Index;
  nb::class_<search::Document>(m, "Document", "The parts of one message that an index encrypts.")
      .def(
          "__init__",
          [](search::Document* d, std::string id, std::string subject, std::vector<std::string> words,
             const nb::bytes& body, const nb::bytes& digest) {
            new (d)
                search::Document{std::move(id), std::move(subject), std::move(words), text_of(body), digest_of(digest)};
          },
          nb::arg("message_id"), nb::arg("subject"), nb::arg("words"), nb::arg("body"), nb::arg("digest"));
  nb::class_<Index::Document>(m, "StoredDocument", "One message of an index, as the owner of the secret keys sees it.")
      .def_ro("number", &Index::Document::number)
      .def_ro("words", &Index::Document::words)
      .def_prop_ro("message_id", [](const Index::Document& d) { return shown(d.message_id); })
      .def_prop_ro("subject", [](const Index::Document& d) { return shown(d.subject); })
      .def_ro("body_bytes", &Index::Document::body_bytes)
      .def_ro("readable", &Index::Document::readable,
              "False if message_id and subject cannot be decrypted: somebody sealed them wrongly, or changed them.")
      .def_ro("added_by_owner", &Index::Document::added_by_owner,
              "True if the owner added the record at this place of this index.")
      .def_ro("has_unplaced_tag", &Index::Document::has_unplaced_tag,
              "True if the owner added the record in format version 2, which does not protect the place.");
}

void bind_index(nb::module_& m) {
  using io::Index;
  nb::class_<search::IndexReport>(m, "IndexReport", "Result of one call of Index.add.")
      .def_ro("documents", &search::IndexReport::documents)
      .def_ro("words", &search::IndexReport::words)
      .def_ro("bytes", &search::IndexReport::bytes)
      .def_ro("seconds", &search::IndexReport::seconds)
      .def("__repr__", [](const search::IndexReport& r) {
        return "IndexReport(documents=" + std::to_string(r.documents) + ", words=" + std::to_string(r.words) +
               ", bytes=" + std::to_string(r.bytes) + ", seconds=" + std::to_string(r.seconds) + ")";
      });
  nb::class_<Index::Report>(m, "VerifyReport",
                            "Result of Index.verify, or of opening an index to append (Index.recovered).")
      .def_ro("words", &Index::Report::words)
      .def_ro("documents", &Index::Report::documents)
      .def_ro("segments", &Index::Report::segments)
      .def_ro("bytes", &Index::Report::bytes)
      .def_ro("dropped_words", &Index::Report::dropped_words)
      .def_ro("dropped_documents", &Index::Report::dropped_documents)
      .def_prop_ro("problems",
                   [](const Index::Report& report) {
                     std::vector<nb::str> problems;
                     for (const std::string& problem : report.problems) problems.push_back(shown(problem));
                     return problems;
                   })
      .def_ro("repaired", &Index::Report::repaired);
  nb::class_<SharedIndex>(m, "Index", "A folder with an encrypted index. Threads use it in turn.")
      .def_static(
          "create",
          [](const Path& folder, const io::Keys& keys, std::uint32_t most_repeats, std::uint64_t segment_bytes) {
            Index::create(folder, keys, {.segment_bytes = segment_bytes, .most_repeats = most_repeats});
          },
          nb::arg("folder"), nb::arg("keys"), nb::arg("most_repeats"), nb::arg("segment_bytes"), Unlocked())
      .def_static(
          "verify",
          [](const Path& folder, bool repair, nb::object progress) {
            return watched(std::move(progress),
                           [&](const ringfort::Progress& told) { return Index::verify(folder, repair, told); });
          },
          nb::arg("folder"), nb::arg("repair"), nb::arg("progress").none())
      .def(
          "__init__",
          [](SharedIndex* index, const Path& folder, bool append, bool allow_insecure) {
            new (index) SharedIndex(folder.native(), io::OpenOptions{append, allow_insecure});
          },
          nb::arg("folder"), nb::arg("append"), nb::arg("allow_insecure") = false, Unlocked())
      .def("add", &add_documents, nb::arg("keys"), nb::arg("documents"), nb::arg("options"), nb::arg("progress").none())
      .def("seal", by_turns<Index>([](Index& i) { i.seal(); }))
      .def("read_documents", &read_documents, nb::arg("numbers"), nb::arg("keys"))
      .def("contains", &contains, nb::arg("digests"), nb::arg("keys"))
      .def("body", &read_body, nb::arg("number"), nb::arg("keys"))
      .def("require", in_turn(&Index::require), nb::arg("answer"))
      .def("word_bytes", in_turn(&Index::word_bytes), nb::arg("mode"))
      .def_prop_ro("parameters", by_turns<Index>([](const Index& i) { return i.profile().parameters; }))
      .def_prop_ro("hash_bits", by_turns<Index>([](const Index& i) { return i.profile().hash_bits; }))
      .def_prop_ro("constant_weight", by_turns<Index>([](const Index& i) { return i.profile().constant_weight; }))
      .def_prop_ro("key_id", [](SharedIndex& i) { return bytes_of(in_turn(&Index::profile)(i).key_id); })
      .def_prop_ro("id", [](SharedIndex& i) { return bytes_of(in_turn(&Index::id)(i)); })
      .def_prop_ro("words", in_turn(&Index::words))
      .def_prop_ro("most_words_of_a_document", in_turn(&Index::most_words_of_a_document))
      .def_prop_ro("documents", in_turn(&Index::documents))
      .def_prop_ro("most_repeats", in_turn(&Index::most_repeats))
      .def_prop_ro("mode", in_turn(&Index::mode))
      .def_prop_ro("recovered", in_turn(&Index::recovered));
}

void bind_server(nb::module_& m) {
  nb::class_<search::SearchReport>(m, "SearchReport", "Facts about the last search of a server.")
      .def_ro("words", &search::SearchReport::words)
      .def_ro("prepared_words", &search::SearchReport::prepared_words)
      .def_ro("seconds", &search::SearchReport::seconds)
      .def_ro("read_seconds", &search::SearchReport::read_seconds)
      .def_ro("lost_devices", &search::SearchReport::lost_devices,
              "Devices that failed during the search. The other devices repeated their work.")
      .def_ro("plan", &search::SearchReport::plan);
  nb::class_<SharedServer>(m, "Server", "An index as a server opens it, without secrets. Threads use it in turn.")
      .def(
          "__init__",
          [](SharedServer* server, const Path& folder, const std::vector<std::string>& devices, bool allow_insecure) {
            new (server) SharedServer(search::Server::on_devices(devices, folder.native(), allow_insecure));
          },
          nb::arg("folder"), nb::arg("devices"), nb::arg("allow_insecure") = false, Unlocked())
      .def("plan", in_turn(&search::Server::plan), nb::arg("options"))
      .def("search", &run_search, nb::arg("query"), nb::arg("options"), nb::arg("progress").none())
      .def_prop_ro("report", in_turn(&search::Server::report));
}

}  // namespace

void bind_search(nb::module_& m) {
  bind_search_records(m);
  bind_keys(m);
  bind_files(m);
  bind_documents(m);
  bind_index(m);
  bind_server(m);
}
