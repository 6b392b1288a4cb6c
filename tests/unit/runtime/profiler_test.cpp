// SPDX-License-Identifier: Apache-2.0
// One event for every verb that ran, with counts worked out by hand; none for what a device declined; the trace is JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "math/prime.h"
#include "ring/ring.h"

namespace ringfort {
namespace {

constexpr u32 kDegree = 64;
constexpr u64 kTransform = kDegree / 2 * 6;                           // products of one limb's transform

struct Scene {
  explicit Scene(std::string_view name)
      : device(OpenDevice::open(name)), ring(device, {kDegree, Word::u64, ntt_primes(40, kDegree, 5).take()}) {}
  std::shared_ptr<const OpenDevice> device;
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

  EXPECT_EQ(profiler->events().size(), 4u);                           // the sum came after
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

TEST(Profiler, WhatADeviceDeclinesIsReportedAsWhatItIsComposedOf) {
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
  const ModelClock before = scene.device->backend().model_clock({});
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
  const ModelClock after = scene.device->backend().model_clock({});
  EXPECT_NEAR(us, after.us - before.us, 1e-6);
  EXPECT_NEAR(energy_uj, after.energy_uj - before.energy_uj, 1e-6);
  EXPECT_GT(us, 0);
}

TEST(Profiler, DevicesOfOneProfileAreToldApartAfterTheyAreGone) {
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

}  // namespace
}  // namespace ringfort
