// SPDX-License-Identifier: Apache-2.0
// Tests profiles of devices. A verb that a device runs as a whole gives one event. A verb that is composed of other
// verbs gives only their events. The counts of an event must equal counts that were computed by hand. The trace must be
// JSON.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "backend/devices.h"
#include "math/prime.h"
#include "ring/ring.h"
#include "ringfort/error.h"
#include "support/folder.h"

namespace ringfort::profiler_test {
namespace {

constexpr u32 kDegree = 64;
constexpr u64 kTransform = kDegree / 2 * 6;  // multiplications in the transform of one limb

struct Scene {
  explicit Scene(std::string_view name)
      : device(Device::open(name)),
        ring(device, {kDegree, Word::u64, ntt_primes(40, kDegree, 5).take()}) {}
  std::shared_ptr<const Device> device;
  Ring ring;
};

VerbEvent only(const Profiler& profiler, std::string_view verb) {
  VerbEvent found;
  std::size_t count = 0;
  for (const VerbEvent& e : profiler.events()) {
    if (e.verb != verb) continue;
    found = e;
    ++count;
  }
  EXPECT_EQ(count, 1u) << verb;
  return found;
}

// Forks a child that adds polynomials, and returns its wait status. If the child hangs, a signal ends it after 20 s.
int status_of_adding_child(const Scene& scene) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    auto x = scene.ring.make<Eval>(1, {0, 1});
    scene.ring.add(Stream{0}, x.all(), x.all(), x.all());
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// If the profiler had an ordinary mutex, and the other thread held it during the fork, the child would hang.
TEST(Profiler, RecordsVerbsOfAChildThatWasForkedWhileAnotherThreadReadsThem) {
  const Scene scene("ref");
  const Stream s{0};
  const auto x = scene.ring.make<Eval>(1, {0, 1});
  const auto profiler = std::make_shared<Profiler>();
  scene.device->profile(profiler);
  for (int i = 0; i < 2000; ++i) scene.ring.add(s, x.all(), x.all(), x.all());
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) (void)profiler->events();  // holds the lock of the profiler while it copies the events
  });
  for (int forks = 0; forks < 20; ++forks) EXPECT_EQ(status_of_adding_child(scene), 0) << "fork " << forks;
  stop = true;
  reader.join();
  scene.device->profile(nullptr);
}

// The devices `pim`, `rpu` and `deferred` hold a lock while they compute. `pim` and `rpu` compute each verb at once.
// `deferred` computes when somebody waits for a result, or when its queue is full.
TEST(Profiler, AForkedChildComputesAlthoughAnotherThreadUsedTheDeviceDuringTheFork) {
  for (const char* name : {"pim", "rpu", "deferred:1"}) {
    if (open_backend(name) == nullptr) continue;  // this build has no simulators
    const Scene scene(name);
    const auto x = scene.ring.make<Eval>(1, {0, 1});
    for (const bool profiled : {false, true}) {
      scene.device->profile(profiled ? std::make_shared<Profiler>() : nullptr);
      std::atomic<bool> stop = false;
      std::thread other([&] {
        auto y = scene.ring.make<Eval>(1, {0, 1});
        while (!stop) scene.ring.add(Stream{1}, y.all(), y.all(), y.all());
      });
      for (int forks = 0; forks < 10; ++forks)
        EXPECT_EQ(status_of_adding_child(scene), 0) << name << ", fork " << forks << (profiled ? ", profiled" : "");
      stop = true;
      other.join();
    }
    scene.device->profile(nullptr);
  }
}

TEST(Profiler, AVerbReportsItsBytesAndItsMultiplications) {
  const Scene scene("ref");
  const Stream s{3};
  auto a = scene.ring.make<Coeff>(2, {0, 5}), b = scene.ring.make<Coeff>(2, {0, 5});
  const auto profiler = std::make_shared<Profiler>();
  scene.device->profile(profiler);
  scene.ring.base_convert(s, a.limbs({2, 3}), b.limbs({0, 2}), Conversion::centred);
  const auto x = scene.ring.forward(s, std::move(a)), y = scene.ring.forward(s, std::move(b));
  scene.ring.multiply(s, x.all(), x.all(), y.all());
  scene.device->profile(nullptr);
  scene.ring.add(s, x.all(), x.all(), y.all());

  EXPECT_EQ(profiler->events().size(), 4u);  // the sum ran without the profiler
  const VerbEvent convert = only(*profiler, "base_convert"), product = only(*profiler, "multiply");
  EXPECT_EQ(convert.bytes, 8u * 2 * 5 * kDegree);
  EXPECT_EQ(convert.multiplications, 2u * kDegree * (2 + 2 * 3 + 2 + 3));
  EXPECT_EQ(product.bytes, 8u * 3 * 2 * 5 * kDegree);
  EXPECT_EQ(product.multiplications, 2u * 5 * kDegree);
  EXPECT_EQ(product.stream, 3u);
  EXPECT_EQ(product.device, "ref");
  EXPECT_FALSE(product.simulated);
  for (const VerbEvent& e : profiler->events()) {
    EXPECT_LE(e.start_us, e.end_us);
    EXPECT_TRUE(e.verb != "ntt" || e.multiplications == 2u * 5 * kTransform) << e.multiplications;
  }
}

TEST(Profiler, AVerbThatADeviceDoesNotFuseIsReportedAsItsParts) {
  const Scene scene("ref");
  const auto a = scene.ring.make<Eval>(2), b = scene.ring.make<Eval>(2), out = scene.ring.make<Eval>(3);
  const auto profiler = std::make_shared<Profiler>();
  scene.device->profile(profiler);
  scene.ring.tensor({}, out.all(), a.all(), b.all());
  std::vector<std::string_view> verbs;
  for (const VerbEvent& e : profiler->events()) verbs.push_back(e.verb);
  EXPECT_EQ(verbs, (std::vector<std::string_view>{"multiply", "multiply", "multiply_add", "multiply"}));
}

TEST(Profiler, EventsOfManyThreadsAllArriveAndTheLimitIsCounted) {
  const Scene scene("cpu");
  const auto profiler = std::make_shared<Profiler>(100);
  scene.device->profile(profiler);
  std::vector<std::thread> threads;
  for (u32 t = 0; t < 4; ++t) {
    threads.emplace_back([&scene, t] {
      const auto a = scene.ring.make<Eval>(1);
      for (int i = 0; i < 30; ++i) scene.ring.add(Stream{t}, a.all(), a.all(), a.all());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(profiler->events().size(), 100u);
  EXPECT_EQ(profiler->lost(), 20u);
}

TEST(Profiler, SimulatedTimeOfVerbsInManyThreadsAddsUpToTheClock) {
  const Scene scene("rpu");
  const auto profiler = std::make_shared<Profiler>();
  scene.device->profile(profiler);
  const Ticket before = scene.device->backend().mark({});
  std::vector<std::thread> threads;
  for (u32 t = 0; t < 4; ++t) {
    threads.emplace_back([&scene] {
      const auto a = scene.ring.make<Eval>(1);
      for (int i = 0; i < 10; ++i) scene.ring.add({}, a.all(), a.all(), a.all());
    });
  }
  for (std::thread& thread : threads) thread.join();
  double us = 0, energy_uj = 0;
  for (const VerbEvent& e : profiler->events()) {
    EXPECT_TRUE(e.simulated);
    us += e.end_us - e.start_us;
    energy_uj += e.energy_uj;
  }
  const Ticket after = scene.device->backend().mark({});
  EXPECT_NEAR(us, after.us - before.us, 1e-6);
  EXPECT_NEAR(energy_uj, after.energy_uj - before.energy_uj, 1e-6);
  EXPECT_GT(us, 0);
}

TEST(Profiler, DevicesOfOneProfileAreDistinguishedAfterTheyAreClosed) {
  const auto profiler = std::make_shared<Profiler>();
  for (const std::string_view name : {"cpu", "ref", "cpu"}) {
    const Scene scene(name);
    scene.device->profile(profiler);
    const auto a = scene.ring.make<Eval>(1);
    scene.ring.negate(Stream{}, a.all(), a.all());
  }
  std::vector<std::string_view> devices;
  for (const VerbEvent& e : profiler->events()) devices.push_back(e.device);
  EXPECT_EQ(devices, (std::vector<std::string_view>{"cpu", "ref", "cpu"}));
  const auto trace = nlohmann::json::parse(profiler->chrome_trace("sums"))["traceEvents"];
  std::map<int, std::string> names;
  for (const auto& event : trace) {
    if (event["ph"] == "M") names[event["pid"]] = event["args"]["name"];
  }
  EXPECT_EQ(names, (std::map<int, std::string>{{1, "sums, cpu"}, {2, "sums, ref"}}));
  std::vector<int> processes;
  for (const auto& event : trace) {
    if (event["ph"] == "X") processes.push_back(event["pid"]);
  }
  EXPECT_EQ(processes, (std::vector<int>{1, 2, 1}));
}

TEST(Profiler, TheTraceIsJsonWithOneRowForEachStream) {
  const Scene scene("cpu");
  const auto profiler = std::make_shared<Profiler>();
  scene.device->profile(profiler);
  const auto a = scene.ring.make<Eval>(1);
  scene.ring.add(Stream{0}, a.all(), a.all(), a.all());
  scene.ring.negate(Stream{7}, a.all(), a.all());
  const auto trace = nlohmann::json::parse(profiler->chrome_trace("a \"title\"\n"));
  ASSERT_EQ(trace["traceEvents"].size(), 3u);
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "a \"title\" , cpu");
  EXPECT_EQ(trace["traceEvents"][1]["name"], "add");
  EXPECT_EQ(trace["traceEvents"][1]["args"]["bytes"], 8 * 3 * 5 * kDegree);
  EXPECT_EQ(trace["traceEvents"][2]["tid"], 7);
  EXPECT_GE(trace["traceEvents"][2]["ts"].get<double>(), trace["traceEvents"][1]["ts"].get<double>());
}

// Adds a verb, or a launch of a verb, on stream 2. Times are in microseconds of the device's modelled clock.
void add_span(Profiler& profiler, const std::shared_ptr<Backend>& backend, std::string_view name, double begin,
              double end, bool is_launch) {
  Ticket from, to;
  from.us = begin;
  to.us = end;
  if (is_launch) profiler.add(Launch{.name = name, .stream = 2, .begin = from, .end = to}, "a verb", backend);
  else profiler.add(VerbRun{name, 2, {}, true, from, to, backend});
}

// Viewers drop a slice that begins inside another slice of its row and ends after it.
TEST(Profiler, SlicesOfOneRowOfTheTraceAreApartOrNested) {
  const std::shared_ptr<Backend> rpu = open_backend("rpu");
  Profiler profiler;
  add_span(profiler, rpu, "multiply", 0, 10.0004, false);  // rounds to 10.000, and 10.0004 + 5.0001 to 15.001
  add_span(profiler, rpu, "add", 10.0004, 15.0005, false);
  add_span(profiler, rpu, "negate", 15.0005, 30, false);
  add_span(profiler, rpu, "load", 0, 4, true);
  add_span(profiler, rpu, "scale", 3, 6, true);   // overlaps "load"
  add_span(profiler, rpu, "store", 5, 11, true);  // overlaps "scale", and two verbs
  add_span(profiler, rpu, "load", 16, 17, true);
  std::map<u64, std::vector<std::pair<i64, i64>>> rows;
  std::vector<u64> row_of;
  const auto nanoseconds = [](const nlohmann::json& us) { return std::llround(us.get<double>() * 1000); };
  const auto trace = nlohmann::json::parse(profiler.chrome_trace("overlaps"))["traceEvents"];
  for (const auto& event : trace) {
    if (event["ph"] != "X") continue;
    const i64 begin = nanoseconds(event["ts"]), end = begin + nanoseconds(event["dur"]);
    for (const auto& [b, e] : rows[event["tid"]]) {
      const bool apart = end <= b || e <= begin, nested = (b <= begin && end <= e) || (begin <= b && e <= end);
      EXPECT_TRUE(apart || nested) << event;
    }
    rows[event["tid"]].emplace_back(begin, end);
    row_of.push_back(event["tid"]);
  }
  EXPECT_EQ(row_of, (std::vector<u64>{2, 2, 2, 2, 5, 8, 2}));
}

// Returns a user's profile that is attached to the device of the scene.
Profile attached(const Scene& scene) {
  Profile profile;
  scene.device->profile(profile.state()->profiler);
  return profile;
}

TEST(ProfileSections, NestAndContainTheVerbsThatRunInside) {
  const Scene scene("cpu");
  Profile profile = attached(scene);
  const auto a = scene.ring.make<Eval>(1);
  const auto negate = [&] { scene.ring.negate({}, a.all(), a.all()); };
  negate();
  {
    const Profile::Section outer = profile.section("outer");
    negate();
    {
      const Profile::Section inner = profile.section("inner");
      negate();
    }
    negate();
  }
  negate();
  std::vector<std::string> sections;
  for (const VerbRecord& record : profile.records()) sections.push_back(record.section);
  EXPECT_EQ(sections, (std::vector<std::string>{"", "outer", "outer/inner", "outer", ""}));
  EXPECT_THROW((void)profile.section(""), Error);
}

TEST(ProfileTables, AddUpToTheRecords) {
  const Scene scene("cpu");
  Profile profile = attached(scene);
  auto a = scene.ring.make<Coeff>(2);
  const auto b = scene.ring.forward({}, std::move(a));
  {
    const Profile::Section section = profile.section("products");
    for (int i = 0; i < 3; ++i) scene.ring.multiply({}, b.all(), b.all(), b.all());
  }
  const std::vector<ProfileRow> verbs = profile.table(ProfileBy::verb), sections = profile.table(ProfileBy::section);
  ASSERT_EQ(verbs.size(), 2u);
  ASSERT_EQ(sections.size(), 2u);
  for (const std::vector<ProfileRow>* rows : {&verbs, &sections}) {
    double us = 0, share = 0;
    u64 count = 0, multiplications = 0;
    for (const ProfileRow& row : *rows) {
      us += row.us, share += row.time_share, count += row.count, multiplications += row.multiplications;
      EXPECT_LT(row.bandwidth_share, 0) << "the device `cpu` states no peak rates";
      EXPECT_EQ(row.transform_share, row.name == "ntt" || row.name.empty() ? 1.0 : 0.0) << row.name;
    }
    double expected = 0;
    for (const VerbRecord& record : profile.records()) expected += record.end_us - record.start_us;
    EXPECT_NEAR(us, expected, 1e-6);
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_EQ(count, 4u);
    EXPECT_EQ(multiplications, 2u * 5 * (kTransform + 3 * kDegree));
  }
}

TEST(ProfileTables, AreCsvAndJson) {
  const Scene scene("cpu");
  Profile profile = attached(scene);
  const auto a = scene.ring.make<Eval>(1);
  {
    const Profile::Section section = profile.section("a \"name\"");
    scene.ring.add({}, a.all(), a.all(), a.all());
  }
  const auto json = nlohmann::json::parse(profile.json());
  EXPECT_EQ(json["verbs"][0]["name"], "add");
  EXPECT_EQ(json["verbs"][0]["bytes"], 8 * 3 * 5 * kDegree);
  EXPECT_EQ(json["sections"][0]["name"], "a \"name\"");
  EXPECT_TRUE(json["launches"].empty());
  const std::string csv = profile.csv(ProfileBy::section);
  EXPECT_TRUE(csv.starts_with("name,device,count,us,time_share,")) << csv;
  EXPECT_NE(csv.find("\n\"a \"\"name\"\"\",\"cpu\",1,"), std::string::npos) << csv;
}

// While this object exists, the locale of the program has a decimal comma, if localedef could make such a locale.
class CommaLocale {
 public:
  CommaLocale() {
    const std::string make = "localedef -i de_DE -f UTF-8 '" + folder_ / "de_DE.UTF-8" + "' >/dev/null 2>&1";
    if (std::system(make.c_str()) != 0) return;  // NOLINT(concurrency-mt-unsafe)
    setenv("LOCPATH", folder_.path().c_str(), 1);
    std::setlocale(LC_ALL, "de_DE.UTF-8");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;
  ~CommaLocale() {
    std::setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
  }
  [[nodiscard]] bool is_set() const { return *std::localeconv()->decimal_point == ','; }

 private:
  testing::Folder folder_;
};

TEST(ProfileTables, HaveADecimalPointInALocaleWithCommas) {
  const CommaLocale locale;
  if (!locale.is_set()) GTEST_SKIP() << "localedef could not make the locale de_DE";
  const Scene scene("cpu");
  const Profile profile = attached(scene);
  const auto x = scene.ring.make<Eval>(2, {0, 3});
  scene.ring.add(Stream{0}, x.all(), x.all(), x.all());
  const std::string csv = profile.csv(ProfileBy::verb);
  const std::string headings = csv.substr(0, csv.find('\n')), row = csv.substr(csv.find('\n') + 1);
  EXPECT_EQ(std::count(row.begin(), row.end(), ','), std::count(headings.begin(), headings.end(), ',')) << csv;
  const ProfileRow measured = profile.table(ProfileBy::verb)[0];
  EXPECT_NEAR(nlohmann::json::parse(profile.json())["verbs"][0]["us"].get<double>(), measured.us, 1e-3 * measured.us);
  EXPECT_FALSE(nlohmann::json::parse(profile.chrome_trace("a trace"))["traceEvents"].empty());
}

// Some devices answer late. The profiler reads the times of such a device only when the profile is read.
TEST(Profiler, TimesOfADeviceThatAnswersLateAreThereWhenTheyAreRead) {
  const Scene scene("deferred:3");
  Profile profile = attached(scene);
  const auto a = scene.ring.make<Eval>(1);
  for (int i = 0; i < 3; ++i) scene.ring.add({}, a.all(), a.all(), a.all());
  const std::vector<VerbRecord> records = profile.records();
  ASSERT_EQ(records.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(records[i].start_us, records[i].end_us);
    EXPECT_TRUE(i == 0 || records[i - 1].end_us <= records[i].end_us);
  }
}

// A device that models time reports the launches within its verbs. Tables of verbs and of sections compare the work of
// each row with the peak rates of the device (roofs).
TEST(ProfileTables, OfAModelledDeviceHaveLaunchesAndRoofs) {
  const auto device = Device::open("pim");
  const Ring ring(device, {kDegree, Word::u32, {786433}});
  Profile profile;
  device->profile(profile.state()->profiler);
  auto a = ring.make<Coeff>(1);
  Staging staging(kDegree);
  const std::vector<u64> words(kDegree, 5);
  ring.upload({}, a.all(), std::span(words), staging);
  const auto b = ring.forward({}, std::move(a));
  ring.multiply({}, b.all(), b.all(), b.all());
  std::vector<u64> out(kDegree);
  ring.download({}, b.all(), std::span(out), staging);
  ASSERT_FALSE(profile.launches().empty());
  std::set<std::string> verbs;
  for (const LaunchRecord& launch : profile.launches()) {
    verbs.insert(launch.verb);
    EXPECT_LE(launch.start_us, launch.end_us) << launch.name;
  }
  EXPECT_TRUE(verbs.contains("ntt"));
  EXPECT_TRUE(verbs.contains("multiply"));
  EXPECT_FALSE(profile.table(ProfileBy::launch).empty());
  for (const ProfileRow& row : profile.table(ProfileBy::verb)) {
    EXPECT_GE(row.bandwidth_share, 0) << row.name;
    EXPECT_LE(row.bandwidth_share, 1) << row.name;
    EXPECT_LE(row.multiplier_share, 1) << row.name;
  }
}

}  // namespace
}  // namespace ringfort::profiler_test
