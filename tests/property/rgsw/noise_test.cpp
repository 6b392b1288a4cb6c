// SPDX-License-Identifier: Apache-2.0
// Compares measured noise with the model and with the bound. The test also measures a combination that the library does
// not offer: public-key encryption with randomness from {0, 1}, and plain digits. In this combination, noise adds
// coherently: it grows with the number of terms, and not with its square root.
#include <gtest/gtest.h>

#include "support/noise_oracle.h"

namespace ringfort::rgsw {
namespace {

using testing::Client;

constexpr u32 kFactors = 4;
constexpr u64 kOnes = ~u64{0};
constexpr u32 kKeys = 8;
constexpr u32 kSamplesPerKey = 8;

struct Measured {
  double mean_square = 0;
  double largest = 0;
};

// Measures chains of kFactors - 1 products in which every factor is an encrypted 1. In such chains, all noise survives.
// Factors 1 - c with c = 0 would add less noise. With them, the digits that an approximate gadget drops would be
// multiplied by 0.
Measured measure(const testing::Case& c) {
  Measured m;
  for (u32 k = 0; k < kKeys; ++k) {
    Client client(c);
    const SearchPlan plan = plan_search(client.context.parameters(), client.mode, 1, 1, kFactors, 16);
    for (u32 s = 0; s < kSamplesPerKey; ++s) {
      MatchSum total(client.context, plan);
      const EncryptedBits bits = client.encrypt(testing::hash_bits(kOnes, kFactors));
      client.search.add_match(total, {&bits, 0, s}, testing::pattern(kOnes, kFactors));
      std::vector<u32> counts(client.context.parameters().n);
      counts[s] = 1;
      const auto errors = testing::noise_oracle(client, total, counts);
      m.mean_square += testing::mean_square(errors) / (kKeys * kSamplesPerKey);
      m.largest = std::max(m.largest, testing::largest(errors));
    }
  }
  return m;
}

class EveryPresetNoise : public ::testing::TestWithParam<testing::Case> {};

TEST_P(EveryPresetNoise, IsWithinHalfABitOfTheModelAndBelowTheBound) {
  testing::choose_seed(31);
  const Parameters p = preset(GetParam().preset, true);
  const Noise noise = noise_model(p, GetParam().mode);
  const double factor = static_cast<double>(first_row(p, count_scale(p, 16)).factor);
  const double model = (kFactors - 1) * (noise.product_gain * noise.fresh + noise.drop) + factor * factor * noise.fresh;
  const Measured m = measure(GetParam());
  const double bits = std::log2(m.mean_square) / 2, expected = std::log2(model) / 2;
  EXPECT_NEAR(bits, expected, 0.5) << GetParam() << ": log2 of the deviation";
  const SearchPlan plan = plan_search(p, GetParam().mode, 1, 1, kFactors, 16);
  EXPECT_LT(std::log2(m.largest), plan.noise_bits) << GetParam();
  EXPECT_LT(plan.noise_bits, plan.margin_bits) << GetParam();
  RecordProperty("measured", std::to_string(bits));
  std::printf(
      "[   noise  ] %-14s %s measured 2^%.2f model 2^%.2f (relative to q: 2^%.2f), largest 2^%.2f, bound 2^%.2f\n",
      GetParam().preset.c_str(), GetParam().mode == Mode::secret_key ? "sk" : "pk", bits, expected,
      bits - std::log2(static_cast<double>(p.q)), std::log2(m.largest), plan.noise_bits);
}

INSTANTIATE_TEST_SUITE_P(Presets, EveryPresetNoise, ::testing::ValuesIn(testing::all_cases()), testing::case_name);

// Returns a public-key ciphertext of the given bits. The randomness r is drawn from {lowest, ..., 1}. In the library,
// `lowest` is -1. In the combination whose noise adds coherently, it is 0.
EncryptedBits encrypt_with(Client& client, std::span<const u8> bits, int lowest, std::mt19937_64& random) {
  const Context::State& c = *client.context.state();
  const auto work = c.workspace();
  const Scratch<Coeff> small = work->allocate_secret<Coeff>(3, c.ring.limbs());
  EncryptedBits out = client.encrypt(std::vector<u8>(bits.size()));
  std::vector<i8> r(c.p.n), e0(c.p.n), e1(c.p.n);
  for (u32 i = 0; i < bits.size() * c.rows; ++i) {
    for (u32 k = 0; k < c.p.n; ++k) {
      r[k] = static_cast<i8>(lowest + static_cast<int>(random() % static_cast<u64>(2 - lowest)));
      const u64 word = random();
      e0[k] = static_cast<i8>(std::popcount(word & 0x1FFFFF) - std::popcount(word >> 21 & 0x1FFFFF));
      e1[k] = static_cast<i8>(std::popcount(random() & 0x1FFFFF) - std::popcount(random() & 0x1FFFFF));
    }
    const u32 row = i % c.rows;
    const u64 g = bits[i / c.rows] * c.gadget_values[row % c.p.digits];
    c.ring.upload_small(work->stream, small.polynomials(0, 1), {r}, work->staging);
    c.ring.upload_small(work->stream, small.polynomials(1, 1), {e0, nullptr, 0, row < c.p.digits ? g : 0},
                        work->staging);
    c.ring.upload_small(work->stream, small.polynomials(2, 1), {e1, nullptr, 0, row < c.p.digits ? 0 : g},
                        work->staging);
    const Slice<Eval> hats = c.ring.forward(work->stream, small.all());
    const Slice<Eval> to = out.state().row(i / c.rows, row);
    c.ring.multiply(work->stream, to, client.open->state()->key.polynomials.all(), hats.polynomials(0, 1));
    c.ring.add(work->stream, to, to, hats.polynomials(1, 2));
  }
  return out;
}

// Returns log2 of the largest error after a search of four matching words of 32 bits.
double largest_error(int lowest) {
  testing::choose_seed(41);
  std::mt19937_64 random(42);
  Client client({"paper-row", Mode::public_key});
  const SearchPlan plan = plan_search(client.context.parameters(), Mode::public_key, 4, 4, 32, 16);
  MatchSum total(client.context, plan);
  for (u32 word = 0; word < 4; ++word) {
    const EncryptedBits bits = encrypt_with(client, testing::hash_bits(0xFFFFFFFF, 32), lowest, random);
    client.search.add_match(total, {&bits, 0, word}, testing::pattern(0xFFFFFFFF, 32));
  }
  std::vector<u32> counts(client.context.parameters().n);
  std::fill(counts.begin(), counts.begin() + 4, 1);
  return std::log2(testing::largest(testing::noise_oracle(client, total, counts)));
}

TEST(NoiseTrap, BinaryRandomnessWithPlainDigitsAddsCoherently) {
  const double ternary = largest_error(-1), binary = largest_error(0);
  std::printf("[   noise  ] paper-row pk, 4 words of 32 bits: ternary randomness 2^%.2f, binary 2^%.2f\n", ternary,
              binary);
  const SearchPlan plan = plan_search(preset("paper-row", true), Mode::public_key, 4, 4, 32, 16);
  EXPECT_LT(ternary, plan.noise_bits);
  EXPECT_GT(binary, ternary + 4) << "binary randomness adds no larger noise: is the bad combination still built?";
  EXPECT_GT(binary, plan.noise_bits) << "counts are wrong although the bound holds for ternary randomness";
}

}  // namespace
}  // namespace ringfort::rgsw
