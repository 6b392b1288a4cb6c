// SPDX-License-Identifier: Apache-2.0
// Tests the codes and messages with which `pim` (simulated DPUs, hw/pim/README.md) refuses invalid plans (degree, word
// width and primes), options, views and memory requests.
#include "backend/pim/pim.h"
#include "differential/pim/cases.h"
#include "ring/ring.h"
#include "ringfort/error.h"
#include "runtime/device.h"

namespace ringfort::testing {
namespace {

TEST(PimRefusals, PlansOutsideItsArithmeticAreUnsupported) {
  const TestDevice pim("pim");
  const u128 q = short_prime_below(u64{1} << 30, 1024), any = ntt_primes(30, 1024, 1).value()[0];
  ASSERT_NE(any % 65536, 1u);
  const u128 too_long = prime_above(31, 1024);
  const std::vector<Plan> wrong = {
      {1024, Word::u128, {q}},         {1024, Word::u64, {q + 2048}}, {1024, Word::u64, {prime_above(62, 1024)}},
      {32, Word::u64, {any}},          {1024, Word::u64, {}},         {1024, Word::u32, {any + 2048}},
      {1024, Word::u32, {q, any + 2}}, {1024, Word::u32, {too_long}}, {32, Word::u32, {q}},
      {1000, Word::u32, {q}},          {1024, Word::u32, {}},         {1024, Word::u32, {q + 65536}},
      {1u << 17, Word::u32, {786433}}, {65536, Word::u32, {65537}},   {0, Word::u32, {q}}};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SharedPlan plan;
    EXPECT_EQ(pim->prepare(wrong[i], plan), Status::unsupported) << i;
    EXPECT_EQ(plan, nullptr);
  }
}

TEST(PimRefusals, TheMessageStatesTheFix) {
  const auto device = Device::open("pim");
  try {
    const Ring ring(device, {32, Word::u64, ntt_primes(50, 32, 1).value()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_NE(std::string(error.fix()).find(R"(primes={"bits": 30, "form": "c*2^16+1"})"), std::string::npos)
        << error.fix();
  }
}

TEST(PimRefusals, UnknownOptionsAreNamed) {
  for (const char* name : {"pim:", "pim:rank=2", "pim:ranks=0", "pim:ranks=x", "pim:profile=none", "pim:chip=v2",
                           "pim:dpus=65", "pim:fidelity=", "pim:ranks=2,,", "pim:ranks"}) {
    std::string refusal;
    EXPECT_EQ(open_backend(name, &refusal), nullptr) << name;
    EXPECT_NE(refusal.find("pim: '"), std::string::npos) << refusal;
  }
  std::string refusal;
  EXPECT_EQ(open_backend("pim:ranks=41", &refusal), nullptr);
  EXPECT_NE(refusal.find("32 ranks, 41"), std::string::npos) << refusal;
  EXPECT_EQ(open_backend("pims"), nullptr);
  try {
    (void)Device::open("pim:speed=9");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::device_unknown);
    EXPECT_NE(std::string(error.fix()).find("'speed=9'"), std::string::npos) << error.fix();
  }
}

TEST(PimRefusals, NamesWithOptionsOpen) {
  for (const char* name :
       {"pim", "pim:ranks=8", "pim:ranks=2,profile=prim-2021", "pim:chip=v1B", "pim:dpus=62,fidelity=shapes"}) {
    const auto backend = open_backend(name);
    ASSERT_NE(backend, nullptr) << name;
    EXPECT_EQ(backend->name(), name);
    EXPECT_TRUE(backend->capabilities().simulated_time);
  }
}

TEST(PimRefusals, ViewsOutsideTheirBufferAreInternalErrorsAndOddOffsetsUnsupported) {
  const TestDevice pim("pim");
  const u128 q = short_prime_below(u64{1} << 30, 64);
  const SharedPlan plan = prepare(pim, Word::u32, 64, {q});
  const std::vector<u32> values(128, 5);
  const Batch<u32> a(pim, plan.get(), 64, values);
  View wrong = a.view();
  wrong.batch = 3;
  EXPECT_EQ(run_one(*pim, {}, verb::Ntt{wrong}), Status::internal);
  wrong = a.view();
  wrong.offset = 1, wrong.batch = 1;  // inside the buffer, but not a multiple of n
  EXPECT_EQ(run_one(*pim, {}, verb::Intt{wrong}), Status::unsupported);
  wrong = a.view();
  wrong.limbs.first = 1;
  EXPECT_EQ(run_one(*pim, {}, verb::Negate{wrong, wrong}), Status::internal);
  EXPECT_EQ(run_one(*pim, {}, verb::MultiplyScalar{a.view(), a.view(), {}}), Status::internal);
  EXPECT_EQ(a.values(), values);
}

// MRAM is allocated at the first write. If a buffer is too large, the first write fails, and the data in MRAM stay.
TEST(PimRefusals, AFullMemoryIsOutOfMemoryAndHarmless) {
  const TestDevice pim("pim:dpus=1");
  DeviceBuffer* impossible = nullptr;
  EXPECT_EQ(pim->allocate(static_cast<std::size_t>(-1), Contents::zeroed, Privacy::open, impossible),
            Status::out_of_memory);
  const u128 q = short_prime_below(u64{1} << 30, 64);
  const SharedPlan plan = prepare(pim, Word::u32, 64, {q});
  const Batch<u32> small(pim, plan.get(), 64, std::vector<u32>(64, 7));
  DeviceBuffer* large = nullptr;
  ASSERT_EQ(pim->allocate(std::size_t{64} << 20, Contents::zeroed, Privacy::open, large), Status::ok);
  const View view{plan.get(), large, 0, {0, 1}, 1};
  EXPECT_EQ(run_one(*pim, {}, verb::Upload{view, Domain::coefficient, std::vector<u32>(64, 1).data()}),
            Status::out_of_memory);
  pim->release(large, true);
  EXPECT_EQ(small.values(), std::vector<u32>(64, 7));
}

}  // namespace
}  // namespace ringfort::testing
