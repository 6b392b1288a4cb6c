// SPDX-License-Identifier: Apache-2.0
// The objects of Ringfort that ciphertexts and keys of this interface share, and the access to them. Objects are
// immutable. An object remembers its context, so that it can be saved without one, and so that a context with equal
// parameters can take it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "context_state.h"
#include "made_once.h"
#include "ringfort/files.h"
#include "ringfort/residues.h"
#include "seal/galoiskeys.h"
#include "seal/randomgen.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"

namespace seal::detail {

using SharedState = std::shared_ptr<const ContextState>;
using Words = DynArray<std::uint64_t>;
// Writes the words of a component, which are evaluations.
using KeyWords = std::function<void(std::size_t component, std::span<std::uint64_t> to)>;

// Returns the form of words: evaluations are SEAL's NTT form.
[[nodiscard]] constexpr rf::ResidueForm form_of(bool evaluations) {
  return evaluations ? rf::ResidueForm::evaluations : rf::ResidueForm::coefficients;
}

// The seed of the second polynomial of a pair, and the form of this polynomial.
struct Seed {
  UniformRandomGeneratorInfo info;
  bool is_ntt_form;
};

// An object without a value is data() of a public key, or of a part of a key for key switching. The object of the key
// gives its words.
struct CiphertextObject {
  using Value = std::variant<std::monostate, rf::ckks::Ciphertext, rf::bfv::Ciphertext, rf::bgv::Ciphertext>;

  CiphertextObject(SharedState of, Value&& held, std::optional<Seed>&& of_second = {})
      : context(std::move(of)),
        value(std::move(held)),
        seed(std::move(of_second)) {}
  CiphertextObject(SharedState of, KeyWords&& of_key) : context(std::move(of)), key_words(std::move(of_key)) {}
  // Returns the words as [component][prime][coefficient], or evaluations in place of coefficients. The first call of
  // each form computes them. Throws the classes of errors.h.
  [[nodiscard]] const Words& words(bool evaluations) const;
  // Writes the words of all components, or of one, and keeps no copy.
  void read_words(bool evaluations, std::span<std::uint64_t> to) const;
  void read_component(std::size_t index, bool evaluations, std::span<std::uint64_t> to) const;
  [[nodiscard]] std::size_t components() const noexcept;
  [[nodiscard]] std::size_t component_words() const;  // the number of words of one component
  [[nodiscard]] std::uint32_t level() const noexcept;
  [[nodiscard]] double scale() const noexcept;            // 1 in BFV and BGV
  [[nodiscard]] std::uint64_t correction_factor() const;  // 1 in CKKS and BFV

  SharedState context;
  Value value;
  std::optional<Seed> seed;  // only in an object to save
  KeyWords key_words;        // only without a value

 private:
  MadeOnce<Words> evaluations_, coefficients_;
};

struct SecretObject {
  SharedState context;
  rf::SecretKey key;
  std::weak_ptr<const PlaintextObject> shown = {};  // the object of data(): tells whether a program replaced it
};

struct PublicObject {
  SharedState context;
  rf::PublicKey key;
  std::optional<Seed> seed = {};  // only in an object to save
};

struct SwitchObject {
  SharedState context{};
  std::optional<rf::RelinearizationKey> relinearization;
  std::optional<rf::GaloisKeys> galois;
  std::vector<Seed> seeds{};  // one for each pair, in the order of the lists; or none
  // Joins sets of Galois keys. Throws the classes of errors.h.
  void set(std::vector<rf::GaloisKeys>&& sets);
};

// Throws std::invalid_argument if a program changed words of the key.
void require_unchanged(const std::vector<PublicKey>& key);

// Returns the words of all pairs of the key with this index in SEAL's lists.
[[nodiscard]] std::vector<std::uint64_t> words_of_key(const SwitchObject& object, std::size_t index);
// Writes those of one polynomial; polynomials 2 i and 2 i + 1 are pair i.
void read_polynomial(const SwitchObject& object, std::size_t index, std::size_t polynomial,
                     std::span<std::uint64_t> to);

// Reads and writes the private members of the public classes.
struct Access {
  [[nodiscard]] static const CiphertextObject* object(const Ciphertext& of) noexcept { return of.object_.get(); }
  [[nodiscard]] static const SecretObject* object(const SecretKey& of) noexcept { return of.object_.get(); }
  [[nodiscard]] static const PublicObject* object(const PublicKey& of) noexcept { return of.object_.get(); }
  [[nodiscard]] static const SwitchObject* object(const KSwitchKeys& of) noexcept { return of.object_.get(); }
  // Tells whether data() of the key has the words of the key.
  [[nodiscard]] static bool shows_its_words(const SecretKey& of);
  // Tells whether the object has the words, and not the program's copy.
  [[nodiscard]] static bool has_shared_words(const Ciphertext& of) noexcept { return of.object_ && !of.owns_words_; }
  // Tells whether the program changed the words, the number of components or primes, or the correction factor.
  [[nodiscard]] static bool is_changed(const Ciphertext& of);
  // Tells the same of all but the correction factor.
  [[nodiscard]] static bool has_changed_words(const Ciphertext& of);

  // Set all members.
  static void set(Ciphertext& to, const SEALContext& context, CiphertextObject::Value&& value, double scale,
                  bool is_ntt_form, std::optional<Seed>&& seed = {});
  static void set(SecretKey& to, const SEALContext& context, rf::SecretKey&& key);
  static void set(PublicKey& to, const SEALContext& context, rf::PublicKey&& key, std::optional<Seed>&& seed = {});
  static void set(KSwitchKeys& to, const SEALContext& context, SwitchObject&& object);
  // Sets the number of lists of keys.
  static void resize(KSwitchKeys& to, std::size_t lists) { to.keys_.resize(lists); }
  // Gives `of` the form in which its words are shown.
  static void set_form(Ciphertext& of, bool is_ntt_form);

 private:
  static Ciphertext part_of_key(const SEALContext& context, KeyWords&& words);
  static void set_object(Ciphertext& to, const SEALContext::ContextData& data,
                         std::shared_ptr<const CiphertextObject> object, double scale, bool is_ntt_form);
};

// Calls function(c) with the context of Ringfort, as with_ring() does, for an object whose SEALContext is not at hand.
template <class F>
auto with_ring_of(const ContextState& state, F&& function) {
  if (const auto* ckks = std::get_if<rf::ckks::Context>(&state.ring)) return function(*ckks);
  if (const auto* bfv = std::get_if<rf::bfv::Context>(&state.ring)) return function(*bfv);
  return function(std::get<rf::bgv::Context>(state.ring));
}

}  // namespace seal::detail
