// SPDX-License-Identifier: Apache-2.0
// For every k, lets the k-th allocation fail in programs for SEAL's interface. A call that fails must throw
// std::bad_alloc, or what its stream throws, and leave its outputs unchanged. The operands must work afterwards.
#include <sstream>

#include "compat/seal/bytes.h"
#include "compat/seal/machine.h"
#include "support/allocation.h"
#include "support/degree.h"

namespace ringfort::testing {
namespace {

using seal::scheme_type;

seal::EncryptionParameters small(scheme_type scheme) {
  return seal_parameters(scheme, small_degree(16), {40, 40, 40}, scheme == scheme_type::ckks ? 0 : 97);
}

// Returns whether `operation` succeeded. A failed allocation may show as a failed stream.
template <class F>
bool ran(F operation) {
  try {
    operation();
    return true;
  } catch (const std::bad_alloc&) {
  } catch (const std::runtime_error& error) { EXPECT_NE(std::string(error.what()), ""); }
  return false;
}

TEST(SealAllocation, ContextsKeysAndProgramsFailCleanly) {
  ASSERT_TRUE(allocations_are_fault_points());
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv}) {
    std::string found;
    const FailedRuns failures = fail_every_allocation([&](std::uint64_t) {
      found.clear();
      return ran([&] {
        Machine m(small(scheme));
        seal::Ciphertext x = m.encrypt(seal::Plaintext("3x^1 + 2"));
        m.evaluator.square_inplace(x);
        m.evaluator.relinearize_inplace(x, m.relin_keys());
        found = m.text(x);
      });
    });
    EXPECT_EQ(found, "9x^2 + Cx^1 + 4");
    EXPECT_GT(failures.count, 50u);
    EXPECT_TRUE(failures.are_mostly_reported()) << failures.unreported.size();
  }
}

struct Fixture {
  explicit Fixture(scheme_type scheme) : m(small(scheme)), relin(m.relin_keys()) {
    m.generator.create_galois_keys(std::vector<std::uint32_t>{3, 5}, galois);
  }
  Machine m;
  seal::RelinKeys relin;
  seal::GaloisKeys galois;
};

struct Operation {
  const char* name;
  void (*run)(const Fixture&, seal::Ciphertext& inout);
};

const Operation kOperations[] = {
    {"add", [](const Fixture& f, seal::Ciphertext& x) { f.m.evaluator.add_inplace(x, x); }},
    {"negate", [](const Fixture& f, seal::Ciphertext& x) { f.m.evaluator.negate_inplace(x); }},
    {"square", [](const Fixture& f, seal::Ciphertext& x) { f.m.evaluator.square_inplace(x); }},
    {"square and relinearize",
     [](const Fixture& f, seal::Ciphertext& x) {
       seal::Ciphertext product;
       f.m.evaluator.square(x, product);
       f.m.evaluator.relinearize_inplace(product, f.relin);
       x = std::move(product);
     }},
    {"multiply_plain",
     [](const Fixture& f, seal::Ciphertext& x) {
       f.m.evaluator.multiply_plain_inplace(x, seal::Plaintext("1x^1 + 5"));
     }},
    {"add_plain",
     [](const Fixture& f, seal::Ciphertext& x) { f.m.evaluator.add_plain_inplace(x, seal::Plaintext("1x^1 + 5")); }},
    {"apply_galois", [](const Fixture& f, seal::Ciphertext& x) { f.m.evaluator.apply_galois_inplace(x, 3, f.galois); }},
    {"mod_switch", [](const Fixture& f, seal::Ciphertext& x) { f.m.evaluator.mod_switch_to_next_inplace(x); }},
    {"load",
     [](const Fixture& f, seal::Ciphertext& x) {
       std::stringstream stream;
       seal::Ciphertext twice;
       f.m.evaluator.add(x, x, twice);
       twice.save(stream);
       x.load(f.m.context, stream);
     }},
};

// Runs the operation once for each of its allocations.
void fail_each_allocation(Fixture& f, const Operation& operation, const seal::Ciphertext& before) {
  SCOPED_TRACE(operation.name);
  const std::string bytes = saved(before);
  seal::Ciphertext x = before;
  operation.run(f, x);
  const std::string expected = f.m.text(x);
  std::uint64_t failed = 0;
  for (std::uint64_t k = 1; k < 10000; ++k) {
    x = before;
    fail_at(fault::Point::alloc, k);
    const bool succeeded = ran([&] { operation.run(f, x); });
    const std::uint64_t calls = calls_at(fault::Point::alloc);
    fail_at(fault::Point::alloc, 0);
    if (succeeded) { EXPECT_EQ(f.m.text(x), expected) << "k=" << k; }
    if (!succeeded) { EXPECT_EQ(saved(x), bytes) << "k=" << k; }
    failed += succeeded ? 0 : 1;
    if (calls < k) break;
  }
  EXPECT_GT(failed, 0u);
}

TEST(SealAllocation, AnOperationThatFailsLeavesItsOutputUnchanged) {
  ASSERT_TRUE(allocations_are_fault_points());
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv}) {
    Fixture f(scheme);
    const seal::Ciphertext before = f.m.encrypt(seal::Plaintext("3x^1 + 2"));
    for (const Operation& operation : kOperations) fail_each_allocation(f, operation, before);
  }
}

}  // namespace
}  // namespace ringfort::testing
