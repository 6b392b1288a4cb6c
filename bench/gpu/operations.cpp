// SPDX-License-Identifier: Apache-2.0
// Measures operations of CKKS through the public API, on the device and, for comparison, on the CPU of the same
// machine. The names of the rows begin with ckks/nN/D+S/qBITS/, for ring degree N, D data primes and S special primes:
//   OPERATION                                 the device's time for one call, in microseconds, in a series of calls on
//                                             stream 0. mul_lin multiplies and relinearizes. The suffix _rs adds a
//                                             rescaling. sqr computes a square in place of a product
//   OPERATION/launches, /products, /bytes     numbers of launches, and of products and bytes that the verbs state
//   OPERATION/launch/I/KERNEL                 the device's time for launch I, in us, for mul_lin_rs and rotate
//   mul_lin_rs/cache/{off,on}                 us per call, for host and device, if every call makes a new result, whose
//                                             memory comes from the driver (off) or from the library's cache (on)
//   mul_lin_rs/callers/T                      microseconds per call with T callers on T streams
//   copy/{in,out}                             bytes/us of a ciphertext, with the library's conversions and
//                                             a sum at the destination
// limit_share of an operation, or of a launch, is a lower limit of the time, divided by the measured time. The limit is
// the longer of two times. The first is the time of all products of residues that the verbs (operations of a device)
// state. A product of residues counts as two low halves of word products, whose rate rates.cpp measures (rate/low). The
// second is the time of all bytes that the verbs state, at the measured copy bandwidth. An emulated device has only the
// counts, and OPERATION/model/CHIP, the time of a model (model.h).
#include <algorithm>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "bench/gpu/client.h"
#include "bench/gpu/sections.h"
#include "bench/gpu/stated.h"

namespace ringfort::bench::gpu {
namespace {

// The shapes that publications report come first: n = 65536, where a digit (a part of a decomposed polynomial) has a
// quarter of the data primes.
constexpr Chain kChains[] = {{16, 30, 48, 12, 12}, {16, 60, 24, 6, 6}, {15, 60, 20, 1, 1}, {14, 60, 8, 1, 1}};
constexpr Chain kQuick[] = {{11, 60, 3, 1, 1}, {11, 30, 6, 2, 2}};

// Returns the launches of several calls, call by call. Each call makes the same launches.
template <class Call>
std::vector<std::vector<LaunchRecord>> launches_of(const KeyContext& keys, int calls, Call call) {
  std::vector<std::vector<LaunchRecord>> found;
  for (int i = 0; i < calls; ++i) {
    const Profile profile;
    keys.profile(&profile);
    call();
    keys.profile(nullptr);
    found.push_back(profile.launches());
  }
  return found;
}

template <class Call>
Stated work_of(const KeyContext& keys, bool is_short, Call call) {
  call();  // the first call allocates memory and computes tables
  const Profile profile;
  keys.profile(&profile);
  call();
  keys.profile(nullptr);
  Stated work{static_cast<double>(profile.launches().size()), 0, 0, is_short};
  for (const VerbRecord& verb : profile.records()) {
    work.products += static_cast<double>(verb.multiplications);
    work.bytes += static_cast<double>(verb.bytes);
  }
  return work;
}

class Operations {
 public:
  Operations(const Opened& gpu, const Options& options, Report& report)
      : gpu_(gpu),
        options_(options),
        report_(report) {}

  void measure(const Chain& chain) {
    const std::string prefix = chain.name();
    Client client(chain, options_.device);
    std::map<std::string, double> on_cpu;
    if (gpu_.times()) on_cpu = cpu_us(chain);
    client.operations([&](const std::string& name, const auto& call) {
      if (report_.is_cut(prefix + name + " and later operations")) return;
      const Stated work = work_of(client.context, chain.bits < 32, call);
      if (work.launches != 0) report_.count(prefix + name + "/launches", "launches", work.launches);
      report_.count(prefix + name + "/products", "products", work.products);
      report_.count(prefix + name + "/bytes", "bytes", work.bytes);
      if (!gpu_.times()) return report_models(report_, prefix + name, work, {});
      Row row = make_row(prefix + name, "us", device_us(client.device(), options_.quick, call), {});
      if (const double limit = limit_us(work); limit != 0) row.limit_share = limit / row.median;
      report_.add(std::move(row), {{"cpu, all cores", "this library", on_cpu[name]}});
      if (name == "mul_lin_rs" || name == "rotate") launches(chain, prefix + name, client.context, call);
    });
    if (!gpu_.times() || report_.is_cut(prefix + "copies, cache, callers")) return;
    copies(prefix, client);
    cache(prefix, client);
    callers(prefix, client);
  }

 private:
  // Measures the time of each launch of an operation. There are events before and after every launch. Therefore the sum
  // of the times is longer than the operation without events.
  template <class Call>
  void launches(const Chain& chain, const std::string& prefix, const KeyContext& keys, Call call) {
    const auto calls = launches_of(keys, samples_, call);
    for (std::size_t i = 0; i < calls.front().size(); ++i) {
      const LaunchRecord& launch = calls.front()[i];
      std::vector<double> us;
      for (const auto& each : calls) us.push_back(each.at(i).end_us - each.at(i).start_us);
      const std::string number = (i < 10 ? "0" : "") + std::to_string(i);
      Row row = make_row(prefix + "/launch/" + number + "/" + launch.name, "us", std::move(us),
                         {{"verb", launch.verb},
                          {"bytes", static_cast<std::int64_t>(launch.bytes)},
                          {"products", static_cast<std::int64_t>(launch.multiplications)}});
      const Stated work{1, static_cast<double>(launch.multiplications), static_cast<double>(launch.bytes),
                        chain.bits < 32};
      if (const double limit = limit_us(work); limit != 0) row.limit_share = limit / row.median;
      report_.add(std::move(row));
    }
  }
  [[nodiscard]] double limit_us(const Stated& work) const {
    const double rate = report_.median_of(std::string("rate/low/") + (work.is_short ? "u32" : "u64"));
    const double bandwidth = report_.median_of(largest_copy(options_));
    constexpr double kWordsOfProduct = 2;
    if (rate == 0 || bandwidth == 0) return 0;
    return std::max(kWordsOfProduct * work.products / rate, work.bytes / bandwidth);
  }

  // Returns the microseconds of one call of each operation on the CPU. First makes a call that is not measured.
  [[nodiscard]] static std::map<std::string, double> cpu_us(const Chain& chain) {
    std::map<std::string, double> us;
    Client client(chain, "cpu");
    client.evaluator = ckks::Evaluator(client.context, std::max(1u, std::thread::hardware_concurrency()));
    client.operations([&](const std::string& name, const auto& call) {
      call();
      const double begin = steady_us();
      call();
      us[name] = steady_us() - begin;
    });
    return us;
  }

  // Returns the host's microseconds per call, including the wait for the device after the last call.
  template <class Call>
  [[nodiscard]] std::vector<double> host_us(const Device& device, Call call) const {
    std::vector<double> samples;
    for (int sample = 0; sample < samples_; ++sample) {
      const double begin = steady_us();
      for (int i = 0; i < calls_; ++i) call();
      device.synchronize({});
      samples.push_back((steady_us() - begin) / calls_);
    }
    return samples;
  }

  void copies(const std::string& prefix, Client& client) {
    const ckks::Context host(client.context.parameters(), "cpu");
    const auto bytes = static_cast<double>(client.a.bytes());
    std::vector<double> in, out;
    for (int sample = 0; sample < samples_; ++sample) {
      double begin = steady_us();
      const ckks::Ciphertext here = client.a.to(host), there = ckks::Evaluator(host).add(here, here);
      out.push_back(bytes / (steady_us() - begin));
      begin = steady_us();
      client.evaluator.add_into(client.out, there.to(client.context), client.a);
      client.device().synchronize({});
      in.push_back(bytes / (steady_us() - begin));
    }
    report_.time(prefix + "copy/in", "bytes/us", in);
    report_.time(prefix + "copy/out", "bytes/us", out);
  }

  void cache(const std::string& prefix, Client& client) {
    const KeyContext keys = client.context;
    const auto fresh = [&] {
      (void)client.evaluator.multiply_relinearize_rescale(client.a, client.b, client.relinearization);
    };
    const std::size_t kept = keys.memory().most_cached;
    keys.keep_at_most(0);
    report_.time(prefix + "mul_lin_rs/cache/off", "us", host_us(client.device(), fresh));
    keys.keep_at_most(kept);
    const Frame frame;
    report_.time(prefix + "mul_lin_rs/cache/on", "us", host_us(client.device(), fresh));
  }

  void callers(const std::string& prefix, Client& client) {
    for (const unsigned threads : {1u, 2u, 4u, 8u}) {
      std::vector<ckks::Ciphertext> results(threads);
      std::vector<double> samples;
      for (int sample = 0; sample < samples_; ++sample) {
        const double begin = steady_us();
        std::vector<std::thread> callers;
        for (unsigned t = 0; t < threads; ++t) {
          callers.emplace_back([&client, &result = results[t], calls = calls_] {
            for (int i = 0; i < calls; ++i)
              client.evaluator.multiply_relinearize_rescale_into(result, client.a, client.b, client.relinearization);
          });
        }
        for (std::thread& caller : callers) caller.join();
        for (unsigned t = 0; t < threads; ++t) client.device().synchronize({t, 1});
        samples.push_back((steady_us() - begin) / calls_ / threads);
      }
      report_.time(prefix + "mul_lin_rs/callers/" + std::to_string(threads), "us", samples);
    }
  }

  const Opened& gpu_;
  const Options& options_;
  Report& report_;
  const int samples_ = options_.quick ? 2 : 7, calls_ = options_.quick ? 2 : 20;
};

}  // namespace

void measure_operations(const Opened& gpu, const Options& options, Report& report) {
  Operations operations(gpu, options, report);
  for (const Chain& chain : options.quick ? std::span<const Chain>(kQuick) : std::span<const Chain>(kChains)) {
    if (report.is_cut(chain.name() + " and later chains")) return;
    operations.measure(chain);
  }
}

}  // namespace ringfort::bench::gpu
