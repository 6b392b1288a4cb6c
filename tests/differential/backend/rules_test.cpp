// SPDX-License-Identifier: Apache-2.0
// Tests that every device obeys the rules of backend.h. The program also runs faulty devices. For each faulty device,
// it must name the rule that the device breaks.
#include <functional>

#include "differential/backend/device.h"
#include "math/prime.h"
#include "support/counting.h"

namespace ringfort::testing {
namespace {

constexpr u32 kDegree = 64;
constexpr Stream kOne{0, 1}, kOther{1, 1};

// Buffers of one polynomial on a device, with a plan that every device accepts.
class Scene {
 public:
  explicit Scene(Backend& backend) : backend_(backend) {
    EXPECT_EQ(backend.prepare({kDegree, Word::u32, {prime()}}, plan_), Status::ok);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene() {
    for (View& view : views_) backend_.release(view.buffer, false);
  }
  static u128 prime() { return 786433; }  // 12 * 2^16 + 1

  View make(Contents contents) {
    View view;
    view.plan = plan_.get();
    EXPECT_EQ(backend_.allocate(kDegree * sizeof(u32), contents, Privacy::open, view.buffer), Status::ok);
    views_.push_back(view);
    return view;
  }
  void release(const View& view) {
    std::erase_if(views_, [&](const View& each) { return each.buffer == view.buffer; });
    backend_.release(view.buffer, true);
  }
  template <class V>
  Status run(Stream s, const V& v) {
    return run_one(backend_, s, v);
  }
  // Returns the words that are downloaded after synchronize(). If the download fails, returns an empty vector.
  std::vector<u32> words(const View& view, Stream s) {
    std::vector<u32> out(kDegree, kUntouched);
    const Status asked = run(s, verb::Download{view, Domain::coefficient, out.data()}), ended = backend_.synchronize(s);
    if (asked != Status::ok || ended != Status::ok) return {};
    return out;
  }
  static constexpr u32 kUntouched = 0xFFFFFFFF;

 private:
  Backend& backend_;
  std::shared_ptr<const PreparedPlan> plan_;
  std::vector<View> views_;
};

std::vector<u32> numbers(u32 from) {
  std::vector<u32> words(kDegree);
  for (u32 i = 0; i < kDegree; ++i) words[i] = from + i;
  return words;
}

bool keeps_order(Scene& scene) {
  const View a = scene.make(Contents::undefined), b = scene.make(Contents::undefined);
  const std::vector<u32> first = numbers(5), second = numbers(900);
  bool kept = true;
  for (u32 round = 0; round < 4; ++round) {
    std::ignore = scene.run(kOne, verb::Upload{a, Domain::coefficient, first.data()});
    // reads what another stream wrote
    std::ignore = scene.run(kOther, verb::Copy{b, a});
    // writes what another stream reads
    std::ignore = scene.run(kOne, verb::Upload{a, Domain::coefficient, second.data()});
    kept &= scene.words(b, kOther) == first && scene.words(a, kOther) == second;
  }
  return kept;
}

bool reads_the_host_at_once(Scene& scene) {
  const View a = scene.make(Contents::undefined), b = scene.make(Contents::undefined),
             c = scene.make(Contents::undefined);
  std::vector<u32> words = numbers(3);
  std::vector<i64> integers(kDegree, -1);
  std::vector<u128> factor = {2};
  std::ignore = scene.run(kOne, verb::Upload{a, Domain::coefficient, words.data()});
  std::ignore = scene.run(kOne, verb::Lift{b, integers.data(), 8});
  std::ignore = scene.run(kOne, verb::MultiplyScalar{c, a, factor});
  const std::vector<u32> wanted = words;
  std::fill(words.begin(), words.end(), 0);
  std::fill(integers.begin(), integers.end(), 0);
  factor[0] = 0;
  std::vector<u32> twice = wanted;
  for (u32& word : twice) word *= 2;
  return scene.words(a, kOne) == wanted &&
         scene.words(b, kOne) == std::vector<u32>(kDegree, static_cast<u32>(Scene::prime() - 1)) &&
         scene.words(c, kOne) == twice;
}

bool writes_the_host_by_the_end(Scene& scene) {
  const View a = scene.make(Contents::undefined);
  const std::vector<u32> words = numbers(8);
  std::ignore = scene.run(kOne, verb::Upload{a, Domain::coefficient, words.data()});
  return scene.words(a, kOne) == words;
}

bool zeroes(Scene& scene) { return scene.words(scene.make(Contents::zeroed), kOne) == std::vector<u32>(kDegree, 0); }

bool releases_after_use(Scene& scene) {
  const View a = scene.make(Contents::undefined), b = scene.make(Contents::undefined);
  const std::vector<u32> words = numbers(11);
  std::ignore = scene.run(kOne, verb::Upload{a, Domain::coefficient, words.data()});
  if (scene.words(a, kOne) != words) return false;
  std::ignore = scene.run(kOther, verb::Copy{b, a});
  scene.release(a);
  return scene.words(b, kOther) == words;
}

// Tells whether a device obeys the rule on failures. A failed device must return no data, and report the failure at
// each call. A working device must return the right data.
bool reports_failures(Scene& scene) {
  const View a = scene.make(Contents::zeroed);
  bool failed = false;
  for (u32 round = 0; round < 8; ++round) {
    const std::vector<u32> words = numbers(round);
    std::ignore = scene.run(kOne, verb::Upload{a, Domain::coefficient, words.data()});
    const std::vector<u32> found = scene.words(a, kOne);
    if (failed && !found.empty()) return false;
    if (!found.empty() && found != words) return false;
    failed |= found.empty();
  }
  return true;
}

std::vector<std::string> broken_rules(Backend& backend) {
  const std::pair<const char*, std::function<bool(Scene&)>> rules[] = {
      {"download", writes_the_host_by_the_end}, {"order", keeps_order},
      {"host_memory", reads_the_host_at_once},  {"zeroed", zeroes},
      {"release", releases_after_use},          {"failure", reports_failures}};
  std::vector<std::string> broken;
  for (const auto& [name, holds] : rules) {
    Scene scene(backend);
    if (!holds(scene)) broken.emplace_back(name);
  }
  return broken;
}

TEST(Rules, EveryDeviceObeysAllRules) {
  std::vector<std::string> devices;
  for (const std::string_view name : all_devices()) devices.emplace_back(name);
  for (u32 seed = 1; seed <= 20; ++seed) devices.push_back("deferred:" + std::to_string(seed));
  for (const std::string& name : devices) {
    EXPECT_EQ(broken_rules(*open_backend(name)), std::vector<std::string>{}) << name;
    Counting wrapped(open_backend(name));
    EXPECT_EQ(broken_rules(wrapped), std::vector<std::string>{}) << name << ", wrapped";
  }
}

TEST(Rules, EachBrokenRuleIsFoundAndNamed) {
  for (const std::string rule : {"order", "host_memory", "zeroed", "release", "failure"}) {
    for (u32 seed = 1; seed <= 20; ++seed) {
      const std::string fails = rule == "failure" ? ",fails=40" : "";
      EXPECT_EQ(broken_rules(*open_backend("deferred:" + std::to_string(seed) + ",broken=" + rule + fails)),
                std::vector<std::string>{rule})
          << seed;
    }
  }
  const std::vector<std::string> without_downloads = broken_rules(*open_backend("deferred:1,broken=download"));
  EXPECT_EQ(without_downloads.front(), "download") << "without downloads no other rule can be checked";
}

TEST(Rules, LaterVerbsReportAFailureOfADeviceThatAnswersLate) {
  const auto device = open_backend("deferred:3,fails=2");
  Scene scene(*device);
  const View a = scene.make(Contents::zeroed);
  const std::vector<u32> words = numbers(1);
  EXPECT_EQ(scene.run(kOne, verb::Upload{a, Domain::coefficient, words.data()}), Status::ok);
  EXPECT_EQ(scene.run(kOne, verb::Negate{a, a}), Status::ok) << "the verb has not run";
  EXPECT_EQ(device->synchronize(kOne), Status::device_lost);
  EXPECT_EQ(device->synchronize(kOther), Status::device_lost);
  EXPECT_TRUE(scene.words(a, kOther).empty());
}

TEST(Rules, AVerbOnReleasedMemoryIsABrokenContract) {
  const auto device = open_backend("deferred:3");
  Scene scene(*device);
  const View a = scene.make(Contents::zeroed);
  scene.release(a);
  EXPECT_EQ(scene.run(kOne, verb::Negate{a, a}), Status::internal);
}

TEST(Rules, TicketsOfADeviceThatAnswersLateAreInTheOrderOfItsVerbs) {
  const auto device = open_backend("deferred:5");
  Scene scene(*device);
  const View a = scene.make(Contents::zeroed);
  Ticket before = device->mark(kOne);
  const Verb verbs[] = {verb::Negate{a, a}, verb::Add{a, a, a}};
  Ticket ends[2];
  ASSERT_EQ(device->run(kOne, verbs, ends), Status::ok);
  EXPECT_NE(ends[0].event, 0u) << "the verb waits";
  device->resolve(ends[1]);
  device->resolve(ends[0]);
  device->resolve(before);
  EXPECT_EQ(ends[0].event, 0u);
  EXPECT_LE(before.us, ends[0].us);
  EXPECT_LE(ends[0].us, ends[1].us);
}

}  // namespace
}  // namespace ringfort::testing
