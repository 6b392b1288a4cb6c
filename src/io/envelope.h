// SPDX-License-Identifier: Apache-2.0
// Layout of secrets in files: strength u32 | salt 16 | nonce 24 | body | tag 16. With a passphrase, XChaCha20-Poly1305
// seals the body under Argon2id(passphrase, salt) and authenticates the bytes before the envelope. Without a
// passphrase, strength, salt, nonce and tag are zero. A strength selects one of three costs, so that a hostile file
// cannot demand arbitrary memory.
#pragma once

#include <string_view>

#include "base/result.h"
#include "math/types.h"
#include "ringfort/progress.h"

namespace ringfort::io {

inline constexpr std::size_t kEnvelopeBytes = 4 + 16 + 24 + 16;  // without the body

struct Seal {
  std::span<const u8> before;   // bytes of the file before the envelope
  std::string_view passphrase;  // empty: none
  unsigned strength = 1;        // 0, 1, 2: 64 MiB, 256 MiB, 1 GiB
  // called ten times a second; after a stop Argon2 completes in the background and is wiped
  const Progress* progress = nullptr;
};

// Fills `envelope`, which must have body.size() + kEnvelopeBytes bytes, all zero. Errors: invalid_argument,
// out_of_memory, entropy_unavailable, stopped.
void seal_envelope(std::span<u8> envelope, std::span<const u8> body, const Seal& seal);
// Input of open_envelope, which fails with io_range, io_limit, passphrase, out_of_memory or stopped.
struct Lock {
  bool sealed = false;
  std::span<const u8> before;
  unsigned most_strength = 2;
  const Progress* progress = nullptr;  // see Seal::progress
};
[[nodiscard]] Result<Secret<u8>> open_envelope(std::span<const u8> envelope, const Lock& lock,
                                               std::string_view passphrase);

// Pack and unpack ternary coefficients, two bits each (value + 1). The caller of take_ternary must check for the value
// 2.
[[nodiscard]] constexpr std::size_t ternary_bytes(u32 n) noexcept { return (n + 3) / 4; }
void put_ternary(std::span<const i8> coefficients, std::span<u8> zeroed);
[[nodiscard]] Secret<i8> take_ternary(std::span<const u8> packed, u32 n);

}  // namespace ringfort::io
