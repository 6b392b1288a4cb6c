// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels, and checks of results, which use plain remainders (kernel_cases.h).
#include "kernel_cases.h"

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

void require_equal(u64 found, u64 expected, const char* what, u32 index) {
  if (found != expected)
    throw std::runtime_error(std::string(what) + " at index " + std::to_string(index) + " is " + std::to_string(found) +
                             ", not " + std::to_string(expected));
}

// Calls body for some indices of a vector: the two ends, and indices between them. The distances grow with the index.
template <class Body>
void at_some_indices(u32 count, Body body) {
  for (u32 index = 0; index < count; index += 1 + index / 2) body(index);
  body(count - 1);
}

KernelCase elementwise_case(ElementwiseVerb verb, u32 q, u32 words) {
  KernelCase kernel_case{"elementwise", words, q, {words, words}, 8 * words, words, {}, {}};
  kernel_case.arguments =
      bytes_of(ElementwiseArguments{static_cast<u32>(verb), q, words, 0, 0, 4 * words, 0, 8 * words, 0, 0});
  return kernel_case;
}

KernelCase barrett_case(BarrettVerb verb, u32 words) {
  const u64 mu = static_cast<u64>((static_cast<unsigned __int128>(1) << 120) / kQ60);
  // All 32-bit words are below 2^27. Therefore the 64-bit words are smaller than the 60-bit prime.
  KernelCase kernel_case{"barrett", 2 * words, 1u << 27, {2 * words, 2 * words}, 16 * words, 2 * words, {}, {}};
  if (verb == kButterfly60)
    kernel_case.pushes = {4 * words, 2 * words}, kernel_case.out = 24 * words, kernel_case.pulled = 4 * words;
  const u32 w = 16 * words;
  kernel_case.arguments = bytes_of(BarrettArguments{kQ60, mu, 60, words, static_cast<u32>(verb), 0, 8 * words, w,
                                                    kernel_case.out, kernel_case.out + 8 * words});
  return kernel_case;
}

u64 pair(const Word& word, u32 index) { return word(2 * index) | u64{word(2 * index + 1)} << 32; }
u64 pair(const Result& words, u32 index) { return words[2 * index] | u64{words[2 * index + 1]} << 32; }

}  // namespace

KernelCase add_case(u32 q, u32 words) {
  KernelCase kernel_case = elementwise_case(kAdd, q, words);
  kernel_case.check = [=](const Word& word, const Result& result) {
    at_some_indices(words, [&](u32 i) { require_equal(result[i], (u64{word(i)} + word(words + i)) % q, "a sum", i); });
  };
  return kernel_case;
}

KernelCase multiply_case(u32 q, u32 words) {
  const bool narrow = q < 1u << 24 && q != kShortPrime;
  KernelCase kernel_case = elementwise_case(narrow ? kMultiply24 : kMultiply30, q, words);
  kernel_case.check = [=](const Word& word, const Result& result) {
    const u64 radix = u64{1} << (narrow ? 24 : 32);
    at_some_indices(words, [&](u32 i) {
      require_equal(product_mod(result[i], radix, q), product_mod(word(i), word(words + i), q), "a product", i);
    });
  };
  return kernel_case;
}

KernelCase add60_case(u32 words) {
  KernelCase kernel_case = barrett_case(kSum60, words);
  kernel_case.check = [=](const Word& word, const Result& result) {
    at_some_indices(words, [&](u32 i) {
      require_equal(pair(result, i), (pair(word, i) + pair(word, words + i)) % kQ60, "a 60-bit sum", i);
    });
  };
  return kernel_case;
}

KernelCase multiply60_case(u32 words) {
  KernelCase kernel_case = barrett_case(kProduct60, words);
  kernel_case.check = [=](const Word& word, const Result& result) {
    at_some_indices(words, [&](u32 i) {
      require_equal(pair(result, i), product_mod(pair(word, i), pair(word, words + i), kQ60), "a 60-bit product", i);
    });
  };
  return kernel_case;
}

KernelCase butterfly60_case(u32 words) {
  KernelCase kernel_case = barrett_case(kButterfly60, words);
  kernel_case.check = [=](const Word& word, const Result& result) {
    at_some_indices(words, [&](u32 i) {
      const u64 a = pair(word, i), product = product_mod(pair(word, words + i), pair(word, 2 * words + i), kQ60);
      require_equal(pair(result, i), (a + product) % kQ60, "a butterfly's sum", i);
      require_equal(pair(result, words + i), (a + kQ60 - product) % kQ60, "a butterfly's difference", i);
    });
  };
  return kernel_case;
}

KernelCase convolve_case(u32 words) {
  KernelCase kernel_case{"convolve", words, kShortPrime, {words, words}, 8 * words, words, {}, {}};
  kernel_case.arguments = bytes_of(ConvolveArguments{kShortPrime, words, 0, words, 0, 4 * words, 8 * words});
  kernel_case.check = [=](const Word& word, const Result& result) {
    at_some_indices(words, [&](u32 k) {
      u64 sum = 0;
      for (u32 i = 0; i < words; ++i) {
        const u64 product = product_mod(word(i), word(words + (k + words - i) % words), kShortPrime);
        sum += i <= k ? product : kShortPrime - product;
      }
      require_equal(result[k], sum % kShortPrime, "a convolution", k);
    });
  };
  return kernel_case;
}

}  // namespace ringfort::pim::bench
