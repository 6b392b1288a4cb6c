// SPDX-License-Identifier: Apache-2.0
// Tests that the verbs that `pim` (simulated DPUs, hw/pim/README.md) fuses, that is, computes itself, equal their
// composition of simpler verbs on `ref`, bit for bit. These verbs are the division by dropped primes, and the key
// switch.
#include "differential/pim/cases.h"

namespace ringfort::testing::fused_test {
namespace {

constexpr u32 kDegree = 64;

// A device with a plan, buffers of random residues in words W, and views of ranges of limbs.
template <class W>
struct Bench {
  TestDevice device;
  std::vector<u128> chain;
  SharedPlan plan;
  std::vector<DeviceBuffer*> buffers;

  Bench(std::string_view name, const std::vector<u128>& moduli)
      : device(name),
        chain(moduli),
        plan(prepare(device, sizeof(W) == 4 ? Word::u32 : Word::u64, kDegree, moduli)) {}
  ~Bench() {
    for (DeviceBuffer* buffer : buffers) device->release(buffer, true);
  }
  View make(Limbs limbs, u32 batch, u64 seed) {
    buffers.push_back(nullptr);
    EXPECT_EQ(device->allocate(std::size_t{batch} * limbs.count * kDegree * sizeof(W), Contents::zeroed, Privacy::open,
                               buffers.back()),
              Status::ok);
    const View view{plan.get(), buffers.back(), 0, limbs, batch};
    std::vector<W> words;
    for (u32 p = 0; p < batch; ++p) {
      for (u32 l = limbs.first; l < limbs.end(); ++l) {
        const auto limb_words = filled<W>(Pattern::random, kDegree, chain[l], seed + 100 * p + l);
        words.insert(words.end(), limb_words.begin(), limb_words.end());
      }
    }
    EXPECT_EQ(run_one(*device, {}, verb::Upload{view, Domain::coefficient, words.data()}), Status::ok);
    return view;
  }
  std::vector<W> words(const View& view) const {
    std::vector<W> out(std::size_t{view.batch} * view.limbs.count * kDegree);
    EXPECT_EQ(run_one(*device, {}, verb::Download{view, Domain::coefficient, out.data()}), Status::ok);
    return out;
  }
};

template <class W>
std::vector<u128> mixed_chain() {
  if (sizeof(W) == 8) {
    std::vector<u128> chain = ntt_primes(61, kDegree, 6).value();
    for (const u128 q : ntt_primes(50, kDegree, 3).value()) chain.push_back(q);
    return chain;
  }
  std::vector<u128> chain = short_primes(u64{1} << 30, kDegree, 6);
  for (const u128 q : short_primes(u64{1} << 24, kDegree, 3)) chain.push_back(q);
  return chain;
}

struct Division {
  Limbs all, kept;
  u32 batch = 3;
  Domain domain = Domain::coefficient;
  u64 plain = 1;
  u32 galois = 0;  // automorphism of the sum; if it is 0, there is no addend
  [[nodiscard]] Limbs dropped() const {
    return {kept.first == all.first ? kept.end() : all.first, all.count - kept.count};
  }
};

template <class W>
std::vector<W> divided(std::string_view name, const Division& c) {
  Bench<W> on(name, mixed_chain<W>());
  const View a = on.make(c.all, c.batch, 1), out = on.make(c.kept, c.batch, 2),
             scratch = on.make(c.dropped(), c.batch, 3);
  verb::ModDown down{out, a, scratch, c.plain, c.domain};
  if (c.galois != 0) down.addend = on.make(c.kept, 1, 4), down.galois = c.galois;
  EXPECT_EQ(run_one(*on.device, {}, down), Status::ok) << name;
  return on.words(out);
}

// pairs: all limbs, and the limbs that are kept
constexpr Limbs kRuns[][2] = {{{0, 9}, {2, 7}}, {{0, 9}, {0, 7}}, {{1, 3}, {1, 2}}, {{6, 3}, {7, 2}}};

template <class W>
void expect_divided_as_ref(const Division& c) {
  SCOPED_TRACE("from " + std::to_string(c.all.first) + "+" + std::to_string(c.all.count) + " to " +
               std::to_string(c.kept.first) + " plain " + std::to_string(c.plain));
  const auto expected = divided<W>("ref", c);
  for (const char* name : {"pim", "pim:dpus=3"}) EXPECT_EQ(divided<W>(name, c), expected) << name;
}

template <class W>
void expect_all_divided_as_ref() {
  for (const auto& [all, kept] : kRuns) {
    for (const u64 plain : {u64{1}, u64{257}}) {
      for (const u32 batch : {1u, 3u, 16u}) {
        expect_divided_as_ref<W>({all, kept, batch, Domain::coefficient, plain});
        expect_divided_as_ref<W>({all, kept, batch, Domain::evaluation, plain});
        expect_divided_as_ref<W>({all, kept, batch, Domain::evaluation, plain, batch == 1 ? 1u : 5u});
      }
    }
  }
}

TEST(PimFused, ModDownIsWhatRefComposes) { expect_all_divided_as_ref<u32>(); }
TEST(PimFused, ModDownIsWhatRefComposes_64BitWords) { expect_all_divided_as_ref<u64>(); }

struct Switch {
  Limbs all, of;
  u32 digit, batch = 1;
};

template <class W>
std::vector<W> switched(std::string_view name, const Switch& c) {
  Bench<W> on(name, mixed_chain<W>());
  const u32 digits = (c.of.count + c.digit - 1) / c.digit;
  const View a = on.make(c.of, c.batch, 1), coefficients = on.make(c.of, c.batch, 2),
             key = on.make(c.all, 2 * digits, 4);
  const View scratch = on.make(c.all, digits * c.batch, 5), out = on.make(c.all, 2 * c.batch, 6);
  EXPECT_EQ(run_one(*on.device, {}, verb::Copy{coefficients, a}), Status::ok) << name;
  EXPECT_EQ(run_one(*on.device, {}, verb::Intt{coefficients}), Status::ok) << name;
  EXPECT_EQ(run_one(*on.device, {}, verb::KeySwitch{out, a, coefficients, scratch, key, c.digit}), Status::ok) << name;
  return on.words(out);
}

template <class W>
void expect_switched_as_ref() {
  for (const Switch& c : {Switch{{0, 9}, {2, 7}, 2},
                          {{0, 9}, {2, 7}, 7},
                          {{0, 4}, {1, 3}, 1},
                          {{5, 4}, {6, 3}, 2},
                          {{2, 1}, {2, 1}, 1},
                          {{0, 9}, {2, 7}, 2, 8},
                          {{0, 9}, {2, 7}, 3, 20}}) {
    SCOPED_TRACE("limbs " + std::to_string(c.of.first) + "+" + std::to_string(c.of.count) + " digits of " +
                 std::to_string(c.digit) + " batch " + std::to_string(c.batch));
    const auto expected = switched<W>("ref", c);
    for (const char* name : {"pim", "pim:dpus=4"}) EXPECT_EQ(switched<W>(name, c), expected) << name;
  }
}

TEST(PimFused, KeySwitchIsWhatRefComposes) { expect_switched_as_ref<u32>(); }
TEST(PimFused, KeySwitchIsWhatRefComposes_64BitWords) { expect_switched_as_ref<u64>(); }

// The first digit of 40 limbs needs scratch memory of exactly 28 polynomials. The last digit has 36 limbs, and needs 32
// bytes more. The test checks that the words after the scratch memory do not change.
TEST(PimFused, AShorterLastDigitOfAKeySwitchHasRoomEnough) {
  Bench<u32> on("pim", short_primes(u64{1} << 30, kDegree, 78));
  DeviceBuffer* hole = nullptr;
  ASSERT_EQ(on.device->allocate(std::size_t{28} * kDegree * sizeof(u32), Contents::zeroed, Privacy::open, hole),
            Status::ok);
  const View a = on.make({0, 76}, 1, 1), coefficients = on.make({0, 76}, 1, 2), key = on.make({0, 78}, 4, 4),
             scratch = on.make({0, 78}, 2, 5), out = on.make({0, 78}, 2, 6);
  const View at{on.plan.get(), hole, 0, {0, 1}, 28};
  ASSERT_EQ(run_one(*on.device, {}, verb::Upload{at, Domain::coefficient, std::vector<u32>(28 * kDegree).data()}),
            Status::ok);
  const View behind = on.make({0, 1}, 1, 7);
  const std::vector<u32> before = on.words(behind);
  on.device->release(hole, true);
  ASSERT_EQ(run_one(*on.device, {}, verb::KeySwitch{out, a, coefficients, scratch, key, 40}), Status::ok);
  EXPECT_EQ(on.words(behind), before);
}

}  // namespace
}  // namespace ringfort::testing::fused_test
