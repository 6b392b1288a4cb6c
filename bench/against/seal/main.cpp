// SPDX-License-Identifier: Apache-2.0
// Measures operations of an installed SEAL in one thread, for comparison with Ringfort. Prints medians in microseconds
// as one JSON document, with the row names of `ringfort bench`:
//   against-seal [--quick] SCHEME/nN/D+1...
// The parameter sets have the ring degrees and the lengths of primes of the presets that bench/operations.h measures.
// After the operations of a parameter set are measured, the results of most operations are decrypted and checked.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "seal/seal.h"

namespace {

using seal::Ciphertext;
using seal::Plaintext;
using Calls = std::vector<std::pair<std::string, std::function<void()>>>;

struct Set {
  seal::scheme_type scheme;
  std::size_t n, primes;
  int bits;
};

// Returns the median time of 3 to 15 calls, in microseconds. After the third call, the measurement ends when all calls
// together have taken a second, or 0.2 s if `quick`.
double median(const std::function<void()>& call, bool quick) {
  using Clock = std::chrono::steady_clock;
  call();
  const double budget = quick ? 2e5 : 1e6;
  std::vector<double> samples;
  for (double spent = 0; samples.size() < 3 || (samples.size() < 15 && spent < budget); spent += samples.back()) {
    const auto begin = Clock::now();
    call();
    samples.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  return samples[samples.size() / 2];
}

seal::SEALContext context_of(const Set& set) {
  seal::EncryptionParameters p(set.scheme);
  p.set_poly_modulus_degree(set.n);
  p.set_coeff_modulus(seal::CoeffModulus::Create(set.n, std::vector<int>(set.primes + 1, set.bits)));
  if (set.scheme != seal::scheme_type::ckks) p.set_plain_modulus(65537);
  // SEAL has no bound for n = 65536
  const seal::SEALContext context(p, true, set.n > 32768 ? seal::sec_level_type::none : seal::sec_level_type::tc128);
  if (!context.parameters_set()) throw std::runtime_error(context.parameter_error_message());
  return context;
}

void require(bool right) {
  if (!right) throw std::runtime_error("SEAL's result is wrong");
}

// Has what the benchmarks of all schemes need: the context, the keys and the operands. There are keys for rotations by
// `steps`.
struct Client {
  const std::vector<int> steps = {1, 2, 3, 4, 5, 6, 7, 8};
  explicit Client(const Set& set)
      : context(context_of(set)),
        evaluator(context),
        keys(context),
        encryptor(context, public_key_of(keys)),
        decryptor(context, keys.secret_key()) {
    keys.create_relin_keys(relin);
    keys.create_galois_keys(steps, galois);
  }
  static seal::PublicKey public_key_of(const seal::KeyGenerator& keys) {
    seal::PublicKey key;
    keys.create_public_key(key);
    return key;
  }
  void mul_lin(Ciphertext& product, const Ciphertext& x, const Ciphertext& y) {
    evaluator.multiply(x, y, product);
    evaluator.relinearize_inplace(product, relin);
  }

  seal::SEALContext context;
  seal::Evaluator evaluator;
  seal::KeyGenerator keys;
  seal::Encryptor encryptor;
  seal::Decryptor decryptor;
  seal::RelinKeys relin;
  seal::GaloisKeys galois;
  Plaintext plain, shown;
  Ciphertext a, b, fresh, sum, product, out, rotated, all_rotated[8];
};

Calls shared_calls(Client& c) {
  return {{"encrypt", [&] { c.encryptor.encrypt(c.plain, c.fresh); }},
          {"decrypt", [&] { c.decryptor.decrypt(c.a, c.shown); }},
          {"add", [&] { c.evaluator.add(c.a, c.b, c.sum); }},
          {"multiply", [&] { c.evaluator.multiply(c.a, c.b, c.product); }},
          {"mul_lin", [&] { c.mul_lin(c.out, c.a, c.b); }}};
}

using Rows = std::map<std::string, double>;

void measure(Rows& rows, const std::string& prefix, const Calls& calls, bool quick) {
  for (const auto& [name, call] : calls) rows[prefix + "/" + name + "/t1"] = median(call, quick);
}

void ckks(Rows& rows, const std::string& prefix, const Set& set, bool quick) {
  Client c(set);
  seal::CKKSEncoder encoder(c.context);
  const double scale = std::exp2(50);
  std::vector<double> values(set.n / 2), decoded;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(0.37 * static_cast<double>(i));
  encoder.encode(values, scale, c.plain);
  c.encryptor.encrypt(c.plain, c.a);
  c.encryptor.encrypt(c.plain, c.b);
  Ciphertext rescaled, lower, third;
  const auto mul_lin_rs = [&] {
    c.mul_lin(rescaled, c.a, c.b);
    c.evaluator.rescale_to_next_inplace(rescaled);
  };
  mul_lin_rs();
  Plaintext same_scale;
  encoder.encode(values, rescaled.scale(), same_scale);
  c.encryptor.encrypt(same_scale, lower);
  Calls calls = shared_calls(c);
  calls.insert(calls.end(), {{"encode", [&] { encoder.encode(values, scale, c.plain); }},
                             {"decode", [&] { encoder.decode(c.shown, decoded); }},
                             {"sqr_lin_rs",
                              [&] {
                                c.evaluator.square(c.a, rescaled);
                                c.evaluator.relinearize_inplace(rescaled, c.relin);
                                c.evaluator.rescale_to_next_inplace(rescaled);
                              }},
                             {"mul_lin_rs", mul_lin_rs},
                             {"mul_lin_rs_modsw_add",
                              [&] {
                                mul_lin_rs();
                                c.evaluator.mod_switch_to_next(lower, third);
                                c.evaluator.add_inplace(rescaled, third);
                              }},
                             {"rotate", [&] { c.evaluator.rotate_vector(c.a, 1, c.galois, c.rotated); }},
                             {"rotate_many", [&] {
                                for (const int step : c.steps)
                                  c.evaluator.rotate_vector(c.a, step, c.galois, c.all_rotated[step - 1]);
                              }}});
  measure(rows, prefix, calls, quick);
  const auto shows = [&](const Ciphertext& found, auto wanted) {
    c.decryptor.decrypt(found, c.shown);
    encoder.decode(c.shown, decoded);
    for (std::size_t i = 0; i < values.size(); ++i) require(std::abs(decoded[i] - wanted(i)) < 1e-4);
  };
  shows(c.fresh, [&](std::size_t i) { return values[i]; });
  shows(c.sum, [&](std::size_t i) { return 2 * values[i]; });
  shows(rescaled, [&](std::size_t i) { return values[i] * values[i] + values[i]; });
  shows(c.rotated, [&](std::size_t i) { return values[(i + 1) % values.size()]; });
  for (const int step : c.steps)
    shows(c.all_rotated[step - 1], [&](std::size_t i) { return values[(i + step) % values.size()]; });
}

void integers(Rows& rows, const std::string& prefix, const Set& set, bool quick) {
  Client c(set);
  seal::BatchEncoder encoder(c.context);
  std::vector<std::int64_t> values(set.n), decoded;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i % 1000);
  encoder.encode(values, c.plain);
  c.encryptor.encrypt(c.plain, c.a);
  c.encryptor.encrypt(c.plain, c.b);
  Calls calls = shared_calls(c);
  calls.insert(calls.end(), {{"encode", [&] { encoder.encode(values, c.plain); }},
                             {"decode", [&] { encoder.decode(c.shown, decoded); }},
                             {"rotate", [&] { c.evaluator.rotate_rows(c.a, 1, c.galois, c.rotated); }},
                             {"rotate_many", [&] {
                                for (const int step : c.steps)
                                  c.evaluator.rotate_rows(c.a, step, c.galois, c.all_rotated[step - 1]);
                              }}});
  measure(rows, prefix, calls, quick);
  const auto shows = [&](const Ciphertext& found, auto wanted) {
    c.decryptor.decrypt(found, c.shown);
    encoder.decode(c.shown, decoded);
    for (std::size_t i = 0; i < values.size(); ++i) require((decoded[i] - wanted(i)) % 65537 == 0);
  };
  const std::size_t row = set.n / 2;
  shows(c.fresh, [&](std::size_t i) { return values[i]; });
  shows(c.sum, [&](std::size_t i) { return 2 * values[i]; });
  shows(c.out, [&](std::size_t i) { return values[i] * values[i]; });
  shows(c.rotated, [&](std::size_t i) { return values[i / row * row + (i + 1) % row]; });
  for (const int step : c.steps)
    shows(c.all_rotated[step - 1], [&](std::size_t i) { return values[i / row * row + (i + step) % row]; });
}

void run(const std::vector<std::string>& wanted, bool quick) {
  using enum seal::scheme_type;
  const std::map<std::string, Set> sets = {
      {"ckks/n8192/3+1", {ckks, 8192, 3, 50}},     {"ckks/n32768/8+1", {ckks, 32768, 8, 50}},
      {"ckks/n65536/24+1", {ckks, 65536, 24, 50}}, {"bfv/n8192/4+1", {bfv, 8192, 4, 42}},
      {"bfv/n16384/8+1", {bfv, 16384, 8, 47}},     {"bgv/n8192/4+1", {bgv, 8192, 4, 42}},
      {"bgv/n16384/8+1", {bgv, 16384, 8, 47}}};
  Rows rows;
  for (const std::string& prefix : wanted) {
    const auto found = sets.find(prefix);
    if (found == sets.end()) continue;
    (found->second.scheme == ckks ? ::ckks : ::integers)(rows, prefix, found->second, quick);
  }
#ifdef SEAL_USE_INTEL_HEXL
  const char* peer = "SEAL with HEXL";
#else
  const char* peer = "SEAL, installed";
#endif
  std::printf("{\"peer\": \"%s\", \"version\": \"%s\", \"rows\": {", peer, SEAL_PEER_VERSION);
  const char* separator = "";
  for (const auto& [name, time] : rows) {
    std::printf("%s\n  \"%s\": %.3f", separator, name.c_str(), time);
    separator = ",";
  }
  std::printf("\n}}\n");
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> wanted(arguments + 1, arguments + count);
  const bool quick = std::erase(wanted, "--quick") != 0;
  try {
    run(wanted, quick);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
