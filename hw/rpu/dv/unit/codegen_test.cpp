// SPDX-License-Identifier: Apache-2.0
// Tests generated programs: roots, the reference transform, values, instruction counts and cycles. hw/rpu/README.md
// explains the terms, such as private order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "codegen/program.h"
#include "codegen/rules.h"
#include "codegen/spill.h"
#include "sim/functional.h"
#include "sim/timing/timing.h"
#include "moduli.h"

namespace ringfort::rpu {
namespace {

// The largest primes below 2^24, 2^31, 2^62 and 2^64 that are 1 mod 2^18.
constexpr std::array<u64, 4> kSmallModuli{16515073, 2146959361, 4611686018425815041, 18446744073707716609U};

KernelRequest request_of(u32 n, u128 modulus = kPaperModulus, Optimizer optimizer = Optimizer::paper) {
  KernelRequest request;
  request.n = n;
  request.moduli = {modulus};
  request.optimizer = optimizer;
  request.tries = 2;
  return request;
}

std::map<Pipe, u32> counts(const Program& program) {
  std::map<Pipe, u32> found;
  for (const u64 word : program.image.code) ++found[decode(word).instruction.info().pipe];
  return found;
}

std::string refusal_of(const KernelRequest& request) {
  try {
    static_cast<void>(generate(request));
  } catch (const std::exception& error) { return error.what(); }
  return "accepted";
}

TEST(Roots, PrimesAreToldFromCompositesAndPseudoprimes) {
  for (const u64 q : kSmallModuli) EXPECT_TRUE(is_probable_prime(q)) << q;
  EXPECT_TRUE(is_probable_prime(kPaperModulus));
  EXPECT_TRUE(is_probable_prime(k65Bits));
  for (const u64 n : {0ULL, 1ULL, 4ULL, 561ULL, 2047ULL, 3215031751ULL, 3825123056546413051ULL})
    EXPECT_FALSE(is_probable_prime(n)) << n;
  EXPECT_FALSE(is_probable_prime(u128{4611686018425815041} * 16515073));
  EXPECT_FALSE(is_probable_prime(~u128{0}));
  // The first product passes the strong test to every prime base up to 59, the second product to every prime base up to
  // 67.
  EXPECT_FALSE(is_probable_prime(u128{531099297693901} * 1062198595387801));
  EXPECT_FALSE(is_probable_prime(u128{27778299663977101} * 55556599327954201));
  // The smallest strong Lucas pseudoprimes, the smallest strong pseudoprimes to base 2, and the square of the Wieferich
  // prime 1093.
  for (const u64 n : {5459ULL, 5777ULL, 10877ULL, 16109ULL, 2047ULL, 3277ULL, 4033ULL, 1194649ULL})
    EXPECT_FALSE(is_probable_prime(n)) << n;
}

TEST(Roots, PrimesAreThoseOfASieve) {
  std::vector<bool> composite(1 << 18);
  for (u64 i = 2; i < composite.size(); ++i) {
    ASSERT_EQ(is_probable_prime(i), !composite[i]) << i;
    for (u64 multiple = i * i; multiple < composite.size(); multiple += i) composite[multiple] = true;
  }
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
  const TransformField field = make_field(kPaperModulus, kN, true);
  const u128 psi = minimal_root(q, kN);
  std::mt19937_64 random(7);
  std::vector<u128> x(kN);
  for (u128& value : x) value = ((static_cast<u128>(random()) << 64) | random()) % q.value();
  std::vector<u128> transformed = x;
  reference_transform(q, field.stage_roots(), transformed);
  for (u32 i = 0; i < kN; ++i) {
    u32 reversed = 0;
    for (u32 bit = 0; bit < 6; ++bit) reversed |= ((i >> bit) & 1) << (5 - bit);
    EXPECT_TRUE(transformed[i] == evaluate(q, x, power(q, psi, 2 * reversed + 1))) << i;
  }
}

// The 64K transform of [Soni23] has 1024 compute and 1920 shuffle instructions (Section VI-F). It takes 6.7 us, or
// 11,256 cycles (Section VI-G).
TEST(Pease, The64KTransformHasThePapersCountsAndTime) {
  KernelRequest request = request_of(65536);
  request.tries = 16;
  const Program program = generate(request);
  auto count = counts(program);
  EXPECT_EQ(count[Pipe::compute], 1024U);
  EXPECT_EQ(count[Pipe::shuffle], 1920U);
  EXPECT_EQ(count[Pipe::load_store], 1160U);  // 1024 loads and stores of data, 136 loads of roots
  EXPECT_GE(program.cycles, 10900U);
  EXPECT_LE(program.cycles, 11600U);
}

TEST(Pease, The1KAnd16KTransformsTakeThePapersTime) {
  KernelRequest request = request_of(1024);
  request.tries = 16;
  EXPECT_NEAR(static_cast<double>(generate(request).cycles), 309, 0.03 * 309);
  request.n = 16384;
  EXPECT_NEAR(static_cast<double>(generate(request).cycles), 2512, 0.12 * 2512);
}

TEST(Pease, TheSamePlanGivesTheSameCyclesEverywhere) {
  const std::map<u32, u64> expected{{1024, 312}, {2048, 394}, {4096, 583}, {8192, 953}, {65536, 11030}};
  for (const auto& [n, cycles] : expected) {
    KernelRequest request = request_of(n);
    request.tries = 16;
    EXPECT_EQ(generate(request).cycles, cycles) << n;
  }
}

struct Form {
  const char* name;
  bool inverse, private_order;
};
constexpr std::array<Form, 4> kForms{Form{"forward", false, false}, Form{"inverse", true, false},
                                     Form{"private", false, true}, Form{"private inverse", true, true}};

KernelRequest with_form(KernelRequest request, const Form& form) {
  request.inverse = form.inverse;
  request.private_order = form.private_order;
  return request;
}

TEST(Program, ComputesTheTransform_EveryLengthOptimizerFormAndModulus) {
  for (u32 n = 1024; n <= 8192; n *= 2)
    for (const Optimizer optimizer : {Optimizer::none, Optimizer::paper, Optimizer::best})
      for (const Form& form : kForms) {
        const std::array<u128, 3> moduli{kSmallModuli[static_cast<u32>(std::countr_zero(n)) - 10], k65Bits,
                                         kPaperModulus};
        const u128 q = moduli[(n / 1024 + static_cast<u32>(optimizer)) % 3];
        EXPECT_EQ(refusal_of(with_form(request_of(n, q, optimizer), form)), "accepted") << n << " " << form.name;
      }
}

TEST(Program, ComputesTheTransform_LongLengths) {
  for (u32 n = 16384, form_of_n = 0; n <= 131072; n *= 2, ++form_of_n)
    for (const Form& form : {kForms[0], kForms[1], kForms[2 + form_of_n % 2]}) {
      KernelRequest request = with_form(request_of(n, kPaperModulus, Optimizer::best), form);
      request.machine.vdm_words = 524288;
      request.tries = 1;
      EXPECT_EQ(refusal_of(request), "accepted") << n << " " << form.name;
      if (form.private_order) continue;
      request.optimizer = Optimizer::none;
      EXPECT_EQ(refusal_of(request), "accepted") << n << " " << form.name;
    }
}

TEST(Program, ComputesTheTransform_CyclicAndPrimesOfManyWidths) {
  for (const bool inverse : {false, true})
    for (const u32 bits : {20U, 32U, 64U, 100U, 128U}) {
      KernelRequest request = request_of(2048, largest_prime(bits, 2048), Optimizer::best);
      request.negacyclic = false;
      request.inverse = inverse;
      EXPECT_EQ(refusal_of(request), "accepted") << bits;
    }
}

// Bit b of the position of a value is bit order[b] of its canonical index. Forward and inverse transform must use the
// same order.
TEST(Program, ThePrivateOrderIsTheSameForwardAndBackwards) {
  for (const u32 n : {1024U, 8192U, 32768U})
    for (const char* machine : {"dispatch=1", "dispatch=2"}) {
      KernelRequest request = request_of(n, kPaperModulus, Optimizer::best);
      set_from_list(request.machine, machine);
      request.private_order = true;
      request.tries = 1;
      const BitMap order = generate(request).order;
      EXPECT_NE(order, natural_map(static_cast<u32>(std::countr_zero(n))));
      request.inverse = true;
      EXPECT_EQ(generate(request).order, order) << n;
    }
}

TEST(Program, ComputesEveryFunction_LimbsAndBatchesAndOptimizers) {
  for (std::size_t function = 1; function < kFunctionNames.size(); ++function)
    for (const Optimizer optimizer : {Optimizer::none, Optimizer::paper, Optimizer::best}) {
      KernelRequest request = request_of(function == 1 ? 4096 : 2048, kPaperModulus, optimizer);
      request.function = static_cast<Function>(function);
      request.moduli = {kPaperModulus, kSmallModuli[0], k65Bits};
      request.batch = function == 1 ? 1 : 2;
      EXPECT_EQ(refusal_of(request), "accepted") << kFunctionNames[function];
    }
}

TEST(Program, MultipliesLongPolynomials_InOneProgram) {
  for (const u32 n : {16384U, 65536U})
    for (const bool negacyclic : {false, true}) {
      KernelRequest request = request_of(n, kPaperModulus, Optimizer::best);
      request.function = Function::multiply_polynomials;
      request.negacyclic = negacyclic;
      request.machine.vdm_words = 524288;
      EXPECT_EQ(refusal_of(request), "accepted") << n;
    }
}

TEST(Program, TransformsOfSeveralLimbsAreInterleaved) {
  KernelRequest request = request_of(2048, kPaperModulus, Optimizer::best);
  const u64 alone = generate(request).cycles;
  request.moduli = {kPaperModulus, k65Bits, kSmallModuli[3], kSmallModuli[2]};
  EXPECT_LT(generate(request).cycles, 3 * alone);
}

std::map<Op, u32> operations_of(const KernelRequest& request, std::size_t plan) {
  const std::vector<TransformField> fields{make_field(request.moduli[0], request.n, request.negacyclic)};
  const std::vector<KernelPlan> plans = kernel_plans(request, fields);
  std::map<Op, u32> found;
  for (const Operation& operation : plans[plan].flow.operations()) ++found[operation.op];
  return found;
}

TEST(Plans, HaveTheCountsOfTheirAlgebra) {
  for (u32 n = 1024; n <= 65536; n *= 4)
    for (const bool inverse : {false, true}) {
      const auto stages = static_cast<u32>(std::countr_zero(n));
      const u32 vectors = n / kVectorLength;
      KernelRequest request = request_of(n, kPaperModulus, Optimizer::best);
      request.inverse = inverse;
      auto found = operations_of(request, 0);  // this plan has a twist
      EXPECT_EQ(found[Op::bfly], stages * vectors / 2) << n;
      EXPECT_EQ(found[inverse ? Op::pklo : Op::unpklo], 9 * vectors / 2) << n;
      EXPECT_EQ(found[inverse ? Op::pkhi : Op::unpkhi], 9 * vectors / 2) << n;
      EXPECT_GE(found[Op::vmulmod], vectors) << n;
      request.optimizer = Optimizer::paper;
      found = operations_of(request, 0);
      EXPECT_EQ(found[Op::bfly], stages * vectors / 2) << n;
      EXPECT_EQ(found[Op::vmulmod], inverse ? vectors : 0) << n;
    }
}

// The program loads a hundred values before it uses the first one.
TEST(Spill, LetsAProgramRunThatHasMoreLiveValuesThanRegisters) {
  constexpr u32 kLinks = 9;  // number of values with an element in the result
  Plan plan;
  plan.table_at = 100 * kVectorLength;
  plan.flow.begin_block();
  std::vector<ValueId> values;
  for (u32 i = 0; i < 100; ++i) values.push_back(plan.flow.load(kVectorLength * i));
  ValueId chain = values[0];
  for (u32 i = 1; i < 100; ++i) chain = plan.flow.combine(Op::unpklo, chain, values[i]);
  for (u32 i = 100; i-- > 0;) chain = plan.flow.combine(Op::unpklo, chain, values[i]);
  plan.flow.store(chain, 0);
  Machine machine;
  const SearchRequest search{Optimizer::paper, 0, 1};
  EXPECT_FALSE(schedule(plan, machine, search).has_value());
  const Plan fitting = spilled(plan, 40);
  EXPECT_GT(fitting.scratch_words, 50 * kVectorLength);
  const auto code = schedule(fitting, machine, search);
  ASSERT_TRUE(code.has_value());

  Image image;
  for (const Instruction& instruction : code->code) image.code.push_back(encode(instruction));
  image.kernels = {{"main", 0, static_cast<u32>(image.code.size())}};
  image.segments = {{Space::sdm, 0, {0}}};
  image.vdm_words = fitting.words();
  image.sdm_words = 1;
  Functional simulator(machine, image);
  auto& memory = simulator.state().vdm;
  for (u32 i = 0; i < plan.table_at; ++i) memory[i] = i;
  ASSERT_EQ(simulator.run(image.kernel("")).trap, Trap::none);
  // Each step of the chain moves element j of `chain` to position 2 j, and element 0 of values[i] to position 1.
  for (u32 i = 0; i < kLinks; ++i) EXPECT_TRUE(memory[1U << i] == kVectorLength * i) << i;
}

TEST(Recipes, ThatCannotBeStoredAreRefused) {
  Recipe recipe = split(12, 0);
  recipe.passes[0].after = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  const std::vector<TransformField> fields{make_field(kPaperModulus, 4096, true)};
  Plan plan;
  Emitter emitter(plan, fields, {});
  emitter.begin_block();
  EXPECT_THROW(emitter.store({recipe, 0, 0, 0}, Column(8), 0), std::logic_error);
  EXPECT_THROW(static_cast<void>(Layout{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {9}}.slot_of(3)), std::logic_error);
}

TEST(Program, EqualRequestsTakeTheSameCyclesEverywhere) {
  struct Case {
    u32 n;
    Form form;
    u64 cycles;
  };
  for (const auto& [n, form, cycles] :
       {Case{1024, kForms[0], 309}, Case{1024, kForms[1], 322}, Case{1024, kForms[2], 303}, Case{2048, kForms[0], 362},
        Case{2048, kForms[1], 393}, Case{4096, kForms[0], 487}, Case{4096, kForms[2], 489}}) {
    KernelRequest request = with_form(request_of(n, kPaperModulus, Optimizer::best), form);
    request.tries = 4;
    EXPECT_EQ(generate(request).cycles, cycles) << n << " " << form.name;
  }
}

// Cycles of the transform from natural to canonical order, and of its inverse. The machines are the profile `paper`,
// and the same machine with one dispatch per cycle. The search is limited by counted effort and not by time. Therefore
// the cycles are the same on every computer.
TEST(Program, IsFasterThanThePapersTransformOnThePapersMachine) {
  struct Case {
    u32 n;
    u64 bar;
    std::array<u64, 2> paper, quick;  // forward, inverse
  };
  const bool full = std::getenv("RINGFORT_COUNTS") != nullptr;
  for (const auto& [n, bar, paper, quick] :
       {Case{1024, 312, {309, 322}, {308, 322}}, Case{2048, 389, {362, 389}, {362, 389}},
        Case{4096, 510, {487, 512}, {482, 489}}, Case{8192, 900, {892, 915}, {874, 899}},
        Case{16384, 1750, {1750, 1822}, {1731, 1805}}, Case{32768, 3450, {3358, 3684}, {3285, 3584}},
        Case{65536, 7000, {6799, 7260}, {6506, 7107}}})
    for (const u32 dispatch : {2, 1}) {
      if (dispatch == 1 && n > 8192 && !full) continue;
      const auto& expected = dispatch == 2 ? paper : quick;
      for (const bool inverse : {false, true}) {
        KernelRequest request = request_of(n, kPaperModulus, Optimizer::best);
        request.machine.dispatch = dispatch;
        request.inverse = inverse;
        request.tries = 8;
        EXPECT_EQ(generate(request).cycles, expected[inverse ? 1 : 0]) << n << " " << dispatch << " " << inverse;
      }
      EXPECT_LE(expected[0], bar);
      // An inverse transform takes longer, because it has more products with powers of psi, and products with 1/n.
      EXPECT_LE(static_cast<double>(expected[1]), (dispatch == 2 ? 1.10 : 1.12) * static_cast<double>(expected[0]));
    }
}

TEST(Program, HashedBanksTakeTheLongTransformFurther_EverySeed) {
  KernelRequest request = request_of(65536, kPaperModulus, Optimizer::best);
  set_from_list(request.machine, "bank_hash=xor,dispatch=1");
  const std::array<u64, 4> expected{5496, 5645, 5676, 5625};
  for (u64 seed = 0; seed < expected.size(); ++seed) {
    request.seed = seed;
    if (seed > 1 && std::getenv("RINGFORT_COUNTS") == nullptr) continue;
    EXPECT_EQ(generate(request).cycles, expected[seed]) << seed;
    EXPECT_LE(expected[seed], 5900U);
  }
}

TEST(Program, ComputesTheTransform_EveryShapeOfMachine) {
  for (const char* machine : {"hples=4,banks=32", "hples=256,banks=32", "hples=512,banks=512", "hples=64,bank_hash=xor",
                              "multiply_interval=4", "busyboard=hazards,dispatch=1", "ports=head",
                              "ports=none,queue_depth=1", "shuffle_latency=9,memory_latency=17"})
    for (const Optimizer optimizer : {Optimizer::none, Optimizer::paper, Optimizer::best})
      for (const Form& form : kForms) {
        KernelRequest request = with_form(request_of(2048, kPaperModulus, optimizer), form);
        set_from_list(request.machine, machine);
        request.tries = 1;
        EXPECT_EQ(refusal_of(request), "accepted") << machine << " " << form.name;
      }
}

TEST(Program, TheSchedulersCyclesAreThoseOfTheSimulator) {
  for (const Optimizer optimizer : {Optimizer::none, Optimizer::paper, Optimizer::best})
    for (const char* machine : {"dispatch=2", "dispatch=1,busyboard=hazards", "ports=head", "hples=32"}) {
      KernelRequest request = request_of(4096, kPaperModulus, optimizer);
      set_from_list(request.machine, machine);
      const Program program = generate(request);
      Functional simulator(request.machine, program.image);
      Timing timing(request.machine);
      EXPECT_EQ(simulator.run(program.image.kernel(""), [&](const Event& event) { timing.consume(event); }).trap,
                Trap::none);
      EXPECT_EQ(timing.finish().cycles, program.cycles) << machine;
    }
}

// `none` keeps the order in which the instructions were made.
TEST(Program, AScheduleThatKnowsTheMachineTakesAtMostHalfOfTheCycles_BestAThird) {
  const u64 plain = generate(request_of(16384, kPaperModulus, Optimizer::none)).cycles;
  const u64 paper = generate(request_of(16384)).cycles,
            best = generate(request_of(16384, kPaperModulus, Optimizer::best)).cycles;
  EXPECT_EQ(plain, 6082U);
  EXPECT_EQ(paper, 2612U);
  EXPECT_EQ(best, 1750U);
  EXPECT_LE(2 * paper, plain);
  EXPECT_LE(3 * best, plain);
}

TEST(Program, VerificationFailsWhenOneInstructionOrOneRootIsWrong) {
  const KernelRequest request = request_of(1024);
  Program program = generate(request);
  EXPECT_TRUE(verify(program, request, 99));
  const auto shuffle = std::find_if(program.image.code.begin(), program.image.code.end(),
                                    [](u64 word) { return kOpcodeField.of(word) == 12; });
  *shuffle += u64{1} << kOpcodeField.lsb;  // UNPKHI instead of UNPKLO
  EXPECT_FALSE(verify(program, request, 99));
  *shuffle -= u64{1} << kOpcodeField.lsb;
  EXPECT_TRUE(verify(program, request, 99));
  program.image.segments[0].words[300] ^= 1;  // a root
  EXPECT_FALSE(verify(program, request, 99));
  program.image.segments[0].words[300] ^= 1;
  std::swap(program.order[0], program.order[1]);
  EXPECT_FALSE(verify(program, request, 99));
}

TEST(Program, ImpossibleRequestsAreRefusedWithTheReason) {
  EXPECT_NE(refusal_of(request_of(1000)).find("not a power of two in 1024 .. 131072"), std::string::npos);
  EXPECT_NE(refusal_of(request_of(512)).find("not a power of two"), std::string::npos);
  EXPECT_NE(refusal_of(request_of(1024, 97)).find("not a prime that is 1 modulo 2048"), std::string::npos);
  EXPECT_NE(refusal_of(request_of(1024, 2049 * u128{4097})).find("not a prime"), std::string::npos);
  EXPECT_NE(refusal_of(request_of(131072)).find("set vdm_words=393215 or choose a smaller n or batch"),
            std::string::npos);
}

TEST(Program, ItsBytesAreReadBackAsTheyWere) {
  const Program program = generate(request_of(1024));
  const std::vector<u8> bytes = image_bytes(program.image);
  const Image again = parse_image(bytes);
  EXPECT_EQ(again.code, program.image.code);
  EXPECT_EQ(image_bytes(again), bytes);
  EXPECT_TRUE(verify({again, program.result, program.order, 0, program.plan}, request_of(1024), 3));
}

TEST(Instruction, EncodingAndDecodingAreInverse_GeneratedAndRandomWords) {
  for (const u64 word : generate(request_of(4096)).image.code) EXPECT_EQ(encode(decode(word).instruction), word);
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
