// SPDX-License-Identifier: Apache-2.0
// Measures the rates of a device with the driver and the probes, which are kernels that only measure
// (backend/device/kernels/probes.h). If the device measures times, the report has these rows:
//   rate/{low,high,minimum,shoup,butterfly}/{u32,u64}   steps/us of the whole device. A step is the low or the high
//                                                       half of a product of words, a minimum, Shoup's product modulo
//                                                       q, or a butterfly (a step of a transform)
//   memory/{read,copy}/NMiB                             bytes/us over an array of N MiB (--quick: N / 64 MiB).
//                                                       Reads and copies are repeated. Therefore small arrays come
//                                                       from the cache
//   exchange/{u32,u64}                                  bytes/us through shared memory, with barriers
//   launch/{enqueue,device,round_trip}, event/other_stream, allocate/BYTES   us
//   copy/{in,out}/BYTES                                 bytes/us
// Three rows have a limit_share: the best sample, divided by an upper limit of the rate. The limit of rate/low/u32 is
// 64 products per clock and multiprocessor (half of its 128 lanes). The limit of the two largest memory rows is the
// bandwidth of the memory. If the driver does not report the clock rate, or the bandwidth, there is no limit_share. On
// an emulated device the rows are counts: products, sectors of global memory (32 bytes each), and wavefronts of shared
// memory (passes that each serve up to 32 lanes).
#include <span>

#include "backend/device/kernels/probes.h"
#include "base/clock.h"
#include "bench/gpu/batch.h"
#include "bench/gpu/driver_clock.h"
#include "bench/gpu/sections.h"

namespace ringfort::bench::gpu {
namespace {

using device::Address;
using device::Event;
using device::Grid;
using device::Kernel;
using device::Use;

constexpr u32 kLanes = 256;
constexpr u32 kBlocksOfUnit = 8;  // 2048 lanes for each multiprocessor, as many as one of an A100 or H100 can hold
constexpr u64 kMib = u64{1} << 20;

class Probes {
 public:
  Probes(Opened& gpu, const Options& options, Report& report)
      : gpu_(gpu),
        quick_(options.quick),
        report_(report),
        clock_(gpu, "a probe"),
        blocks_(options.quick ? 2 : gpu.driver().facts().units * kBlocksOfUnit) {}

  void measure_all() {
    rates<u32>("u32", 30);
    rates<u64>("u64", 62);
    sweeps();
    exchange<u32>("u32");
    exchange<u64>("u64");
    if (!gpu_.times()) return;
    launches();
    host();
  }

 private:
  // Device memory for one probe.
  class Memory {
   public:
    Memory(Opened& gpu, std::size_t bytes) : gpu_(gpu), bytes_(bytes) {
      gpu.device()->check(gpu.driver().allocate(bytes, Privacy::open, address_), "memory of a probe");
      gpu.device()->check(gpu.driver().zero(0, address_, bytes), "memory of a probe");
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() {
      (void)gpu_.driver().finish(0);
      (void)gpu_.driver().release(address_);
    }
    template <class Word>
    [[nodiscard]] Word* words() const {
      return reinterpret_cast<Word*>(address_);
    }
    [[nodiscard]] Use use(bool is_written) const { return {address_, bytes_, is_written}; }

   private:
    Opened& gpu_;
    std::size_t bytes_;
    Address address_ = nullptr;
  };

  void checked(Status status) const { clock_.checked(status); }
  [[nodiscard]] Kernel kernel(const std::string& name) const {
    Kernel found;
    checked(gpu_.driver().load(name, found));
    return found;
  }
  template <class Args>
  void launch(Kernel kernel, const Grid& grid, const Args& args, std::span<const Use> uses) const {
    checked(gpu_.driver().launch(0, {kernel, grid, std::as_bytes(std::span(&args, 1)), uses}));
  }
  // Measures f(rounds), whose work grows in proportion to `rounds`. A round is `units` units of work. Returns samples
  // of the rate, in units per microsecond.
  template <class F>
  [[nodiscard]] std::vector<double> per_us(double units, F f) const {
    constexpr double kLeast = 2e3;
    u32 rounds = 1;
    while (clock_.device_us_of([&] { f(rounds); }) < kLeast && rounds < 1u << 20) rounds *= 2;
    std::vector<double> found;
    for (int i = 0; i < samples_; ++i) found.push_back(units * rounds / clock_.device_us_of([&] { f(rounds); }));
    return found;
  }
  // Runs f once, on a device that measures no times. If the device has counters, calls use(the kernel's counters).
  template <class F, class Use>
  void count(const std::string& name, F f, Use use) const {
    gpu_.counters().clear();
    f();
    checked(gpu_.driver().finish(0));
    const auto found = gpu_.counters().find(name);
    if (found != gpu_.counters().end()) use(found->second);
  }
  [[nodiscard]] bool is_cut(const std::string& name) const { return report_.is_cut(name + " and later rates"); }

  template <class Word>
  [[nodiscard]] static device::RateArgs<Word> rate_args(Word* out, u32 bits, u32 rounds) {
    const auto q = static_cast<Word>(ntt_primes(bits, 2, 1).take()[0]), factor = static_cast<Word>(q / 3);
    device::RateArgs<Word> args{};
    args.out = out;
    args.limb.q = q;
    args.limb.minus_q = static_cast<Word>(Word{0} - q);
    args.limb.minus_2q = static_cast<Word>(Word{0} - 2 * q);
    args.factor = {factor, static_cast<Word>((u128{factor} << device::kBits<Word>) / q)};
    args.rounds = rounds;
    return args;
  }

  template <class Word>
  void rates(const std::string& word, u32 bits) {
    struct Step {
      const char* name;
      double of_lane;  // operations of a lane in one iteration of the probe's loop
      double products;
    };
    constexpr double kAll = device::kProbeChains;
    constexpr Step kSteps[] = {
        {"low", kAll, 1}, {"high", kAll, 1}, {"minimum", kAll, 0}, {"shoup", kAll, 3}, {"butterfly", kAll / 2, 3}};
    const Memory out(gpu_, std::size_t{blocks_} * kLanes * sizeof(Word));
    const Use uses[] = {out.use(true)};
    for (const Step& step : kSteps) {
      const std::string name = std::string("rate/") + step.name + "/" + word,
                        probe = std::string("probe_") + step.name + "_" + word;
      if (is_cut(name)) return;
      const Kernel found = kernel(probe);
      const auto run = [&](u32 rounds) {
        launch(found, {blocks_, kLanes, 0}, rate_args<Word>(out.words<Word>(), bits, rounds), uses);
      };
      const double of_round = double{kLanes} * blocks_ * device::kProbeSteps * step.of_lane;
      if (!gpu_.times()) {
        count_products(name, probe, of_round * step.products, run);
        continue;
      }
      const device::Facts& facts = gpu_.driver().facts();
      const bool has_limit = name == "rate/low/u32" && facts.clock_mhz != 0;
      std::vector<double> samples = per_us(of_round, run);
      const double limit = facts.units * 64.0 * facts.clock_mhz,
                   best = *std::max_element(samples.begin(), samples.end());
      report_.time(name, "steps/us", std::move(samples), {{"units", std::int64_t{facts.units}}},
                   has_limit ? std::optional(best / limit) : std::nullopt);
    }
  }
  template <class F>
  void count_products(const std::string& name, const std::string& probe, double expected, F run) {
    count(
        probe, [&] { run(1); },
        [&](const emu::Counters& seen) {
          const auto products = static_cast<double>(seen.multiplications);
          report_.count(name, "products", products);
          if (products != expected) report_.fail(name + ": the emulator counts other products than the probe states");
        });
  }

  void sweeps() {
    const std::vector<u64> mib = quick_ ? std::vector<u64>{1} : std::vector<u64>{1, 8, 16, 32, 64, 1024};
    for (const u64 size : mib) {
      const std::string suffix = "/" + std::to_string(size) + "MiB";
      if (is_cut("memory/read" + suffix)) return;
      const u64 words = size * kMib / sizeof(u64) / (quick_ ? 64 : 1);
      const Memory in(gpu_, words * sizeof(u64)), to(gpu_, words * sizeof(u64)),
          sums(gpu_, std::size_t{blocks_} * kLanes * sizeof(u64));
      const Grid grid{blocks_, kLanes, 0};
      const Kernel read = kernel("probe_read_u64"), copy = kernel("probe_copy_u64");
      const Use reads[] = {in.use(false), sums.use(true)}, copies[] = {in.use(false), to.use(true)};
      const auto run_read = [&](u32 rounds) {
        launch(read, grid, device::SweepArgs<u64>{sums.words<u64>(), in.words<u64>(), words, rounds}, reads);
      };
      const auto run_copy = [&](u32 rounds) {
        for (u32 i = 0; i < rounds; ++i)
          launch(copy, grid, device::SweepArgs<u64>{to.words<u64>(), in.words<u64>(), words, 1}, copies);
      };
      const double bytes = static_cast<double>(words * sizeof(u64));
      const bool is_largest = size == mib.back();
      bandwidth("memory/read" + suffix, "probe_read_u64", bytes, is_largest, run_read);
      bandwidth("memory/copy" + suffix, "probe_copy_u64", 2 * bytes, is_largest, run_copy);
    }
  }
  template <class F>
  void bandwidth(const std::string& name, const std::string& probe, double bytes, bool has_limit, F run) {
    if (!gpu_.times()) {
      const auto rows = [&](const emu::Counters& seen) {
        const auto &loads = seen.of(emu::Access::load), &stores = seen.of(emu::Access::store);
        report_.count(name, "sectors", static_cast<double>(loads.units + stores.units));
      };
      return count(probe, [&] { run(1); }, rows);
    }
    const double limit = gpu_.driver().facts().bytes_per_us;
    std::vector<double> samples = per_us(bytes, run);
    const double best = *std::max_element(samples.begin(), samples.end());
    report_.time(name, "bytes/us", std::move(samples), {},
                 has_limit && limit != 0 ? std::optional(best / limit) : std::nullopt);
  }

  template <class Word>
  void exchange(const std::string& word) {
    const std::string name = "exchange/" + word, probe = "probe_exchange_" + word;
    if (is_cut(name)) return;
    const u32 bytes = kLanes * device::kProbeWords * sizeof(Word);
    const u32 blocks = quick_ ? 2 : gpu_.driver().facts().units * 4;
    const Memory out(gpu_, std::size_t{blocks} * kLanes * sizeof(Word));
    const Use uses[] = {out.use(true)};
    const Kernel found = kernel(probe);
    const auto run = [&](u32 rounds) {
      launch(found, {blocks, kLanes, bytes}, device::ExchangeArgs<Word>{out.words<Word>(), rounds}, uses);
    };
    if (gpu_.times()) {
      report_.time(name, "bytes/us", per_us(2.0 * bytes * blocks, run));
      return;
    }
    const auto rows = [&](const emu::Counters& seen) {
      const auto &loads = seen.of(emu::Access::shared_load), &stores = seen.of(emu::Access::shared_store);
      report_.count(name, "wavefronts", static_cast<double>(loads.units + stores.units),
                    {{"least", static_cast<std::int64_t>(loads.least + stores.least)}});
    };
    count(probe, [&] { run(1); }, rows);
  }

  // Measures empty launches: the host's time to submit a launch, the device's time for a launch in a long sequence, and
  // the time from submission to completion of a single launch. Also measures a launch for which stream 1 waits before
  // stream 0 waits for stream 1 (pass_on).
  void launches() {
    if (is_cut("launch")) return;
    constexpr int kCalls = 1000;
    device::Driver& driver = gpu_.driver();
    const Kernel nothing = kernel("probe_nothing_u32");
    const device::NothingArgs args{0};
    const auto submit = [&] { launch(nothing, {1, 32, 0}, args, {}); };
    std::vector<double> enqueue, on_device, round_trip, other_stream;
    for (int sample = 0; sample < samples_; ++sample) {
      on_device.push_back(clock_.device_us_of([&] {
        const double begin = steady_us();
        for (int i = 0; i < kCalls; ++i) submit();
        enqueue.push_back((steady_us() - begin) / kCalls);
      }) / kCalls);
      double begin = steady_us();
      for (int i = 0; i < 100; ++i) {
        submit();
        checked(driver.finish(0));
      }
      round_trip.push_back((steady_us() - begin) / 100);
      begin = steady_us();
      for (int i = 0; i < 100; ++i) pass_on(submit);
      checked(driver.finish(0));
      other_stream.push_back((steady_us() - begin) / 100);
    }
    report_.time("launch/enqueue", "us", enqueue);
    report_.time("launch/device", "us", on_device);
    report_.time("launch/round_trip", "us", round_trip);
    report_.time("event/other_stream", "us", other_stream);
  }
  // Submits a launch on stream 0, makes stream 1 wait for it, and then makes stream 0 wait for stream 1.
  template <class F>
  void pass_on(F submit) const {
    device::Driver& driver = gpu_.driver();
    Event there, back;
    submit();
    checked(driver.record(0, there));
    checked(driver.wait(1, there));
    checked(driver.record(1, back));
    checked(driver.wait(0, back));
    driver.forget(there);
    driver.forget(back);
  }

  // Measures the driver's allocations, and its copies between pinned host memory and the device.
  void host() {
    device::Driver& driver = gpu_.driver();
    for (const std::size_t bytes : {std::size_t{4} << 10, std::size_t{1} << 20, std::size_t{64} << 20}) {
      if (is_cut("copy/in/" + std::to_string(bytes))) return;
      std::vector<double> allocations;
      for (int i = 0; i < samples_; ++i) {
        Address memory = nullptr;
        const double begin = steady_us();
        checked(driver.allocate(bytes, Privacy::open, memory));
        checked(driver.release(memory));
        allocations.push_back(steady_us() - begin);
      }
      report_.time("allocate/" + std::to_string(bytes), "us", allocations);
      std::byte* pinned = nullptr;
      checked(driver.allocate_host(bytes, pinned));
      const Memory memory(gpu_, bytes);
      const auto of = [&](auto copy) {
        return per_us(static_cast<double>(bytes), [&](u32 rounds) {
          for (u32 i = 0; i < rounds; ++i) checked(copy());
        });
      };
      report_.time("copy/in/" + std::to_string(bytes), "bytes/us",
                   of([&] { return driver.copy_in(0, memory.words<std::byte>(), pinned, bytes); }));
      report_.time("copy/out/" + std::to_string(bytes), "bytes/us",
                   of([&] { return driver.copy_out(0, pinned, memory.words<std::byte>(), bytes); }));
      checked(driver.finish(0));
      checked(driver.release_host(pinned));
    }
  }

  Opened& gpu_;
  bool quick_;
  Report& report_;
  DriverClock clock_;
  u32 blocks_;
  const int samples_ = quick_ ? 2 : 11;
};

}  // namespace

void measure_rates(Opened& gpu, const Options& options, Report& report) { Probes(gpu, options, report).measure_all(); }

}  // namespace ringfort::bench::gpu
