// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels, and results by 128-bit remainders.
#include "pieces.h"

#include <bit>
#include <cstring>

#include "dv/reference.h"
#include "kernels/barrett.h"
#include "kernels/convolve.h"
#include "kernels/elementwise.h"
#include "sim/words.h"

namespace ringfort::pim::bench {
namespace {

using testing::power_mod;
using testing::product_mod;
using Word = std::function<u32(u32)>;
using Result = std::vector<u32>;

// check-magic: 1152921504606683137 == ntt_prime(60, 2**12, 2)
constexpr u64 kQ60 = 1152921504606683137;

template <class Arguments>
std::vector<u8> bytes_of(const Arguments& arguments) {
  std::vector<u8> bytes(sizeof arguments);
  std::memcpy(bytes.data(), &arguments, sizeof arguments);
  return bytes;
}

void require_equal(u64 found, u64 expected, const char* what, u32 place) {
  if (found != expected)
    throw std::runtime_error(std::string(what) + " at place " + std::to_string(place) + " is " + std::to_string(found) +
                             ", not " + std::to_string(expected));
}

// Some places of a vector: both ends and a walk between them.
template <class Body>
void at_some_places(u32 count, Body body) {
  for (u32 place = 0; place < count; place += 1 + place / 2) body(place);
  body(count - 1);
}

Piece elementwise_piece(ElementwiseVerb verb, u32 q, u32 words) {
  Piece piece{"elementwise", words, q, {words, words}, 8 * words, words, {}, {}};
  piece.arguments =
      bytes_of(ElementwiseArguments{static_cast<u32>(verb), q, words, 0, 0, 4 * words, 0, 8 * words, 0, 0});
  return piece;
}

Piece barrett_piece(BarrettVerb verb, u32 words) {
  const u64 mu = static_cast<u64>((static_cast<unsigned __int128>(1) << 120) / kQ60);
  // Upper halves below 2^27 keep words below the prime.
  Piece piece{"barrett", 2 * words, 1u << 27, {2 * words, 2 * words}, 16 * words, 2 * words, {}, {}};
  if (verb == kButterfly60) piece.pushes = {4 * words, 2 * words}, piece.out = 24 * words, piece.pulled = 4 * words;
  const u32 w = 16 * words;
  piece.arguments = bytes_of(
      BarrettArguments{kQ60, mu, 60, words, static_cast<u32>(verb), 0, 8 * words, w, piece.out, piece.out + 8 * words});
  return piece;
}

u64 pair(const Word& word, u32 index) { return word(2 * index) | u64{word(2 * index + 1)} << 32; }
u64 pair(const Result& words, u32 index) { return words[2 * index] | u64{words[2 * index + 1]} << 32; }

}  // namespace

Piece add_piece(u32 q, u32 words) {
  Piece piece = elementwise_piece(kAdd, q, words);
  piece.check = [=](const Word& word, const Result& result) {
    at_some_places(words, [&](u32 i) { require_equal(result[i], (u64{word(i)} + word(words + i)) % q, "a sum", i); });
  };
  return piece;
}

Piece multiply_piece(u32 q, u32 words) {
  const bool narrow = q < 1u << 24 && q != kShortPrime;
  Piece piece = elementwise_piece(narrow ? kMultiply24 : kMultiply30, q, words);
  piece.check = [=](const Word& word, const Result& result) {
    const u64 radix = u64{1} << (narrow ? 24 : 32);
    at_some_places(words, [&](u32 i) {
      require_equal(product_mod(result[i], radix, q), product_mod(word(i), word(words + i), q), "a product", i);
    });
  };
  return piece;
}

Piece add60_piece(u32 words) {
  Piece piece = barrett_piece(kSum60, words);
  piece.check = [=](const Word& word, const Result& result) {
    at_some_places(words, [&](u32 i) {
      require_equal(pair(result, i), (pair(word, i) + pair(word, words + i)) % kQ60, "a 60-bit sum", i);
    });
  };
  return piece;
}

Piece multiply60_piece(u32 words) {
  Piece piece = barrett_piece(kProduct60, words);
  piece.check = [=](const Word& word, const Result& result) {
    at_some_places(words, [&](u32 i) {
      require_equal(pair(result, i), product_mod(pair(word, i), pair(word, words + i), kQ60), "a 60-bit product", i);
    });
  };
  return piece;
}

Piece butterfly60_piece(u32 words) {
  Piece piece = barrett_piece(kButterfly60, words);
  piece.check = [=](const Word& word, const Result& result) {
    at_some_places(words, [&](u32 i) {
      const u64 a = pair(word, i), product = product_mod(pair(word, words + i), pair(word, 2 * words + i), kQ60);
      require_equal(pair(result, i), (a + product) % kQ60, "a butterfly's sum", i);
      require_equal(pair(result, words + i), (a + kQ60 - product) % kQ60, "a butterfly's difference", i);
    });
  };
  return piece;
}

Piece convolve_piece(u32 words) {
  Piece piece{"convolve", words, kShortPrime, {words, words}, 8 * words, words, {}, {}};
  piece.arguments = bytes_of(ConvolveArguments{kShortPrime, words, 0, words, 0, 4 * words, 8 * words});
  piece.check = [=](const Word& word, const Result& result) {
    at_some_places(words, [&](u32 k) {
      u64 sum = 0;
      for (u32 i = 0; i < words; ++i) {
        const u64 product = product_mod(word(i), word(words + (k + words - i) % words), kShortPrime);
        sum += i <= k ? product : kShortPrime - product;
      }
      require_equal(result[k], sum % kShortPrime, "a convolution", k);
    });
  };
  return piece;
}

}  // namespace ringfort::pim::bench
