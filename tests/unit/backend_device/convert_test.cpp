// SPDX-License-Identifier: Apache-2.0
// Tests base conversion with the largest possible sums. The kernel computes each residue modulo a target prime p as a
// weighted sum of residues modulo source primes q. The sum is largest if all residues are q - 1 and all weights are p -
// 1. Real weights are never all p - 1. Therefore the test passes its own constants to the kernel.
#include "backend/device/kernels/convert.h"

#include "math/word.h"
#include "unit/backend_device/emulated.h"

namespace ringfort::testing::convert_test {
namespace {

template <class W>
struct Conversion {
  u32 sources, limbs, polynomials, log_n, limbs_of_block;

  // Lets the kernel sum the product (q - 1)(p - 1) once for each of `sources` source limbs. Compares the results with
  // sources * (q - 1)(p - 1) mod p.
  void check(const char* rules, u32 bits) const {
    const u32 n = 1u << log_n;
    const std::vector<W> primes = largest_primes<W>(bits, 512, limbs + 1);
    const W q = primes[limbs];
    std::vector<device::Limb<W>> constants;
    std::vector<W> weights, expected;
    for (u32 j = 0; j < limbs; ++j) {
      const W p = primes[j];
      constants.push_back(device::limb_of(p, 9));
      weights.insert(weights.end(), device::weights_of_limb<W>(sources), static_cast<W>(p - 1));
      const W product = mul_mod<W>(static_cast<W>((q - 1) % p), static_cast<W>(p - 1), p);
      expected.push_back(mul_mod<W>(product, static_cast<W>(sources), p));
    }
    const std::vector<device::SourceLimb<W>> from(sources, {device::factor_of<W>(1, q), 0, q, 1});
    emu::Regions regions;
    DeviceWords<W> a(regions, std::vector<W>(std::size_t{polynomials} * sources * n, static_cast<W>(q - 1))),
        out(regions, std::size_t{polynomials} * limbs * n), of_weights(regions, weights);
    DeviceWords<device::Limb<W>> of_limbs(regions, constants);
    DeviceWords<device::SourceLimb<W>> of_sources(regions, from);
    const u32 tile_log = device::convert_tile_log<W>(sources, log_n);
    const device::ConvertShape shape{
        sources, limbs, 0, 0, polynomials, log_n, tile_log, limbs_of_block, device::weights_of_limb<W>(sources)};
    const device::ConvertArgs<W> args{{out.data(), u64{limbs} * n},
                                      {a.data(), u64{sources} * n},
                                      of_sources.data(),
                                      of_weights.data(),
                                      of_limbs.data(),
                                      shape,
                                      0,
                                      ~u64{0}};
    launch(regions, "base_convert_" + word_name<W>() + "_" + rules, device::convert_grid<W>(shape), args);
    const std::vector<W> words = out.words();
    for (std::size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(words[i], expected[i / n % limbs]) << rules << ", " << sources << " limbs, word " << i;
  }
};

TEST(DeviceConvert, SumsOfTheLargestProductsDoNotWrap) {
  for (const u32 sources : {1u, 3u, 4u, 15u, 16u, 17u, 31u, 32u, 128u}) {
    Conversion<u32>{sources, 5, 1, 6, 8}.check("lazy", 30);
    Conversion<u32>{sources, 5, 1, 6, 8}.check("strict", 31);
    Conversion<u64>{sources, 5, 1, 6, 8}.check("lazy", 62);
  }
}

TEST(DeviceConvert, BlocksMayShareTheLimbsOfTheResult) {
  for (const u32 limbs_of_block : {4u, 8u, 12u}) Conversion<u64>{3, 9, 2, 9, limbs_of_block}.check("lazy", 62);
  const device::ConvertShape few{8, 20, 0, 0, 1, 8, 8, 0}, many{8, 20, 0, 0, 600, 10, 8, 0};
  EXPECT_EQ(device::convert_limbs_of_block(few, 132), 4u);
  EXPECT_EQ(device::convert_limbs_of_block(few, 1), 8u);
  EXPECT_EQ(device::convert_limbs_of_block(many, 132), 20u);
}

}  // namespace
}  // namespace ringfort::testing::convert_test
