// SPDX-License-Identifier: Apache-2.0
// Tests that the public API gives the same residues in two ways: by one call for several ciphertexts on the simulated
// DPUs (device `pim`, hw/pim/README.md), and by one call for each ciphertext on `cpu`. The tests use any levels and any
// number of ciphertexts. They also check that the simulated time per ciphertext falls with the number of ciphertexts.
#include <functional>

#include "support/integers.h"

namespace ringfort {
namespace {

using ckks::testing::words;

template <class C>
std::vector<u64> residues_of(const C& ciphertext) {
  return words(ciphertext.state().rlwe);
}

// The client's objects on the cpu and on the device. `count` is the number of ciphertexts.
template <class Client, class Context>
struct Both {
  Client cpu;
  Context there;
  RelinearizationKey relinearization;
  GaloisKeys galois;
  using C = decltype(cpu.encrypt({}));
  std::vector<C> here, a;

  template <class Parameters>
  Both(const Parameters& parameters, std::string_view device, std::size_t count)
      : cpu(parameters),
        there(parameters, device),
        relinearization(cpu.relinearization.to(there)),
        galois(cpu.galois.to(there)) {
    for (std::size_t i = 0; i < count; ++i) {
      here.push_back(cpu.encrypt({1, static_cast<typename decltype(cpu.decrypt(here[0]))::value_type>(i % 2), -1}));
      a.push_back(here.back().to(there));
    }
  }
  [[nodiscard]] std::vector<C> reversed() const {
    std::vector<C> b;
    for (std::size_t i = a.size(); i-- > 0;) b.push_back(a[i].clone());
    return b;
  }
  void expect_equal(const std::vector<C>& found, const std::function<C(const C& a, const C& b)>& one) const {
    ASSERT_EQ(found.size(), a.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const C expected = one(here[i], here[a.size() - 1 - i]);
      EXPECT_EQ(residues_of(found[i]), residues_of(expected)) << i;
      EXPECT_EQ(found[i].level(), expected.level()) << i;
      EXPECT_EQ(cpu.decrypt(found[i].to(cpu.context)), cpu.decrypt(expected)) << i;
    }
  }
};

struct Ckks {
  using Evaluator = ckks::Evaluator;
  using Automatic = ckks::AutomaticEvaluator;
  using Both = ringfort::Both<ckks::testing::Client, ckks::Context>;
  static auto parameters(u32 n = 64) {
    auto shape = ckks::testing::words_of_short_form();
    shape.n = n;
    return ckks::testing::parameters_of(shape);
  }
  static auto lowered(const ckks::Context& context, const ckks::Ciphertext& a) {
    return Automatic(context).align(a, a.level() - 1);
  }
};

template <class S>
struct Integers {
  using Evaluator = integers::Evaluator<S>;
  using Automatic = integers::AutomaticEvaluator<S>;
  using Both = ringfort::Both<integers::testing::Client<S>, integers::Context<S>>;
  static auto parameters(u32 n = 64) {
    auto shape = integers::testing::words_of_short_form();
    shape.n = n;
    return integers::testing::parameters_of<S>(shape, 65537);
  }
  static auto lowered(const integers::Context<S>& context, const integers::Ciphertext<S>& a) {
    return Evaluator(context).mod_switch(a, a.level() - 1);
  }
};

template <class Case>
struct Ciphertexts : ::testing::Test {};
using Cases = ::testing::Types<Ckks, Integers<bfv::Scheme>, Integers<bgv::Scheme>>;
TYPED_TEST_SUITE(Ciphertexts, Cases);

TYPED_TEST(Ciphertexts, OfOneCallAreThoseOfOneCallEach) {
  const std::pair<const char*, std::size_t> cases[] = {{"pim", 1}, {"pim", 17}, {"pim:dpus=20", 3}, {"ref", 2}};
  for (const auto& [device, count] : cases) {
    SCOPED_TRACE(std::string(device) + ", " + std::to_string(count));
    const typename TypeParam::Both on(TypeParam::parameters(), device, count);
    const typename TypeParam::Evaluator by_hand(on.there);
    const typename TypeParam::Automatic automatic(on.there, &on.relinearization, &on.galois);
    const auto products = by_hand.multiply(on.a, on.reversed());
    on.expect_equal(products, [&](auto& a, auto& b) { return on.cpu.evaluator.multiply(a, b); });
    on.expect_equal(by_hand.relinearize(products, on.relinearization), [&](auto& a, auto& b) {
      return on.cpu.evaluator.relinearize(on.cpu.evaluator.multiply(a, b), on.cpu.relinearization);
    });
    on.expect_equal(by_hand.rotate(on.a, 5, on.galois),
                    [&](auto& a, auto&) { return on.cpu.evaluator.rotate(a, 5, on.cpu.galois); });
    on.expect_equal(automatic.multiply(on.a, on.reversed()),
                    [&](auto& a, auto& b) { return on.cpu.automatic.multiply(a, b); });
    on.expect_equal(automatic.multiply(on.a, on.a), [&](auto& a, auto&) { return on.cpu.automatic.square(a); });
    on.expect_equal(automatic.power(on.a, 3), [&](auto& a, auto&) { return on.cpu.automatic.power(a, 3); });
    on.expect_equal(automatic.rotate(on.a, -3), [&](auto& a, auto&) { return on.cpu.automatic.rotate(a, -3); });
  }
}

TYPED_TEST(Ciphertexts, OfTwoLevelsGoTogetherByLevel) {
  typename TypeParam::Both on(TypeParam::parameters(), "pim", 5);
  const typename TypeParam::Evaluator by_hand(on.there);
  for (const std::size_t low : {1u, 2u}) {
    on.a[low] = TypeParam::lowered(on.there, on.a[low]);
    on.here[low] = TypeParam::lowered(on.cpu.context, on.here[low]);
  }
  on.expect_equal(by_hand.rotate(on.a, 1, on.galois),
                  [&](auto& a, auto&) { return on.cpu.evaluator.rotate(a, 1, on.cpu.galois); });
  const typename TypeParam::Automatic automatic(on.there, &on.relinearization, &on.galois);
  on.expect_equal(automatic.multiply(on.a, on.reversed()),
                  [&](auto& a, auto& b) { return on.cpu.automatic.multiply(a, b); });
}

TYPED_TEST(Ciphertexts, OfOneCallAreRefusedTogether) {
  typename TypeParam::Both on(TypeParam::parameters(), "pim", 3);
  const typename TypeParam::Evaluator by_hand(on.there);
  std::vector<typename TypeParam::Both::C> none;
  EXPECT_THROW((void)by_hand.multiply(on.a, none), Error);
  EXPECT_THROW((void)typename TypeParam::Automatic(on.there, &on.relinearization).power(on.a, 0), Error);
  on.a[1] = {};
  EXPECT_THROW((void)by_hand.rotate(on.a, 1, on.galois), Error);
  on.a[1] = on.here[1].clone();  // this ciphertext is on another device
  EXPECT_THROW((void)by_hand.multiply(on.a, on.a), Error);
}

// Simulated milliseconds per ciphertext, for n = 4096, 6 data limbs, 2 special limbs, and digits of two limbs. Each
// operand stays on the DPUs to which it was uploaded. Products stay on the DPUs that computed them.
struct Spent {
  double product, relinearization, rotation;
};

Spent spent_on(u32 count) {
  using Case = Integers<bgv::Scheme>;
  const Case::Both on(Case::parameters(4096), "pim", count);
  const Case::Evaluator by_hand(on.there);
  const auto b = on.reversed();
  Backend& device = on.there.keys().state()->ring.device().backend();
  const auto each = [&](auto work) {
    const double before = device.mark({}).us;
    work();
    return (device.mark({}).us - before) / 1000 / count;
  };
  // the first use of keys and operands moves them to the device, and is not timed
  for (const auto* all : {&on.a, &b}) (void)by_hand.rotate(*all, 1, on.galois);
  (void)by_hand.relinearize(by_hand.multiply(on.a, b), on.relinearization);
  Spent spent{};
  std::vector<Case::Both::C> products;
  spent.product = each([&] { products = by_hand.multiply(on.a, b); });
  spent.relinearization = each([&] { (void)by_hand.relinearize(products, on.relinearization); });
  spent.rotation = each([&] { (void)by_hand.rotate(on.a, 1, on.galois); });
  return spent;
}

TEST(PimCiphertexts, TakeLessTimeEachTheMoreThereAre) {
  const Spent one = spent_on(1), eight = spent_on(8);
  EXPECT_LE(eight.product, 2.5);
  EXPECT_LE(eight.relinearization, 20);
  EXPECT_LE(eight.rotation, 20);
  EXPECT_GT(one.product, 2 * eight.product);
  EXPECT_GT(one.relinearization, 3 * eight.relinearization);
}

}  // namespace
}  // namespace ringfort
