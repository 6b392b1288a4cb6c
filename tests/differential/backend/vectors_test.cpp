// SPDX-License-Identifier: Apache-2.0
// Tests that transforms and products on every device, for every word width, equal those of the library HEXL
// (tests/vectors/ntt_hexl.json).
#include <gtest/gtest.h>
#include <sodium.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "differential/backend/device.h"
#include "math/prime.h"

namespace ringfort::testing::vectors_test {
namespace {

struct Case {
  u32 n = 0;
  u64 q = 0, psi = 0;
  std::string forward, product;  // sha256 of the outputs as little-endian 64-bit words
};

std::vector<Case> cases() {
  std::ifstream file(RINGFORT_VECTORS "/ntt_hexl.json");
  std::stringstream text;
  text << file.rdbuf();
  std::vector<Case> found;
  const std::regex field("\"(N|q|psi|forward_sha256|product_sha256)\": \"?([0-9a-f]+)");
  const std::string all = text.str();
  for (std::sregex_iterator it(all.begin(), all.end(), field), end; it != end; ++it) {
    const std::string key = (*it)[1], value = (*it)[2];
    if (key == "N") found.push_back({static_cast<u32>(std::stoul(value)), 0, 0, {}, {}});
    else if (key == "q") found.back().q = std::stoull(value);
    else if (key == "psi") found.back().psi = std::stoull(value);
    else if (key == "forward_sha256") found.back().forward = value;
    else found.back().product = value;
  }
  return found;
}

u64 splitmix64(u64 x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

template <class W>
std::vector<W> input(u64 first, const Case& c) {
  std::vector<W> values(c.n);
  for (u32 i = 0; i < c.n; ++i) values[i] = static_cast<W>(splitmix64(first + i) % c.q);
  return values;
}

template <class W>
std::string sha256(const std::vector<W>& values) {
  const std::vector<u64> wide(values.begin(), values.end());
  unsigned char digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(digest, reinterpret_cast<const unsigned char*>(wide.data()), wide.size() * 8);
  char text[2 * sizeof digest + 1];
  return sodium_bin2hex(text, sizeof text, digest, sizeof digest);
}

template <class W>
void meets(const TestDevice& device, const Case& c) {
  if (!device.takes(word_of<W>(), c.n, {c.q})) return;
  SCOPED_TRACE(device.name() + "/N=" + std::to_string(c.n) + "/q=" + std::to_string(c.q) +
               "/word=" + std::to_string(sizeof(W)));
  const SharedPlan plan = prepare(device, word_of<W>(), c.n, {c.q});
  const Batch<W> a(device, plan.get(), c.n, input<W>(0, c)), b(device, plan.get(), c.n, input<W>(u64{1} << 32, c));
  ASSERT_EQ(device.run({}, verb::Ntt{a.view()}), Status::ok);
  EXPECT_EQ(sha256(a.values()), c.forward);
  ASSERT_EQ(device.run({}, verb::Ntt{b.view()}), Status::ok);
  ASSERT_EQ(device.run({}, verb::Multiply{a.view(), a.view(), b.view()}), Status::ok);
  ASSERT_EQ(device.run({}, verb::Intt{a.view()}), Status::ok);
  EXPECT_EQ(sha256(a.values()), c.product);
}

class Vectors : public OverDevices {};

TEST(VectorsFile, HoldsAllCases) { EXPECT_EQ(cases().size(), 150u); }

TEST(VectorsFile, HasTheMinimalRoots) {
  for (const Case& c : cases())
    EXPECT_EQ(static_cast<u64>(minimal_root(c.q, c.n).value()), c.psi) << "q=" << c.q << "/N=" << c.n;
}

TEST_P(Vectors, TransformsAndProductsMatchTheOtherLibrary) {
  const TestDevice device(GetParam());
  const bool slow = GetParam() == "ref";
  const u32 largest = 8192;
  for (const Case& c : cases()) {
    if (device.in_few_cases() && c.n > largest) continue;
    meets<u64>(device, c);
    if (c.q >> 31 == 0) meets<u32>(device, c);
    if (c.n <= (slow ? 256u : 1024u)) meets<u128>(device, c);
  }
}

INSTANTIATE_TEST_SUITE_P(AllDevices, Vectors, ::testing::ValuesIn([] {
                           std::vector<std::string> names = devices_under_test();
                           names.emplace_back("ref");
                           return names;
                         }()));

}  // namespace
}  // namespace ringfort::testing::vectors_test
