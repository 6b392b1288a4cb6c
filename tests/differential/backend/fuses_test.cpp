// SPDX-License-Identifier: Apache-2.0
// Lists the optional verbs that each device fuses, that is, computes itself. If a device stopped fusing a verb, the
// library would compose the verb, and every comparison would still pass. Only this test would fail.
#include "differential/backend/cases.h"

namespace ringfort::testing {
namespace {

using Names = std::vector<std::string_view>;

const Names kFusedOnGpus = {"inner_product", "mod_down", "mod_down_rescale", "mod_up",
                            "key_switch",    "tensor",   "polymul"};

// Returns the verbs that a device fuses for primes c 2^16 + 1 in 32-bit words. All devices accept such primes.
Names fused_in_32_bits(std::string_view device) {
  if (device == "cpu:generic") return {"mod_down", "mod_down_rescale", "tensor", "polymul"};
  if (device == "rpu") return {"inner_product", "mod_down", "mod_down_rescale", "key_switch", "tensor", "polymul"};
  if (has_gpu_kernels(device)) return kFusedOnGpus;
  if (device == "pim") return {"inner_product", "mod_down", "mod_up", "key_switch", "tensor"};
  return {"inner_product", "mod_down", "mod_down_rescale", "gadget_product", "tensor"};
}

// Returns the verbs that a device fuses for primes of 50 bits.
Names fused_in_64_bits(std::string_view device) {
  if (device == "cpu:generic") return {"mod_down", "mod_down_rescale", "tensor", "polymul"};
  if (device == "rpu") return {"inner_product", "mod_down", "mod_down_rescale", "key_switch", "tensor", "polymul"};
  if (has_gpu_kernels(device)) return kFusedOnGpus;
  if (device == "pim") return {"inner_product", "mod_down", "mod_up", "key_switch", "tensor"};
  if (device == "cpu:avx2-fma" || device == "cpu:avx512" || device == "cpu:ifma")
    return {"inner_product", "mod_down", "mod_down_rescale", "gadget_product", "key_switch", "tensor"};
  return {"inner_product", "mod_down", "mod_down_rescale", "gadget_product", "tensor"};
}

class Fuses : public OverDevices {};

template <class W>
Names fuses(const TestDevice& device, const std::vector<u128>& moduli) {
  constexpr u32 kDegree = 128, kLimbs = 6;
  const SharedPlan plan = prepare(device, word_of<W>(), kDegree, moduli);
  const Batch<W> batch(device, plan.get(), kDegree, kLimbs, 32), dense(device, plan.get(), kDegree, 1, 4);
  View digits = dense.view();
  digits.limbs = {1, 1};
  const auto polynomials = [&](u32 first, u32 count) { return batch.view().polynomials(first, count); };
  const Limbs kept{1, 5}, extended{0, 6}, one{1, 1};
  const View a = polynomials(0, 1).in(kept);
  const Verb optional[] = {
      verb::InnerProduct{polynomials(0, 2), polynomials(2, 4), polynomials(6, 8), 1, 4, 2, false},
      verb::ModDown{polynomials(0, 2).in(kept), polynomials(2, 2), polynomials(4, 2).in({0, 1})},
      verb::ModDownRescale{polynomials(0, 2).in({1, 4}), polynomials(2, 2), polynomials(4, 2), 1,
                           polynomials(6, 2).in(kept)},
      verb::GadgetProduct{polynomials(0, 2).in(one),
                          digits,
                          polynomials(6, 1).in(one),
                          polynomials(8, 8).in(one),
                          {8, 4, 0, true},
                          false},
      verb::ModUp{polynomials(2, 5).in(extended), a, polynomials(1, 1).in(kept), 1},
      verb::KeySwitch{polynomials(8, 2), a, polynomials(1, 1).in(kept), polynomials(2, 5), polynomials(10, 10), 1},
      verb::Tensor{polynomials(0, 3), polynomials(3, 2), polynomials(5, 2)},
      verb::Polymul{polynomials(0, 1), polynomials(1, 1), polynomials(2, 1)}};
  Names names;
  for (const Verb& verb : optional) {
    EXPECT_EQ(check_contracts({&verb, 1}).status, Status::ok) << name_of(verb);
    if (device.fuses(verb)) names.push_back(name_of(verb));
  }
  return names;
}

TEST_P(Fuses, ExactlyTheListedOptionalVerbs) {
  const TestDevice device(GetParam());
  const std::vector<u128> shorts = short_primes(1u << 30, 128, 6), longs = ntt_primes(50, 128, 6).value();
  EXPECT_EQ(fuses<u32>(device, shorts), fused_in_32_bits(GetParam()));
  if (!device.takes(Word::u64, 128, longs)) return;
  EXPECT_EQ(fuses<u64>(device, longs), fused_in_64_bits(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(AllDevices, Fuses, ::testing::ValuesIn(devices_under_test()));

}  // namespace
}  // namespace ringfort::testing
