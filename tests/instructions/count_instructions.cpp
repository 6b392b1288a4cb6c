// SPDX-License-Identifier: Apache-2.0
// Runs each core kernel twice under callgrind, and counts the instructions of the second run. The command
//   valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=FILE count_instructions
// writes FILE.1, FILE.2, and so on. Each of these files has the name of a kernel and the number of its instructions.
// All kernels run in one thread, at n = 4096. They run on the limbs of a CKKS ciphertext, or on one limb.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <string>

#include "bench/kernels/polynomials.h"

namespace ringfort::bench {
namespace {

constexpr u32 kDegree = 4096, kLimbs = 5;

template <class F>
void count(const std::string& name, F kernel) {
  kernel();
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  kernel();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
  std::printf("%s\n", name.c_str());
}

// Counts kernels that work on one limb.
void count_transforms(const SharedDevice& device, u32 bits) {
  const SharedPlan plan = device->prepare(plan_of(kDegree, bits));
  const Polynomials a(device, *plan, 1), b(device, *plan, 1), out(device, *plan, 1);
  const std::string suffix = "/q" + std::to_string(bits);
  count("ntt" + suffix, [&] { device->run({}, verb::Ntt{a.view()}); });
  count("intt" + suffix, [&] { device->run({}, verb::Intt{a.view()}); });
  count("multiply" + suffix, [&] { device->run({}, verb::Multiply{out.view(), a.view(), b.view()}); });
  count("polymul" + suffix, [&] { device->run({}, verb::Polymul{out.view(), a.view(), b.view()}); });
}

// Counts kernels that combine the limbs of a ciphertext.
void count_limbs(const SharedDevice& device, u32 bits) {
  constexpr u32 kData = kLimbs - 1;
  const SharedPlan plan = device->prepare({kDegree, Word::u64, ntt_primes(bits, kDegree, kLimbs).take()});
  const Polynomials digits(device, *plan, kData), key(device, *plan, 2 * kData), sums(device, *plan, 3),
      scratch(device, *plan, kData), coefficients(device, *plan, 1);
  const std::string suffix = "/q" + std::to_string(bits);
  const View out = sums.first(1);
  count("base_convert" + suffix,
        [&] { device->run({}, verb::BaseConvert{out, digits.one(0, {0, 2}), Conversion::centred}); });
  count("mod_down" + suffix, [&] {
    device->run({}, verb::ModDown{sums.one(0, {1, kData}), digits.first(1), key.one(0, {0, 1}), 1, Domain::evaluation});
  });
  count("automorphism" + suffix,
        [&] { device->run({}, verb::Automorphism{out, digits.first(1), 5, Domain::evaluation}); });
  count("tensor" + suffix, [&] { device->run({}, verb::Tensor{sums.first(3), digits.first(2), key.first(2)}); });
  count("inner_product" + suffix, [&] {
    device->run({}, verb::InnerProduct{sums.first(2), digits.first(kData), key.first(2 * kData), 1, kData, 2, false});
  });
  const verb::KeySwitch switched{.out = sums.first(2),
                                 .a = digits.one(0, {1, kData}),
                                 .coefficients = coefficients.one(0, {1, kData}),
                                 .digits = scratch.first(kData),
                                 .key = key.first(2 * kData),
                                 .digit_limbs = 1};
  if (device->backend().fuses(switched)) count("key_switch" + suffix, [&] { device->run({}, switched); });
}

}  // namespace
}  // namespace ringfort::bench

int main() {
#ifdef __clang__
  std::puts("clang " __clang_version__);
#else
  std::puts("g++ " __VERSION__);
#endif
  const auto device = ringfort::Device::open("cpu");
  for (const ringfort::u32 bits : {30u, 31u, 50u, 60u}) ringfort::bench::count_transforms(device, bits);
  for (const ringfort::u32 bits : {50u, 60u}) ringfort::bench::count_limbs(device, bits);
}
