// SPDX-License-Identifier: Apache-2.0
// The receiver of leveled files has the contexts of the stored ones (tests/vectors/wire), so that these are seeds whose lengths fit:
// n = 32; CKKS with data primes of 50, 40, 40 bits and a special one, BFV and BGV with two of 50 and one or two.
#pragma once

#include <algorithm>

#include "io/leveled.h"
#include "mend.h"
#include "ringfort/ring.h"

namespace ringfort::fuzz {

// The first primes of each length, `data_bits` first.
inline ChainParameters small_chain(const std::vector<u32>& data_bits, u32 special) {
  ChainParameters chain;
  chain.n = 32;
  chain.digit_limbs = special;
  chain.insecure_reason = "a fuzz target";
  std::vector<u64> taken;
  const auto next = [&](u32 bits) {
    for (const auto q : primes(bits, chain.n, taken.size() + 1)) {
      if (std::find(taken.begin(), taken.end(), static_cast<u64>(q)) == taken.end()) return taken.emplace_back(static_cast<u64>(q));
    }
    return u64{0};
  };
  for (const u32 bits : data_bits) chain.data.push_back(next(bits));
  for (u32 i = 0; i < special; ++i) chain.special.push_back(next(50));
  return chain;
}

struct Receiver {
  ckks::Context ckks{ckks::Parameters{small_chain({50, 40, 40}, 1), 0x1p40, 0, 1, {}}, "ref"};
  bfv::Context bfv{bfv::Parameters{small_chain({50, 50}, 1), 257}, "ref"};
  bgv::Context bgv{bgv::Parameters{small_chain({50, 50}, 2), 257}, "ref"};
};

inline const Receiver& receiver() {
  static const Receiver held;
  return held;
}

// As it came; with its checksums made true; and with the receiver's digest and mark and the payload's length as well.
template <class Decode>
int leveled(const u8* data, std::size_t size, const io::Scope& scope, const Decode& decode) {
  constexpr std::size_t kFlagsAt = 12, kDigestAt = 16, kLengthAt = 48;
  (void)raw_and_mended(data, size, mend_leveled, decode);
  std::vector<u8> bytes(data, data + size);
  if (bytes.size() < io::kHeaderBytes + io::kTrailerBytes) return 0;
  bytes[kFlagsAt] = static_cast<u8>(bytes[kFlagsAt] | io::kFlagInsecure);
  for (std::size_t i = 0; i < scope.digest().size(); ++i) bytes[kDigestAt + i] = scope.digest()[i];
  for (std::size_t i = 0; i < 8; ++i) bytes[kLengthAt + i] = static_cast<u8>((bytes.size() - io::kHeaderBytes - io::kTrailerBytes) >> (8 * i));
  mend_frame(bytes);
  decode(std::span<const u8>(bytes));
  return 0;
}

// What is accepted is squared, as far as its bound allows, and written again in as many bytes.
template <class Context, class Ciphertext, class Evaluator>
void use(const Context& context, const Result<Ciphertext>& opened, const Evaluator& evaluator, std::size_t size) {
  if (!opened.ok()) return;
  if (io::encode_ciphertext(context, opened.value()).size() != size) __builtin_trap();
  try {
    if (opened.value().size() == 2) (void)evaluator.square(opened.value());
  } catch (const Error& refused) {
    if (refused.code() != Code::noise_bound_exceeded) __builtin_trap();
  }
}

}  // namespace ringfort::fuzz
