// SPDX-License-Identifier: Apache-2.0
// Tests the class Order (backend/device/order.h), which makes a call on one stream wait for calls on others if they use
// the same buffer. Calls on any streams must have the same effect as if they ran one after another. They must not wait
// longer than necessary.
#include "backend/device/order.h"

#include <random>
#include <thread>

#include "emulated_device.h"

namespace ringfort::testing {
namespace {

using device::History;
using device::Order;
using device::Touch;
using emu::Operation;
using Words = std::vector<u32>;

struct Buffer {
  Address address = nullptr;
  History history;
  Words expected;
};

struct Program {
  Program(emu::Options options, u32 count) : device(options), order(*device), buffers(count) {
    for (Buffer& each : buffers) each.address = device.buffer();
  }
  Status fill(u32 stream, Buffer& to, const Words& words) {
    to.expected = words;
    const Touch touches[] = {{&to.history, true}};
    return order.call(stream, touches, [&] { return device.copy_in(stream, to.address, words); });
  }
  Status mix(u32 stream, Buffer& out, Buffer& a, Buffer& b) {
    const Words x = a.expected, y = b.expected;
    for (u32 i = 0; i < x.size(); ++i) out.expected[i] = 3 * x[i] + y[i];
    const Touch touches[] = {{&a.history, false}, {&b.history, false}, {&out.history, true}};
    return order.call(stream, touches, [&] { return device.mix(stream, out.address, a.address, b.address); });
  }
  Status fetch(u32 stream, Buffer& from, Words& to) {
    const Touch touches[] = {{&from.history, false}};
    return order.call(stream, touches, [&] { return device.copy_out(stream, to, from.address); });
  }

  Emulated device;
  Order order;
  std::vector<Buffer> buffers;
};

TEST(Order, RandomProgramsHaveTheEffectOfTheirSequence_EverySeed) {
  for (u64 seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    Program program({.seed = seed, .checked = seed % 4 == 0}, 5);
    std::vector<Words> sources;
    for (u32 i = 0; i < 5; ++i) sources.emplace_back(Emulated::kWords, static_cast<u32>(random()));
    const auto stream = [&] { return static_cast<u32>(random() % device::kStreams); };
    const auto buffer = [&]() -> Buffer& { return program.buffers[random() % 5]; };
    for (u32 i = 0; i < 5; ++i) ASSERT_EQ(program.fill(stream(), program.buffers[i], sources[i]), Status::ok);
    for (u32 i = 0; i < 120; ++i) {
      ASSERT_EQ(program.mix(stream(), buffer(), buffer(), buffer()), Status::ok)
          << "seed " << seed << ": " << program.device->error();
      if (random() % 16 == 0) { ASSERT_EQ(program.order.synchronize(stream()), Status::ok); }
    }
    for (Buffer& each : program.buffers) {
      Words result(Emulated::kWords);
      const u32 last = stream();
      ASSERT_EQ(program.fetch(last, each, result), Status::ok);
      ASSERT_EQ(program.order.synchronize(last), Status::ok) << program.device->error();
      EXPECT_EQ(result, each.expected) << "seed " << seed;
    }
  }
}

TEST(Order, ACallThatDoesNotDeclareABufferIsFound) {
  Program program({}, 2);
  const Words words(Emulated::kWords, 1);
  Buffer &a = program.buffers[0], &b = program.buffers[1];
  ASSERT_EQ(program.fill(0, a, words), Status::ok);
  const Touch touches[] = {{&b.history, true}};  // the call does not declare its use of a
  const Status status =
      program.order.call(1, touches, [&] { return program.device.mix(1, b.address, a.address, a.address); });
  EXPECT_EQ(status, Status::internal);
  EXPECT_EQ(program.device->error(),
            "mix on stream 1 reads buffer 1 without waiting for copy_in on stream 0, which writes it");
}

// Options of a device on which the first `allowed` calls of record() or wait() succeed, and the next call fails.
emu::Options with_events(u64 allowed) { return {.failure = {Operation::event, allowed + 1}}; }

TEST(Order, OneStreamRecordsNoEvents) {
  Program program(with_events(0), 3);
  const Words words(Emulated::kWords, 1);
  for (Buffer& each : program.buffers) ASSERT_EQ(program.fill(4, each, words), Status::ok);
  for (u32 i = 0; i < 20; ++i)
    ASSERT_EQ(program.mix(4, program.buffers[i % 3], program.buffers[(i + 1) % 3], program.buffers[i % 2]), Status::ok);
}

TEST(Order, OneEventServesAllReadersOfAWriter) {
  Program program(with_events(1 + 5), 6);
  const Words words(Emulated::kWords, 1);
  ASSERT_EQ(program.fill(0, program.buffers[0], words), Status::ok);
  for (u32 s = 1; s < 6; ++s) {
    program.buffers[s].expected = words;
    ASSERT_EQ(program.mix(s, program.buffers[s], program.buffers[0], program.buffers[0]), Status::ok);
  }
}

TEST(Order, AWaitCoversWhatTheOtherStreamWaitedFor) {
  Program program(with_events(2 + 2), 3);
  const Words words(Emulated::kWords, 1);
  for (Buffer& each : program.buffers) each.expected = words;
  Buffer &a = program.buffers[0], &b = program.buffers[1], &c = program.buffers[2];
  ASSERT_EQ(program.fill(2, a, words), Status::ok);
  ASSERT_EQ(program.mix(1, b, a, a), Status::ok);  // the first event: stream 1 waits for stream 2
  ASSERT_EQ(program.mix(3, c, b, b), Status::ok);  // the second event: stream 3 waits for stream 1
  EXPECT_EQ(program.mix(3, c, a, b), Status::ok) << "stream 3 has waited for stream 2 through stream 1";
}

TEST(Order, ACallWhoseWaitFailsIsNotSubmitted) {
  for (const u64 allowed : {0, 1}) {  // with 0, record() fails; with 1, wait() fails
    Program program(with_events(allowed), 1);
    const Words words(Emulated::kWords, 1);
    Words result(Emulated::kWords);
    ASSERT_EQ(program.fill(0, program.buffers[0], words), Status::ok);
    EXPECT_EQ(program.fetch(1, program.buffers[0], result), Status::out_of_memory);
    EXPECT_EQ(result, Words(Emulated::kWords, 0)) << "the copy was not submitted";
    EXPECT_EQ(program.fetch(1, program.buffers[0], result), Status::ok) << "the failure is over";
    EXPECT_EQ(program.order.synchronize(1), Status::ok);
    EXPECT_EQ(result, words);
  }
}

TEST(Order, ABufferHasEndedOnceItsCallsHaveEnded) {
  for (u64 seed = 1; seed < 10; ++seed) {
    Program program({.seed = seed}, 2);
    const Words words(Emulated::kWords, 1);
    Buffer &a = program.buffers[0], &b = program.buffers[1];
    ASSERT_EQ(program.fill(0, a, words), Status::ok);
    b.expected = words;
    ASSERT_EQ(program.mix(1, b, a, a), Status::ok);
    bool ended = false;
    u32 questions = 0;
    for (; !ended && questions < 1000; ++questions)
      ASSERT_EQ(program.order.has_ended(a.history, ended), Status::ok) << program.device->error();
    EXPECT_GT(questions, 1u);
    EXPECT_EQ(program.device->release(a.address), Status::ok) << program.device->error();
  }
}

TEST(Order, ThreadsOnSharedBuffersNeedNoOtherOrder) {
  Program program({}, 4);
  const Words words(Emulated::kWords, 1);
  for (Buffer& each : program.buffers) ASSERT_EQ(program.fill(0, each, words), Status::ok);
  std::vector<std::thread> threads;
  for (u32 t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (u32 i = 0; i < 100; ++i) {
        Buffer &out = program.buffers[(t + i) % 4], &a = program.buffers[i % 4];
        const Touch touches[] = {{&a.history, false}, {&out.history, true}};
        EXPECT_EQ(
            program.order.call(t, touches, [&] { return program.device.mix(t, out.address, a.address, a.address); }),
            Status::ok);
        if (i % 10 == 0) { EXPECT_EQ(program.order.synchronize(t), Status::ok); }
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(program.device->error(), "");
}

}  // namespace
}  // namespace ringfort::testing
