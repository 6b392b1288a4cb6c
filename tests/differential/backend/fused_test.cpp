// SPDX-License-Identifier: Apache-2.0
// Tests that the fused form (the device computes the verb itself) and the composed form (simpler verbs replace it) of
// polymul, inner_product and gadget_product give the same result, bit for bit. Composed products of `ref` must also
// equal the schoolbook product.
#include "differential/backend/cases.h"

namespace ringfort::testing {
namespace {

// Returns a b mod (x^n + 1, q) by the definition of this product.
std::vector<u64> schoolbook(const std::vector<u64>& a, const std::vector<u64>& b, u64 q) {
  const std::size_t n = a.size();
  std::vector<u64> product(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const u64 term = static_cast<u64>(u128{a[i]} * b[j] % q);
      u64& at = product[(i + j) % n];
      at = static_cast<u64>((u128{at} + (i + j < n ? term : q - term)) % q);
    }
  }
  return product;
}

template <class W>
std::vector<W> composed_product(const TestDevice& device, u32 n, u128 q, const std::vector<W>& a,
                                const std::vector<W>& b) {
  const SharedPlan plan = prepare(device, word_of<W>(), n, {q});
  const Batch<W> x(device, plan.get(), n, a), y(device, plan.get(), n, b);
  EXPECT_EQ(device.run({}, verb::Ntt{x.view()}), Status::ok);
  EXPECT_EQ(device.run({}, verb::Ntt{y.view()}), Status::ok);
  EXPECT_EQ(device.run({}, verb::Multiply{x.view(), x.view(), y.view()}), Status::ok);
  EXPECT_EQ(device.run({}, verb::Intt{x.view()}), Status::ok);
  return x.values();
}

template <class W>
std::vector<W> fused_product(const TestDevice& device, u32 n, u128 q, const std::vector<W>& a, const std::vector<W>& b,
                             u32 threads) {
  const SharedPlan plan = prepare(device, word_of<W>(), n, {q});
  const Batch<W> x(device, plan.get(), n, a), y(device, plan.get(), n, b), out(device, plan.get(), n, a);
  EXPECT_EQ(device.run({0, threads}, verb::Polymul{out.view(), x.view(), y.view()}), Status::ok);
  return out.values();
}

class Fused : public OverDevices {};

template <class W>
void compare_products(const TestDevice& device, u32 n, std::size_t primes) {
  const TestDevice ref("ref");
  for (const u128 q : boundary_and_short_primes<W>(n, primes)) {
    if (!device.takes(word_of<W>(), n, {q})) continue;
    for (const Pattern pattern : kPatterns) {
      SCOPED_TRACE(label(device, n, q, pattern));
      const std::vector<W> a = filled<W>(pattern, 2 * n, q, n), b = filled<W>(pattern, 2 * n, q, n + 1);
      const std::vector<W> truth = composed_product<W>(ref, n, q, a, b);
      ASSERT_EQ(composed_product<W>(device, n, q, a, b), truth);
      ASSERT_EQ(fused_product<W>(device, n, q, a, b, 1), truth);
      if (pattern == Pattern::random) { ASSERT_EQ(fused_product<W>(device, n, q, a, b, 2), truth); }
    }
  }
}

TEST_P(Fused, PolymulEqualsComposed_BoundaryPrimes) {
  const TestDevice device(GetParam());
  for (u32 n = 2; n <= 1024; n *= 2) {
    compare_products<u32>(device, n, 5);
    compare_products<u64>(device, n, 9);
    if (n <= 32) compare_products<u128>(device, n, 3);
  }
  compare_products<u32>(device, 16384, 1);
}

TEST(Composed, RefMultipliesAsTheSchoolbookDoes) {
  const TestDevice ref("ref");
  for (const u32 n : {2u, 4u, 8u, 64u, 256u}) {
    for (const u128 q : boundary_primes<u64>(n, 12)) {
      const std::vector<u64> a = filled<u64>(Pattern::random, n, q, n), b = filled<u64>(Pattern::alternating, n, q, n);
      EXPECT_EQ(composed_product<u64>(ref, n, q, a, b), schoolbook(a, b, static_cast<u64>(q)))
          << "n=" << n << "/q=" << text_of(q);
    }
  }
}

struct Shape {
  u32 rows, inner, columns;
};

template <class W>
struct Sums {
  u32 n, limbs;
  Shape shape;
  std::vector<W> inputs[3];  // a, b, out
};

// Returns sum_k a[r][k] b[k][c]. The sum is computed limb by limb with multiply_add of ref.
template <class W>
std::vector<W> composed_sums(const TestDevice& ref, const SharedPlan& plan, const Sums<W>& sums, bool accumulate) {
  const u32 n = sums.n, limbs = sums.limbs;
  const Shape& s = sums.shape;
  const auto& inputs = sums.inputs;
  const Batch<W> a(ref, plan.get(), n, inputs[0], limbs), b(ref, plan.get(), n, inputs[1], limbs),
      out(ref, plan.get(), n, inputs[2], limbs);
  const auto one = [](const View& view, u32 polynomial) { return view.polynomial(polynomial); };
  if (!accumulate) { EXPECT_EQ(ref.run({}, verb::Subtract{out.view(), out.view(), out.view()}), Status::ok); }
  for (u32 r = 0; r < s.rows; ++r) {
    for (u32 c = 0; c < s.columns; ++c) {
      for (u32 k = 0; k < s.inner; ++k) {
        EXPECT_EQ(ref.run({}, verb::MultiplyAdd{one(out.view(), r * s.columns + c), one(a.view(), r * s.inner + k),
                                                one(b.view(), k * s.columns + c)}),
                  Status::ok);
      }
    }
  }
  return out.values();
}

template <class W>
void compare_sums(const TestDevice& device, u32 n, const std::vector<u128>& moduli, const Shape& s, Pattern pattern) {
  if (!device.takes(word_of<W>(), n, moduli)) return;
  const TestDevice ref("ref");
  const u32 limbs = static_cast<u32>(moduli.size());
  Sums<W> sums{n, limbs, s, {}};
  auto& inputs = sums.inputs;
  const u32 sizes[3] = {s.rows * s.inner, s.inner * s.columns, s.rows * s.columns};
  for (u32 which = 0; which < 3; ++which) {
    for (u32 p = 0; p < sizes[which]; ++p) {
      for (const u128 q : moduli) {
        const std::vector<W> values = filled<W>(pattern, n, q, 1000 * which + p);
        inputs[which].insert(inputs[which].end(), values.begin(), values.end());
      }
    }
  }
  const SharedPlan plan = prepare(device, word_of<W>(), n, moduli), ref_plan = prepare(ref, word_of<W>(), n, moduli);
  for (const bool accumulate : {false, true}) {
    const std::vector<W> truth = composed_sums<W>(ref, ref_plan, sums, accumulate);
    for (const u32 threads : {1u, 2u, 7u}) {
      if (threads != 1 && (pattern == Pattern::largest || n == 8)) continue;
      SCOPED_TRACE(label(device, n, moduli[0], pattern) + "/rows=" + std::to_string(s.rows) +
                   "/inner=" + std::to_string(s.inner) + "/columns=" + std::to_string(s.columns) +
                   "/accumulate=" + std::to_string(accumulate) + "/threads=" + std::to_string(threads));
      const Batch<W> a(device, plan.get(), n, inputs[0], limbs), b(device, plan.get(), n, inputs[1], limbs);
      const Batch<W> out(device, plan.get(), n, inputs[2], limbs);
      ASSERT_EQ(device.run({0, threads},
                           verb::InnerProduct{out.view(), a.view(), b.view(), s.rows, s.inner, s.columns, accumulate}),
                Status::ok);
      ASSERT_EQ(out.values(), truth);
    }
  }
}

TEST_P(Fused, InnerProductOfNothingTouchesNothing) {
  const TestDevice device(GetParam());
  const std::vector<u128> moduli = short_primes(1u << 30, 64, 1);
  const SharedPlan plan = prepare(device, Word::u32, 64, moduli);
  const std::vector<u32> seven(64, 7);
  const Batch<u32> out(device, plan.get(), 64, seven);
  View none = out.view();
  none.batch = 0;
  EXPECT_EQ(device.run({}, verb::InnerProduct{out.view(), none, none, 1, 0, 1, false}), Status::internal);
  EXPECT_EQ(out.values(), seven);
}

TEST_P(Fused, InnerProductEqualsTheSumOfItsTerms) {
  const TestDevice device(GetParam());
  for (const Shape s : {Shape{1, 1, 1}, {1, 4, 2}, {2, 4, 2}, {3, 5, 3}, {5, 17, 1}, {2, 62, 2}}) {
    for (const Pattern pattern : {Pattern::largest, Pattern::random}) {
      for (const u32 n : device.in_few_cases() ? std::vector{8u, 128u} : std::vector{8u, 128u, 256u}) {
        compare_sums<u32>(device, n, {0x7FFE0001, ntt_primes(20, n, 1).value()[0]}, s, pattern);
        compare_sums<u32>(device, n, short_primes(1u << 30, n, 2), s, pattern);
        for (const u32 bits : {45u, 46u, 47u, 50u, 51u, 60u, 61u, 62u})
          compare_sums<u64>(device, n, ntt_primes(bits, n, 1).value(), s, pattern);
      }
    }
  }
}

TEST_P(Fused, InnerProductOfManyTermsDoesNotOverflow) {
  const TestDevice device(GetParam());
  const u32 columns = device.in_few_cases() ? 1 : 2;
  compare_sums<u32>(device, 128, ntt_primes(31, 128, 1).value(), {1, 2200, columns}, Pattern::largest);
  compare_sums<u32>(device, 128, short_primes(1u << 30, 128, 1), {1, 2200, columns}, Pattern::largest);
  compare_sums<u64>(device, 128, ntt_primes(46, 128, 1).value(), {1, 2200, 1}, Pattern::largest);
  compare_sums<u64>(device, 128, ntt_primes(62, 128, 1).value(), {1, 2200, 1}, Pattern::largest);
}

// The devices `cpu` compute sums of products of long polynomials in parts, one range of coefficients after the other.
// With the numbers of terms of this test, a sum is reduced never, once or several times.
TEST_P(Fused, InnerProductOfLongRowsEqualsTheSumOfItsTerms) {
  const TestDevice device(GetParam());
  if (!GetParam().starts_with("cpu")) GTEST_SKIP() << "other devices do not compute such sums in parts";
  for (const u32 inner : {5u, 8u, 9u, 18u}) {
    for (const u32 bits : {46u, 47u, 48u, 50u})
      compare_sums<u64>(device, 8192, ntt_primes(bits, 8192, 1).value(), {1, inner, 2}, Pattern::largest);
    compare_sums<u64>(device, 16384, ntt_primes(50, 16384, 2).value(), {1, inner, 2}, Pattern::random);
  }
}

struct Digitised {
  u32 polynomials, columns;
  Gadget gadget;
};

// A gadget product (the inner product of transformed digits and rows) in limb 1 of two limbs. `ref` composes it from
// simpler verbs. The other device runs the verb itself, and may fuse it. The other limb separates the polynomials in
// memory.
template <class W>
class GadgetProducts {
 public:
  GadgetProducts(const TestDevice& device, u32 n, u128 q, const Digitised& of, Pattern pattern, bool accumulate)
      : device_(device),
        n_(n),
        of_(of),
        plan_(prepare(device, word_of<W>(), n, moduli(n, q))),
        a_(device, plan_.get(), n, filled<W>(pattern, std::size_t{2} * n * of.polynomials, 5, 1), 2),
        b_(device, plan_.get(), n, 2, of.polynomials * of.gadget.digits * of.columns),
        out_(device, plan_.get(), n, 2, of.columns),
        digits_(device, plan_.get(), n, 1, of.polynomials * of.gadget.digits) {
    product_ = {second(out_), digits_.view(), second(a_), second(b_), of.gadget, accumulate};
    product_.digits.limbs = {1, 1};
    const View inputs[] = {product_.a, product_.b, product_.out};
    for (u64 i = 0; i < 3; ++i) {
      const std::vector<W> values = filled<W>(pattern, std::size_t{n} * inputs[i].batch, q, i + 7);
      EXPECT_EQ(device.run({}, verb::Upload{inputs[i], Domain::coefficient, values.data()}), Status::ok);
    }
  }
  static std::vector<u128> moduli(u32 n, u128 q) { return {limits(n)[2], q}; }
  Status fused(u32 threads) { return device_.run({0, threads}, product_); }
  void composed() {
    const verb::GadgetProduct& p = product_;
    EXPECT_EQ(device_.run({}, verb::Decompose{p.digits, p.a, p.gadget}), Status::ok);
    EXPECT_EQ(device_.run({}, verb::Ntt{p.digits}), Status::ok);
    if (!p.accumulate) { EXPECT_EQ(device_.run({}, verb::Subtract{p.out, p.out, p.out}), Status::ok); }
    for (u32 k = 0; k < p.digits.batch; ++k) {
      for (u32 c = 0; c < of_.columns; ++c) {
        EXPECT_EQ(device_.run({}, verb::MultiplyAdd{one(p.out, c), one(p.digits, k), one(p.b, k * of_.columns + c)}),
                  Status::ok);
      }
    }
  }
  [[nodiscard]] std::vector<W> sums() const { return out_.values(); }

 private:
  static View second(const Batch<W>& batch) { return batch.view().in({1, 1}); }
  [[nodiscard]] View one(View view, u32 polynomial) const { return view.polynomial(polynomial); }
  const TestDevice& device_;
  u32 n_;
  Digitised of_;
  SharedPlan plan_;
  Batch<W> a_, b_, out_, digits_;
  verb::GadgetProduct product_;
};

template <class W>
void compare_gadget_products(const TestDevice& device, u32 n, u128 q, const Digitised& of) {
  const TestDevice ref("ref");
  if (!device.takes(word_of<W>(), n, GadgetProducts<W>::moduli(n, q))) return;
  for (const Pattern pattern : {Pattern::largest, Pattern::halves}) {
    for (const bool accumulate : {false, true}) {
      GadgetProducts<W> truth(ref, n, q, of, pattern, accumulate);
      truth.composed();
      for (const u32 threads : device.in_few_cases() ? std::vector{3u} : std::vector{1u, 3u}) {
        GadgetProducts<W> tried(device, n, q, of, pattern, accumulate);
        SCOPED_TRACE(label(device, n, q, pattern) + "/base_bits=" + std::to_string(of.gadget.base_bits) +
                     "/digits=" + std::to_string(of.gadget.digits) + "/columns=" + std::to_string(of.columns) +
                     "/accumulate=" + std::to_string(accumulate) + "/threads=" + std::to_string(threads));
        ASSERT_EQ(tried.fused(threads), Status::ok);
        ASSERT_EQ(tried.sums(), truth.sums());
      }
    }
  }
}

TEST_P(Fused, GadgetProductEqualsTheSumOfItsTerms) {
  const TestDevice device(GetParam());
  for (const u32 n : device.in_few_cases() ? std::vector{8u, 256u} : std::vector{8u, 128u, 256u, 512u, 2048u}) {
    for (const Digitised& of : {Digitised{2, 2, {15, 2, 20, true}},
                                {1, 1, {24, 1, 26, true}},
                                {3, 3, {11, 6, 0, false}},
                                {1, 2, {8, 9, 2, true}}}) {
      for (const u32 bits : {44u, 45u, 46u, 49u, 50u, 51u, 62u})
        compare_gadget_products<u64>(device, n, ntt_primes(bits, n, 1).value()[0], of);
    }
    for (const Digitised& of :
         {Digitised{2, 2, {1, 31, 0, false}}, {1, 3, {8, 4, 0, true}}, {2, 1, {10, 2, 9, true}}}) {
      for (const u32 bits : {20u, 30u, 31u})
        compare_gadget_products<u32>(device, n, ntt_primes(bits, n, 1).value()[0], of);
      compare_gadget_products<u32>(device, n, limits(n)[0], of);
    }
  }
  // With digits of one bit, the first pass is bits_pass() (kernels/transform.h) in two cases: for 1024 coefficients if
  // vectors have 8 words, and for 512 or 2048 coefficients if vectors have 16 words.
  for (const Digitised& of :
       {Digitised{1, 2, {1, 31, 0, false}}, {1, 2, {1, 20, 11, false}}, {1, 1, {1, 32, 0, false}}})
    compare_gadget_products<u32>(device, 1024, ntt_primes(31, 1024, 1).value()[0], of);
  // In the first three shapes, digits and shift have 29, 50 and 50 bits together; 50 is the limit of
  // kernels/doubles_gadget.h. In the last two shapes, they have 51.
  for (const Digitised& of : {Digitised{2, 2, {6, 4, 5, true}},
                              {1, 2, {10, 5, 0, true}},
                              {2, 2, {15, 2, 20, true}},
                              {1, 2, {17, 3, 0, true}},
                              {2, 2, {15, 2, 21, true}}}) {
    for (const u32 bits : {46u, 50u})
      compare_gadget_products<u64>(device, 128, ntt_primes(bits, 128, 1).value()[0], of);
  }
  for (const u32 n : device.in_few_cases() ? std::vector{64u} : std::vector{64u, 8192u, 16384u})
    compare_gadget_products<u64>(device, n, ntt_primes(50, n, 1).value()[0], {1, 2, {15, 2, 20, true}});
  // these digits do not fit into a vector lane
  compare_gadget_products<u64>(device, 256, ntt_primes(40, 256, 1).value()[0], {2, 2, {16, 9, 126, true}});
}

TEST_P(Fused, GadgetProductOfManyTermsDoesNotOverflow) {
  const TestDevice device(GetParam());
  for (const u32 bits : {45u, 50u})
    compare_gadget_products<u64>(device, 128, ntt_primes(bits, 128, 1).value()[0], {2, 2, {1, 100, 0, false}});
}

INSTANTIATE_TEST_SUITE_P(AllDevices, Fused, ::testing::ValuesIn(devices_under_test()));

}  // namespace
}  // namespace ringfort::testing
