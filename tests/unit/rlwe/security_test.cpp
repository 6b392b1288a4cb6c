// SPDX-License-Identifier: Apache-2.0
// Tests every cell of the security tables of 2018 and 2024, whose sources rlwe/security_tables.csv names. A cell limits
// the length of the modulus in bits, for a degree n and a level of security. A modulus at the limit must be accepted,
// and one bit more must be refused. The test has its own copy of the published tables, and does not read the library's
// file.
#include <gtest/gtest.h>

#include "rlwe/security.h"

namespace ringfort {
namespace {

struct Row {
  u32 n;
  u32 limits[3];  // for 128, 192 and 256 bits of security; 0: the table has no limit, and check_sample refuses
};

constexpr Row k2018Classical[] = {{1024, {27, 19, 14}},    {2048, {54, 37, 29}},     {4096, {109, 75, 58}},
                                  {8192, {218, 152, 118}}, {16384, {438, 305, 237}}, {32768, {881, 611, 476}}};
constexpr Row k2018Quantum[] = {{1024, {25, 17, 13}},    {2048, {51, 35, 27}},     {4096, {101, 70, 54}},
                                {8192, {202, 141, 109}}, {16384, {411, 284, 220}}, {32768, {827, 571, 443}}};
constexpr Row k2024Classical[] = {{1024, {26, 0, 0}},         {2048, {53, 36, 27}},        {4096, {106, 73, 56}},
                                  {8192, {214, 147, 114}},    {16384, {430, 297, 230}},    {32768, {868, 597, 462}},
                                  {65536, {1747, 1199, 929}}, {131072, {3523, 2411, 1866}}};
// For n = 8192, the script of 2024 has 203, and the table of 2018 has 202. The smaller number is the limit.
constexpr Row k2024Quantum[] = {{1024, {25, 0, 0}},         {2048, {50, 34, 26}},        {4096, {101, 69, 53}},
                                {8192, {202, 140, 108}},    {16384, {409, 283, 219}},    {32768, {825, 570, 442}},
                                {65536, {1663, 1145, 888}}, {131072, {3348, 2301, 1784}}};

constexpr Row k2024Gaussian[] = {{1024, {28, 0, 0}},         {2048, {55, 38, 30}},        {4096, {108, 75, 58}},
                                 {8192, {216, 149, 116}},    {16384, {432, 299, 232}},    {32768, {870, 599, 464}},
                                 {65536, {1749, 1201, 931}}, {131072, {3525, 2413, 1868}}};

int check_cells(std::span<const Row> rows, Standard standard, Attack attack, SecretKind secret = SecretKind::ternary) {
  int cells = 0;
  for (const Row& row : rows) {
    for (u32 i = 0; i < 3; ++i) {
      const SecurityLevel level{standard, attack, 128 + 64 * i};
      const auto accepted = [&](double log2_modulus) {
        return check_sample({row.n, log2_modulus, secret, 3.24}, level).ok();
      };
      if (row.limits[i] == 0) {
        EXPECT_FALSE(accepted(10));
        continue;
      }
      EXPECT_TRUE(accepted(row.limits[i])) << "n=" << row.n << " bits=" << level.bits;
      EXPECT_FALSE(accepted(row.limits[i] + 1)) << "n=" << row.n << " bits=" << level.bits;
      ++cells;
    }
  }
  return cells;
}

TEST(SecurityTables, ARefusalNamesTheOlderTableIfItAllowsTheModulus) {
  const auto fix = [](double log2_modulus, Standard standard) {
    return check_sample({4096, log2_modulus, SecretKind::ternary, 3.24}, {standard, Attack::classical, 128})
        .failure()
        .fix;
  };
  const std::string ours = "use a modulus of at most 106 bits, or a larger n";
  const std::string both = ours + "; the table of 2018 (SEAL's) allows 109 bits: security.standard = 2018";
  EXPECT_EQ(fix(108, Standard::of_2024), both);
  EXPECT_EQ(fix(109, Standard::of_2024), both);
  EXPECT_EQ(fix(110, Standard::of_2024), ours);
  EXPECT_EQ(fix(110, Standard::of_2018), "use a modulus of at most 109 bits, or a larger n");
}

TEST(SecurityTables, EveryCellOf2018IsALimit) {
  EXPECT_EQ(check_cells(k2018Classical, Standard::of_2018, Attack::classical) +
                check_cells(k2018Quantum, Standard::of_2018, Attack::quantum),
            36);
}

TEST(SecurityTables, EveryCellOf2024IsALimit) {
  EXPECT_EQ(check_cells(k2024Classical, Standard::of_2024, Attack::classical) +
                check_cells(k2024Quantum, Standard::of_2024, Attack::quantum),
            44);
}

TEST(SecurityTables, EveryCellOfGaussianSecretsIsALimit) {
  EXPECT_EQ(check_cells(k2024Gaussian, Standard::of_2024, Attack::classical, SecretKind::gaussian), 22);
}

TEST(SecurityTables, NothingIsInterpolated) {
  for (const u32 n : {0u, 512u, 1000u, 1536u, 262144u})
    EXPECT_FALSE(check_sample({n, 10, SecretKind::ternary, 3.24}).ok()) << n;
  EXPECT_FALSE(check_sample({2048, 20, SecretKind::ternary, 3.24}, {Standard::of_2024, Attack::classical, 100}).ok());
  EXPECT_FALSE(check_sample({2048, 20, SecretKind::gaussian, 3.24}, {Standard::of_2018, Attack::classical, 128}).ok());
}

TEST(SecurityTables, RefusesSmallErrorsAndSaysWhatIsAllowed) {
  EXPECT_FALSE(check_sample({2048, 50, SecretKind::ternary, 3.18}).ok());
  EXPECT_FALSE(check_sample({2048, 50, SecretKind::ternary, 0.0 / 0.0}).ok());
  const auto refused = check_sample({2048, 53.5, SecretKind::ternary, 3.24});
  EXPECT_EQ(refused.failure().code, Code::insecure_parameters);
  EXPECT_NE(refused.failure().fix.find("53 bits"), std::string::npos) << refused.failure().fix;
}

}  // namespace
}  // namespace ringfort
