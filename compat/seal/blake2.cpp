// SPDX-License-Identifier: Apache-2.0
// The hashes of seal/util/blake2.h. libsodium computes BLAKE2b, and blake2xb.cpp computes BLAKE2Xb.
#include "seal/util/blake2.h"

#include <sodium.h>

#include "blake2xb.h"

namespace seal::util {

namespace {

using Bytes = const unsigned char*;

crypto_generichash_blake2b_state* state_of(blake2b_state* state) {
  static_assert(sizeof(crypto_generichash_blake2b_state) <= sizeof blake2b_state::memory, "the state fits");
  static_assert(alignof(crypto_generichash_blake2b_state) <= alignof(blake2b_state), "the state is aligned");
  return reinterpret_cast<crypto_generichash_blake2b_state*>(state->memory);
}

bool is_valid(const void* in, std::size_t inlen, const void* key, std::size_t keylen) {
  return (in != nullptr || inlen == 0) && (key != nullptr || keylen == 0) && keylen <= BLAKE2B_KEYBYTES;
}

bool is_hash_length(std::size_t outlen) { return outlen >= 1 && outlen <= BLAKE2B_OUTBYTES; }

int start(blake2b_state* state, std::size_t outlen, const void* key, std::size_t keylen) {
  if (state == nullptr || !is_hash_length(outlen)) return -1;
  state->outlen = outlen;
  return crypto_generichash_blake2b_init(state_of(state), static_cast<Bytes>(key), keylen, outlen);
}

}  // namespace

int blake2b_init(blake2b_state* S, std::size_t outlen) { return start(S, outlen, nullptr, 0); }

int blake2b_init_key(blake2b_state* S, std::size_t outlen, const void* key, std::size_t keylen) {
  return keylen == 0 || !is_valid(nullptr, 0, key, keylen) ? -1 : start(S, outlen, key, keylen);
}

int blake2b_update(blake2b_state* S, const void* in, std::size_t inlen) {
  if (S == nullptr || S->outlen == 0 || !is_valid(in, inlen, nullptr, 0)) return -1;
  return crypto_generichash_blake2b_update(state_of(S), static_cast<Bytes>(in), inlen);
}

int blake2b_final(blake2b_state* S, void* out, std::size_t outlen) {
  if (S == nullptr || out == nullptr || S->outlen == 0 || outlen < S->outlen) return -1;
  const int result = crypto_generichash_blake2b_final(state_of(S), static_cast<unsigned char*>(out), S->outlen);
  sodium_memzero(S, sizeof *S);
  return result;
}

int blake2b(void* out, std::size_t outlen, const void* in, std::size_t inlen, const void* key, std::size_t keylen) {
  if (out == nullptr || !is_hash_length(outlen) || !is_valid(in, inlen, key, keylen)) return -1;
  return crypto_generichash_blake2b(static_cast<unsigned char*>(out), outlen, static_cast<Bytes>(in), inlen,
                                    static_cast<Bytes>(key), keylen);
}

int blake2xb(void* out, std::size_t outlen, const void* in, std::size_t inlen, const void* key, std::size_t keylen) {
  if (out == nullptr || outlen == 0 || outlen >= UINT32_MAX || !is_valid(in, inlen, key, keylen)) return -1;
  detail::blake2xb({static_cast<std::uint8_t*>(out), outlen}, {static_cast<Bytes>(in), inlen},
                   {static_cast<Bytes>(key), keylen});
  return 0;
}

int blake2(void* out, std::size_t outlen, const void* in, std::size_t inlen, const void* key, std::size_t keylen) {
  return blake2xb(out, outlen, in, inlen, key, keylen);
}

}  // namespace seal::util
