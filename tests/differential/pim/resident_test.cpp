// SPDX-License-Identifier: Apache-2.0
// Tests that residues stay on their DPUs (processors in memory banks; hw/pim/README.md). A chain of verbs moves no
// residues between the host and the DPUs. Base conversion moves only the residues that its definition requires. The
// tests use views of parts of buffers, two rings in one buffer, and two streams. They also check that the simulated
// time is the same in every run, and that ranks work in parallel.
#include "backend/pim/pim.h"
#include "differential/pim/cases.h"
#include "sdk/host/profile.h"

namespace ringfort::testing::resident_test {
namespace {

constexpr u32 kDegree = 256;

struct Resident : ::testing::Test {
  std::vector<u128> chain = short_primes(u64{1} << 30, kDegree, 4);
  std::vector<u32> words(u32 batch, u64 seed, u32 limbs = 4) const {
    std::vector<u32> all;
    for (u32 p = 0; p < batch; ++p) {
      for (u32 l = 0; l < limbs; ++l) {
        const auto limb_words = filled<u32>(Pattern::random, kDegree, chain[l], seed + 16 * p + l);
        all.insert(all.end(), limb_words.begin(), limb_words.end());
      }
    }
    return all;
  }
};

// Runs verbs that do not combine limbs. The operands are ciphertexts.
void chain_of_verbs(Backend& k, Stream s, const View& a, const View& b, const View& out) {
  const std::vector<u128> factors(out.limbs.count, 12345);
  ASSERT_EQ(run_one(k, s, verb::Ntt{a}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::Ntt{b}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::Add{a, a, b}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::Subtract{out, a, b}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::Multiply{b, a, out}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::MultiplyAdd{b, a, out}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::Negate{b, b}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::Automorphism{out, b, 5, Domain::evaluation}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::MultiplyScalar{out, out, factors}), Status::ok);
  ASSERT_EQ(run_one(k, s, verb::Intt{out}), Status::ok);
}

TEST_F(Resident, AChainOfVerbsMovesNoWords) {
  const TestDevice pim("pim");
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, words(2, 1), 4), b(pim, plan.get(), kDegree, words(2, 2), 4),
      out(pim, plan.get(), kDegree, 4, 2);
  const pim_host::Traffic before = pim_host::traffic_of(*pim);
  EXPECT_EQ(before.data_in, 2 * 2 * 4 * kDegree * sizeof(u32));
  chain_of_verbs(*pim, {}, a.view(), b.view(), out.view());
  EXPECT_EQ(pim_host::traffic_of(*pim).data(), before.data());
  EXPECT_EQ(pim_host::traffic_of(*pim).tables, 64 * 2 * kDegree * sizeof(u32));  // twiddles, once for each group
  (void)out.values();
  EXPECT_EQ(pim_host::traffic_of(*pim).data_out, 2 * 4 * kDegree * sizeof(u32));
}

TEST_F(Resident, BaseConversionMovesSourcesAndTargetsTwice) {
  const TestDevice pim("pim");
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, words(2, 1), 4);
  const View from = a.view().in({0, 3}), to = a.view().in({3, 1});
  const pim_host::Traffic before = pim_host::traffic_of(*pim);
  ASSERT_EQ(run_one(*pim, {}, verb::BaseConvert{to, from, Conversion::centred}), Status::ok);
  const pim_host::Traffic after = pim_host::traffic_of(*pim);
  // The host reads the 3 source limbs from their DPUs, and the target limb from the DPUs that computed it.
  EXPECT_EQ(after.data_out - before.data_out, 2 * (3 + 1) * kDegree * sizeof(u32));
  // The host sends slices of the source limbs to all DPUs, and the target limb to the DPUs of this limb.
  EXPECT_EQ(after.data_in - before.data_in, 2 * (3 + 1) * kDegree * sizeof(u32));
}

TEST_F(Resident, PartsOfABufferStayOnTheirDpus) {
  const TestDevice pim("pim"), ref("ref");
  std::vector<u32> results[2];
  for (const bool oracle : {false, true}) {
    const TestDevice& on = oracle ? ref : pim;
    const SharedPlan plan = prepare(on, Word::u32, kDegree, chain);
    const Batch<u32> a(on, plan.get(), kDegree, 4, 3);
    const std::vector<u32> source = words(3, 9);
    // uploads the polynomials one by one, and the limbs of a polynomial one by one, beginning with the last limb
    for (u32 p = 0; p < 3; ++p) {
      for (u32 l = 4; l-- > 0;) {
        const View limb_words = a.view().polynomial(p).in({l, 1});
        ASSERT_EQ(run_one(*on, {}, verb::Upload{limb_words, Domain::coefficient, source.data() + limb_words.offset}),
                  Status::ok);
      }
    }
    const View middle = a.view().polynomials(1, 2).in({1, 2});
    const u64 before = oracle ? 0 : pim_host::traffic_of(*on).data();
    ASSERT_EQ(run_one(*on, {}, verb::Negate{middle, middle}), Status::ok);
    EXPECT_EQ(oracle ? 0 : pim_host::traffic_of(*on).data(), before);
    results[oracle] = a.values();
  }
  EXPECT_EQ(results[0], results[1]);
}

// Memory was written with certain limbs and a certain degree. If a view has other limbs or another degree, the words
// move unchanged to the DPUs of the view.
TEST_F(Resident, MemoryThatChangesItsShapeKeepsItsWords) {
  const TestDevice pim("pim"), ref("ref");
  std::vector<u32> results[2];
  for (const bool oracle : {false, true}) {
    const TestDevice& on = oracle ? ref : pim;
    const SharedPlan plan = prepare(on, Word::u32, kDegree, chain), half = prepare(on, Word::u32, kDegree / 2, chain);
    std::vector<u32> small = words(2, 3);
    for (u32& word : small) word %= 65537;  // below every modulus
    const Batch<u32> a(on, plan.get(), kDegree, small, 4);
    View shifted = a.view(), other = a.view();
    shifted.offset = kDegree, shifted.limbs = {2, 2}, shifted.batch = 1;
    other.plan = half.get(), other.offset = 5 * kDegree, other.limbs = {1, 3}, other.batch = 1;
    ASSERT_EQ(run_one(*on, {}, verb::Negate{shifted, shifted}), Status::ok);
    ASSERT_EQ(run_one(*on, {}, verb::Add{other, other, other}), Status::ok);
    results[oracle] = a.values();
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_F(Resident, StreamsWorkOnRanksOfTheirOwnAndSeeEachOthersWords) {
  const TestDevice pim("pim:ranks=2"), ref("ref");
  std::vector<u32> results[2];
  for (const bool oracle : {false, true}) {
    const TestDevice& on = oracle ? ref : pim;
    const SharedPlan plan = prepare(on, Word::u32, kDegree, chain);
    const Batch<u32> a(on, plan.get(), kDegree, words(2, 1), 4), b(on, plan.get(), kDegree, 4, 2);
    // this verb copies `a` to the other rank
    ASSERT_EQ(run_one(*on, Stream{1, 1}, verb::Add{b.view(), a.view(), a.view()}), Status::ok);
    const u64 copied = oracle ? 0 : pim_host::traffic_of(*on).data();
    ASSERT_EQ(run_one(*on, Stream{1, 1}, verb::Multiply{b.view(), b.view(), a.view()}), Status::ok);
    EXPECT_EQ(oracle ? 0 : pim_host::traffic_of(*on).data(), copied);
    ASSERT_EQ(run_one(*on, {}, verb::Negate{a.view(), a.view()}), Status::ok);  // makes the copy of `a` invalid
    ASSERT_EQ(run_one(*on, Stream{1, 1}, verb::Subtract{b.view(), b.view(), a.view()}), Status::ok);
    results[oracle] = b.values();
  }
  EXPECT_EQ(results[0], results[1]);
}

double spent_us(const char* name, const std::vector<u32>& x, const std::vector<u32>& y,
                const std::vector<u128>& chain) {
  const TestDevice pim(name);
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, x, 4), b(pim, plan.get(), kDegree, y, 4),
      out(pim, plan.get(), kDegree, 4, 2);
  chain_of_verbs(*pim, {}, a.view(), b.view(), out.view());
  EXPECT_EQ(pim->synchronize({}), Status::ok);
  return pim->mark({}).us;
}

// A copy takes exactly the time that the profile states. This is the time of the profile's curve, plus 15 ns for each
// DPU to prepare the buffer.
TEST_F(Resident, CopiesTakeWhatTheProfileSays) {
  const auto profile = ringfort::pim::find_profile("mwaisela-4210R");
  ASSERT_TRUE(profile.has_value());
  const TestDevice pim("pim");
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, words(2, 1), 4);
  const auto spent = [&](auto copy) {
    EXPECT_EQ(pim->synchronize({}), Status::ok);
    const double before = pim->mark({}).us;
    EXPECT_EQ(copy(), Status::ok);
    EXPECT_EQ(pim->synchronize({}), Status::ok);
    return pim->mark({}).us - before;
  };
  std::vector<u32> data = words(2, 3);
  const double bytes = 2 * kDegree * sizeof(u32), named_ms = 4 * profile->prepare_ms(1);
  EXPECT_NEAR(spent([&] { return run_one(*pim, {}, verb::Upload{a.view(), Domain::coefficient, data.data()}); }),
              1e3 * (named_ms + profile->push_ms(ringfort::pim::Direction::to_dpu, bytes, 1)), 1e-6);
  EXPECT_NEAR(spent([&] { return run_one(*pim, {}, verb::Download{a.view(), Domain::coefficient, data.data()}); }),
              1e3 * (named_ms + profile->push_ms(ringfort::pim::Direction::from_dpu, bytes, 1)), 1e-6);
}

TEST_F(Resident, SimulatedTimeIsTheSameOnEveryRun) {
  const auto x = words(2, 1), y = words(2, 2);
  const double once = spent_us("pim", x, y, chain);
  EXPECT_EQ(once, spent_us("pim", x, y, chain));
  EXPECT_EQ(once, spent_us("pim:fidelity=full", x, y, chain));
  EXPECT_GT(once, 1000);
  EXPECT_NE(once, spent_us("pim:profile=prim-2021", x, y, chain));
}

// The tables and programs are already on the DPUs. One rank runs the work of the two streams in turn. Two ranks run it
// in parallel.
TEST_F(Resident, WorkOfTwoStreamsOverlapsOnTwoRanks) {
  const auto x = words(2, 1);
  double spent[2];
  for (const u32 ranks : {1u, 2u}) {
    const TestDevice pim(ranks == 1 ? "pim" : "pim:ranks=2");
    const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
    const Batch<u32> a(pim, plan.get(), kDegree, 4, 2), b(pim, plan.get(), kDegree, 4, 2);
    const auto round = [&] {
      double before = 0, after = 0;
      const Stream streams[] = {{0, 1}, {1, 1}};
      for (const Stream s : streams) before += pim->mark(s).us;
      for (const Stream s : streams) {
        EXPECT_EQ(run_one(*pim, s, verb::Upload{s.index == 0 ? a.view() : b.view(), Domain::coefficient, x.data()}),
                  Status::ok);
        EXPECT_EQ(run_one(*pim, s, verb::Ntt{s.index == 0 ? a.view() : b.view()}), Status::ok);
      }
      for (const Stream s : streams) EXPECT_EQ(pim->synchronize(s), Status::ok);
      for (const Stream s : streams) after += pim->mark(s).us;
      return after - before;
    };
    (void)round();
    spent[ranks - 1] = round();
  }
  EXPECT_LT(spent[1], 0.6 * spent[0]);
}

// The listener receives every launch and every transfer. Their simulated times are successive, and the sum of the times
// is the total.
TEST_F(Resident, LaunchesReportSimulatedTime) {
  struct Heard final : LaunchListener {
    mutable std::vector<Launch> all;
    void launched(const Launch& launch) const noexcept override { all.push_back(launch); }
  } heard;
  const TestDevice pim("pim");
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, 4, 2);
  std::vector<u32> data = words(2, 1);
  const Verb verbs[] = {verb::Upload{a.view(), Domain::coefficient, data.data()}, verb::Ntt{a.view()},
                        verb::Download{a.view(), Domain::evaluation, data.data()}};
  std::vector<Ticket> ends(3);
  pim->report_launches(&heard);
  ASSERT_EQ(pim->run({}, verbs, ends), Status::ok);
  pim->report_launches(nullptr);
  std::vector<std::string_view> names;
  double end = 0;
  for (const Launch& launch : heard.all) {
    names.push_back(launch.name);
    EXPECT_GE(launch.begin.us, end) << launch.name;
    EXPECT_GT(launch.end.us, launch.begin.us) << launch.name;
    end = launch.end.us;
  }
  // the second push sends the twiddles
  EXPECT_EQ(names, (std::vector<std::string_view>{"load", "push", "push", "load", "arguments", "ntt", "pull"}));
  EXPECT_EQ(ends[2].us, end);
  EXPECT_GT(ends[1].us, ends[0].us);
  EXPECT_EQ(ends[0].compute_us, 0);
  EXPECT_GT(ends[1].transform_us, 0);
  EXPECT_LT(ends[1].transform_us, ends[1].us - ends[0].us);
  EXPECT_EQ(ends[2].compute_us, ends[1].transform_us);
}

// There are two ranks. The second stream reads residues that the first stream computes. The first stream overwrites
// residues from which the second stream computes.
TEST_F(Resident, AStreamIsNotAheadOfTheLastWriterOfWhatItReads) {
  const TestDevice pim("pim:ranks=2");
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, words(2, 1), 4), b(pim, plan.get(), kDegree, 4, 2);
  for (int turn = 0; turn < 3; ++turn) ASSERT_EQ(run_one(*pim, {}, verb::Ntt{a.view()}), Status::ok);
  const double written = pim->mark({}).us;
  ASSERT_EQ(run_one(*pim, Stream{1, 1}, verb::Negate{b.view(), a.view()}), Status::ok);
  EXPECT_GT(pim->mark({1, 1}).us, written);
  ASSERT_EQ(run_one(*pim, {}, verb::Negate{b.view(), b.view()}), Status::ok);
  EXPECT_GT(pim->mark({}).us, pim->mark({1, 1}).us);
}

TEST_F(Resident, MemoryInUseIsThatOfBuffers) {
  const TestDevice pim("pim:ranks=2,dpus=60");
  EXPECT_EQ(pim->memory().limit, std::size_t{2 * 60} * (64u << 20));
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  const std::size_t bytes = 4 * kDegree * sizeof(u32);
  {
    const Batch<u32> a(pim, plan.get(), kDegree, 4, 1), b(pim, plan.get(), kDegree, 4, 1);
    EXPECT_EQ(pim->memory().used, 2 * bytes);
  }
  EXPECT_EQ(pim->memory().used, 0u);
  EXPECT_EQ(pim->memory().peak, 2 * bytes);
  const Roofs one = TestDevice("pim")->capabilities().roofs, two = pim->capabilities().roofs;
  EXPECT_NEAR(two.bytes_per_us / one.bytes_per_us, 120.0 / 64, 1e-9);
  EXPECT_GT(one.multiplications_per_us, 64);
}

TEST_F(Resident, ReleasedSecretsAreZeroed) {
  const TestDevice pim("pim");
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  DeviceBuffer* first = nullptr;
  ASSERT_EQ(pim->allocate(4 * kDegree * sizeof(u32), Contents::zeroed, Privacy::open, first), Status::ok);
  const std::vector<u32> secret = words(1, 5);
  ASSERT_EQ(run_one(*pim, {}, verb::Upload{{plan.get(), first, 0, {0, 4}, 1}, Domain::coefficient, secret.data()}),
            Status::ok);
  const double before = pim->mark({}).us;
  pim->release(first, true);
  EXPECT_GT(pim->mark({}).us, before);  // a launch writes the zeros, without a transfer
  EXPECT_EQ(pim_host::traffic_of(*pim).data(), secret.size() * sizeof(u32));
  const Batch<u32> next(pim, plan.get(), kDegree, 4, 1);
  EXPECT_EQ(next.values(), std::vector<u32>(4 * kDegree, 0));
}

}  // namespace
}  // namespace ringfort::testing::resident_test
