// SPDX-License-Identifier: Apache-2.0
// Tests the variants of transforms, products and reductions, which publications compare. A variant is a schedule (the
// division of a transform into launches) and a reduction modulo q. The results must equal the definitions in
// backend/ref, bit for bit. The numbers of multiplications and of moved words must be those of the publications. The
// emulator's checks take long. Therefore large transforms, and some small ones, run without them.
#include "backend/device/variants.h"

#include <cstring>

#include "backend/device/emu/device.h"
#include "backend/device/kernels/hadamard.h"
#include "backend/ref/arithmetic.h"
#include "math/word.h"
#include "support/device_program.h"
#include "unit/backend_device/emulated.h"
#include "unit/backend_device/machine.h"

namespace ringfort::testing {
namespace {

using device::Modulus;
using device::ReductionFacts;
using device::Schedule;

template <class W>
std::string suffix() {
  return "_" + word_name<W>();
}

template <class W>
u32 most_bits(const ReductionFacts& reduction) {
  return device::kBits<W> - reduction.spare_bits;
}

// --- single products, on the host ---

template <class W, class R>
void expect_products(device::Reduction reduction, W q, const std::vector<W>& residues) {
  const Modulus<W> modulus = device::modulus_of<W>(reduction, q);
  for (const W b : residues) {
    const std::vector<W> prepared = device::prepared<W>(reduction, b, q);
    typename R::Operand operand{};
    std::memcpy(&operand, prepared.data(), sizeof operand);
    ASSERT_EQ(prepared.size() * sizeof(W), sizeof operand);
    for (const W a : residues)
      ASSERT_EQ(R::multiply(a, operand, modulus), ref::mul(a, b, q)) << a << " " << b << " " << q;
  }
}

template <class W>
void expect_all_products(W q, const std::vector<W>& residues) {
  const u32 length = bits_of(q);
  const auto fits = [&](u32 most) { return length <= most; };
  using device::Reduction;
  if (fits(device::Builtin<W>::kMostBits)) expect_products<W, device::Builtin<W>>(Reduction::builtin, q, residues);
  if (fits(device::ClassicalBarrett<W>::kMostBits))
    expect_products<W, device::ClassicalBarrett<W>>(Reduction::classical, q, residues);
  if (fits(device::DhemQuisquater<W>::kMostBits))
    expect_products<W, device::DhemQuisquater<W>>(Reduction::dhem, q, residues);
  if (fits(device::ProposedBarrett<W>::kMostBits))
    expect_products<W, device::ProposedBarrett<W>>(Reduction::proposed, q, residues);
  expect_products<W, device::Montgomery<W>>(Reduction::montgomery, q, residues);
  expect_products<W, device::Shoup<W>>(Reduction::shoup, q, residues);
}

TEST(DeviceReductions, AllProductsModuloSmallOddNumbersAreRight) {
  for (u32 q = 3; q < 130; q += 2) {
    std::vector<u32> residues(q);
    for (u32 i = 0; i < q; ++i) residues[i] = i;
    expect_all_products<u32>(q, residues);
    expect_all_products<u64>(q, {residues.begin(), residues.end()});
  }
}

template <class W>
void expect_corners_of_every_length() {
  std::mt19937_64 random(15);
  for (u32 bits = 3; bits < device::kBits<W>; ++bits) {
    const W top = W{1} << (bits - 1);
    for (const W q :
         {static_cast<W>(top | 1), static_cast<W>(top - 1 + top), static_cast<W>(top | (random() % top) | 1)}) {
      std::vector<W> residues{0, 1, 2, static_cast<W>(q - 1), static_cast<W>(q - 2), static_cast<W>(q / 2)};
      for (int i = 0; i < 24; ++i) residues.push_back(static_cast<W>(random() % q));
      for (int i = 0; i < 24; ++i) residues.push_back(static_cast<W>(q - 1 - random() % (q / 3 + 1)));
      expect_all_products<W>(q, residues);
    }
  }
}

TEST(DeviceReductions, ProductsOfEveryLengthOfModulusAreRight) {
  expect_corners_of_every_length<u32>();
  expect_corners_of_every_length<u64>();
}

// With these operands of [Shivdikar22, Section II-B], earlier algorithms subtract the modulus twice at the end. Alg. 4
// of the paper subtracts it once.
TEST(DeviceReductions, TheProductThatNeedsTwoCorrectionsElsewhereIsRight) {
  const u32 q = 994705409;
  const auto modulus = device::modulus_of<u32>(device::Reduction::proposed, q);
  EXPECT_EQ(device::ProposedBarrett<u32>::multiply(994674970, 994705408, modulus), ref::mul(994674970u, 994705408u, q));
}

// --- transforms ---

template <class W>
struct Variant {
  const Schedule& schedule;
  const ReductionFacts& reduction;

  // Transforms consecutive polynomials of one modulus.
  std::vector<W> transformed(bool forward, u32 log_n, W q, const std::vector<W>& words,
                             const emu::LaunchOptions& options, emu::Counters* counters = nullptr) const {
    const u32 n = 1u << log_n, polynomials = static_cast<u32>(words.size() >> log_n);
    const W psi = static_cast<W>(minimal_root(q, n).value());
    const bool interleaved = schedule.kind == Schedule::Kind::interleaved;
    emu::Regions regions;
    DeviceWords<W> batch(regions, interleaved ? transposed(words, polynomials, n) : words);
    DeviceWords<Modulus<W>> moduli(regions, {device::modulus_of<W>(reduction.reduction, q)});
    DeviceWords<W> table(regions, device::factors_of<W>({&schedule, &reduction}, q, psi, log_n, forward));
    for (const device::StageLaunch& each : device::launches_of(schedule, log_n, polynomials, sizeof(W), forward)) {
      // StageArgs has the same layout for every type of factor.
      device::StageArgs<W, W> args{{batch.data(), n}, table.data(), moduli.data(), log_n, polynomials, {}};
      each.set(args);
      const emu::Counters seen = launch(regions, each.kernel(reduction, forward, sizeof(W)), each.grid, args, options);
      if (counters != nullptr) *counters += seen;
    }
    return interleaved ? transposed(batch.words(), n, polynomials) : batch.words();
  }
  // Returns a matrix of `rows` rows with columns and rows exchanged.
  static std::vector<W> transposed(const std::vector<W>& words, u32 rows, u32 columns) {
    std::vector<W> out(words.size());
    for (u32 r = 0; r < rows; ++r)
      for (u32 c = 0; c < columns; ++c) out[c * rows + r] = words[r * columns + c];
    return out;
  }

  void check(u32 log_n, u32 polynomials, const emu::LaunchOptions& options) const {
    const u32 n = 1u << log_n;
    const std::vector<W> primes = largest_primes<W>(most_bits<W>(reduction), n, 1);
    const W q = primes[0], psi = static_cast<W>(minimal_root(q, n).value());
    const std::vector<W> words = patterns(polynomials, primes, n, n);
    std::vector<W> expected = words;
    for (u32 p = 0; p < polynomials; ++p)
      ref::forward(expected.data() + std::size_t{p} * n, n, ref::reversed_powers(psi, n, q), q);
    SCOPED_TRACE(std::string(schedule.name) + " " + std::string(reduction.name) + " " + word_name<W>() +
                 ", log n = " + std::to_string(log_n));
    EXPECT_TRUE(transformed(true, log_n, q, words, options) == expected) << "forward";
    EXPECT_TRUE(transformed(false, log_n, q, expected, options) == words) << "inverse";
  }
};

template <class F>
void for_each_variant(F f) {
  for (const Schedule& schedule : device::schedules()) {
    for (const ReductionFacts& reduction : device::reductions()) {
      if (!schedule.takes(reduction)) continue;
      f(Variant<u32>{schedule, reduction});
      f(Variant<u64>{schedule, reduction});
    }
  }
}

TEST(DeviceVariants, EqualTheDefinition_EverySmallSize) {
  for_each_variant([](const auto& variant) {
    for (u32 log_n = variant.schedule.least_log(); log_n <= 8; ++log_n)
      variant.check(log_n, 5, {.checked = log_n % 3 == 0, .order = log_n});
  });
}

// Above 2^12 points, every schedule except `cluster` goes through global memory more than once.
TEST(DeviceVariants, EqualTheDefinition_LargeSizes) {
  for_each_variant([](const auto& variant) {
    if (variant.schedule.kind == Schedule::Kind::cluster) return;
    if (variant.reduction.has_radices || variant.schedule.name == "naive")
      variant.check(13, 2, {.checked = false, .order = 1});
  });
  for (const Schedule& schedule : device::schedules()) {
    Variant<u64>{schedule, *device::find_reduction("harvey")}.check(16, 1, {.checked = false, .order = 0});
    if (schedule.takes(*device::find_reduction("proposed")))
      Variant<u32>{schedule, *device::find_reduction("proposed")}.check(15, 1, {.checked = false, .order = 0});
  }
}

TEST(DeviceVariants, TilesOfSeveralBlocksHaveNoFault) {
  for (const Schedule& schedule : device::schedules()) {
    if (schedule.kind == Schedule::Kind::cluster) continue;  // this variant has no small sizes
    Schedule small = schedule;
    if (small.points_log != 0) small.points_log = small.kind == Schedule::Kind::shuffle ? 7 : 6;
    Variant<u64>{small, *device::find_reduction("harvey")}.check(10, 3, {.checked = true, .order = 3});
  }
}

// Tests all sizes and words, with blocks and lanes in several orders. The emulator also checks accesses to the memory
// of other blocks.
TEST(DeviceVariants, ClustersEqualTheDefinitionAndHaveNoFault) {
  const Schedule& cluster = *device::find_schedule("cluster");
  const ReductionFacts& harvey = *device::find_reduction("harvey");
  for (u32 log_n = cluster.least_log(); log_n <= cluster.most_log(); ++log_n) {
    const u32 polynomials = log_n == cluster.least_log() ? 3 : 1;
    Variant<u32>{cluster, harvey}.check(log_n, polynomials, {.checked = true, .order = log_n});
    Variant<u64>{cluster, harvey}.check(log_n, polynomials, {.checked = true, .order = 0});
  }
}

template <class W>
emu::Counters counters_of(const char* schedule, const char* reduction, u32 log_n, u32 polynomials = 1) {
  const Variant<W> variant{*device::find_schedule(schedule), *device::find_reduction(reduction)};
  const std::vector<W> primes = largest_primes<W>(most_bits<W>(variant.reduction), 1u << log_n, 1);
  emu::Counters counters;
  (void)variant.transformed(true, log_n, primes[0], patterns<W>(polynomials, primes, 1u << log_n, 1), {}, &counters);
  return counters;
}

TEST(DeviceVariants, NeedTheProductsThatTheirAlgorithmsSay) {
  const u64 butterflies = 10 * 512;
  for (const auto& [name, products, products64] : {std::tuple{"builtin", 1, 4},
                                                   {"classical", 5, 5},
                                                   {"dhem", 5, 5},
                                                   {"proposed", 5, 5},
                                                   {"montgomery", 4, 4},
                                                   {"shoup", 3, 3},
                                                   {"harvey", 3, 3}}) {
    EXPECT_EQ(counters_of<u32>("naive", name, 10).multiplications, products * butterflies) << name;
    EXPECT_EQ(counters_of<u64>("staged", name, 10).multiplications, products64 * butterflies) << name;
  }
  EXPECT_EQ(counters_of<u32>("naive", "builtin", 10).divisions, butterflies);
  EXPECT_EQ(counters_of<u64>("naive", "builtin", 10).divisions, 2 * butterflies);
  EXPECT_EQ(counters_of<u64>("naive", "proposed", 10).divisions, 0u);
}

// According to [Lyashevsky23], the naive transform of N points moves 2 N log2(N) words through global memory, and a
// radix-R transform moves 2 N log_R(N). With shared memory, 2 N words are left.
TEST(DeviceVariants, MoveTheWordsThatTheirSchedulesSay) {
  const auto moved = [](const char* schedule, const char* reduction) {
    const emu::Counters counters = counters_of<u64>(schedule, reduction, 12);
    return (counters.of(emu::Access::load).bytes + counters.of(emu::Access::store).bytes) / 8;
  };
  const u64 n = 4096;
  EXPECT_EQ(moved("naive", "harvey"), 2 * n * 12);
  EXPECT_EQ(moved("staged", "harvey"), 2 * n);
  EXPECT_EQ(moved("radix8", "harvey"), 2 * n);
  EXPECT_EQ(moved("los", "harvey"), 2 * n * 2);  // one pass, then blocks of 2^11
  EXPECT_EQ(moved("2d", "harvey"), 2 * n * 2);
  EXPECT_EQ(moved("simd8", "harvey"), 2 * n * 2);    // blocks in shared memory, then sub-groups
  EXPECT_EQ(moved("tom16", "proposed"), 2 * n * 3);  // 12 stages, four in each pass
}

// A transform in one launch over a cluster loads each word once from global memory, and stores it once. In the exchange
// between columns and rows, words for a block's own rows stay in the block. No access splits a sector or has a bank
// conflict.
TEST(DeviceVariants, ClustersMoveEachWordOnceThroughGlobalMemory) {
  const u32 log_n = 14, n = 1u << log_n;
  EXPECT_EQ(device::launches_of(*device::find_schedule("cluster"), log_n, 1, 8, true).size(), 1u);
  const auto expect = [n](const emu::Counters& found, u32 bytes) {
    for (const emu::Access access : {emu::Access::load, emu::Access::store})
      EXPECT_EQ(found.of(access).bytes, u64{n} * bytes);
    // there are two blocks, and half of the words go to the other block
    EXPECT_EQ(found.of(emu::Access::remote_store).bytes, u64{n} * bytes / 2);
    EXPECT_EQ(found.of(emu::Access::remote_load).bytes, 0u);
    for (const emu::Access access : {emu::Access::load, emu::Access::store, emu::Access::shared_load,
                                     emu::Access::shared_store, emu::Access::remote_store})
      EXPECT_EQ(found.of(access).units, found.of(access).least);
    EXPECT_EQ(found.multiplications, 3u * n / 2 * log_n);
  };
  expect(counters_of<u32>("cluster", "harvey", log_n), 4);
  expect(counters_of<u64>("cluster", "harvey", log_n), 8);
}

// If polynomials are interleaved, every access of a warp uses whole sectors [Shivdikar22, Section V-C].
TEST(DeviceVariants, InterleavedPolynomialsUseWholeSectors) {
  const emu::Counters counters = counters_of<u32>("tom", "proposed", 6, 32);
  for (const emu::Access access : {emu::Access::load, emu::Access::store})
    EXPECT_EQ(counters.of(access).units, counters.of(access).least);
  const emu::Counters naive = counters_of<u32>("naive", "proposed", 6, 32);
  EXPECT_GT(naive.of(emu::Access::load).units, naive.of(emu::Access::load).least);
}

// --- the option of devices ---

std::vector<std::byte> program_on(const std::shared_ptr<Backend>& backend) {
  std::vector<std::byte> words(kProgramBytes);
  EXPECT_EQ(run_program(backend, words), Status::ok);
  return words;
}

TEST(DeviceVariants, DevicesWithTheOptionComputeTheWordsOfRef) {
  const std::vector<std::byte> expected = program_on(ref::make());
  for (const Schedule& schedule : device::schedules()) {
    if (schedule.kind == Schedule::Kind::interleaved || schedule.least_log() > 6) continue;
    const std::string name = "emu:0,seed=5,ntt=" + std::string(schedule.name);
    std::string refusal;
    const std::shared_ptr<Backend> backend = emu::make(name, refusal);
    ASSERT_NE(backend, nullptr) << refusal;
    EXPECT_EQ(backend->name(), name);
    EXPECT_TRUE(program_on(backend) == expected) << name;
    EXPECT_EQ(backend->failure(), "");
  }
}

TEST(DeviceVariants, TheOptionTransformsPartsOfBatchesInPlace) {
  for (const char* const option : {"naive/builtin", "los/montgomery", "radix8", "simd16", "2d/shoup", "2d-pipelined"}) {
    for (const Setting& setting : kSettings) {
      if (setting.bits == 31) continue;
      std::string refusal;
      const Machine machine(emu::make("emu:1,ntt=" + std::string(option), refusal), setting, 512),
          oracle(ref::make(), setting, 512);
      std::mt19937_64 random(4);
      for (const Machine* const each : {&machine, &oracle}) {
        random.seed(4);
        const auto words = residues(each->view(0), random);
        EXPECT_EQ(each->run(0, verb::Upload{each->view(0), Domain::coefficient, words.data()}), Status::ok);
        // two of the three limbs, of two of the three polynomials
        EXPECT_EQ(each->run(0, verb::Ntt{each->view(0, {1, 2}, 2)}), Status::ok);
        EXPECT_EQ(each->run(0, verb::Intt{each->view(0, {2, 1}, 3)}), Status::ok);
      }
      EXPECT_TRUE(machine.fetch() == oracle.fetch()) << option;
    }
  }
}

TEST(DeviceVariants, OtherOptionsAndPlansAreRefused) {
  const auto refusal_of = [](const char* device) {
    std::string refusal;
    EXPECT_EQ(emu::make(device, refusal), nullptr) << device;
    return refusal;
  };
  EXPECT_NE(refusal_of("emu:0,ntt=radix32").find("The schedules are naive, staged, simd8"), std::string::npos);
  EXPECT_NE(refusal_of("emu:0,ntt=tom").find("ntt is SCHEDULE or SCHEDULE/REDUCTION"), std::string::npos);
  EXPECT_NE(refusal_of("emu:0,ntt=naive/").find("the reductions are builtin"), std::string::npos);
  EXPECT_NE(refusal_of("emu:0,ntt=radix8/shoup").find("has no kernels with the reduction shoup"), std::string::npos);
  std::string refusal;
  const auto prepares = [&](const char* device, u32 n, ringfort::Word word, u32 bits) {
    const auto backend = emu::make(device, refusal);
    std::shared_ptr<const PreparedPlan> plan;
    return backend->prepare({n, word, ntt_primes(bits, n, 1).value()}, plan);
  };
  EXPECT_EQ(prepares("emu:0,ntt=naive", 64, ringfort::Word::u32, 30), Status::ok);
  EXPECT_EQ(prepares("emu:0,ntt=naive", 64, ringfort::Word::u32, 31), Status::unsupported);
  EXPECT_EQ(prepares("emu:0,ntt=naive/dhem", 64, ringfort::Word::u64, 62), Status::unsupported);
  EXPECT_EQ(prepares("emu:0,ntt=simd32", 32, ringfort::Word::u64, 60), Status::unsupported);
  EXPECT_EQ(prepares("emu:0,ntt=cluster", 1u << 13, ringfort::Word::u64, 60), Status::unsupported);
  EXPECT_EQ(prepares("emu:0,ntt=cluster", 1u << 17, ringfort::Word::u64, 60), Status::unsupported);
}

// --- products of polynomials ---

template <class W>
struct Product {
  const ReductionFacts& reduction;
  u32 log_n;
  W q, psi;
  std::vector<W> result;
  emu::Counters middle;  // counts of the launch with the last stages, the products of words, and the first stages

  Product(const ReductionFacts& of, u32 log, const std::vector<W>& a, const std::vector<W>& b, W modulus, bool is_fused)
      : reduction(of),
        log_n(log),
        q(modulus),
        psi(static_cast<W>(minimal_root(q, 1u << log).value())) {
    emu::Regions regions;
    DeviceWords<W> left(regions, a), right(regions, b);
    DeviceWords<W> forward(regions, device::factors_of<W>(reduction.reduction, q, psi, log_n, true));
    DeviceWords<W> inverse(regions, device::factors_of<W>(reduction.reduction, q, psi, log_n, false));
    DeviceWords<Modulus<W>> moduli(regions, {device::modulus_of<W>(reduction.reduction, q)});
    const auto stage = [&](DeviceWords<W>& words, u32 first, bool is_forward) {
      const device::StageArgs<W, W> args{
          {words.data(), 0}, (is_forward ? forward : inverse).data(), moduli.data(), log_n, 1, {first, 1, 0}};
      const device::StageLaunch each{"global2", {1, 1u << (log_n - 1), 0}};
      return launch(regions, each.kernel(reduction, is_forward, sizeof(W)), each.grid, args);
    };
    for (u32 s = 0; s + 1 < log_n; ++s) {
      stage(left, s, true);
      stage(right, s, true);
    }
    const u32 n = 1u << log_n;
    device::HadamardArgs<W, W> args{left.data(),    right.data(),
                                    forward.data(), device::modulus_of<W>(reduction.reduction, q),
                                    log_n,          is_fused ? n / 2 : n};
    const std::string name = std::string(is_fused ? "fused_hadamard_" : "hadamard_") + std::string(reduction.name);
    if (!is_fused) {
      middle += stage(left, log_n - 1, true);
      middle += stage(right, log_n - 1, true);
    }
    middle += launch(regions, name + suffix<W>(), {1, static_cast<u32>(args.items), 0}, args);
    if (!is_fused) middle += stage(left, log_n - 1, false);
    for (u32 s = log_n - 1; s-- > 0;) stage(left, s, false);
    result = left.words();
  }
};

template <class W>
std::vector<W> negacyclic(const std::vector<W>& a, const std::vector<W>& b, W q) {
  const std::size_t n = a.size();
  std::vector<W> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      W& at = out[(i + j) % n];
      const W product = ref::mul(a[i], b[j], q);
      at = i + j < n ? ref::add(at, product, q) : ref::subtract(at, product, q);
    }
  }
  return out;
}

template <class W>
void expect_products_of_polynomials() {
  for (const ReductionFacts& reduction : device::reductions()) {
    if (!reduction.has_products) continue;
    for (u32 log_n = 2; log_n <= 7; ++log_n) {
      const std::vector<W> primes = largest_primes<W>(most_bits<W>(reduction), 1u << log_n, 1);
      for (u64 seed = 1; seed < 3; ++seed) {
        // a polynomial of random words, and a polynomial with q - 1 everywhere
        const auto words = patterns(2, primes, 1u << log_n, seed);
        const std::vector<W> a(words.begin(), words.begin() + (1 << log_n)), b(words.end() - (1 << log_n), words.end());
        const std::vector<W> expected = negacyclic(a, seed == 1 ? a : b, primes[0]);
        for (const bool is_fused : {false, true})
          EXPECT_EQ(Product<W>(reduction, log_n, a, seed == 1 ? a : b, primes[0], is_fused).result, expected)
              << reduction.name << ", log n " << log_n << ", fused " << is_fused;
      }
    }
  }
}

TEST(DeviceVariants, FusedAndSeparateProductsOfPolynomialsEqualTheDefinition) {
  expect_products_of_polynomials<u32>();
  expect_products_of_polynomials<u64>();
}

// For two words of the product, Alg. 8 of [Shivdikar22, III-B] needs 4 products, and separate steps need 5. Alg. 8 also
// reads half as many factors as separate steps.
TEST(DeviceVariants, TheFusedProductSavesAProductOfFive) {
  const ReductionFacts& reduction = *device::find_reduction("proposed");
  const std::vector<u32> primes = largest_primes<u32>(30, 64, 1);
  const auto words = patterns(1, primes, 64, 3);
  const Product<u32> fused(reduction, 6, words, words, primes[0], true),
      separate(reduction, 6, words, words, primes[0], false);
  EXPECT_EQ(fused.middle.multiplications, 5 * 4 * 32u);
  EXPECT_EQ(separate.middle.multiplications, 5 * 5 * 32u);
  EXPECT_EQ(fused.middle.of(emu::Access::load).bytes, 4 * 4 * 32u);
  EXPECT_EQ(separate.middle.of(emu::Access::load).bytes, 10 * 4 * 32u);
}

// The kernels reduce_* measure reductions: each lane multiplies its word by the same factor many times.
TEST(DeviceReductions, ManyProductsOfALaneEqualAPower) {
  for (const ReductionFacts& reduction : device::reductions()) {
    if (reduction.reduction == device::Reduction::harvey) continue;
    const u64 q = largest_primes<u64>(most_bits<u64>(reduction), 64, 1)[0], factor = q / 3;
    emu::Regions regions;
    std::vector<u64> words(64);
    for (u32 i = 0; i < 64; ++i) words[i] = q - 1 - i;
    DeviceWords<u64> in(regions, words), out(regions, words.size());
    const auto prepared = device::prepared<u64>(reduction.reduction, factor, q);
    const auto modulus = device::modulus_of<u64>(reduction.reduction, q);
    const std::string name = "reduce_" + std::string(reduction.name) + "_u64";
    if (prepared.size() == 2) {
      launch(regions, name, {1, 64, 0},
             device::ReductionArgs<u64, device::Factor<u64>>{
                 out.data(), in.data(), {prepared[0], prepared[1]}, modulus, 3});
    } else {
      launch(regions, name, {1, 64, 0},
             device::ReductionArgs<u64, u64>{out.data(), in.data(), prepared[0], modulus, 3});
    }
    u64 power = 1;
    for (u32 i = 0; i < 3 * device::kReductionSteps; ++i) power = ref::mul(power, factor, q);
    for (u32 i = 0; i < 64; ++i) EXPECT_EQ(out.words()[i], ref::mul(words[i], power, q)) << reduction.name;
  }
}

}  // namespace
}  // namespace ringfort::testing
