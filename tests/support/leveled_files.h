// SPDX-License-Identifier: Apache-2.0
// Makes one valid file of every file type of CKKS, BFV and BGV, under tiny parameters of each scheme. Also decodes such
// a file and uses the decoded object. Three kinds of tests share this code: tests with stored files, with hostile
// bytes, and with failing allocations. The types are .rfp (parameters), .rfc (ciphertext), .key (key), .rfl (release
// ledger, the count of decryptions for others), .rfy (encrypted array) and .rfo (container of named objects). In names,
// `seeded` means that a seed replaces c1, `wide` means three components, and `low` means level 0.
#pragma once

#include <functional>

#include "io/leveled.h"
#include "support/ckks.h"
#include "support/degree.h"
#include "support/integers.h"
#include "support/samples.h"

namespace ringfort::testing {

inline ckks::Parameters small_ckks() {
  ckks::testing::Shape shape;
  shape.n = small_degree(32);
  shape.levels = 2;
  return ckks::testing::parameters_of(shape);
}

template <class S>
typename S::Parameters small_integers(integers::testing::Shape shape) {
  shape.n = small_degree(32);
  shape.levels = 1;
  return integers::testing::parameters_of<S>(shape);
}

// The contexts of the samples on one device.
struct Receiver {
  explicit Receiver(std::string_view device)
      : ckks(small_ckks(), device),
        bfv(small_integers<ringfort::bfv::Scheme>(integers::testing::bfv_shape()), device),
        bgv(small_integers<ringfort::bgv::Scheme>(integers::testing::bgv_shape()), device) {}
  ringfort::ckks::Context ckks;
  ringfort::bfv::Context bfv;
  ringfort::bgv::Context bgv;
};

inline const Receiver& receiver() {
  static const Receiver only("ref");
  return only;
}

// Returns the path of a sample that a version of the format stored.
inline std::string stored_path(const std::string& version, const std::string& name) {
  return std::string(RINGFORT_VECTORS) + "/wire/" + version + "/leveled/" + name;
}

inline std::vector<u8> copied(io::ByteView bytes) { return {bytes.begin(), bytes.end()}; }

template <class Client, class Ciphertext>
void add_ciphertexts(std::vector<Sample>& samples, const std::string& scheme, const Client& client,
                     const Ciphertext& fresh) {
  samples.push_back({scheme + ".rfp", io::encode_parameters(client.context)});
  samples.push_back({scheme + "-seeded.rfc", io::encode_ciphertext(client.context, fresh)});
  samples.push_back({scheme + "-wide.rfc", io::encode_ciphertext(client.context, client.evaluator.square(fresh))});
}

template <class Client>
void add_keys(std::vector<Sample>& samples, const std::string& scheme, const Client& client) {
  samples.push_back(
      {scheme + "-secret.key", copied(io::encode_secret_key(client.context, client.generator.secret_key(), ""))});
  samples.push_back({scheme + "-public.key", io::encode_key(client.context, client.open)});
  samples.push_back({scheme + "-relinearization.key", io::encode_key(client.context, client.relinearization)});
  samples.push_back({scheme + "-galois.key", io::encode_key(client.context, client.galois)});
}

template <class S>
void add_integers(std::vector<Sample>& samples, const std::string& scheme, integers::testing::Shape shape) {
  const integers::testing::Client<S> client(small_integers<S>(shape), "ref", {1});
  const auto fresh = client.encrypt({1, -2, 3});
  add_ciphertexts(samples, scheme, client, fresh);
  add_keys(samples, scheme, client);
  const auto product = client.evaluator.relinearize(client.evaluator.square(fresh), client.relinearization);
  samples.push_back(
      {scheme + "-low.rfc", io::encode_ciphertext(client.context, client.evaluator.mod_switch(product, 0))});
}

// Returns the same bytes at every call, because the seeds are fixed.
inline std::vector<Sample> make_leveled_samples() {
  choose_seed(2027);
  std::vector<Sample> samples;
  const ckks::testing::Client client(small_ckks(), "ref", {1, -3});
  const auto fresh = client.encrypt({0.5, -0.25});
  add_ciphertexts(samples, "ckks", client, fresh);
  const ckks::Encryptor sender(client.context, client.open);
  samples.push_back(
      {"ckks-public.rfc",
       io::encode_ciphertext(client.context, sender.encrypt(client.encoder.encode(ckks::testing::Values{1})))});
  samples.push_back({"ckks-sealed.key", copied(io::encode_secret_key(client.context, client.generator.secret_key(),
                                                                     kSamplePassphrase, 0))});
  add_keys(samples, "ckks", client);
  samples.push_back(
      {"ckks.rfl", io::encode_ledger(client.context, {client.generator.secret_key().state()->id, 100, 7})});
  const std::vector<u8> one = io::encode_ciphertext(client.context, fresh),
                        other = io::encode_ciphertext(client.context, client.evaluator.add(fresh, fresh));
  samples.push_back(
      {"ckks-bounded.rfy", io::encode_array({{10}, 1, 10, 16, 2, {}, {one}, io::ArrayRecord::Domain{0.5, 8}})});
  samples.push_back(
      {"ckks.rfy", io::encode_array({{2, 10}, 2, 10, 16, 1, io::ArrayRecord::Interval{-5, 7}, {one, other}})});
  const std::vector<u8> key = io::encode_key(client.context, client.open), array = samples.back().bytes;
  samples.push_back({"named.rfo", copied(io::encode_container(std::vector<io::NamedObject>{
                                      {"key", key}, {"x", array}, {"\xC3\xA9t\xC3\xA9", one}}))});
  add_integers<bfv::Scheme>(samples, "bfv", integers::testing::bfv_shape());
  add_integers<bgv::Scheme>(samples, "bgv", integers::testing::bgv_shape());
  const std::vector<u8> parameters = samples.front().bytes, low = samples.back().bytes;
  samples.push_back({"moduli.rfo", copied(io::encode_container(std::vector<io::NamedObject>{
                                       {"@i", parameters}, {"@i.1", parameters}, {"x.1", low}}))});
  return samples;
}

// Uses an accepted ciphertext: encodes it again. If its size and its noise bound allow it, also squares it.
template <class Evaluator, class Context, class Ciphertext>
std::optional<Failure> use_ciphertext(const Context& context, Result<Ciphertext> opened, std::span<const u8> bytes) {
  if (!opened.ok()) return opened.failure();
  const Ciphertext& c = opened.value();
  try {
    if (2 * c.size() - 1 <= kMostComponents) (void)Evaluator(context).square(c);
  } catch (const Error& refused) {
    if (refused.code() == Code::out_of_memory) return Failure{Code::out_of_memory, refused.what(), ""};
    if (refused.code() != Code::noise_bound_exceeded) return Failure{Code::internal, refused.what(), ""};
  }
  const auto again = io::encode_ciphertext(context, c);
  if (again.size() != bytes.size())
    return Failure{Code::internal, "an accepted ciphertext has another length when written again", ""};
  return std::nullopt;
}

inline std::optional<Failure> use_array(std::span<const u8> bytes) {
  const auto opened = io::open_array(bytes);
  if (!opened.ok()) return opened.failure();
  for (const auto ciphertext : opened.value().ciphertexts) {
    if (const auto refused = failure_of(io::open_ciphertext(receiver().ckks, ciphertext, true))) return refused;
  }
  const auto again = io::encode_array(opened.value());
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()))
    return Failure{Code::internal, "an accepted array is encoded differently", ""};
  return std::nullopt;
}

inline std::optional<Failure> use_container(std::span<const u8> bytes) {
  const auto opened = io::open_container(bytes);
  if (!opened.ok()) return opened.failure();
  const auto again = io::encode_container(opened.value());
  if (!std::equal(again.view().begin(), again.view().end(), bytes.begin(), bytes.end()))
    return Failure{Code::internal, "an accepted container is encoded differently", ""};
  return std::nullopt;
}

inline std::optional<Failure> use_ledger(const io::Scope& scope, std::span<const u8> bytes) {
  const auto opened = io::open_ledger(scope, bytes);
  if (!opened.ok()) return opened.failure();
  const auto again = io::encode_ledger(scope, opened.value());
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()))
    return Failure{Code::internal, "an accepted ledger is encoded differently", ""};
  return std::nullopt;
}

inline io::Scope scope_of(const std::string& name) {
  const Receiver& on = receiver();
  if (name.starts_with("bfv")) return on.bfv;
  if (name.starts_with("bgv")) return on.bgv;
  return on.ckks;
}

// Decodes `bytes` as the file type that the sample's name states.
inline std::optional<Failure> decode_leveled(const std::string& name, std::span<const u8> bytes) {
  const Receiver& on = receiver();
  if (name.ends_with(".rfp")) return failure_of(io::open_parameters(bytes, true));
  if (name.ends_with(".rfl")) return use_ledger(on.ckks, bytes);
  if (name.ends_with("secret.key")) return failure_of(io::open_secret_key(scope_of(name), bytes, ""));
  if (name.ends_with("sealed.key")) return failure_of(io::open_secret_key(scope_of(name), bytes, kSamplePassphrase));
  if (name.ends_with("public.key")) return failure_of(io::open_public_key(scope_of(name), bytes));
  if (name.ends_with("relinearization.key")) return failure_of(io::open_relinearization_key(scope_of(name), bytes));
  if (name.ends_with("galois.key")) return failure_of(io::open_galois_keys(scope_of(name), bytes));
  if (name.ends_with(".rfy")) return use_array(bytes);
  if (name.ends_with(".rfo")) return use_container(bytes);
  if (name.starts_with("bfv"))
    return use_ciphertext<ringfort::bfv::Evaluator>(on.bfv, io::open_ciphertext(on.bfv, bytes, true), bytes);
  if (name.starts_with("bgv"))
    return use_ciphertext<ringfort::bgv::Evaluator>(on.bgv, io::open_ciphertext(on.bgv, bytes, true), bytes);
  return use_ciphertext<ringfort::ckks::Evaluator>(on.ckks, io::open_ciphertext(on.ckks, bytes, true), bytes);
}

}  // namespace ringfort::testing
