// SPDX-License-Identifier: Apache-2.0
// Tests the placement of batches on DPUs (processors in memory banks; hw/pim/README.md). Eight ciphertexts need as many
// launches as one. Residues stay on their DPUs. A copy into a batch moves ciphertexts to the DPUs of the batch. Views
// may be of any parts of buffers, in any order and on any streams. For all of them, the results must equal those of
// `ref`.
#include "backend/pim/pim.h"
#include "differential/pim/cases.h"

namespace ringfort::testing::placement_test {
namespace {

constexpr u32 kDegree = 64;

struct Heard final : LaunchListener {
  mutable std::vector<std::string_view> names;
  void launched(const Launch& launch) const noexcept override { names.push_back(launch.name); }
};

// A device with buffers. It releases the buffers at its end.
struct Bench {
  TestDevice device;
  std::vector<u128> chain;
  SharedPlan plan;
  std::vector<DeviceBuffer*> buffers;

  Bench(std::string_view name, u32 limbs)
      : device(name),
        chain(short_primes(u64{1} << 30, kDegree, limbs)),
        plan(prepare(device, Word::u32, kDegree, chain)) {}
  ~Bench() {
    for (DeviceBuffer* buffer : buffers) device->release(buffer, true);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  View allocate(Limbs limbs, u32 batch) {
    buffers.push_back(nullptr);
    EXPECT_EQ(device->allocate(std::size_t{batch} * limbs.count * kDegree * sizeof(u32), Contents::zeroed,
                               Privacy::open, buffers.back()),
              Status::ok);
    return {plan.get(), buffers.back(), 0, limbs, batch};
  }
  View allocate_filled(Limbs limbs, u32 batch, u64 seed) {
    const View view = allocate(limbs, batch);
    std::vector<u32> words;
    for (u32 p = 0; p < batch; ++p) {
      for (u32 l = limbs.first; l < limbs.end(); ++l) {
        const auto limb_words = filled<u32>(Pattern::random, kDegree, chain[l], seed + 100 * p + l);
        words.insert(words.end(), limb_words.begin(), limb_words.end());
      }
    }
    run({}, verb::Upload{view, Domain::coefficient, words.data()});
    return view;
  }
  template <class V>
  void run(Stream s, const V& verb) const {
    ASSERT_EQ(run_one(*device, s, verb), Status::ok) << device.name() << " " << V::kName;
  }
  [[nodiscard]] std::vector<u32> words(const View& view) const {
    std::vector<u32> out(view.words());
    run({}, verb::Download{view, Domain::coefficient, out.data()});
    return out;
  }
  // Runs `work` twice, and returns the launches and transfers of the second run. The first run loads tables and
  // programs.
  template <class Work>
  std::vector<std::string_view> heard(Work work) const {
    work();
    Heard listener;
    device->report_launches(&listener);
    work();
    device->report_launches(nullptr);
    return listener.names;
  }
};

// The product and the relinearization of a batch of ciphertexts, with 6 data limbs and 2 special limbs.
struct Multiplication {
  Bench on;
  u32 batch;
  Limbs data{2, 6}, all{0, 8};
  View a, b, product, key, coefficients, digits, sum, scratch, out;
  Multiplication(std::string_view name, u32 of)
      : on(name, 8),
        batch(of),
        a(on.allocate_filled(data, 2 * of, 1)),
        b(on.allocate_filled(data, 2 * of, 7)),
        product(on.allocate(data, 3 * of)),
        key(on.allocate_filled(all, 6, 9)),
        coefficients(on.allocate(data, of)),
        digits(on.allocate(all, 3 * of)),
        sum(on.allocate(all, 2 * of)),
        scratch(on.allocate({0, 2}, 2 * of)),
        out(on.allocate(data, 2 * of)) {}
  // Selects one component of all ciphertexts: every `each`-th polynomial, beginning with number `first`.
  [[nodiscard]] View component(const View& view, u32 each, u32 first) const {
    View some = view.polynomial(first);
    some.batch = batch;
    some.stride = each * data.count;
    return some;
  }
  void multiply() const { on.run({}, verb::Tensor{product, a, b}); }
  void relinearize() const {
    const View third = component(product, 3, 2);
    on.run({}, verb::Copy{coefficients, third});
    on.run({}, verb::Intt{coefficients});
    on.run({}, verb::KeySwitch{sum, third, coefficients, digits, key, 2});
    on.run({}, verb::ModDown{out, sum, scratch, 1, Domain::evaluation});
    for (u32 i = 0; i < 2; ++i)
      on.run({}, verb::Add{component(out, 2, i), component(out, 2, i), component(product, 3, i)});
  }
};

// Runs `work` twice, and returns the simulated time of the second run. The first run loads tables and programs.
template <class Work>
double spent_us(const Bench& on, Work work) {
  work();
  const double before = on.device->mark({}).us;
  work();
  return on.device->mark({}).us - before;
}

TEST(PimPlacement, EightCiphertextsTakeTheLaunchesAndTheTimeOfOne) {
  const Multiplication one("pim", 1), eight("pim", 8);
  EXPECT_NEAR(spent_us(eight.on, [&] { eight.multiply(); }), spent_us(one.on, [&] { one.multiply(); }), 1e-6);
  EXPECT_LT(spent_us(eight.on, [&] { eight.relinearize(); }), 2 * spent_us(one.on, [&] { one.relinearize(); }));
  EXPECT_EQ(eight.on.heard([&] { eight.multiply(); }), one.on.heard([&] { one.multiply(); }));
  const auto launches = eight.on.heard([&] { eight.relinearize(); });
  EXPECT_LE(launches.size(), one.on.heard([&] { one.relinearize(); }).size());
  EXPECT_EQ(std::count(launches.begin(), launches.end(), "convert"),
            4);  // one conversion for each of three digits, and one for the division
  // one inverse transform, one forward transform for all digits, and two transforms in the division
  EXPECT_EQ(std::count(launches.begin(), launches.end(), "ntt"), 4);
  EXPECT_EQ(std::count(launches.begin(), launches.end(), "inner_product"), 1);
}

TEST(PimPlacement, OnlyWordsThatConversionsCombinePassThroughTheHost) {
  const Multiplication eight("pim", 8);
  eight.multiply();
  const u64 resident = pim_host::traffic_of(*eight.on.device).data();
  // only the uploads of the ciphertexts and of the key
  EXPECT_EQ(resident, (2 * 16 * 6 + 6 * 8) * kDegree * sizeof(u32));
  eight.relinearize();
  const pim_host::Traffic keyed = pim_host::traffic_of(*eight.on.device);
  eight.relinearize();
  const pim_host::Traffic after = pim_host::traffic_of(*eight.on.device);
  // Each ciphertext has 6 limbs of coefficients, and 6 limbs for each of 3 digits. In the division, each of 2
  // components has 2 dropped limbs before and after their transform, and 6 limbs of the result.
  EXPECT_EQ(after.data_out - keyed.data_out, 8 * (6 + 3 * 6 + 2 * (2 + 2 + 6)) * kDegree * sizeof(u32));
  // these words go to the DPUs too, and with them 2 more limbs for each digit and for each component
  EXPECT_EQ(after.data_in - keyed.data_in, 8 * (6 + 3 * 8 + 2 * (2 * 2 + 2 + 6)) * kDegree * sizeof(u32));
}

TEST(PimPlacement, BatchesOfEverySizeEqualRef) {
  for (const u32 batch : {1u, 2u, 3u, 5u, 8u, 9u, 17u}) {
    SCOPED_TRACE(batch);
    const Multiplication oracle("ref", batch);
    oracle.multiply(), oracle.relinearize();
    for (const char* name : {"pim", "pim:dpus=62", "pim:dpus=9"}) {
      SCOPED_TRACE(name);
      const Multiplication on(name, batch);
      on.multiply(), on.relinearize();
      EXPECT_EQ(on.on.words(on.product), oracle.on.words(oracle.product));
      EXPECT_EQ(on.on.words(on.out), oracle.on.words(oracle.out));
    }
  }
}

// Each of the two DPUs has 64 MB and is a group of its own. The factor is in a buffer of 40 MB. At first, this buffer
// takes 20 MB on each DPU. The product needs the factor on both DPUs, which takes 40 MB on each DPU. Then the first
// placement must be freed, so that 19 MB of another buffer still fit.
TEST(PimPlacement, AFactorInEveryGroupFreesItsFirstPlacement) {
  Bench on("pim:dpus=2", 1);
  const auto large = [&](u32 megabytes) {
    return on.allocate({0, 1}, (megabytes << 20) / (kDegree * sizeof(u32))).polynomial(0);
  };
  const std::vector<u32> threes(kDegree, 3), fives(kDegree, 5);
  const View factor = large(40), other = large(38), x = on.allocate_filled({0, 1}, 4, 1);
  const std::vector<u32> before = on.words(x);
  on.run({}, verb::Upload{factor, Domain::evaluation, threes.data()});
  on.run({}, verb::Multiply{x, x, factor});
  on.run({}, verb::Upload{other, Domain::evaluation, fives.data()});
  EXPECT_EQ(on.words(factor), threes);
  const std::vector<u32> after = on.words(x);
  for (std::size_t i = 0; i < after.size(); ++i)
    ASSERT_EQ(after[i], u64{before[i]} * 3 % static_cast<u64>(on.chain[0]));
}

// Ciphertexts that were uploaded one by one are all in the first group of DPUs. A copy into a batch moves each
// ciphertext to its own group.
TEST(PimPlacement, CopiesGatherABatch) {
  std::vector<u32> results[2];
  for (const bool oracle : {false, true}) {
    Bench on(oracle ? "ref" : "pim", 8);
    const View batch = on.allocate({2, 6}, 16);
    std::vector<View> ones;
    for (u32 i = 0; i < 8; ++i) ones.push_back(on.allocate_filled({2, 6}, 2, 3 * i));
    std::vector<Verb> copies;
    // the first ciphertext is copied twice
    for (u32 i = 0; i < 8; ++i) copies.emplace_back(verb::Copy{batch.polynomials(2 * i, 2), ones[i % 7]});
    const auto gathered = on.heard([&] { EXPECT_EQ(run_all(*on.device, {}, copies), Status::ok); });
    EXPECT_LE(std::count(gathered.begin(), gathered.end(), "push"), 1);
    const auto names = on.heard([&] { on.run({}, verb::Ntt{batch}); });
    EXPECT_EQ(names, oracle ? std::vector<std::string_view>{} : (std::vector<std::string_view>{"arguments", "ntt"}));
    results[oracle] = on.words(batch);
    const View third = on.allocate({2, 6}, 2);
    on.run({}, verb::Copy{third, batch.polynomials(6, 2)});
    const auto words = on.words(third);
    results[oracle].insert(results[oracle].end(), words.begin(), words.end());
  }
  EXPECT_EQ(results[0], results[1]);
}

// Eight ciphertexts are in eight groups of DPUs. Therefore eight copies share their launches. A copy negates twice,
// which takes two launches. All eight copies end with the second launch.
TEST(PimPlacement, VerbsOnDifferentGroupsShareLaunches) {
  Bench on("pim", 8);
  const View batch = on.allocate_filled({2, 6}, 16, 3);
  std::vector<Verb> copies;
  for (u32 i = 0; i < 8; ++i) copies.emplace_back(verb::Copy{on.allocate({2, 6}, 2), batch.polynomials(2 * i, 2)});
  const std::vector<std::string_view> twice = {"arguments", "elementwise", "arguments", "elementwise"};
  EXPECT_EQ(on.heard([&] { EXPECT_EQ(run_all(*on.device, {}, copies), Status::ok); }), twice);
  std::vector<Verb> sums;
  for (const Verb& copy : copies)
    sums.emplace_back(
        verb::Add{std::get<verb::Copy>(copy).out, std::get<verb::Copy>(copy).out, std::get<verb::Copy>(copy).a});
  sums.insert(sums.end(), {verb::Negate{batch, batch}, verb::Ntt{batch}});
  std::vector<Ticket> ends(sums.size());
  Heard listener;
  on.device->report_launches(&listener);
  ASSERT_EQ(on.device->run({}, sums, ends), Status::ok);
  on.device->report_launches(nullptr);
  // the ninth verb waits, because it needs DPUs that already run another verb
  EXPECT_EQ(std::count(listener.names.begin(), listener.names.end(), "elementwise"), 2);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) EXPECT_EQ(ends[i].us, ends[0].us) << i;
  EXPECT_GT(ends.back().us, ends[0].us);
  EXPECT_EQ(ends.back().us, on.device->mark({}).us);
}

// Returns a random view of a buffer: some polynomials, at a random stride, and some limbs.
View random_view(const View& whole, std::mt19937_64& random, Limbs limbs, u32 batch) {
  const u32 most = whole.batch / batch, step = 1 + static_cast<u32>(random() % most),
            first = static_cast<u32>(random() % (whole.batch - (batch - 1) * step));
  View view = whole.polynomial(first).in(limbs);
  view.batch = batch;
  view.stride = step * whole.limbs.count;
  return view;
}

// Returns a random verb on views of three buffers. A buffer has 24 polynomials with 7 limbs.
Verb any_verb(const std::vector<View>& buffers, std::mt19937_64& random) {
  const Limbs limbs{static_cast<u32>(random() % 4), 1 + static_cast<u32>(random() % 4)};
  const u32 batch = 2 * (1 + static_cast<u32>(random() % 6)), order = static_cast<u32>(random() % 3);
  const View out = random_view(buffers[order], random, limbs, batch),
             a = random_view(buffers[(order + 1) % 3], random, limbs, batch);
  const View b = random_view(buffers[(order + 2) % 3], random, limbs, batch),
             factor = random() % 2 == 0 ? b : b.polynomial(0);
  switch (random() % 12) {
    case 0: return verb::Ntt{out};
    case 1: return verb::Intt{out};
    case 2: return verb::Add{out, a, b};
    case 3: return verb::Multiply{out, a, factor};
    case 4: return verb::MultiplyAdd{out, a, factor};
    case 5: return verb::Copy{out, a};
    case 6: return verb::Copy{out.polynomials(0, 2), a.polynomials(0, 2)};
    case 7: return verb::Zero{out.polynomials(0, 1)};
    case 8: return verb::Automorphism{out, a, 5, Domain::evaluation};
    case 9: return verb::BaseConvert{out, a.in({limbs.first, 1}), Conversion::centred};
    case 10:
      return verb::InnerProduct{
          out.polynomials(0, batch / 2), a, b.polynomials(0, 2), batch / 2, 2, 1, random() % 2 == 0};
    default:
      return verb::Tensor{out.polynomials(0, 3 * (batch / 4)), a.polynomials(0, 2 * (batch / 4)),
                          b.polynomials(0, 2 * (batch / 4))};
  }
}

std::vector<u32> after_any_verbs(std::string_view name, u64 seed) {
  Bench on(name, 7);
  std::vector<View> buffers;
  for (u32 i = 0; i < 3; ++i) buffers.push_back(on.allocate_filled({0, 7}, 24, 40 * i + seed));
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 12; ++turn) {
    std::vector<Verb> verbs(1 + random() % 6);
    for (Verb& verb : verbs) verb = any_verb(buffers, random);
    EXPECT_EQ(run_all(*on.device, {static_cast<u32>(random() % 3), 1}, verbs), Status::ok) << name;
  }
  std::vector<u32> all;
  for (const View& buffer : buffers) {
    const auto words = on.words(buffer);
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

TEST(PimPlacement, AnyPartsOfBuffersInAnyOrderEqualRef) {
  for (u64 seed = 1; seed <= (all_counts() ? 200u : 6u); ++seed) {
    SCOPED_TRACE(seed);
    const auto expected = after_any_verbs("ref", seed);
    for (const char* name : {"pim", "pim:ranks=2", "pim:dpus=5", "pim:dpus=15,ranks=3"})
      ASSERT_EQ(after_any_verbs(name, seed), expected) << name;
  }
}

}  // namespace
}  // namespace ringfort::testing::placement_test
