// SPDX-License-Identifier: Apache-2.0
// Lets the k-th allocation or the k-th verb (operation) of the device fail in BFV and BGV, for every k. A call that
// fails must throw the right error, and leave its outputs unchanged or empty. The operands must work afterwards.
#include <functional>

#include "support/allocation.h"
#include "support/degree.h"
#include "support/integers.h"

namespace ringfort::integers {
namespace {

using fault::Point;
using testing::Client;

testing::Shape small() {
  testing::Shape shape = testing::bfv_shape();
  shape.n = ringfort::testing::small_degree(16);
  return shape;
}

template <class F>
bool ran(F operation, Code expected) {
  try {
    operation();
    return true;
  } catch (const std::bad_alloc&) {
  } catch (const Error& e) { EXPECT_EQ(e.code(), expected) << e.what(); }
  return false;
}

template <class S>
class IntegerFaults : public ::testing::Test {};
using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(IntegerFaults, Schemes);

TYPED_TEST(IntegerFaults, EveryAllocationOfAProgramMayFail) {
  ASSERT_TRUE(ringfort::testing::allocations_are_fault_points());
  i64 found = 0;
  const auto program = [&](u64 k) {
    testing::choose_seed(k);
    found = 0;
    const bool done = ran(
        [&] {
          const Client<TypeParam> client(testing::parameters_of<TypeParam>(small()), "ref", {1});
          auto kept = client.encoder.encode(testing::Values{1});
          client.evaluator.prepare_plain(kept, client.context.top_level());
          const auto rotated = client.automatic.rotate(client.automatic.square(client.encrypt({5, 7})), 1);
          found = client.decrypt(client.evaluator.multiply_plain(rotated, kept))[0];
        },
        Code::out_of_memory);
    if (done) { EXPECT_EQ(found, 49) << "k=" << k; }
    return done;
  };
  // starts OpenMP first, because clang's OpenMP ends the process if an allocation fails while OpenMP starts
  program(0);
  const auto failures = ringfort::testing::fail_every_allocation(program);
  EXPECT_GT(failures.count, 50u);
  EXPECT_TRUE(failures.are_mostly_reported()) << failures.unreported.size();
  EXPECT_EQ(found, 49);
}

TYPED_TEST(IntegerFaults, AnOutputIsUnchangedOrEmptyWhenTheDeviceFails) {
  testing::choose_seed(71);
  const Client<TypeParam> client(testing::parameters_of<TypeParam>(small()), "cpu", {1});
  const auto a = client.encrypt({5, 7}), wide = client.evaluator.square(a);
  using C = Ciphertext<TypeParam>;
  const std::vector<std::pair<const char*, std::function<void(C&)>>> operations = {
      {"encrypt", [&](C& out) { client.encryptor.encrypt_into(out, client.encoder.encode(testing::Values{1})); }},
      {"encrypt under the public key",
       [&](C& out) {
         Encryptor<TypeParam>(client.context, client.open).encrypt_into(out, client.encoder.encode(testing::Values{1}));
       }},
      {"add", [&](C& out) { client.evaluator.add_into(out, a, a); }},
      {"multiply", [&](C& out) { client.evaluator.multiply_into(out, a, a); }},
      {"multiply more components", [&](C& out) { client.evaluator.multiply_into(out, a, wide); }},
      {"multiply_add", [&](C& out) { client.evaluator.multiply_add_into(out, a, a); }},
      {"relinearize", [&](C& out) { client.evaluator.relinearize_into(out, wide, client.relinearization); }},
      {"mod_switch", [&](C& out) { client.evaluator.mod_switch_into(out, wide, 0); }},
      {"rotate", [&](C& out) { client.evaluator.rotate_into(out, a, 1, client.galois); }}};
  for (const auto& [name, run] : operations) {
    for (const C* shape : {&a, &wide}) {
      C counted = client.evaluator.mod_switch(*shape, shape->level());
      ringfort::testing::fail_at(Point::verb, 0);
      run(counted);
      const u64 verbs = ringfort::testing::calls_at(Point::verb);
      u64 kept = 0;
      for (u64 k = 1; k <= verbs; ++k) {
        C out = client.evaluator.mod_switch(*shape, shape->level());
        ringfort::testing::fail_at(Point::verb, k);
        const bool done = ran([&] { run(out); }, Code::device_lost);
        ringfort::testing::fail_at(Point::verb, 0);
        // only the clearing of scratch memory failed; then the memory is freed, and the next clearing needs no verb
        kept += done;
        if (done || out.size() == 0) continue;
        EXPECT_EQ(testing::residues(out), testing::residues(*shape)) << name << " k=" << k;
      }
      EXPECT_LE(kept, std::string_view(name).starts_with("encrypt") ? 5u : 0u) << name;
    }
  }
  EXPECT_EQ(client.decrypt(client.automatic.square(a))[1], 49);
}

}  // namespace
}  // namespace ringfort::integers
