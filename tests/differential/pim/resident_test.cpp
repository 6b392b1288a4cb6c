// SPDX-License-Identifier: Apache-2.0
// Words stay where they are: a chain of verbs moves none between host and DPUs; base conversion moves what its definition must.
// Buffers are used in parts, by two rings and by two streams; simulated time is the same on every run, and ranks overlap.
#include "backend/pim/pim.h"
#include "differential/pim/cases.h"
#include "runtime/profiler.h"
#include "sdk/host/profile.h"

namespace ringfort::testing {
namespace {

constexpr u32 kDegree = 256;

struct Resident : ::testing::Test {
  std::vector<u128> chain = short_primes(u64{1} << 30, kDegree, 4);
  std::vector<u32> words(u32 batch, u64 seed, u32 limbs = 4) const {
    std::vector<u32> all;
    for (u32 p = 0; p < batch; ++p) {
      for (u32 l = 0; l < limbs; ++l) {
        const auto tower = filled<u32>(Pattern::random, kDegree, chain[l], seed + 16 * p + l);
        all.insert(all.end(), tower.begin(), tower.end());
      }
    }
    return all;
  }
};

// Sums, products, transforms, automorphisms, digits of matrices: all of a ciphertext's work but what crosses limbs.
void chain_of_verbs(Backend& k, Stream s, const View& a, const View& b, const View& out) {
  ASSERT_EQ(k.ntt(s, a), Status::ok);
  ASSERT_EQ(k.ntt(s, b), Status::ok);
  ASSERT_EQ(k.add(s, a, a, b), Status::ok);
  ASSERT_EQ(k.sub(s, out, a, b), Status::ok);
  ASSERT_EQ(k.multiply(s, b, a, out), Status::ok);
  ASSERT_EQ(k.multiply_add(s, b, a, out), Status::ok);
  ASSERT_EQ(k.negate(s, b, b), Status::ok);
  ASSERT_EQ(k.automorphism(s, out, b, 5, Domain::evaluation), Status::ok);
  ASSERT_EQ(k.multiply_scalar(s, out, out, std::vector<u128>(out.limbs, 12345)), Status::ok);
  ASSERT_EQ(k.intt(s, out), Status::ok);
}

TEST_F(Resident, AChainOfVerbsMovesNoWords) {
  const Device pim("pim");
  const Prepared plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, words(2, 1), 4), b(pim, plan.get(), kDegree, words(2, 2), 4), out(pim, plan.get(), kDegree, 4, 2);
  const pim_host::Traffic before = pim_host::traffic_of(*pim);
  EXPECT_EQ(before.data_in, 2 * 2 * 4 * kDegree * sizeof(u32));
  chain_of_verbs(*pim, {}, a.view(), b.view(), out.view());
  EXPECT_EQ(pim_host::traffic_of(*pim).data(), before.data());
  EXPECT_EQ(pim_host::traffic_of(*pim).tables, 4 * 2 * kDegree * sizeof(u32));      // twiddles, once
  (void)out.values();
  EXPECT_EQ(pim_host::traffic_of(*pim).data_out, 2 * 4 * kDegree * sizeof(u32));
}

TEST_F(Resident, BaseConversionMovesSourcesAndTargetsTwice) {
  const Device pim("pim");
  const Prepared plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, words(2, 1), 4);
  View from = a.view(), to = a.view();
  from.pitch = to.pitch = 4, from.limbs = 3, to.limbs = 1, to.first_limb = 3, to.offset = 3 * kDegree;
  const pim_host::Traffic before = pim_host::traffic_of(*pim);
  ASSERT_EQ(pim->base_convert({}, to, from, Conversion::centred), Status::ok);
  const pim_host::Traffic after = pim_host::traffic_of(*pim);
  EXPECT_EQ(after.data_out - before.data_out, 2 * (3 + 1) * kDegree * sizeof(u32));  // to the host from where they were and were made
  EXPECT_EQ(after.data_in - before.data_in, 2 * (3 + 1) * kDegree * sizeof(u32));    // in slices, and to where they belong
}

TEST_F(Resident, PartsOfABufferKeepTheirPlaces) {
  const Device pim("pim"), ref("ref");
  std::vector<u32> results[2];
  for (const bool oracle : {false, true}) {
    const Device& on = oracle ? ref : pim;
    const Prepared plan = prepare(on, Word::u32, kDegree, chain);
    const Batch<u32> a(on, plan.get(), kDegree, 4, 3);
    const std::vector<u32> source = words(3, 9);
    for (u32 p = 0; p < 3; ++p) {                                   // polynomial by polynomial, limb by limb, the last first
      for (u32 l = 4; l-- > 0;) {
        View tower = a.view();
        tower.offset = (std::size_t{p} * 4 + l) * kDegree, tower.first_limb = l, tower.limbs = tower.batch = 1, tower.pitch = 4;
        ASSERT_EQ(on->upload({}, tower, Domain::coefficient, source.data() + tower.offset), Status::ok);
      }
    }
    View middle = a.view();
    middle.offset = 4 * kDegree + kDegree, middle.first_limb = 1, middle.limbs = 2, middle.batch = 2, middle.pitch = 4;
    const u64 before = oracle ? 0 : pim_host::traffic_of(*on).data();
    ASSERT_EQ(on->negate({}, middle, middle), Status::ok);
    EXPECT_EQ(oracle ? 0 : pim_host::traffic_of(*on).data(), before);
    results[oracle] = a.values();
  }
  EXPECT_EQ(results[0], results[1]);
}

// The same memory for other limbs, and for polynomials of another degree: the words are copied, and right.
TEST_F(Resident, MemoryThatChangesItsShapeKeepsItsWords) {
  const Device pim("pim"), ref("ref");
  std::vector<u32> results[2];
  for (const bool oracle : {false, true}) {
    const Device& on = oracle ? ref : pim;
    const Prepared plan = prepare(on, Word::u32, kDegree, chain), half = prepare(on, Word::u32, kDegree / 2, chain);
    std::vector<u32> small = words(2, 3);
    for (u32& word : small) word %= 65537;                          // below every modulus
    const Batch<u32> a(on, plan.get(), kDegree, small, 4);
    View shifted = a.view(), other = a.view();
    shifted.offset = kDegree, shifted.first_limb = 2, shifted.limbs = 2, shifted.batch = 1;
    other.plan = half.get(), other.offset = 5 * kDegree, other.first_limb = 1, other.limbs = 3, other.batch = 1;
    ASSERT_EQ(on->negate({}, shifted, shifted), Status::ok);
    ASSERT_EQ(on->add({}, other, other, other), Status::ok);
    results[oracle] = a.values();
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_F(Resident, StreamsWorkOnRanksOfTheirOwnAndSeeEachOthersWords) {
  const Device pim("pim:ranks=2"), ref("ref");
  std::vector<u32> results[2];
  for (const bool oracle : {false, true}) {
    const Device& on = oracle ? ref : pim;
    const Prepared plan = prepare(on, Word::u32, kDegree, chain);
    const Batch<u32> a(on, plan.get(), kDegree, words(2, 1), 4), b(on, plan.get(), kDegree, 4, 2);
    ASSERT_EQ(on->add({1, 1}, b.view(), a.view(), a.view()), Status::ok);     // a is copied to the other rank
    const u64 copied = oracle ? 0 : pim_host::traffic_of(*on).data();
    ASSERT_EQ(on->multiply({1, 1}, b.view(), b.view(), a.view()), Status::ok);
    EXPECT_EQ(oracle ? 0 : pim_host::traffic_of(*on).data(), copied);
    ASSERT_EQ(on->negate({}, a.view(), a.view()), Status::ok);                // the copy is out of date
    ASSERT_EQ(on->sub({1, 1}, b.view(), b.view(), a.view()), Status::ok);
    results[oracle] = b.values();
  }
  EXPECT_EQ(results[0], results[1]);
}

double spent_us(const char* name, const std::vector<u32>& x, const std::vector<u32>& y, const std::vector<u128>& chain) {
  const Device pim(name);
  const Prepared plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, x, 4), b(pim, plan.get(), kDegree, y, 4), out(pim, plan.get(), kDegree, 4, 2);
  chain_of_verbs(*pim, {}, a.view(), b.view(), out.view());
  EXPECT_EQ(pim->synchronize({}), Status::ok);
  return pim->model_clock({}).us;
}

// To the microsecond's last digit: the profile's curve, and 15 ns a DPU for naming its buffer.
TEST_F(Resident, CopiesTakeWhatTheProfileSays) {
  const auto profile = ringfort::pim::find_profile("mwaisela-4210R");
  ASSERT_TRUE(profile.has_value());
  const Device pim("pim");
  const Prepared plan = prepare(pim, Word::u32, kDegree, chain);
  const Batch<u32> a(pim, plan.get(), kDegree, words(2, 1), 4);
  const auto spent = [&](auto copy) {
    EXPECT_EQ(pim->synchronize({}), Status::ok);
    const double before = pim->model_clock({}).us;
    EXPECT_EQ(copy(), Status::ok);
    EXPECT_EQ(pim->synchronize({}), Status::ok);
    return pim->model_clock({}).us - before;
  };
  std::vector<u32> data = words(2, 3);
  const double bytes = 2 * kDegree * sizeof(u32), named_ms = 4 * profile->prepare_ms(1);
  EXPECT_NEAR(spent([&] { return pim->upload({}, a.view(), Domain::coefficient, data.data()); }), 1e3 * (named_ms + profile->push_ms(ringfort::pim::Direction::to_dpu, bytes, 1)), 1e-6);
  EXPECT_NEAR(spent([&] { return pim->download({}, a.view(), Domain::coefficient, data.data()); }), 1e3 * (named_ms + profile->push_ms(ringfort::pim::Direction::from_dpu, bytes, 1)), 1e-6);
}

TEST_F(Resident, SimulatedTimeIsTheSameOnEveryRun) {
  const auto x = words(2, 1), y = words(2, 2);
  const double once = spent_us("pim", x, y, chain);
  EXPECT_EQ(once, spent_us("pim", x, y, chain));
  EXPECT_EQ(once, spent_us("pim:fidelity=full", x, y, chain));
  EXPECT_GT(once, 1000);
  EXPECT_NE(once, spent_us("pim:profile=prim-2021", x, y, chain));
}

// With tables and programs in place. One rank takes the streams' work in turn, two take it side by side.
TEST_F(Resident, WorkOfTwoStreamsOverlapsOnTwoRanks) {
  const auto x = words(2, 1);
  double spent[2];
  for (const u32 ranks : {1u, 2u}) {
    const Device pim(ranks == 1 ? "pim" : "pim:ranks=2");
    const Prepared plan = prepare(pim, Word::u32, kDegree, chain);
    const Batch<u32> a(pim, plan.get(), kDegree, 4, 2), b(pim, plan.get(), kDegree, 4, 2);
    const auto round = [&] {
      double before = 0, after = 0;
      const Stream streams[] = {{0, 1}, {1, 1}};
      for (const Stream s : streams) before += pim->model_clock(s).us;
      for (const Stream s : streams) {
        EXPECT_EQ(pim->upload(s, s.index == 0 ? a.view() : b.view(), Domain::coefficient, x.data()), Status::ok);
        EXPECT_EQ(pim->ntt(s, s.index == 0 ? a.view() : b.view()), Status::ok);
      }
      for (const Stream s : streams) EXPECT_EQ(pim->synchronize(s), Status::ok);
      for (const Stream s : streams) after += pim->model_clock(s).us;
      return after - before;
    };
    (void)round();
    spent[ranks - 1] = round();
  }
  EXPECT_LT(spent[1], 0.6 * spent[0]);
}

// What a profiler hears: uploads and downloads apart from the rest, simulated microseconds that add up to the clock's.
TEST_F(Resident, EventsTellSimulatedTime) {
  auto backend = open_backend("pim");
  auto profiler = std::make_shared<Profiler>();
  Observed observed(backend);
  observed.report_to(profiler);
  Prepared plan;
  ASSERT_EQ(observed.prepare({kDegree, Word::u32, chain}, plan), Status::ok);
  BufferHandle* buffer = nullptr;
  ASSERT_EQ(observed.allocate(2 * 4 * kDegree * sizeof(u32), Contents::open, buffer), Status::ok);
  const View view{plan.get(), buffer, 0, 0, 4, 2, 0};
  std::vector<u32> data = words(2, 1);
  ASSERT_EQ(observed.upload({}, view, Domain::coefficient, data.data()), Status::ok);
  ASSERT_EQ(observed.ntt({}, view), Status::ok);
  ASSERT_EQ(observed.download({}, view, Domain::evaluation, data.data()), Status::ok);
  double all = 0;
  const auto events = profiler->events();
  ASSERT_EQ(events.size(), 3u);
  for (const VerbEvent& event : events) {
    EXPECT_TRUE(event.simulated) << event.verb;
    EXPECT_GT(event.end_us, event.start_us) << event.verb;
    all += event.end_us - event.start_us;
  }
  EXPECT_EQ(events[0].verb, "upload");
  EXPECT_EQ(events[2].verb, "download");
  EXPECT_NEAR(all, backend->model_clock({}).us, 1e-6 * all);
  observed.release(buffer, false);
}

TEST_F(Resident, ReleasedSecretsAreZeroed) {
  const Device pim("pim");
  const Prepared plan = prepare(pim, Word::u32, kDegree, chain);
  BufferHandle* first = nullptr;
  ASSERT_EQ(pim->allocate(4 * kDegree * sizeof(u32), Contents::open, first), Status::ok);
  const std::vector<u32> secret = words(1, 5);
  ASSERT_EQ(pim->upload({}, {plan.get(), first, 0, 0, 4, 1, 0}, Domain::coefficient, secret.data()), Status::ok);
  const double before = pim->model_clock({}).us;
  pim->release(first, true);
  EXPECT_GT(pim->model_clock({}).us, before);                       // a launch that writes zeros, no transfer
  EXPECT_EQ(pim_host::traffic_of(*pim).data(), secret.size() * sizeof(u32));
  const Batch<u32> next(pim, plan.get(), kDegree, 4, 1);
  EXPECT_EQ(next.values(), std::vector<u32>(4 * kDegree, 0));
}

}  // namespace
}  // namespace ringfort::testing
