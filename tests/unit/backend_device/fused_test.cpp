// SPDX-License-Identifier: Apache-2.0
// Tests fused verbs of GPUs: key switches, and divisions by primes (mod_down, rescale) that need few launches. Their
// results must equal those on `ref`, which composes these verbs of simpler ones. The launches must access whole sectors
// (32 bytes of global memory), without a fault, a bank conflict or a copy.
#include "backend/device/kernels/key_product.h"
#include "backend/device/ntt_plan.h"
#include "machine.h"

namespace ringfort::testing {
namespace {

constexpr Limbs kAll{0, 6}, kSpecial{0, 2}, kData{2, 4};

// Buffers of a device with the operands of a key switch, filled with residues.
class Scene {
 public:
  Scene(std::shared_ptr<Backend> of, const Setting& setting, u32 n)
      : backend(std::move(of)),
        polynomials_(n > 4096 ? 1 : 2),
        rows_(8 * polynomials_) {
    EXPECT_EQ(backend->prepare({n, setting.word, ntt_primes(setting.bits, n, kAll.count).value()}, plan_), Status::ok);
    std::mt19937_64 random(n);
    for (DeviceBuffer*& each : buffers_) {
      const std::size_t bytes = std::size_t{rows_} * kAll.count * n * word_bytes(setting.word);
      EXPECT_EQ(backend->allocate(bytes, Contents::zeroed, Privacy::open, each), Status::ok);
      const View all = view(static_cast<u32>(&each - buffers_.data()), kAll, rows_);
      const std::vector<std::byte> words = residues(all, random);
      EXPECT_EQ(run(verb::Upload{all, Domain::coefficient, words.data()}), Status::ok);
    }
  }
  ~Scene() {
    for (DeviceBuffer* each : buffers_) backend->release(each, false);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  [[nodiscard]] View view(u32 buffer, Limbs limbs, u32 batch) const {
    const View all{plan_.get(), buffers_[buffer], 0, kAll, batch, kAll.count};
    return all.in(limbs);
  }
  Status run(const Verb& verb) const { return backend->run({}, {&verb, 1}, {}); }
  [[nodiscard]] std::vector<std::byte> words(const View& of) const {
    std::vector<std::byte> words(of.words() * word_bytes(of.plan->plan.word));
    EXPECT_EQ(run(verb::Download{of, Domain::evaluation, words.data()}), Status::ok);
    EXPECT_EQ(backend->synchronize({}), Status::ok) << backend->failure();
    return words;
  }

  [[nodiscard]] verb::KeySwitch key_switch(u32 digit_limbs, Limbs at_a_time = kAll) const {
    const u32 digits = (kData.count + digit_limbs - 1) / digit_limbs;
    return {.out = view(0, kAll, 2 * polynomials_),
            .a = view(1, kData, polynomials_),
            .coefficients = view(2, kData, polynomials_),
            .digits = view(3, at_a_time, polynomials_ * digits),
            .key = view(4, kAll, 2 * digits),
            .digit_limbs = digit_limbs};
  }
  [[nodiscard]] verb::ModUp mod_up(u32 digit_limbs, Limbs limbs) const {
    verb::ModUp up = key_switch(digit_limbs, limbs).mod_up();
    up.digits = view(0, limbs, up.digits.batch);
    return up;
  }
  [[nodiscard]] verb::ModDownRescale mod_down_rescale(u32 addends) const {
    const View addend = addends == 0 ? View{} : view(4, kData, addends);
    return {view(0, {2, 3}, 2), view(1, kAll, 2), view(2, kAll, 2), 1, addend};
  }
  [[nodiscard]] View result() const { return view(0, kAll, rows_); }

  std::shared_ptr<Backend> backend;

 private:
  u32 polynomials_, rows_;
  std::shared_ptr<const PreparedPlan> plan_;
  std::array<DeviceBuffer*, 5> buffers_{};
};

// Runs verbs. Replaces each optional verb by its composition.
void run_composed(const Scene& scene, std::span<const Verb> verbs) {
  for (const Verb& verb : verbs) {
    Sequence composed;
    std::visit(
        [&]<class V>(const V& v) {
          if constexpr (Optional<V>) v.compose(composed);
        },
        verb);
    if (composed.verbs.empty()) ASSERT_EQ(scene.run(verb), Status::ok);
    else run_composed(scene, composed.verbs);
  }
}

// Runs the verb that verb_on(scene) returns, fused on the device and composed on ref. Compares the words of buffer 0.
template <class F>
void compare(const Setting& setting, u32 n, F verb_on) {
  const Scene device(emulated({.checked = true}), setting, n), ref(ref::make(), setting, n);
  const Verb fused = verb_on(device), defined = verb_on(ref);
  SCOPED_TRACE(::testing::Message() << name_of(fused) << ", n = " << n << ", " << setting.bits << " bits");
  ASSERT_TRUE(device.backend->fuses(fused));
  ASSERT_EQ(device.run(fused), Status::ok);
  run_composed(ref, {&defined, 1});
  EXPECT_TRUE(device.words(device.result()) == ref.words(ref.result()));
}

template <class F>
void compare_everywhere(F verb_on) {
  for (const Setting& setting : kSettings) {
    for (const u32 n : {2u, 256u}) compare(setting, n, verb_on);
  }
}

TEST(DeviceFused, KeySwitchesEqualTheirCompositions) {
  compare_everywhere([](const Scene& s) { return s.key_switch(1); });
  compare_everywhere([](const Scene& s) { return s.key_switch(3); });
  compare_everywhere([](const Scene& s) { return s.key_switch(2, {1, 4}); });
  compare_everywhere([](const Scene& s) { return s.key_switch(4); });
}

TEST(DeviceFused, DigitsEqualTheirCompositions) {
  compare_everywhere([](const Scene& s) { return s.mod_up(1, kAll); });
  compare_everywhere([](const Scene& s) { return s.mod_up(3, {3, 3}); });
}

TEST(DeviceFused, TwoDivisionsEqualTheirCompositions) {
  compare_everywhere([](const Scene& s) { return s.mod_down_rescale(0); });
  compare_everywhere([](const Scene& s) { return s.mod_down_rescale(1); });
  compare_everywhere([](const Scene& s) { return s.mod_down_rescale(2); });
}

// At these degrees, a transform has two launches, and a block of the kernel that multiplies digits by a key has tiles
// of several digits.
TEST(DeviceFused, LongPolynomialsEqualTheirCompositions) {
  compare(kSettings[0], 1u << 14, [](const Scene& s) { return s.key_switch(3); });
  compare(kSettings[2], 1u << 13, [](const Scene& s) { return s.key_switch(3); });
  compare(kSettings[2], 1u << 13, [](const Scene& s) { return s.mod_down_rescale(2); });
}

// If a block does not have enough shared memory for all digits, it processes the digits in groups.
TEST(DeviceFused, GroupsOfDigitsFillTheSharedMemory) {
  const auto group = [](u32 log_n, u32 digits, u32 most_words) {
    device::NttPart part = device::ntt_parts(log_n).back();
    const u32 size = device::key_product_group(part, digits, most_words);
    EXPECT_LE(size * part.words(), most_words);
    EXPECT_LE(size * part.lanes(), std::max(part.lanes(), device::kMostKeyLanes));
    return std::pair(size, part.words());
  };
  EXPECT_EQ(group(16, 4, 12288), std::pair(4u, 1024u));
  EXPECT_EQ(group(16, 4, 3072), std::pair(4u, 512u));
  EXPECT_EQ(group(16, 14, 6144), std::pair(14u, 256u));
  EXPECT_EQ(group(16, 60, 6144), std::pair(16u, 256u));
  EXPECT_EQ(group(13, 4, 12288), std::pair(1u, 8192u));
  EXPECT_EQ(group(11, 4, 6144), std::pair(2u, 2048u));
}

TEST(DeviceFused, UseWholeSectorsAndHaveNoBankConflicts) {
  const auto check = [](const Setting& setting, u32 n, std::size_t kernels) {
    std::map<std::string_view, emu::Counters> counts;
    const Scene device(emulated({.checked = true, .counters = &counts}), setting, n);
    const std::array<Verb, 2> verbs = {device.key_switch(3), device.mod_down_rescale(2)};
    ASSERT_EQ(device.backend->run({}, verbs, {}), Status::ok);
    ASSERT_EQ(device.backend->synchronize({}), Status::ok) << device.backend->failure();
    for (const auto& [name, counters] : counts) {
      for (const emu::Access access :
           {emu::Access::load, emu::Access::store, emu::Access::shared_load, emu::Access::shared_store})
        EXPECT_EQ(counters.of(access).units, counters.of(access).least)
            << name << ", n = " << n << ", access " << static_cast<int>(access);
    }
    EXPECT_EQ(counts.size(), kernels);
  };
  check(kSettings[0], 1u << 10, 6);
  check(kSettings[0], 1u << 14, 7);
  check(kSettings[1], 1u << 10, 6);
  check(kSettings[2], 1u << 10, 6);
  check(kSettings[2], 1u << 13, 7);
}

struct Heard : LaunchListener {
  mutable std::vector<std::string> names;
  mutable Cost cost{};
  void launched(const Launch& launch) const noexcept override {
    names.emplace_back(launch.name);
    cost.bytes += launch.cost.bytes;
    cost.multiplications += launch.cost.multiplications;
    cost.transform_multiplications += launch.cost.transform_multiplications;
  }
};

// No launch may be a copy. The costs of the launches of a key switch must add up to at least the cost of the verb.
TEST(DeviceFused, NeedsFewLaunches) {
  using Names = std::vector<std::string>;
  const Scene device(emulated({}), kSettings[0], 1u << 14);
  const auto launches = [&](std::span<const Verb> verbs) {
    const Heard heard;
    device.backend->report_launches(&heard);
    EXPECT_EQ(device.backend->run({}, verbs, {}), Status::ok);
    device.backend->report_launches(nullptr);
    return std::pair(heard.names, heard.cost);
  };
  const Verb switched = device.key_switch(2), divided = device.mod_down_rescale(2);
  const auto [of_switch, cost] = launches({&switched, 1});
  EXPECT_EQ(of_switch, (Names{"convert_mod_up", "ntt_digits", "key_product"}));
  EXPECT_GE(cost.multiplications, device.key_switch(2).cost().multiplications);
  EXPECT_GE(cost.bytes, device.key_switch(2).cost().bytes);
  EXPECT_EQ(launches({&divided, 1}).first, (Names{"intt_from", "intt_from", "base_convert", "divide", "base_convert",
                                                  "ntt_quotient", "ntt_quotient"}));
  const std::array<Verb, 2> coefficients = {verb::Copy{device.view(0, kData, 2), device.view(1, kData, 2)},
                                            verb::Intt{device.view(0, kData, 2)}};
  EXPECT_EQ(launches(coefficients).first, (Names{"intt_from", "intt_from"}));
}

}  // namespace
}  // namespace ringfort::testing
