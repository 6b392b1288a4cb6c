// SPDX-License-Identifier: Apache-2.0
// What a plaintext in the evaluation domain holds: the plaintext of this library, and its words on demand. Threads may
// share an object.
#pragma once

#include <functional>
#include <variant>

#include "context_state.h"
#include "made_once.h"
#include "seal/plaintext.h"

namespace seal::detail {

using Words = DynArray<std::uint64_t>;

struct PlaintextObject {
  using Value = std::variant<std::monostate, rf::ckks::Plaintext, rf::bfv::Plaintext, rf::bgv::Plaintext>;
  // `make_words` returns word_count words [prime][coefficient], in evaluation order. It is called at most once. Without
  // it, the words are the residues of the CKKS plaintext `what`.
  PlaintextObject(std::shared_ptr<const ContextState> owner, Value what, std::size_t count,
                  std::function<Words()> make_words = {})
      : context(std::move(owner)),
        value(std::move(what)),
        word_count(count),
        make_words_(std::move(make_words)) {}
  const std::shared_ptr<const ContextState> context;  // context of `value`: the operation's, or one of equal parameters
  const Value value;
  const std::size_t word_count;
  bool is_zero = false;  // true: all encoded numbers are zero
  // Throws the classes of errors.h.
  [[nodiscard]] const Words& words() const;

 private:
  [[nodiscard]] Words make() const;
  std::function<Words()> make_words_;
  MadeOnce<Words> words_;
};

// Returns the coefficients of a plaintext modulo the plain modulus t as signed numbers in [-(t/2), t/2]: those of BFV
// and BGV, also after transform_to_ntt. std::invalid_argument: a coefficient is not below t, there are more than n, or
// the words of a transform belong to no such coefficients.
[[nodiscard]] std::vector<std::int64_t> signed_coefficients(const Plaintext& plain, const SEALContext& context);
// Sets `plain` from signed coefficients, without zeros at the end.
void set_coefficients(Plaintext& plain, std::span<const std::int64_t> coefficients, std::uint64_t plain_modulus);
// Turns coefficients into the transform modulo the primes of `parms_id` (transform_to_ntt of BFV and BGV).
void transform_plain(Plaintext& plain, const SEALContext& context, const parms_id_type& parms_id);
// Returns the residue of any number, in [0, modulus).
[[nodiscard]] std::uint64_t residue_of(std::int64_t number, std::uint64_t modulus);

}  // namespace seal::detail
