// SPDX-License-Identifier: Apache-2.0
// The members of a saved ciphertext, which those of keys contain: its head, and an array of words. If the array has the
// words of one polynomial of two, the seed of the other one follows (expand_seed.h). Hostile bytes: lengths are
// compared with those of the parameters before memory is allocated.
#pragma once

#include <functional>

#include "bytes.h"
#include "expand_seed.h"
#include "files.h"

namespace seal::detail {

inline constexpr std::size_t kHeader = sizeof(Serialization::SEALHeader);

// Returns the size of a saved array.
[[nodiscard]] constexpr std::size_t array_size(std::size_t words) {
  return kHeader + sizeof(std::uint64_t) * (1 + words);
}

// The members of a ciphertext before its words.
struct CiphertextHead {
  parms_id_type id = parms_id_zero;
  bool is_ntt_form = false;
  std::uint64_t size = 0, degree = 0, primes = 0;
  double scale = 1;
  std::uint64_t factor = 1;

  [[nodiscard]] std::size_t polynomial() const { return util::mul_safe<std::size_t>(degree, primes); }
  [[nodiscard]] std::size_t words() const { return util::mul_safe<std::size_t>(size, polynomial()); }
};

// Before version 4, there is no correction factor.
[[nodiscard]] CiphertextHead read_head(std::istream& stream, const SEALVersion& version);
// Throws std::logic_error unless the numbers are those of parameters of the context.
void require_head(const CiphertextHead& head, const SEALContext& context);
// Appends the words of a ciphertext to `words`. Throws std::logic_error for another number of words than the head
// states.
void read_words(std::istream& stream, const CiphertextHead& head, const SEALContext& context,
                const SEALVersion& version, ReadWords& words);

// Returns the size of a ciphertext's members.
[[nodiscard]] std::size_t pair_size(const CiphertextHead& head, bool is_seeded);
// Returns the words of a component, which are valid until the next call.
using Components = std::function<std::span<const std::uint64_t>(std::size_t)>;
// Writes the members of a ciphertext. A seed takes the place of the second of two polynomials.
void write_ciphertext(std::ostream& stream, const CiphertextHead& head, const Components& components, const Seed* seed);

}  // namespace seal::detail
