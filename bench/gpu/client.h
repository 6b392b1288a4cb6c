// SPDX-License-Identifier: Apache-2.0
// CKKS with any chain of primes on one device, for benchmarks of GPUs: the parameters, the keys, the operands, and the
// operations on them.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu/batch.h"
#include "ringfort/ckks.h"
#include "rlwe/keys.h"

namespace ringfort::bench::gpu {

struct Chain {
  u32 log_n, bits, data, special, digit_limbs;
  [[nodiscard]] std::string name() const {
    return "ckks/n" + std::to_string(1u << log_n) + "/" + std::to_string(data) + "+" + std::to_string(special) + "/q" +
           std::to_string(bits) + "/";
  }
  [[nodiscard]] u32 limbs_per_level() const { return bits < 32 ? 2 : 1; }
  [[nodiscard]] ckks::Parameters parameters() const {
    ckks::Parameters p;
    p.chain.n = 1u << log_n;
    std::vector<u64> primes;
    for (const u128 q : ntt_primes(bits, p.chain.n, data + special).take()) primes.push_back(static_cast<u64>(q));
    // The largest primes are the special primes, because their product must exceed the product of the primes of every
    // digit.
    p.chain.special.assign(primes.begin(), primes.begin() + special);
    primes.erase(primes.begin(), primes.begin() + special);
    double logs = 0;
    for (const u64 q : primes) logs += std::log2(static_cast<double>(q));
    p.scale = std::exp2(logs / data * limbs_per_level());
    p.chain.data = in_order(std::move(primes), p.scale);
    p.chain.digit_limbs = digit_limbs;
    p.chain.limbs_per_level = limbs_per_level();
    p.chain.insecure_reason = "a benchmark, whose values are public";
    return p;
  }

 private:
  // Orders the primes so that the scale (the factor by which CKKS multiplies values before it rounds them) of every
  // level is near the scale of the first level. At a level with scale s, products are divided by the last primes of the
  // level's chain. If q is the product of these primes, the next level has the scale s^2 / q.
  [[nodiscard]] std::vector<u64> in_order(std::vector<u64> primes, double first_scale) const {
    std::vector<u64> reversed;
    double scale = first_scale;
    while (primes.size() >= limbs_per_level()) {
      const double wanted = scale * scale / first_scale;
      std::size_t best = 0, best_other = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < primes.size(); ++i) {
        for (std::size_t other = 0; other < (limbs_per_level() == 2 ? i : 1); ++other) {
          const double factor = limbs_per_level() == 2 ? static_cast<double>(primes[other]) : 1;
          const double distance = std::abs(std::log2(static_cast<double>(primes[i]) * factor / wanted));
          if (distance >= least) continue;
          least = distance, best = i, best_other = other;
        }
      }
      scale = scale * scale / static_cast<double>(primes[best]);
      reversed.push_back(primes[best]);
      primes.erase(primes.begin() + static_cast<std::ptrdiff_t>(best));
      if (limbs_per_level() == 1) continue;
      scale /= static_cast<double>(primes[best_other]);
      reversed.push_back(primes[best_other]);
      primes.erase(primes.begin() + static_cast<std::ptrdiff_t>(best_other));
    }
    return {reversed.rbegin(), reversed.rend()};
  }
};

// The keys and the operands on one device.
class Client {
 public:
  Client(const Chain& chain, const std::string& device)
      : context(chain.parameters(), device),
        device_(&KeyContext(context).state()->ring.device()),
        keys(context),
        relinearization(keys.create_relinearization_key()),
        galois(keys.create_galois_keys(plan_keys(context, {{1}, false, 0}))),
        evaluator(context) {
    const ckks::Encoder encoder(context);
    const ckks::Encryptor encryptor(context, keys.secret_key());
    std::vector<double> values(context.slots());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(0.37 * static_cast<double>(i));
    a = encryptor.encrypt(encoder.encode(values));
    b = encryptor.encrypt(encoder.encode(values));
    product = evaluator.multiply(a, b);
    switched = evaluator.relinearize(product, relinearization);
  }
  [[nodiscard]] const Device& device() const { return *device_; }

  // Calls f(name, call) for every operation.
  template <class F>
  void operations(F f) {
    f("add", [&] { evaluator.add_into(out, a, b); });
    f("multiply", [&] { evaluator.multiply_into(out, a, b); });
    f("mul_lin", [&] {
      evaluator.multiply_into(out, a, b);
      evaluator.relinearize_into(out, out, relinearization);
    });
    f("mul_lin_rs", [&] { evaluator.multiply_relinearize_rescale_into(out, a, b, relinearization); });
    f("sqr_lin_rs", [&] { evaluator.multiply_relinearize_rescale_into(out, a, a, relinearization); });
    f("rotate", [&] { evaluator.rotate_into(out, a, 1, galois); });
    f("relinearize", [&] { evaluator.relinearize_into(out, product, relinearization); });
    f("rescale", [&] { evaluator.rescale_into(out, switched); });
  }
  // Calls f(name, call) for the five routines of [Lyashevsky23, Fig. 22].
  template <class F>
  void routines(F f) {
    f("mul_lin", [&] {
      evaluator.multiply_into(out, a, b);
      evaluator.relinearize_into(out, out, relinearization);
    });
    f("mul_lin_rs", [&] { evaluator.multiply_relinearize_rescale_into(out, a, b, relinearization); });
    f("sqr_lin_rs", [&] { evaluator.multiply_relinearize_rescale_into(out, a, a, relinearization); });
    const ckks::Ciphertext rescaled = evaluator.multiply_relinearize_rescale(a, b, relinearization);
    const std::uint32_t level = rescaled.level() - 1;
    const ckks::Ciphertext other = evaluator.mod_switch(rescaled, level);
    f("mul_lin_rs_mod_sw_add", [&] {
      evaluator.multiply_relinearize_rescale_into(out, a, b, relinearization);
      evaluator.mod_switch_into(out, out, level);
      evaluator.add_into(out, out, other);
    });
    f("rotate", [&] { evaluator.rotate_into(out, a, 1, galois); });
  }

  ckks::Context context;

 private:
  const Device* device_;  // the context's device

 public:
  KeyGenerator keys;
  RelinearizationKey relinearization;
  GaloisKeys galois;
  ckks::Evaluator evaluator;
  ckks::Ciphertext a, b, product, switched, out;
};

}  // namespace ringfort::bench::gpu
