// SPDX-License-Identifier: Apache-2.0
// ChaCha20 [RFC8439] in portable code, one block at a time. It is the simplest definition of the stream.
#include <cstring>

#include "math/chacha/kernels.h"

namespace ringfort::chacha {

namespace {

using std::uint32_t;

uint32_t rotate(uint32_t x, int count) { return x << count | x >> (32 - count); }

void quarter_round(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  a += b, d = rotate(d ^ a, 16);
  c += d, b = rotate(b ^ c, 12);
  a += b, d = rotate(d ^ a, 8);
  c += d, b = rotate(b ^ c, 7);
}

void blocks(const State& state, std::uint8_t* out, std::size_t count) {
  State x;
  uint32_t* w = x.words;
  for (std::size_t i = 0; i < count; ++i, out += 64) {
    const uint32_t counter = state.words[12] + static_cast<uint32_t>(i);
    std::memcpy(w, state.words, sizeof x.words);
    w[12] = counter;
    for (int round = 0; round < 10; ++round) {
      for (int k = 0; k < 4; ++k) quarter_round(w[k], w[4 + k], w[8 + k], w[12 + k]);
      for (int k = 0; k < 4; ++k) quarter_round(w[k], w[4 + (k + 1) % 4], w[8 + (k + 2) % 4], w[12 + (k + 3) % 4]);
    }
    for (int k = 0; k < 16; ++k) w[k] += k == 12 ? counter : state.words[k];
    std::memcpy(out, w, 64);  // little endian, as sampler.cpp asserts
  }
  forget(&x, sizeof x);
}

}  // namespace

const Kernels kGeneric = {.blocks = blocks};

}  // namespace ringfort::chacha
