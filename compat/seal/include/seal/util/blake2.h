// SPDX-License-Identifier: Apache-2.0
// The hashes BLAKE2b [Saarinen15] and BLAKE2Xb [Aumasson16] under the names of SEAL's header, for programs that hash
// with them. Without BLAKE2s, the parallel variants, and parameter blocks. Functions return 0, or -1 if a pointer is
// null or a length is outside its range; then nothing was written. Programs find the names without a namespace.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seal {
namespace util {

enum blake2b_constant {
  BLAKE2B_BLOCKBYTES = 128,
  BLAKE2B_OUTBYTES = 64,
  BLAKE2B_KEYBYTES = 64,
  BLAKE2B_SALTBYTES = 16,
  BLAKE2B_PERSONALBYTES = 16
};

// The state of a hash whose input comes in parts. It may be copied.
struct blake2b_state {
  alignas(64) unsigned char memory[384] = {};
  std::size_t outlen = 0;  // 0: blake2b_init was not called, or blake2b_final was
};

// outlen: 1 .. 64; keylen: 1 .. 64. blake2b_final needs room for outlen bytes, and writes outlen bytes.
int blake2b_init(blake2b_state* S, std::size_t outlen);
int blake2b_init_key(blake2b_state* S, std::size_t outlen, const void* key, std::size_t keylen);
int blake2b_update(blake2b_state* S, const void* in, std::size_t inlen);
int blake2b_final(blake2b_state* S, void* out, std::size_t outlen);

// keylen: 0 .. 64. outlen: 1 .. 64 for blake2b, and 1 .. 2^32 - 2 for blake2xb, which is also called blake2.
int blake2b(void* out, std::size_t outlen, const void* in, std::size_t inlen, const void* key, std::size_t keylen);
int blake2xb(void* out, std::size_t outlen, const void* in, std::size_t inlen, const void* key, std::size_t keylen);
int blake2(void* out, std::size_t outlen, const void* in, std::size_t inlen, const void* key, std::size_t keylen);

}  // namespace util
}  // namespace seal

using seal::util::blake2;
using seal::util::blake2b;
using seal::util::BLAKE2B_BLOCKBYTES;
using seal::util::blake2b_constant;
using seal::util::blake2b_final;
using seal::util::blake2b_init;
using seal::util::blake2b_init_key;
using seal::util::BLAKE2B_KEYBYTES;
using seal::util::BLAKE2B_OUTBYTES;
using seal::util::BLAKE2B_PERSONALBYTES;
using seal::util::BLAKE2B_SALTBYTES;
using seal::util::blake2b_state;
using seal::util::blake2b_update;
using seal::util::blake2xb;
