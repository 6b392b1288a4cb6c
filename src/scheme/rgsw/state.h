// SPDX-License-Identifier: Apache-2.0
// What the public Ring-GSW objects hold. Row r of a ciphertext is the pair (c0, c1) at polynomials 2 r and 2 r + 1:
// rows 0 .. l-1 carry m * g_j in c0, rows l .. 2l-1 carry m * g_j in c1, g_j = 2^(shift + base_bits j).
#pragma once

#include <vector>

#include "ringfort/error.h"
#include "ringfort/rgsw.h"
#include "rlwe/zero.h"
#include "scheme/rgsw/noise.h"

namespace ringfort::rgsw {

struct Context::State {
  State(const Parameters& parameters, std::string_view device);
  Parameters p;
  std::array<u8, 32> digest;
  Ring ring;
  Gadget gadget;
  u32 rows;                          // 2 l
  std::vector<u64> gadget_values;    // l, residues
  double bound_factor;
};

using SharedContext = std::shared_ptr<const Context::State>;

struct Worker::State {
  State(const SharedContext& context, u32 stream);
  [[nodiscard]] Sampler sampler() noexcept { return {context->ring, stream, scratch}; }
  SharedContext context;
  Stream stream;
  SampleScratch scratch;
  Poly<Coeff> accumulator;           // 2
  Poly<Coeff> digits;                // 2 l
  Poly<Eval> product;                // 2
};

struct SecretKey::State {
  SharedContext context;
  RlweSecret secret;
  Secret<u64> negated_multiples;     // l x n residues: -g_j t
};

struct PublicKey::State {
  SharedContext context;
  RlwePublic key;
};

struct Bits::State {
  SharedContext context;
  u32 count = 0;
  u32 capacity = 0;
  Mode mode = Mode::secret_key;
  bool fresh = true;                 // an encryption, not the result of an operation
  PublicSeed seed;
  bool shared_errors = false;        // holds a product: its rows have an error in common
  double deviation = 0;              // bound on a row's error, as a standard deviation
  i64 low = 0, high = 1;             // the plaintext is an integer in [low, high]
  Poly<Eval> rows;

  [[nodiscard]] u32 bit_polynomials() const noexcept { return 2 * context->rows; }
  [[nodiscard]] Slice<Eval> bit(u32 index) const { return rows.part(std::size_t{index} * bit_polynomials(), bit_polynomials()); }
  [[nodiscard]] Slice<Eval> row(u32 index, u32 row) const noexcept {
    return rows.part(std::size_t{index} * bit_polynomials() + 2 * row, 2);
  }
  [[nodiscard]] Slice<Eval> filled() const { return rows.part(0, count * bit_polynomials()); }
  void describe_as(const State& other) noexcept;   // all but context, size and rows
  void resize(u32 bits);             // contents undefined; memory is kept when it is large enough
};

struct Total::State {
  SharedContext context;
  SearchPlan plan;
  Engine engine = Engine::row;
  u64 scale = 0;
  FirstRow first;
  u64 words = 0;
  bool torn = false;                 // begun and not finished: the device failed, nothing may be read any more
  Poly<Eval> sum;                    // row: 2 polynomials; literal: 4 l
  // Engine::row: words of one document wait here, not yet rotated to their coefficient.
  u32 document = 0;
  bool waiting = false;
  Poly<Eval> trivial;                // (scale, 0)
  Poly<Eval> plus, minus;            // evaluation-domain results of last factors
  Poly<Coeff> rest;                  // accumulators of last factors 1 - c
  bool minus_used = false;           // minus and rest hold something
};

// Throws parameters_mismatch when objects were made under different contexts' parameters or devices.
void require_same(const SharedContext& a, const SharedContext& b, std::string_view what);

// Throws device_lost when the total is torn.
void require_whole(const Total::State& total);

// Adds the waiting words of Engine::row to the sum.
void flush(Total::State& total, Worker::State& worker);
// plan and engine allow this word: counts it, or throws and changes nothing.
void admit(const Total::State& total, std::span<const EncryptedWord> words, std::span<const PatternBit> pattern, Engine engine, const Worker::State& worker);

}  // namespace ringfort::rgsw
