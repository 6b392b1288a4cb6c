// SPDX-License-Identifier: Apache-2.0
// Compares transforms on the emulator with the definition in backend/ref, bit for bit. Short transforms need one
// launch. In long ones, each of two launches runs a part of the stages. The checks of the emulator are on for short
// transforms, and for some in two launches.
#include "backend/ref/arithmetic.h"
#include "unit/backend_device/emulated.h"

namespace ringfort::testing {
namespace {

using device::NttPart;
using Parts = std::vector<NttPart>;

// Returns fewer limbs for long transforms, because these are expensive.
u32 limbs_for(u32 n) { return n > 8192 ? 1 : 2; }
u32 polynomials_of(u32 n) { return n > 8192 ? 2 : 4; }

template <class W>
struct Case {
  const char* rules;
  u32 bits;  // length of the largest prime

  // Transforms a batch on the device.
  std::vector<W> transformed(bool forward, const Parts& parts, const std::vector<W>& primes,
                             const std::vector<W>& words, const emu::LaunchOptions& options = {},
                             std::vector<emu::Counters>* counters = nullptr) const {
    const u32 log_n = parts[0].log_n, n = 1u << log_n;
    std::vector<device::Limb<W>> limbs;
    std::vector<device::Factor<W>> table;
    for (const W q : primes) {
      const W psi = static_cast<W>(minimal_root(q, n).value());
      limbs.push_back(device::limb_of(q, log_n));
      const auto of_limb = forward ? device::forward_table(q, psi, parts) : device::inverse_table(q, psi, parts);
      table.insert(table.end(), of_limb.begin(), of_limb.end());
    }
    emu::Regions regions;
    DeviceWords<W> batch(regions, words);
    DeviceWords<device::Limb<W>> constants(regions, limbs);
    DeviceWords<device::Factor<W>> factors(regions, table);
    const u32 count = static_cast<u32>(primes.size()), polynomials = static_cast<u32>(words.size() / n / count);
    device::NttArgs<W, device::Keep<W>, device::Keep<W>> args{
        {batch.data(), u64{n} * count}, constants.data(), factors.data(), polynomials, {}, {}, {}};
    const std::string name = std::string(forward ? "ntt_" : "intt_") + word_name<W>() + "_" + rules;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      args.part = parts[forward ? i : parts.size() - 1 - i];
      const emu::Counters counted =
          launch(regions, name, device::ntt_grid(args.part, polynomials * count, sizeof(W)), args, options);
      if (counters != nullptr) counters->push_back(counted);
    }
    return batch.words();
  }

  void check(const Parts& parts, const emu::LaunchOptions& options = {}) const {
    const u32 n = 1u << parts[0].log_n;
    const u32 limbs = limbs_for(n), polynomials = polynomials_of(n);
    const std::vector<W> primes = largest_primes<W>(bits, n, limbs), words = patterns(polynomials, primes, n, n);
    std::vector<W> expected = words;
    for (u32 unit = 0; unit < polynomials * limbs; ++unit) {
      const W q = primes[unit % limbs], psi = static_cast<W>(minimal_root(q, n).value());
      ref::forward(expected.data() + std::size_t{unit} * n, n, ref::reversed_powers(psi, n, q), q);
    }
    SCOPED_TRACE(word_name<W>() + " " + rules + ", n = " + std::to_string(n) + ", parts " +
                 std::to_string(parts.size()));
    EXPECT_TRUE(transformed(true, parts, primes, words, options) == expected) << "forward";
    EXPECT_TRUE(transformed(false, parts, primes, expected, options) == words) << "inverse";
  }
};

const Case<u32> kLazy32{"lazy", 30}, kStrict32{"strict", 31};
const Case<u64> kLazy64{"lazy", 62};

template <class F>
void for_each_case(F f) {
  f(kLazy32);
  f(kStrict32);
  f(kLazy64);
}

TEST(DeviceNtt, EqualsTheDefinition_OneLaunch) {
  for (u32 log_n = 1; log_n <= device::kMostLogOfOnePart; ++log_n)
    for_each_case([&](const auto& of) { of.check(device::ntt_parts(log_n), {.checked = log_n <= 12, .order = 0}); });
}

TEST(DeviceNtt, EqualsTheDefinition_TwoLaunches) {
  for (u32 log_n = 14; log_n <= 17; ++log_n)
    for_each_case([&](const auto& of) { of.check(device::ntt_parts(log_n), {.checked = false, .order = 0}); });
}

TEST(DeviceNtt, TwoLaunchesHaveNoFault) {
  for_each_case([](const auto& of) {
    of.check({{8, 0, 4, 2}, {8, 4, 4, 1}});
    of.check({{9, 0, 3, 0}, {9, 3, 6, 2}});
    of.check({{10, 0, 5, 5}, {10, 5, 5, 0}});
    of.check({{12, 0, 6, 3}, {12, 6, 6, 6}});
  });
}

// If a result depended on the order of lanes or blocks, it would differ here.
TEST(DeviceNtt, AnyOrderOfLanesAndBlocksGivesTheSameWords) {
  for (const u64 seed : {1u, 2u, 3u}) {
    for_each_case([&](const auto& of) {
      of.check(device::ntt_parts(9), {.checked = true, .order = seed});
      of.check({{8, 0, 4, 2}, {8, 4, 4, 1}}, {.checked = true, .order = seed});
    });
  }
}

template <class W>
std::vector<emu::Counters> counters_of(const Case<W>& of, bool forward, u32 log_n) {
  const std::vector<W> primes = largest_primes<W>(of.bits, 1u << log_n, 1);
  std::vector<emu::Counters> counters;
  (void)of.transformed(forward, device::ntt_parts(log_n), primes, patterns<W>(1, primes, 1u << log_n, 1), {},
                       &counters);
  return counters;
}

// With the default parts, accesses to shared memory need the fewest possible wavefronts (one word of each bank at a
// time), and accesses to global memory the fewest possible sectors of 32 bytes.
TEST(DeviceNtt, HasNoBankConflictsAndUsesWholeSectors) {
  for (const u32 log_n : {10u, 11u, 12u, 13u, 14u, 15u, 17u}) {
    for_each_case([&](const auto& of) {
      for (const bool forward : {true, false}) {
        for (const emu::Counters& counters : counters_of(of, forward, log_n)) {
          SCOPED_TRACE(std::string(of.rules) + ", log n " + std::to_string(log_n) + (forward ? "" : ", inverse"));
          for (const emu::Access access :
               {emu::Access::load, emu::Access::store, emu::Access::shared_load, emu::Access::shared_store})
            EXPECT_EQ(counters.of(access).units, counters.of(access).least) << static_cast<int>(access);
        }
      }
    });
  }
}

// A butterfly needs three products of words. Butterflies in the last stage of the inverse transform have two factors.
TEST(DeviceNtt, NeedsThreeProductsPerButterfly) {
  const u64 butterflies = 12 * 2048;
  EXPECT_EQ(counters_of(kLazy64, true, 12)[0].multiplications, 3 * butterflies);
  EXPECT_EQ(counters_of(kLazy32, false, 12)[0].multiplications, 3 * (butterflies + 2048));
}

}  // namespace
}  // namespace ringfort::testing
