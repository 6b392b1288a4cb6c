// SPDX-License-Identifier: Apache-2.0
// Common code of the targets for files of CKKS, BFV and BGV. A Receiver has the contexts with which the files of
// tests/vectors/wire were made. Therefore these files are valid first inputs. The ring degree is 32. CKKS has data
// primes of 50, 40 and 40 bits, and one special prime. BFV and BGV have two data primes of 50 bits. BFV has one special
// prime, and BGV has two.
#pragma once

#include <algorithm>

#include "io/leveled.h"
#include "mend.h"
#include "ringfort/ring.h"

namespace ringfort::fuzz {

// Returns parameters with the largest primes of each length. If data primes and special primes have the same length,
// the data primes are the larger ones.
inline ChainParameters small_chain(const std::vector<u32>& data_bits, u32 special) {
  ChainParameters chain;
  chain.n = 32;
  chain.digit_limbs = special;
  chain.insecure_reason = "a fuzz target";
  std::vector<u64> taken;
  const auto next = [&](u32 bits) {
    for (const auto q : primes(bits, chain.n, taken.size() + 1)) {
      if (std::find(taken.begin(), taken.end(), static_cast<u64>(q)) == taken.end())
        return taken.emplace_back(static_cast<u64>(q));
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
  static const Receiver only;
  return only;
}

// Changes `bytes` to a file for the receiver's context `scope`: sets the digest of the parameters, the flag for
// insecure parameters, the length and the checksums. Does nothing if `bytes` is too short.
inline void adopt(std::span<u8> bytes, const io::Scope& scope) {
  constexpr std::size_t kFlagsAt = 12, kDigestAt = 16, kLengthAt = 48;
  if (bytes.size() < io::kHeaderBytes + io::kTrailerBytes) return;
  bytes[kFlagsAt] = static_cast<u8>(bytes[kFlagsAt] | io::kFlagInsecure);
  std::copy(scope.digest().begin(), scope.digest().end(), bytes.begin() + kDigestAt);
  io::store_u64(&bytes[kLengthAt], bytes.size() - io::kHeaderBytes - io::kTrailerBytes);
  mend_frame(bytes);
}

// Calls adopt() for the files inside an array, and then for the array. The input states the length of each inner file.
// A length that reaches beyond the end of the array is shortened. The last inner file ends at the end of the array.
inline void adopt_array(std::span<u8> bytes, const io::Scope& scope) {
  constexpr std::size_t kHead = 56;
  if (bytes.size() >= io::kHeaderBytes + kHead + io::kTrailerBytes) {
    const auto payload = bytes.subspan(io::kHeaderBytes, bytes.size() - io::kHeaderBytes - io::kTrailerBytes);
    io::ByteReader counts(payload);
    const u64 dimensions = counts.take_u32(), ciphertexts = counts.take_u32(),
              first = kHead + 8 * (dimensions + ciphertexts);
    auto rest = payload.subspan(std::min<std::size_t>(payload.size(), first));
    for (u64 i = 0; i < ciphertexts && !rest.empty(); ++i) {
      u8* length = &payload[kHead + 8 * (dimensions + i)];
      const std::size_t size = i + 1 == ciphertexts
                                   ? rest.size()
                                   : static_cast<std::size_t>(std::min<u64>(rest.size(), io::load_u64(length)));
      io::store_u64(length, size);
      adopt(rest.first(size), scope);
      rest = rest.subspan(size);
    }
  }
  adopt(bytes, scope);
}

// Decodes three versions of the input: the unchanged input, the input with corrected checksums, and the input after
// `make_ours` has changed it to a file for the receiver.
template <class Adopt, class Decode>
int leveled(const u8* data, std::size_t size, const io::Scope& scope, const Adopt& make_ours, const Decode& decode) {
  (void)raw_and_mended(data, size, mend_leveled, decode);
  std::vector<u8> bytes(data, data + size);
  make_ours(std::span<u8>(bytes), scope);
  decode(std::span<const u8>(bytes));
  return 0;
}

template <class Decode>
int leveled(const u8* data, std::size_t size, const io::Scope& scope, const Decode& decode) {
  return leveled(data, size, scope, adopt, decode);
}

// Checks that an accepted ciphertext encodes to the same length. Squares it if its size and its noise bound allow this.
template <class Context, class Ciphertext, class Evaluator>
void use(const Context& context, const Result<Ciphertext>& opened, const Evaluator& evaluator, std::size_t size) {
  if (!opened.ok()) return;
  if (io::encode_ciphertext(context, opened.value()).size() != size) __builtin_trap();
  try {
    if (2 * opened.value().size() - 1 <= kMostComponents) (void)evaluator.square(opened.value());
  } catch (const Error& refused) {
    if (refused.code() != Code::noise_bound_exceeded) __builtin_trap();
  }
}

}  // namespace ringfort::fuzz
