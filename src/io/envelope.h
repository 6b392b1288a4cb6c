// SPDX-License-Identifier: Apache-2.0
// Layout of secrets in files: strength u32 | salt 16 | nonce 24 | body | tag 16 (a number without a type is a length in
// bytes). With a passphrase, XChaCha20-Poly1305 encrypts the body, and authenticates it together with the bytes of the
// file before the envelope. The key of this cipher is Argon2id(passphrase, salt), a hash that takes much memory, so
// that guessing is slow. Without a passphrase, strength, salt, nonce and tag are zero. The strength selects one of
// three costs of Argon2id. Therefore a hostile file cannot demand arbitrary memory.
#pragma once

#include <string_view>

#include "base/result.h"
#include "math/types.h"
#include "ringfort/progress.h"

namespace ringfort::io {

inline constexpr std::size_t kEnvelopeBytes = 4 + 16 + 24 + 16;  // length without the body

struct Seal {
  std::span<const u8> before;   // bytes of the file before the envelope
  std::string_view passphrase;  // empty means no passphrase
  unsigned strength = 1;        // 0, 1 and 2 mean 64 MiB, 256 MiB and 1 GiB
  // This function is called ten times a second. If it returns false, the sealing or opening stops. Argon2id then
  // completes in the background, and its memory is wiped.
  const Progress* progress = nullptr;
};

// Fills `envelope`, which must have body.size() + kEnvelopeBytes bytes. All these bytes must be zero. Errors:
// invalid_argument, out_of_memory, entropy_unavailable, stopped.
void seal_envelope(std::span<u8> envelope, std::span<const u8> body, const Seal& seal);
// The input of open_envelope(). That function fails with io_range, io_limit, passphrase, out_of_memory or stopped.
struct Lock {
  bool sealed = false;
  std::span<const u8> before;
  unsigned most_strength = 2;
  const Progress* progress = nullptr;  // see Seal::progress
};
[[nodiscard]] Result<Secret<u8>> open_envelope(std::span<const u8> envelope, const Lock& lock,
                                               std::string_view passphrase);

// These functions pack and unpack ternary coefficients: -1, 0 and 1. A coefficient takes two bits, as value + 1. The
// bits of a hostile file may give the value 2. The caller of take_ternary() must check for it.
[[nodiscard]] constexpr std::size_t ternary_bytes(u32 n) noexcept { return (n + 3) / 4; }
void put_ternary(std::span<const i8> coefficients, std::span<u8> zeroed);
[[nodiscard]] Secret<i8> take_ternary(std::span<const u8> packed, u32 n);

}  // namespace ringfort::io
