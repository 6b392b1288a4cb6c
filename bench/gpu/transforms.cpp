// SPDX-License-Identifier: Apache-2.0
// Measures transforms (NTTs, Fourier transforms modulo a prime). A row ntt/{forward,inverse}/nN/qBITS/bBATCH is the
// device's time per transform, in microseconds. N is the ring degree, BITS the length of the prime, and BATCH the
// number of transforms at once. limit_share of the row is a lower limit of the time, divided by the measured time. The
// limit is the longer of two times. The first is the time of all butterflies (the steps of a transform) at the measured
// butterfly rate. The second is the time of one read and one write of every word at the measured copy bandwidth. The
// row is compared with one thread of this machine's CPU, without batches. On an emulated device the rows are counts:
// launches of kernels, products, sectors of global memory (32 bytes each), and wavefronts of shared memory (passes that
// each serve up to 32 lanes). model/CHIP is the time of a model (model.h). The parameter `least` is the smallest number
// of wavefronts that could serve the same accesses.
#include <algorithm>
#include <cmath>

#include "bench/gpu/batch.h"
#include "bench/gpu/model.h"
#include "bench/gpu/sections.h"
#include "bench/kernels/measure.h"

namespace ringfort::bench::gpu {
namespace {

struct Case {
  u32 log_n, bits, batch;
  [[nodiscard]] std::string suffix() const {
    return "/n" + std::to_string(1u << log_n) + "/q" + std::to_string(bits) + "/b" + std::to_string(batch);
  }
  [[nodiscard]] Report::Params params() const {
    return {{"n", std::int64_t{1} << log_n}, {"q_bits", std::int64_t{bits}}, {"batch", std::int64_t{batch}}};
  }
};

// The sizes that publications report come first, because a run that reaches its time limit omits the last sizes.
std::vector<Case> cases_of(bool quick) {
  std::vector<Case> cases;
  const std::vector<u32> logs = quick ? std::vector<u32>{10, 13, 14} : std::vector<u32>{16, 15, 14, 12, 13, 17, 11, 10};
  for (const u32 log_n : logs) {
    for (const u32 bits : {30u, 60u}) {
      if (quick) cases.push_back({log_n, bits, 1});
      else
        for (const u32 batch : {1u, 64u, 1024u}) cases.push_back({log_n, bits, batch});
    }
  }
  return cases;
}

class Transforms {
 public:
  Transforms(Opened& gpu, const Options& options, Report& report) : gpu_(gpu), options_(options), report_(report) {}

  void measure(const Case& c) {
    const SharedPlan plan = gpu_.device()->prepare(plan_of(c.log_n, c.bits, 1));
    const Batch a = uniform(gpu_.device(), *plan, c.batch, 1);
    one("ntt/forward", c, verb::Ntt{a.view()});
    one("ntt/inverse", c, verb::Intt{a.view()});
  }

 private:
  template <class V>
  void one(const std::string& direction, const Case& c, const V& v) {
    if (!gpu_.times()) return count(direction + c.suffix(), c, v);
    std::vector<double> us = device_us(*gpu_.device(), options_.quick, [&] { gpu_.device()->run({}, v); });
    for (double& each : us) each /= c.batch;
    Row row = make_row(direction + c.suffix(), "us", std::move(us), c.params());
    if (const double limit = limit_us(c); limit != 0) row.limit_share = limit / row.median;
    report_.add(std::move(row), {{"cpu, one thread", "this library", cpu_us(c, direction)}});
  }
  template <class V>
  void count(const std::string& name, const Case& c, const V& v) {
    gpu_.device()->synchronize({});
    gpu_.tally() = {};
    gpu_.counters().clear();
    gpu_.device()->run({}, v);
    gpu_.device()->synchronize({});
    const auto launches = static_cast<double>(gpu_.tally().all_launches());
    report_.count(name + "/launches", "launches", launches, c.params());
    if (gpu_.counters().empty()) return;
    emu::Counters sum;
    for (const auto& [kernel, counters] : gpu_.counters()) sum += counters;
    const auto &loads = sum.of(emu::Access::shared_load), &stores = sum.of(emu::Access::shared_store);
    report_.count(name + "/products", "products", static_cast<double>(sum.multiplications), c.params());
    report_.count(name + "/sectors", "sectors",
                  static_cast<double>(sum.of(emu::Access::load).units + sum.of(emu::Access::store).units), c.params());
    Report::Params params = c.params();
    params.emplace_back("least", static_cast<std::int64_t>(loads.least + stores.least));
    report_.count(name + "/wavefronts", "wavefronts", static_cast<double>(loads.units + stores.units),
                  std::move(params));
    const double butterflies = std::ldexp(c.batch, static_cast<int>(c.log_n) - 1) * c.log_n;
    for (const Chip& chip : kChips) {
      const double us = modelled_us(chip, device::Reduction::harvey, word_of(c.bits) == Word::u32,
                                    {launches, butterflies, false, sum});
      report_.count(name + "/model/" + chip.name, "us, model", us / c.batch, c.params());
    }
  }
  [[nodiscard]] double limit_us(const Case& c) const {
    const bool is_short = word_of(c.bits) == Word::u32;
    const double rate = report_.median_of(std::string("rate/butterfly/") + (is_short ? "u32" : "u64"));
    const double bandwidth = report_.median_of(largest_copy(options_)), n = 1u << c.log_n;
    if (rate == 0 || bandwidth == 0) return 0;
    return std::max(n / 2 * c.log_n / rate, 2 * n * (is_short ? 4 : 8) / bandwidth);
  }
  [[nodiscard]] double cpu_us(const Case& c, const std::string& direction) {
    double& us = cpu_us_[{c.log_n, c.bits, direction}];
    if (us != 0) return us;
    const SharedPlan plan = cpu_->prepare(plan_of(c.log_n, c.bits, 1));
    const Batch a = uniform(cpu_, *plan, 1, 1);
    const bool is_forward = direction == "ntt/forward";
    us = bench::measure(15, [&] {
           if (is_forward) cpu_->run({}, verb::Ntt{a.view()});
           else cpu_->run({}, verb::Intt{a.view()});
         }).median;
    return us;
  }

  Opened& gpu_;
  const Options& options_;
  Report& report_;
  SharedDevice cpu_ = Device::open("cpu");
  std::map<std::tuple<u32, u32, std::string>, double> cpu_us_;
};

}  // namespace

void measure_transforms(Opened& gpu, const Options& options, Report& report) {
  Transforms transforms(gpu, options, report);
  for (const Case& c : cases_of(options.quick)) {
    if (report.is_cut("ntt" + c.suffix() + " and later sizes")) return;
    transforms.measure(c);
  }
}

}  // namespace ringfort::bench::gpu
