// SPDX-License-Identifier: Apache-2.0
// Generated programs: the roots they use, the reference they are compared with, what they count and how long they take.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "codegen/pease.h"
#include "codegen/program.h"
#include "codegen/roots.h"
#include "codegen/split.h"
#include "sim/functional.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu {
namespace {

constexpr u128 kPaperModulus = ~u128{0} - 63963134;
// The largest primes below 2^b that are 1 mod 2^18, b = 24, 31, 62, 64, 65.
constexpr std::array<u64, 4> kSmallModuli{16515073, 2146959361, 4611686018425815041, 18446744073707716609U};
constexpr u128 k65Bits = (u128{1} << 65) - 1048575;

TransformRequest request_of(u32 n, u128 modulus = kPaperModulus, Optimizer optimizer = Optimizer::paper) {
  TransformRequest request;
  request.n = n;
  request.modulus = modulus;
  request.optimizer = optimizer;
  request.tries = 2;
  return request;
}

std::map<Pipe, u32> counts(const Program& program) {
  std::map<Pipe, u32> found;
  for (const u64 word : program.image.code) ++found[decode(word).instruction.info().pipe];
  return found;
}

std::string refusal_of(const TransformRequest& request) {
  try {
    static_cast<void>(forward_transform(request));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Roots, PrimesAreToldFromCompositesAndPseudoprimes) {
  for (const u64 q : kSmallModuli) EXPECT_TRUE(is_probable_prime(q)) << q;
  EXPECT_TRUE(is_probable_prime(kPaperModulus));
  EXPECT_TRUE(is_probable_prime(k65Bits));
  for (const u64 n : {0ULL, 1ULL, 4ULL, 561ULL, 2047ULL, 3215031751ULL, 3825123056546413051ULL})
    EXPECT_FALSE(is_probable_prime(n)) << n;
  EXPECT_FALSE(is_probable_prime(u128{4611686018425815041} * 16515073));
}

TEST(Roots, TheMinimalRootIsTheSmallestOfAll_FoundBySearch) {
  const Modulus q(7681);  // = 15 * 2^9 + 1
  for (const u32 n : {4U, 16U, 256U}) {
    u128 least = 2;
    while (power(q, least, n) != 7680) ++least;
    EXPECT_TRUE(minimal_root(q, n) == least) << n;
  }
}

TEST(Roots, TheReferenceEvaluatesAtTheOddPowersInBitReversedOrder) {
  const Modulus q(kPaperModulus);
  constexpr u32 kN = 64;
  const u128 psi = minimal_root(q, kN);
  std::mt19937_64 random(7);
  std::vector<u128> x(kN);
  for (u128& value : x) value = ((static_cast<u128>(random()) << 64) | random()) % q.value();
  std::vector<u128> transformed = x;
  reference_transform(q, root_powers(q, psi, kN), transformed);
  for (u32 i = 0; i < kN; ++i) {
    u32 turned = 0;
    for (u32 bit = 0; bit < 6; ++bit) turned |= ((i >> bit) & 1) << (5 - bit);
    EXPECT_TRUE(transformed[i] == evaluate(q, x, power(q, psi, 2 * turned + 1))) << i;
  }
}

// [Soni23, Section VI-F]: the 64K transform has 1024 CIs and 1920 SIs; Section VI-B and Figure 10: 6.7 us, 1.38.
TEST(Pease, The64KTransformHasThePapersCountsAndTime) {
  TransformRequest request = request_of(65536);
  request.tries = 16;
  const Program program = forward_transform(request);
  auto count = counts(program);
  EXPECT_EQ(count[Pipe::compute], 1024U);
  EXPECT_EQ(count[Pipe::shuffle], 1920U);
  EXPECT_EQ(count[Pipe::load_store], 1160U);  // 1024 of data, 136 of roots
  EXPECT_GE(program.cycles, 10900U);
  EXPECT_LE(program.cycles, 11600U);
}

TEST(Pease, The1KAnd16KTransformsTakeThePapersTime) {
  TransformRequest request = request_of(1024);
  request.tries = 16;
  EXPECT_NEAR(static_cast<double>(forward_transform(request).cycles), 309, 0.03 * 309);
  request.n = 16384;
  EXPECT_NEAR(static_cast<double>(forward_transform(request).cycles), 2512, 0.12 * 2512);
}

TEST(Pease, TheSamePlanGivesTheSameCyclesEverywhere) {
  const std::map<u32, u64> expected{{1024, 315}, {2048, 389}, {4096, 594}, {8192, 1001}, {65536, 11150}};
  for (const auto& [n, cycles] : expected) {
    TransformRequest request = request_of(n);
    request.tries = 16;
    EXPECT_EQ(forward_transform(request).cycles, cycles) << n;
  }
}

TEST(Pease, EveryStageIsThereAtEveryLength) {
  for (u32 stages = 10; stages <= 17; ++stages) {
    const u32 n = 1U << stages, vectors = n / kVectorLength;
    std::map<Op, u32> found;
    std::set<std::pair<u32, u32>> roots;
    const Dataflow flow = pease({}, n).flow;
    for (const Operation& operation : flow.operations()) {
      ++found[operation.op];
      if (operation.op == Op::vload && operation.address >= 2 * n) roots.insert({operation.address, operation.value});
    }
    EXPECT_EQ(found[Op::bfly], stages * vectors / 2) << n;
    EXPECT_EQ(found[Op::unpklo], (stages - 1) * vectors / 2) << n;
    EXPECT_EQ(found[Op::unpkhi], (stages - 1) * vectors / 2) << n;
    EXPECT_EQ(found[Op::vstore], pease_passes(n) * vectors) << n;
    const u32 loads = found[Op::vload] - pease_passes(n) * vectors;
    if (stages < 17)
      EXPECT_EQ(loads, roots.size()) << n;  // each vector of roots once
    else
      EXPECT_GT(loads, roots.size());  // they no longer fit the registers of a pass
  }
}

TEST(Program, ComputesTheTransform_EveryLengthOptimizerAndModulus) {
  for (u32 n = 1024; n <= 8192; n *= 2)
    for (const Optimizer optimizer : {Optimizer::none, Optimizer::paper, Optimizer::best}) {
      for (const u64 q : kSmallModuli) EXPECT_EQ(refusal_of(request_of(n, q, optimizer)), "accepted") << n << " " << q;
      EXPECT_EQ(refusal_of(request_of(n, k65Bits, optimizer)), "accepted") << n;
      EXPECT_EQ(refusal_of(request_of(n, kPaperModulus, optimizer)), "accepted") << n;
    }
}

TEST(Program, ComputesTheTransform_LongLengths) {
  for (const u32 n : {16384U, 32768U, 65536U, 131072U})
    for (const Optimizer optimizer : {Optimizer::none, Optimizer::best}) {
      TransformRequest request = request_of(n, kPaperModulus, optimizer);
      request.machine.vdm_words = 393216;
      EXPECT_EQ(refusal_of(request), "accepted") << n;
    }
}

TEST(Split, BothFormsComputeTheTransform_AndHaveTheCountsOfTheirAlgebra) {
  const Modulus q(kPaperModulus);
  for (u32 n = 1024; n <= 65536; n *= 4) {
    const u128 psi = minimal_root(q, n);
    const TransformField field{q, psi, root_powers(q, psi, n)};
    const auto stages = static_cast<u32>(std::countr_zero(n));
    const u32 vectors = n / kVectorLength;
    for (const bool twist : {false, true}) {
      const TransformPlan plan = split_transform(field, n, twist);
      std::map<Op, u32> found;
      for (const Operation& operation : plan.flow.operations()) ++found[operation.op];
      EXPECT_EQ(found[Op::bfly], stages * vectors / 2) << n;
      EXPECT_EQ(found[Op::unpklo] + found[Op::unpkhi], 9 * vectors) << n;
      EXPECT_EQ(found[Op::vmulmod], twist ? vectors : 0) << n;
    }
  }
}

// What the algebra and the scheduler reach with the profile `paper`, natural order in and canonical order out.
TEST(Split, IsFasterThanThePapersTransformOnThePapersMachine) {
  const std::map<u32, u64> bars{{1024, 312}, {4096, 510}, {65536, 7000}};
  for (const auto& [n, bar] : bars) {
    TransformRequest request = request_of(n, kPaperModulus, Optimizer::best);
    request.tries = 24;
    const Program program = forward_transform(request);
    EXPECT_LE(program.cycles, bar) << n;
    EXPECT_EQ(program.result, "x");
  }
}

TEST(Program, ComputesTheTransform_EveryShapeOfMachine) {
  for (const char* machine : {"hples=4,banks=32", "hples=256,banks=32", "hples=512,banks=512", "hples=64,bank_hash=xor",
                              "multiply_interval=4", "busyboard=hazards,dispatch=1", "ports=head",
                              "ports=none,queue_depth=1", "shuffle_latency=9,memory_latency=17"})
    for (const Optimizer optimizer : {Optimizer::none, Optimizer::paper, Optimizer::best}) {
      TransformRequest request = request_of(2048, kPaperModulus, optimizer);
      set_from_list(request.machine, machine);
      EXPECT_EQ(refusal_of(request), "accepted") << machine;
    }
}

TEST(Program, TheSchedulersCyclesAreThoseOfTheSimulator) {
  for (const Optimizer optimizer : {Optimizer::none, Optimizer::paper, Optimizer::best})
    for (const char* machine : {"dispatch=2", "dispatch=1,busyboard=hazards", "ports=head", "hples=32"}) {
      TransformRequest request = request_of(4096, kPaperModulus, optimizer);
      set_from_list(request.machine, machine);
      const Program program = forward_transform(request);
      Functional simulator(request.machine, program.image);
      Timing timing(request.machine);
      EXPECT_EQ(simulator.run(program.image.kernel(""), [&](const Event& event) { timing.consume(event); }).trap,
                Trap::none);
      EXPECT_EQ(timing.finish().cycles, program.cycles) << machine;
    }
}

TEST(Program, AScheduleThatKnowsTheMachineIsAboutTwiceAsGood) {
  const double plain = static_cast<double>(forward_transform(request_of(16384, kPaperModulus, Optimizer::none)).cycles);
  const double scheduled = static_cast<double>(forward_transform(request_of(16384)).cycles);
  EXPECT_GT(plain / scheduled, 1.6);
}

TEST(Program, VerificationFailsWhenOneInstructionOrOneRootIsWrong) {
  const TransformRequest request = request_of(1024);
  Program program = forward_transform(request);
  EXPECT_TRUE(verify_transform(program, request, 99));
  const auto shuffle = std::find_if(program.image.code.begin(), program.image.code.end(),
                                    [](u64 word) { return kOpcodeField.of(word) == 12; });
  *shuffle += u64{1} << kOpcodeField.lsb;  // UNPKHI instead of UNPKLO
  EXPECT_FALSE(verify_transform(program, request, 99));
  *shuffle -= u64{1} << kOpcodeField.lsb;
  EXPECT_TRUE(verify_transform(program, request, 99));
  program.image.segments[0].words[700] ^= 1;  // a root
  EXPECT_FALSE(verify_transform(program, request, 99));
  program.image.segments[0].words[700] ^= 1;
  program.result = "x";  // the input's buffer
  EXPECT_FALSE(verify_transform(program, request, 99));
}

TEST(Program, WhatCannotBeIsRefusedWithTheReason) {
  EXPECT_NE(refusal_of(request_of(1000)).find("not a power of two in 1024 .. 131072"), std::string::npos);
  EXPECT_NE(refusal_of(request_of(512)).find("not a power of two"), std::string::npos);
  EXPECT_NE(refusal_of(request_of(1024, 97)).find("not a prime that is 1 modulo 2 n = 2048"), std::string::npos);
  EXPECT_NE(refusal_of(request_of(1024, 2049 * u128{4097})).find("not a prime"), std::string::npos);
  EXPECT_NE(refusal_of(request_of(131072)).find("set vdm_words=393216 or choose a smaller n"), std::string::npos);
}

TEST(Program, ItsBytesAreReadBackAsTheyWere) {
  const Program program = forward_transform(request_of(1024));
  const std::vector<u8> bytes = image_bytes(program.image);
  const Image again = parse_image(bytes);
  EXPECT_EQ(again.code, program.image.code);
  EXPECT_EQ(image_bytes(again), bytes);
  EXPECT_TRUE(verify_transform({again, program.result, 0}, request_of(1024), 3));
}

TEST(Instruction, EncodingAndDecodingAreInverse_GeneratedAndRandomWords) {
  for (const u64 word : forward_transform(request_of(4096)).image.code)
    EXPECT_EQ(encode(decode(word).instruction), word);
  std::mt19937_64 random(11);
  u32 legal = 0;
  for (u32 i = 0; i < 20000; ++i) {
    const InstructionInfo& info = kInstructions[i % kInstructions.size()];
    const u64 fixed = (u64{info.opcode} << kOpcodeField.lsb) | (u64{info.bfly} << kBflyField.lsb);
    const u64 word =
        (random() & info.used_mask & ~((u64{15} << kOpcodeField.lsb) | (u64{1} << kBflyField.lsb))) | fixed;
    const Decoded decoded = decode(word);
    if (decoded.trap != Trap::none) continue;
    EXPECT_EQ(encode(decoded.instruction), word);
    ++legal;
  }
  EXPECT_GT(legal, 8000U);
}

}  // namespace
}  // namespace ringfort::rpu
