// SPDX-License-Identifier: Apache-2.0
// Tests of the device `pim` (simulated DPUs, hw/pim/README.md). Its verbs must accept views without polynomials. After
// a verb has failed, the next verb must run and give the right result.
#include "differential/pim/cases.h"
#include "support/allocation.h"

namespace ringfort::testing {
namespace {

constexpr u32 kDegree = 64;

View without_polynomials(View view) {
  view.batch = 0;
  return view;
}

TEST(PimFailures, NoPolynomialsAreNoWorkAndTheRankStaysUsable) {
  const TestDevice pim("pim");
  const std::vector<u128> chain = short_primes(u64{1} << 30, kDegree, 3);
  const SharedPlan plan = prepare(pim, Word::u32, kDegree, chain);
  const std::vector<u32> values(3 * kDegree, 5);
  const Batch<u32> a(pim, plan.get(), kDegree, values, 3), b(pim, plan.get(), kDegree, 3, 1),
      c(pim, plan.get(), kDegree, 3, 1);
  const View x = without_polynomials(a.view()), y = without_polynomials(b.view()), z = without_polynomials(c.view());
  std::vector<u32> nothing(1, 7);
  EXPECT_EQ(run_one(*pim, {}, verb::Upload{y, Domain::coefficient, nothing.data()}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::Download{y, Domain::coefficient, nothing.data()}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::MultiplyAdd{y, x, z}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::MultiplyAdd{y, x, c.view()}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::Add{y, x, z}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::Ntt{y}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::Tensor{y, x, z}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::Automorphism{y, x, 5, Domain::coefficient}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::ExpandUniform{y, {}}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::BaseConvert{y.in({0, 1}), x.in({1, 2}), Conversion::centred}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::ModDown{y.in({0, 2}), x, z.in({2, 1})}), Status::ok);
  EXPECT_EQ(run_one(*pim, {}, verb::Upload{b.view(), Domain::coefficient, values.data()}), Status::ok);
  EXPECT_EQ(b.values(), values);
}

using Attempt = std::function<Status(Backend&, const View& out, const View& a, const View& b)>;

// Runs the verb, downloads its result and returns the words. If `failing` is not 0, allocation number `failing` of
// these two steps fails. If there are fewer allocations, returns an empty vector. If one of the steps fails, runs the
// verb again with the same operands, and returns the second result.
std::vector<u32> result(const TestDevice& device, const Attempt& verb, u64 failing) {
  const std::vector<u128> chain = short_primes(u64{1} << 30, kDegree, 3);
  const SharedPlan plan = prepare(device, Word::u32, kDegree, chain);
  std::vector<u32> values;
  for (const u128 q : chain) {
    const auto limb_words = filled<u32>(Pattern::random, kDegree, q, 3);
    values.insert(values.end(), limb_words.begin(), limb_words.end());
  }
  const Batch<u32> a(device, plan.get(), kDegree, values, 3), b(device, plan.get(), kDegree, values, 3),
      out(device, plan.get(), kDegree, values, 3);
  if (failing != 0) {
    std::vector<u32> words(values.size());
    fail_at(fault::Point::alloc, failing);
    const Status status = verb(*device, out.view(), a.view(), b.view());
    const Status read = status == Status::ok
                            ? run_one(*device, {}, verb::Download{out.view(), Domain::coefficient, words.data()})
                            : status;
    const bool met = calls_at(fault::Point::alloc) >= failing;
    fail_at(fault::Point::alloc, 0);
    EXPECT_TRUE(read == Status::ok || (met && read == Status::out_of_memory)) << failing;
    if (!met) return {};
    // A verb can succeed although an allocation failed: if the allocation was for zeroing the verb's scratch memory,
    // the device never uses that memory again, and the result is right.
    if (read == Status::ok) return words;
    for (const View& view : {a.view(), b.view(), out.view()})
      EXPECT_EQ(run_one(*device, {}, verb::Upload{view, Domain::coefficient, values.data()}), Status::ok) << failing;
  }
  EXPECT_EQ(verb(*device, out.view(), a.view(), b.view()), Status::ok) << failing;
  return out.values();
}

// The first buffer takes more than half of the memory. If its memory cannot be reused, the second buffer does not fit.
TEST(PimFailures, MemoryThatCouldNotBeZeroedIsNotUsedAgain) {
  for (const bool secret : {false, true}) {
    const TestDevice pim("pim:dpus=1");
    const SharedPlan plan = prepare(pim, Word::u32, kDegree, short_primes(u64{1} << 30, kDegree, 1));
    const std::vector<u32> values(kDegree, 9);
    DeviceBuffer *first = nullptr, *second = nullptr;
    ASSERT_EQ(pim->allocate(std::size_t{40} << 20, Contents::zeroed, Privacy::open, first), Status::ok);
    ASSERT_EQ(pim->allocate(std::size_t{40} << 20, Contents::zeroed, Privacy::open, second), Status::ok);
    const auto upload = [&](DeviceBuffer* to) {
      return run_one(*pim, {}, verb::Upload{{plan.get(), to, 0, {0, 1}, 1}, Domain::coefficient, values.data()});
    };
    ASSERT_EQ(upload(first), Status::ok);
    if (secret) fail_at(fault::Point::alloc, 1);
    pim->release(first, secret);  // only a secret is zeroed
    fail_at(fault::Point::alloc, 0);
    EXPECT_EQ(upload(second), secret ? Status::out_of_memory : Status::ok);
    pim->release(second, false);
  }
}

TEST(PimFailures, AfterAnyFailedAllocationTheVerbWorksAndIsRight) {
  const std::pair<const char*, Attempt> verbs[] = {
      {"ntt", [](Backend& k, const View& out, const View&, const View&) { return run_one(k, {}, verb::Ntt{out}); }},
      {"multiply_add", [](Backend& k, const View& out, const View& a,
                          const View& b) { return run_one(k, {}, verb::MultiplyAdd{out, a, b}); }},
      {"base_convert", [](Backend& k, const View& out, const View& a, const View&) {
         return run_one(k, {}, verb::BaseConvert{out.in({2, 1}), a.in({0, 2}), Conversion::centred});
       }}};
  const TestDevice ref("ref"), pim("pim:dpus=4");
  for (const auto& [name, verb] : verbs) {
    SCOPED_TRACE(name);
    const std::vector<u32> expected = result(ref, verb, 0);
    u64 failing = 1;
    for (std::vector<u32> words = result(pim, verb, failing); !words.empty(); words = result(pim, verb, ++failing))
      ASSERT_EQ(words, expected) << failing;
    EXPECT_GT(failing, 10u);
  }
}

}  // namespace
}  // namespace ringfort::testing
