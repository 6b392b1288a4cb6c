// SPDX-License-Identifier: Apache-2.0
// The workloads of [Gupta23] on ciphertexts that are already on the DPUs: mean, variance, and the sums of squares and
// products that a regression on one feature needs. A ciphertext has two polynomials of 8192 coefficients modulo eight
// 30-bit primes. It is divided among 128 DPUs. Each DPU has equal shares of the two polynomials. Each of sixteen groups
// of 128 DPUs processes a sixteenth of the ciphertexts, and the host adds the results of the groups. A product of two
// ciphertexts has three polynomials (components). The host reduces each sum of products to two polynomials, once
// (relinearization). The times here do not include this step. Cycles come from the table of costs. hw/pim/README.md
// explains the terms.
#include <stdexcept>

#include "bench/experiments.h"
#include "kernels/accumulate.h"
#include "kernels/inner_product.h"
#include "sdk/host/profile.h"
#include "sdk/native/native.h"
#include "sim/chip.h"
#include "sim/words.h"

namespace ringfort::pim::bench {
namespace {

// check-magic: 1073479681 == ntt_prime(30, 2**15)
constexpr u32 kQ = 1073479681, kGroups = 16, kShareWords = 512;

double milliseconds(const char* kernel, const void* arguments) {
  const auto cycles = cycles_from_table(find_native(kernel)->work(arguments));
  if (!cycles) throw std::runtime_error(std::string("no cost of ") + kernel);
  return *cycles / (kV1A.clock_mhz * 1e3);
}

double sum_ms(u32 rows) {
  const AccumulateArguments arguments{kQ, 0, 2 * kShareWords, rows, 0, 0, 0, 0};
  return milliseconds("accumulate", &arguments);
}

double product_ms(u32 rows) {
  const InnerProductArguments arguments{kQ, 0, kShareWords, 1, rows, 1, 0, 0, 0, 0};
  return milliseconds("inner_product", &arguments);
}

struct Workload {
  const char* name;
  u32 columns;         // number of ciphertexts of each user
  u32 sums, products;  // numbers of launches: sums (of both components), and inner products (of two components)
};
// The tensor product of a column and itself takes three inner products of components: c0 c0, c0 c1 and c1 c1. The
// tensor product of two columns takes four.
constexpr Workload kWorkloads[] = {{"mean", 1, 1, 0}, {"variance", 1, 1, 3}, {"regression", 2, 2, 10}};

void add_workload(const Setting& setting, const HostProfile& profile, const Workload& w, u32 users) {
  const u32 rows = users / kGroups, ranks = kDpus / 64;
  const double bytes = static_cast<double>(w.columns) * rows * 2 * kShareWords * 4;
  const double pulled = (2.0 * w.sums + w.products) * kShareWords * 4;
  const double dpu =
      (w.sums + w.products) * profile.launch_ms(ranks) + w.sums * sum_ms(rows) + w.products * product_ms(rows);
  const double back = profile.push_ms(Direction::from_dpu, pulled, ranks) + kDpus * pulled / kHostBytesPerMs;
  const Params params = Params()
                            .set("profile", setting.profile)
                            .set("cycles", "estimated")
                            .set("dpus", kDpus)
                            .set("users", users)
                            .set("columns", w.columns)
                            .set("host_stream_ms", bytes * kDpus / kHostBytesPerMs);
  const std::string name = std::string("pim/statistics/") + w.name + "/users" + std::to_string(users);
  setting.rows->add(name + "/load", "ms", profile.push_ms(Direction::to_dpu, bytes, ranks), params);
  setting.rows->add(name + "/dpu", "ms", dpu, params);
  setting.rows->add(name + "/from_dpus", "ms", back, params);
  setting.rows->add(name + "/query", "ms", dpu + back, params);
}

void all(const Setting& setting) {
  const auto profile = find_profile(setting.profile);
  if (!profile) throw std::runtime_error("there is no profile " + setting.profile);
  for (const Workload& workload : kWorkloads) {
    for (u32 users : {1600u, 16000u, 99200u}) add_workload(setting, *profile, workload, users);
  }
}

}  // namespace

std::vector<Experiment> statistics() { return {{"statistics", all}}; }

}  // namespace ringfort::pim::bench
