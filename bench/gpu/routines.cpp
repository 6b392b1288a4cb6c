// SPDX-License-Identifier: Apache-2.0
// Measures the five routines of [Lyashevsky23, Fig. 22] (Client::routines in client.h) at n = 32768 with 8 primes, in
// four steps:
//   naive    transforms of radix 2 through global memory (ntt=naive)
//   radix8   transforms of radix 8 in shared memory (ntt=radix8), the best of the publication
//   own      the library's own kernels, fused with their neighbours
//   callers  as own, with 4 callers on 4 streams
// A row routine/STEP/ROUTINE/nN is the device's time for one routine, in us. For the step `callers`, it is the host's
// time per routine. /speedup is the time of the step `naive`, divided by this time. On an emulated device, which omits
// the step `callers`, the rows are counts: launches, bytes, and the products of residues that the verbs state. A quick
// run has n = 2048 and 4 primes. model/CHIP is the time of a model (model.h).
#include <array>
#include <thread>

#include "base/clock.h"
#include "bench/gpu/client.h"
#include "bench/gpu/sections.h"
#include "bench/gpu/stated.h"

namespace ringfort::bench::gpu {
namespace {

struct Step {
  const char* name;
  const char* option;  // option of the device
  u32 callers;
};
constexpr std::array kSteps{Step{"naive", "ntt=naive", 1}, Step{"radix8", "ntt=radix8", 1}, Step{"own", "", 1},
                            Step{"callers", "", 4}};

class Routines {
 public:
  Routines(const Opened& gpu, const Options& options, Report& report) : gpu_(gpu), options_(options), report_(report) {}

  void measure_all() {
    const Chain chain = options_.quick ? Chain{11, 60, 4, 1, 1} : Chain{15, 60, 8, 1, 1};
    for (const Step& step : kSteps) {
      if (report_.is_cut(std::string("routine/") + step.name + " and later steps")) return;
      if (step.callers > 1) {
        if (gpu_.times()) callers(chain, step);
      } else {
        alone(chain, step);
      }
    }
  }

 private:
  [[nodiscard]] static std::string name_of(const Chain& chain, const Step& step, const std::string& routine) {
    return std::string("routine/") + step.name + "/" + routine + "/n" + std::to_string(1u << chain.log_n);
  }
  void alone(const Chain& chain, const Step& step) {
    Client client(chain, options_.device_with(step.option));
    client.routines([&](const std::string& routine, const auto& call) {
      const std::string name = name_of(chain, step, routine);
      if (report_.is_cut(name)) return;
      const Report::Params params{{"step", std::string(step.name)}, {"primes", std::int64_t{chain.data}}};
      if (gpu_.times()) {
        report_.time(name, "us", device_us(client.device(), options_.quick, call), params);
        ratio(chain, step, routine);
        return;
      }
      call();  // the first call allocates memory and computes tables
      const Profile profile;
      const KeyContext keys = client.context;
      keys.profile(&profile);
      call();
      keys.profile(nullptr);
      const Stated work = stated_work(profile);
      report_.count(name + "/launches", "launches", work.launches, params);
      report_.count(name + "/bytes", "bytes", work.bytes, params);
      report_.count(name + "/products", "products", work.products, params);
      report_models(report_, name, work, params);
    });
  }
  void callers(const Chain& chain, const Step& step) {
    std::vector<std::unique_ptr<Client>> clients;
    for (u32 t = 0; t < step.callers; ++t) clients.push_back(std::make_unique<Client>(chain, options_.device));
    const int calls = options_.quick ? 2 : 20;
    for (std::size_t r = 0; r < kRoutines; ++r) {
      std::string routine;
      std::vector<double> samples;
      for (int sample = 0; sample < (options_.quick ? 2 : 7); ++sample) {
        const double begin = steady_us();
        std::vector<std::thread> threads;
        for (const auto& client : clients) {
          threads.emplace_back([&client, r, calls] {
            std::size_t i = 0;
            client->routines([&](const std::string&, const auto& call) {
              for (int k = 0; i == r && k < calls; ++k) call();
              ++i;
            });
          });
        }
        for (std::thread& thread : threads) thread.join();
        for (const auto& client : clients) client->device().synchronize({});
        samples.push_back((steady_us() - begin) / calls / step.callers);
      }
      std::size_t i = 0;
      clients[0]->routines([&](const std::string& name, const auto&) {
        if (i++ == r) routine = name;
      });
      report_.time(name_of(chain, step, routine), "us", std::move(samples),
                   {{"step", std::string(step.name)}, {"callers", std::int64_t{step.callers}}});
      ratio(chain, step, routine);
    }
  }
  // Reports the speedup of a step over the first step.
  void ratio(const Chain& chain, const Step& step, const std::string& routine) {
    const double naive = report_.median_of(name_of(chain, kSteps[0], routine));
    const double us = report_.median_of(name_of(chain, step, routine));
    if (&step == &kSteps[0] || naive == 0 || us == 0) return;
    report_.add(make_row(name_of(chain, step, routine) + "/speedup", "times", {naive / us}, {}));
  }

  static constexpr std::size_t kRoutines = 5;
  const Opened& gpu_;
  const Options& options_;
  Report& report_;
};

}  // namespace

void measure_routines(const Opened& gpu, const Options& options, Report& report) {
  Routines(gpu, options, report).measure_all();
}

}  // namespace ringfort::bench::gpu
