// SPDX-License-Identifier: Apache-2.0
// Throws for operands that a verb rejects (operands.h).
#include "rlwe/operands.h"

namespace ringfort {

namespace {

std::string of_level(const RlweCiphertext& ciphertext) { return "level " + std::to_string(ciphertext.level); }

[[noreturn]] void refuse_components(const RlweCiphertext& ciphertext, std::string_view what) {
  const bool is_product = ciphertext.components == 3;
  throw Error(Code::invalid_argument,
              std::string(what) + " was given a ciphertext of " + std::to_string(ciphertext.components) +
                  " components" + (is_product ? "" : ", and only s^2, in the third component, has a key"),
              is_product ? "relinearize it first"
                         : "relinearize each product before the next product; decryption takes any number");
}

}  // namespace

void require_filled(const RlweCiphertext& ciphertext, std::string_view what) {
  if (ciphertext.components != 0) return;
  throw Error(Code::invalid_argument, std::string(what) + " was given an empty ciphertext",
              "encrypt something first; a verb that failed leaves its output empty");
}

void require_pair(const RlweCiphertext& a, const RlweCiphertext& b, std::string_view what) {
  require_filled(a, what);
  require_filled(b, what);
  require_same(a.context, b.context, what);
  require_same_key(a.key_id, b.key_id, what);
  if (a.level == b.level) return;
  throw Error(Code::parameters_mismatch,
              std::string(what) + " was given ciphertexts of " + of_level(a) + " and " + of_level(b),
              "bring the higher one down with mod_switch, or use the automatic evaluator");
}

void require_two_components(const RlweCiphertext& ciphertext, std::string_view what) {
  require_filled(ciphertext, what);
  if (ciphertext.components != 2) refuse_components(ciphertext, what);
}

void require_product(const RlweCiphertext& a, const RlweCiphertext& b, std::string_view what) {
  require_pair(a, b, what);
  const u32 components = a.components + b.components - 1;
  if (components <= kMostComponents) return;
  throw Error(Code::invalid_argument,
              std::string(what) + " was given ciphertexts of " + std::to_string(a.components) + " and " +
                  std::to_string(b.components) + " components; their product would have " + std::to_string(components) +
                  ", and the most are " + std::to_string(kMostComponents),
              "relinearize each product before the next product");
}

void require_level(const RlweCiphertext& ciphertext, u32 needed, std::string_view what) {
  require_filled(ciphertext, what);
  if (ciphertext.level >= needed) return;
  throw Error(Code::depth_exhausted,
              std::string(what) + " needs " + std::to_string(needed) + " level" + (needed == 1 ? "" : "s") + ", " +
                  std::to_string(ciphertext.level) + " left",
              "use parameters with more data primes, or fewer products one after the other");
}

void require_lower(const RlweCiphertext& ciphertext, u32 level, std::string_view what) {
  if (level <= ciphertext.level) return;
  throw Error(Code::invalid_argument,
              std::string(what) + " was given a move from level " + std::to_string(ciphertext.level) + " up to " +
                  std::to_string(level),
              "levels only fall; choose 0 .. " + std::to_string(ciphertext.level));
}

void require_key(const RlweCiphertext& ciphertext, const RelinearizationKey& key, std::string_view what) {
  require_filled(ciphertext, what);
  if (ciphertext.components > 3) refuse_components(ciphertext, what);
  require_same(ciphertext.context, key.state()->context, what);
  require_same_key(ciphertext.key_id, key.state()->id, what);
}

void require_key(const RlweCiphertext& ciphertext, const GaloisKeys& keys, std::string_view what) {
  require_two_components(ciphertext, what);
  require_same(ciphertext.context, keys.state()->context, what);
  require_same_key(ciphertext.key_id, keys.state()->id, what);
}

void require_terms(std::size_t terms, std::string_view what) {
  if (terms == 0)
    throw Error(Code::invalid_argument, std::string(what) + " was given nothing", "give at least one operand");
}

void require_factors(std::size_t a, std::size_t b, std::string_view what) {
  require_terms(a, what);
  if (a == b) return;
  throw Error(Code::invalid_argument,
              std::string(what) + " was given " + std::to_string(a) + " and " + std::to_string(b) + " factors",
              "give as many on both sides");
}

}  // namespace ringfort
