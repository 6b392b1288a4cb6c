// SPDX-License-Identifier: Apache-2.0
// The contexts of a receiver of leveled files: n = 16, two data primes and a special one.
#pragma once

#include "io/leveled.h"
#include "mend.h"
#include "ringfort/ring.h"

namespace ringfort::fuzz {

inline ChainParameters small_chain() {
  ChainParameters chain;
  chain.n = 16;
  chain.insecure_reason = "a fuzz target";
  const auto found = primes(50, chain.n, 3);
  chain.data = {static_cast<u64>(found[0]), static_cast<u64>(found[1])};
  chain.special = {static_cast<u64>(found[2])};
  return chain;
}

struct Receiver {
  ckks::Context ckks{ckks::Parameters{small_chain(), 0x1p50, 0, 1, {}}, "ref"};
  bfv::Context bfv{bfv::Parameters{small_chain(), 97}, "ref"};
  bgv::Context bgv{bgv::Parameters{small_chain(), 97}, "ref"};
};

inline const Receiver& receiver() {
  static const Receiver held;
  return held;
}

// As it came; with its checksums made true; and with the receiver's digest and mark as well.
template <class Decode>
int leveled(const u8* data, std::size_t size, const io::Scope& scope, const Decode& decode) {
  constexpr std::size_t kFlagsAt = 12, kDigestAt = 16;
  (void)raw_and_mended(data, size, mend_leveled, decode);
  std::vector<u8> bytes(data, data + size);
  if (bytes.size() < io::kHeaderBytes) return 0;
  bytes[kFlagsAt] = static_cast<u8>(bytes[kFlagsAt] | io::kFlagInsecure);
  for (std::size_t i = 0; i < scope.digest().size(); ++i) bytes[kDigestAt + i] = scope.digest()[i];
  mend_frame(bytes);
  decode(std::span<const u8>(bytes));
  return 0;
}

}  // namespace ringfort::fuzz
