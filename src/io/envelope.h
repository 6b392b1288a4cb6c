// SPDX-License-Identifier: Apache-2.0
// Layout of secrets in files: strength u32 | salt 16 | nonce 24 | body | tag 16. With a passphrase, XChaCha20-Poly1305
// seals the body. Its key is Argon2id(passphrase, salt). XChaCha20-Poly1305 also authenticates the bytes before the
// envelope. Without a passphrase, strength, salt, nonce and tag are zero. A strength selects one of three costs.
// Therefore a hostile file cannot demand arbitrary memory.
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
  // Called ten times a second. After a stop, Argon2 completes in the background and its memory is wiped.
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

// These functions pack and unpack ternary coefficients. A coefficient takes two bits, as value + 1. The caller of
// take_ternary() must check for the result 2.
[[nodiscard]] constexpr std::size_t ternary_bytes(u32 n) noexcept { return (n + 3) / 4; }
void put_ternary(std::span<const i8> coefficients, std::span<u8> zeroed);
[[nodiscard]] Secret<i8> take_ternary(std::span<const u8> packed, u32 n);

}  // namespace ringfort::io
