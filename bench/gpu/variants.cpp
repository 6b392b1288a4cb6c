// SPDX-License-Identifier: Apache-2.0
// Measures the variants of transforms that publications compare (backend/device/variants.h). A SCHEDULE divides a
// transform into launches of kernels. A REDUCTION computes products modulo q. Python adds the published values.
// The rows are as follows, for N points, primes of BITS bits, and BATCH transforms or products at once:
//   variant/{forward,inverse}/SCHEDULE/REDUCTION/nN/qBITS/bBATCH   us for one transform
//   reduction/REDUCTION/qBITS                                      us for a million products in chains
//   product/{separate,fused}/REDUCTION/nN/qBITS/bBATCH             us for one product of polynomials
//   product/{separate,fused}/.../middle                            us for the last stages of the forward transforms,
//       the products, and the first stage of the inverse transform. `fused`: one kernel computes all of them
// limit_share of a transform is a lower limit of the time, divided by the measured time. The limit is the longer of two
// times. The first is the time of all butterflies (the steps of a transform) at the measured rate of Harvey's butterfly
// (rate/butterfly in rates.cpp), whatever the REDUCTION is. The second is the time of one read and one write of every
// word at the measured copy bandwidth.
//
// The forward transform of the first polynomial, and one chain of products of each reduction, are compared with the
// definition in backend/ref. The inverse transforms must restore all words. The separate and the fused product of
// polynomials are compared with each other. On an emulated device the rows are counts, as in transforms.cpp. `remote`
// counts the bytes that the blocks of a cluster read and write in each other's shared memory. model/CHIP is the time of
// a model (model.h).
#include <algorithm>
#include <array>
#include <random>

#include "backend/device/kernels/hadamard.h"
#include "backend/device/variant_batch.h"
#include "backend/ref/arithmetic.h"
#include "bench/gpu/batch.h"
#include "bench/gpu/driver_clock.h"
#include "bench/gpu/model.h"
#include "bench/gpu/sections.h"

namespace ringfort::bench::gpu {
namespace {

using device::ReductionFacts;
using device::Schedule;

struct Size {
  u32 log_n, batch;
};

// A quick run compares the schedule `cluster` with a schedule of two launches, for the shortest transform of `cluster`.
constexpr Size kQuickOfClusters{14, 1};

// The work of a call whose operations are counted: `products` products modulo q. The report has the modelled time of
// the call, multiplied by `scale`.
struct Work {
  double products, scale;
  // True: sums of butterflies and starts of launches do not count in the model.
  bool is_chain = false;
};

template <class Word>
std::vector<Word> random_words(std::size_t count, Word q) {
  std::mt19937_64 random(15);
  std::vector<Word> words(count);
  for (Word& each : words) each = static_cast<Word>(random() % q);
  return words;
}

class Variants {
 public:
  Variants(Opened& gpu, const Options& options, Report& report)
      : gpu_(gpu),
        options_(options),
        report_(report),
        clock_(gpu, "a variant", options.quick ? 0 : 2e3) {}

  void reductions() {
    for (const ReductionFacts& reduction : device::reductions()) {
      if (reduction.reduction == device::Reduction::harvey) continue;  // a variant of shoup for butterflies only
      for (const u32 bits : {28u, 29u, 30u}) measure_reduction<u32>(reduction, bits);
      for (const u32 bits : {60u, 62u}) measure_reduction<u64>(reduction, bits);
    }
  }
  void transforms() {
    for (const Size& size : sizes()) {
      for (const Schedule& schedule : device::schedules()) {
        for (const ReductionFacts& reduction : device::reductions()) {
          if (!is_measured(schedule, reduction, size)) continue;
          measure_transforms<u32>(schedule, reduction, size);
          measure_transforms<u64>(schedule, reduction, size);
        }
      }
    }
  }
  void products() {
    for (const u32 log_n : options_.quick ? std::vector<u32>{10} : std::vector<u32>{16, 11}) {
      for (const char* const reduction : {"proposed", "classical"}) {
        measure_products<u32>(*device::find_reduction(reduction), {log_n, 1});
        measure_products<u64>(*device::find_reduction(reduction), {log_n, 1});
      }
    }
  }

 private:
  // The sizes of the publications come first, because a benchmark that runs out of time omits the last sizes.
  [[nodiscard]] std::vector<Size> sizes() const {
    if (options_.quick) return {{13, 2}, kQuickOfClusters};
    if (!gpu_.times()) return {{16, 1}, {14, 1}, {11, 1}};
    return {{16, 1},  {15, 1024}, {14, 1},   {16, 64}, {15, 1},   {15, 4},
            {15, 16}, {15, 64},   {15, 256}, {11, 1},  {16, 1024}};
  }
  // Tells whether the schedule and the reduction are measured at this size. A reduction with kernels only for radix 2
  // is measured only at the first of sizes(), in three schedules [Shivdikar22, Fig. 3, Table III].
  [[nodiscard]] bool is_measured(const Schedule& schedule, const ReductionFacts& reduction, const Size& size) const {
    if (!schedule.takes(reduction) || size.log_n < schedule.least_log() || size.log_n > schedule.most_log())
      return false;
    if (options_.quick && size.log_n == kQuickOfClusters.log_n)
      return (schedule.kind == Schedule::Kind::cluster || schedule.name == "2d-radix16") &&
             reduction.reduction == device::Reduction::harvey;
    // A pipeline arranges the points of a polynomial in rows and columns. One launch transforms the columns of one
    // polynomial and the rows of another one. Therefore a large batch would be many small launches.
    if (schedule.kind == Schedule::Kind::pipeline && size.batch > 64) return false;
    const bool compares = schedule.name == "naive" || schedule.name == "los" || schedule.name == "2d";
    return reduction.has_radices || (compares && size.batch == sizes()[0].batch && size.log_n == sizes()[0].log_n);
  }

  template <class Word>
  void measure_transforms(const Schedule& schedule, const ReductionFacts& reduction, const Size& size) {
    const u32 bits = device::kBits<Word> - reduction.spare_bits, n = 1u << size.log_n;
    const std::string name = std::string(schedule.name) + "/" + std::string(reduction.name) + "/n" + std::to_string(n) +
                             "/q" + std::to_string(bits) + "/b" + std::to_string(size.batch);
    if (report_.is_cut("variant/forward/" + name + " and later ones")) return;
    const Word q = static_cast<Word>(ntt_primes(bits, n, 1).take()[0]),
               psi = static_cast<Word>(minimal_root(q, n).take());
    device::VariantBatch<Word> batch(gpu_.driver(), schedule, reduction, size.log_n, size.batch);
    const Status prepared = batch.prepare(q, psi);
    if (prepared == Status::unsupported) return report_.note("variants.txt", name + ": the driver has no such kernel");
    clock_.checked(prepared);
    const std::vector<Word> words = random_words(std::size_t{size.batch} << size.log_n, q);
    check<Word>(name, batch, words, size.log_n, q, psi);
    for (const bool forward : {true, false}) {
      const std::string row = std::string(forward ? "variant/forward/" : "variant/inverse/") + name;
      const Report::Params params{{"schedule", std::string(schedule.name)},
                                  {"reduction", std::string(reduction.name)},
                                  {"n", std::int64_t{n}},
                                  {"q_bits", std::int64_t{bits}},
                                  {"batch", std::int64_t{size.batch}},
                                  {"passes", passes_of(schedule, batch.launches())},
                                  {"source", std::string(schedule.source)}};
      if (gpu_.times()) {
        std::vector<double> us = clock_.us_of_one(samples(), [&] { clock_.checked(batch.transform(forward)); });
        for (double& each : us) each /= size.batch;
        Row measured = make_row(row, "us", std::move(us), params);
        measured.limit_share = share<Word>(size.log_n, measured.median);
        report_.add(std::move(measured));
      } else {
        count<Word>(row, reduction.reduction, params, {n / 2.0 * size.log_n * size.batch, 1.0 / size.batch},
                    [&] { clock_.checked(batch.transform(forward)); });
      }
    }
  }

  template <class Word>
  void check(const std::string& name, device::VariantBatch<Word>& batch, const std::vector<Word>& words, u32 log_n,
             Word q, Word psi) {
    std::vector<Word> found;
    clock_.checked(batch.write(words));
    clock_.checked(batch.transform(true));
    clock_.checked(batch.read(found));
    const u32 n = 1u << log_n;
    std::vector<Word> expected(words.begin(), words.begin() + n);
    ref::forward(expected.data(), n, ref::reversed_powers(psi, n, q), q);
    if (!std::equal(expected.begin(), expected.end(), found.begin())) report_.fail(name + ": wrong words");
    clock_.checked(batch.transform(false));
    clock_.checked(batch.read(found));
    if (found != words) report_.fail(name + ": the inverse has wrong words");
  }

  template <class Word>
  void measure_reduction(const ReductionFacts& reduction, u32 bits) {
    if (bits > device::kBits<Word> - reduction.spare_bits) return;
    const std::string name = "reduction/" + std::string(reduction.name) + "/q" + std::to_string(bits);
    if (report_.is_cut(name)) return;
    constexpr u32 kLanes = 256, kRounds = 8;
    const u32 blocks = options_.quick ? 2 : gpu_.driver().facts().units * 8, lanes = blocks * kLanes;
    const Word q = static_cast<Word>(ntt_primes(bits, 2, 1).take()[0]), factor = q / 3;
    device::DriverMemory in(gpu_.driver()), out(gpu_.driver());
    for (device::DriverMemory* const memory : {&in, &out}) clock_.checked(memory->allocate(lanes * sizeof(Word)));
    const std::vector<Word> words = random_words(lanes, q);
    clock_.checked(in.write(words.data(), lanes * sizeof(Word)));
    device::Kernel kernel;
    clock_.checked(
        gpu_.driver().load("reduce_" + std::string(reduction.name) + (sizeof(Word) == 4 ? "_u32" : "_u64"), kernel));
    const std::array uses{in.use(false), out.use(true)};
    const auto launch = [&](const auto& args) {
      clock_.checked(gpu_.driver().launch(0, {kernel, {blocks, kLanes, 0}, std::as_bytes(std::span(&args, 1)), uses}));
    };
    const auto run = [&] {
      const std::vector<Word> prepared = device::prepared<Word>(reduction.reduction, factor, q);
      const auto modulus = device::modulus_of<Word>(reduction.reduction, q);
      auto* const to = reinterpret_cast<Word*>(out.address());
      const auto* const from = reinterpret_cast<const Word*>(in.address());
      if (prepared.size() == 2) {
        launch(
            device::ReductionArgs<Word, device::Factor<Word>>{to, from, {prepared[0], prepared[1]}, modulus, kRounds});
      } else {
        launch(device::ReductionArgs<Word, Word>{to, from, prepared[0], modulus, kRounds});
      }
    };
    const double products = double{kRounds} * device::kReductionSteps * lanes;
    const Report::Params params{{"reduction", std::string(reduction.name)},
                                {"q_bits", std::int64_t{bits}},
                                {"source", std::string(reduction.source)}};
    if (gpu_.times()) {
      std::vector<double> us = clock_.us_of_one(samples(), run);
      for (double& each : us) each *= 1e6 / products;
      report_.time(name, "us/million", std::move(us), params);
    } else {
      count<Word>(name, reduction.reduction, params, {products, 1e6 / products, true}, run);
    }
    Word power = 1, found = 0;
    for (u32 i = 0; i < kRounds * device::kReductionSteps; ++i) power = ref::mul(power, factor, q);
    clock_.checked(out.read(&found, sizeof found));
    if (found != ref::mul(words[0], power, q)) report_.fail(name + ": a wrong product");
  }

  // The memory and the launches of a product of two batches of polynomials. As in the schedule "naive", a launch
  // computes one stage of a transform.
  template <class Word>
  class Product {
   public:
    Product(const Variants& of, const ReductionFacts& reduction, const Size& size, Word q, Word psi)
        : of_(of),
          reduction_(reduction),
          size_(size),
          modulus_(device::modulus_of<Word>(reduction.reduction, q)),
          moduli_(of.gpu_.driver()),
          a_(of.gpu_.driver()),
          b_(of.gpu_.driver()),
          tables_{device::DriverMemory(of.gpu_.driver()), device::DriverMemory(of.gpu_.driver())} {
      for (device::DriverMemory* const memory : {&a_, &b_})
        of_.clock_.checked(memory->allocate(words() * sizeof(Word)));
      of_.clock_.checked(moduli_.allocate(sizeof modulus_));
      of_.clock_.checked(moduli_.write(&modulus_, sizeof modulus_));
      for (const bool forward : {true, false}) {
        const std::vector<Word> factors = device::factors_of<Word>(reduction.reduction, q, psi, size.log_n, forward);
        device::DriverMemory& table = tables_[forward ? 0 : 1];
        of_.clock_.checked(table.allocate(factors.size() * sizeof(Word)));
        of_.clock_.checked(table.write(factors.data(), factors.size() * sizeof(Word)));
      }
    }
    [[nodiscard]] std::size_t words() const { return std::size_t{size_.batch} << size_.log_n; }
    void write(const std::vector<Word>& words) {
      for (device::DriverMemory* const memory : {&a_, &b_})
        of_.clock_.checked(memory->write(words.data(), words.size() * sizeof(Word)));
    }
    void read(std::vector<Word>& words) { of_.clock_.checked(a_.read(words.data(), words.size() * sizeof(Word))); }

    // Runs the last stages of the two forward transforms, the products of words, and the first stage of the inverse
    // transform.
    void middle(bool is_fused) const {
      const u32 last = size_.log_n - 1;
      if (!is_fused) {
        stage(a_, last, true);
        stage(b_, last, true);
      }
      const u64 items = is_fused ? words() / 2 : words();
      const device::HadamardArgs<Word, Word> args{word(a_), word(b_), word(tables_[0]), modulus_, size_.log_n, items};
      const std::array uses{a_.use(true), b_.use(false), tables_[0].use(false)};
      constexpr u32 kLanes = 256;
      launch(std::string(is_fused ? "fused_hadamard_" : "hadamard_") + std::string(reduction_.name) + word_name(),
             {static_cast<u32>((items + kLanes - 1) / kLanes), kLanes, 0}, args, uses);
      if (!is_fused) stage(a_, last, false);
    }
    void whole(bool is_fused) const {
      for (u32 s = 0; s + 1 < size_.log_n; ++s) {
        stage(a_, s, true);
        stage(b_, s, true);
      }
      middle(is_fused);
      for (u32 s = size_.log_n - 1; s-- > 0;) stage(a_, s, false);
    }

   private:
    static Word* word(const device::DriverMemory& memory) { return reinterpret_cast<Word*>(memory.address()); }
    static const char* word_name() { return sizeof(Word) == 4 ? "_u32" : "_u64"; }
    void stage(const device::DriverMemory& memory, u32 first, bool forward) const {
      const device::DriverMemory& table = tables_[forward ? 0 : 1];
      const u32 lanes_log = std::min(8u, size_.log_n - 1);
      const device::StageArgs<Word, Word> args{{word(memory), u64{1} << size_.log_n},
                                               word(table),
                                               reinterpret_cast<const device::Modulus<Word>*>(moduli_.address()),
                                               size_.log_n,
                                               size_.batch,
                                               {first, 1, size_.log_n - 1 - lanes_log}};
      const std::array uses{memory.use(true), table.use(false), moduli_.use(false)};
      launch("global2_" + std::string(reduction_.name) + (forward ? "_forward" : "_inverse") + word_name(),
             {static_cast<u32>(words() / 2 >> lanes_log), 1u << lanes_log, 0}, args, uses);
    }
    template <class Args>
    void launch(const std::string& name, const device::Grid& grid, const Args& args,
                std::span<const device::Use> uses) const {
      device::Kernel kernel;
      of_.clock_.checked(of_.gpu_.driver().load(name, kernel));
      of_.clock_.checked(of_.gpu_.driver().launch(0, {kernel, grid, std::as_bytes(std::span(&args, 1)), uses}));
    }

    const Variants& of_;
    const ReductionFacts& reduction_;
    Size size_;
    device::Modulus<Word> modulus_;
    device::DriverMemory moduli_, a_, b_;
    std::array<device::DriverMemory, 2> tables_;
  };

  template <class Word>
  void measure_products(const ReductionFacts& reduction, const Size& size) {
    const u32 bits = device::kBits<Word> - reduction.spare_bits, n = 1u << size.log_n;
    const Word q = static_cast<Word>(ntt_primes(bits, n, 1).take()[0]),
               psi = static_cast<Word>(minimal_root(q, n).take());
    std::vector<Word> separate, fused;
    for (const bool is_fused : {false, true}) {
      const std::string name = std::string(is_fused ? "product/fused/" : "product/separate/") +
                               std::string(reduction.name) + "/n" + std::to_string(n) + "/q" + std::to_string(bits) +
                               "/b" + std::to_string(size.batch);
      if (report_.is_cut(name + " and later ones")) return;
      Product<Word> product(*this, reduction, size, q, psi);
      const std::vector<Word> words = random_words(product.words(), q);
      const Report::Params params{{"reduction", std::string(reduction.name)},
                                  {"n", std::int64_t{n}},
                                  {"q_bits", std::int64_t{bits}},
                                  {"batch", std::int64_t{size.batch}}};
      product.write(words);
      if (gpu_.times()) {
        report_.time(name + "/middle", "us", clock_.us_of_one(samples(), [&] { product.middle(is_fused); }), params);
        report_.time(name, "us", clock_.us_of_one(samples(), [&] { product.whole(is_fused); }), params);
      } else {
        const double of_middle = is_fused ? 2.0 * n : 2.5 * n;
        count<Word>(name + "/middle", reduction.reduction, params, {of_middle * size.batch, 1.0 / size.batch},
                    [&] { product.middle(is_fused); });
      }
      std::vector<Word>& result = is_fused ? fused : separate;
      result.resize(words.size());
      product.write(words);
      product.whole(is_fused);
      product.read(result);
    }
    if (separate != fused) report_.fail("product/" + std::string(reduction.name) + ": fused and separate words differ");
  }

  // Runs f on the emulator, or on the stand-in for NVIDIA's library. Reports the counts of f and the modelled times.
  template <class Word, class F>
  void count(const std::string& name, device::Reduction reduction, const Report::Params& params, const Work& work,
             F f) {
    clock_.checked(gpu_.driver().finish(0));
    gpu_.tally() = {};
    gpu_.counters().clear();
    f();
    clock_.checked(gpu_.driver().finish(0));
    const auto launches = static_cast<double>(gpu_.tally().all_launches());
    report_.count(name + "/launches", "launches", launches, params);
    if (gpu_.counters().empty()) return;
    emu::Counters sum;
    for (const auto& [kernel, counters] : gpu_.counters()) sum += counters;
    using emu::Access;
    const auto units = [&](Access a, Access b) { return static_cast<double>(sum.of(a).units + sum.of(b).units); };
    const auto least = [&](Access a, Access b) { return static_cast<std::int64_t>(sum.of(a).least + sum.of(b).least); };
    const auto with = [&](std::int64_t count) {
      Report::Params all = params;
      all.emplace_back("least", count);
      return all;
    };
    report_.count(name + "/products", "products", static_cast<double>(sum.multiplications), params);
    if (sum.divisions != 0) report_.count(name + "/divisions", "divisions", static_cast<double>(sum.divisions), params);
    report_.count(name + "/sectors", "sectors", units(Access::load, Access::store),
                  with(least(Access::load, Access::store)));
    if (const double shared = units(Access::shared_load, Access::shared_store); shared != 0)
      report_.count(name + "/wavefronts", "wavefronts", shared, with(least(Access::shared_load, Access::shared_store)));
    const auto remote = static_cast<double>(sum.of(Access::remote_load).bytes + sum.of(Access::remote_store).bytes);
    if (remote != 0) report_.count(name + "/remote", "bytes", remote, params);
    for (const Chip& chip : kChips) {
      if (remote != 0 && !chip.has_clusters) continue;
      report_.count(
          name + "/model/" + chip.name, "us, model",
          work.scale * modelled_us(chip, reduction, sizeof(Word) == 4, {launches, work.products, work.is_chain, sum}),
          params);
    }
  }

  // Returns how often a transform reads and writes all words in global memory.
  [[nodiscard]] static std::int64_t passes_of(const Schedule& schedule, std::size_t launches) {
    return schedule.kind == Schedule::Kind::pipeline ? 2 : static_cast<std::int64_t>(launches);
  }
  // Returns a lower limit of the time of one transform, divided by the measured time.
  template <class Word>
  [[nodiscard]] std::optional<double> share(u32 log_n, double us) const {
    const double rate = report_.median_of(std::string("rate/butterfly/") + (sizeof(Word) == 4 ? "u32" : "u64"));
    const double bandwidth = report_.median_of(largest_copy(options_)), n = 1u << log_n;
    if (rate == 0 || bandwidth == 0) return std::nullopt;
    return std::max(n / 2 * log_n / rate, 2 * n * sizeof(Word) / bandwidth) / us;
  }
  [[nodiscard]] int samples() const { return options_.quick ? 1 : 11; }

  Opened& gpu_;
  const Options& options_;
  Report& report_;
  DriverClock clock_;
};

}  // namespace

void measure_variants(Opened& gpu, const Options& options, Report& report) {
  Variants(gpu, options, report).transforms();
}
void measure_reductions(Opened& gpu, const Options& options, Report& report) {
  Variants(gpu, options, report).reductions();
}
void measure_products(Opened& gpu, const Options& options, Report& report) {
  Variants(gpu, options, report).products();
}

}  // namespace ringfort::bench::gpu
