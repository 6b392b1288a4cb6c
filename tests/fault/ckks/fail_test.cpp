// SPDX-License-Identifier: Apache-2.0
// For every k, lets the k-th allocation fail in key generation, encryption, a program and decryption. Also lets the
// k-th verb (operation) of the device fail in encryption and in the verbs of ciphertexts. A call that fails must throw
// the right error, and leave its outputs unchanged or empty. The operands must work afterwards.
#include "support/allocation.h"
#include "support/ckks.h"
#include "support/degree.h"

namespace ringfort::ckks {
namespace {

using fault::Point;
using testing::Client;
using testing::Shape;
using testing::Values;

Shape small() {
  Shape shape;
  shape.n = ringfort::testing::small_degree(16);
  shape.levels = 2;
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

TEST(CkksAllocation, KeysEncryptionProgramsAndDecryptionFailCleanly) {
  ASSERT_TRUE(ringfort::testing::allocations_are_fault_points());
  double found = 0;
  const auto failures = ringfort::testing::fail_every_allocation([&](u64 k) {
    testing::choose_seed(k);
    found = 0;
    const bool done = ran(
        [&] {
          const Client client(testing::parameters_of(small()), "ref", {1});
          found = client.decrypt(client.automatic.rotate(client.automatic.square(client.encrypt({0.5, 0.75})), 1))[0];
        },
        Code::out_of_memory);
    if (done) { EXPECT_NEAR(found, 0.5625, 1e-3) << "k=" << k; }
    return done;
  });
  EXPECT_GT(failures.count, 50u);
  EXPECT_TRUE(failures.are_mostly_reported()) << failures.unreported.size();
  EXPECT_NEAR(found, 0.5625, 1e-3);
}

struct Operation {
  const char* name;
  void (*run)(const Client&, Ciphertext& out, const Ciphertext& a, const Ciphertext& wide);
};

const Operation kOperations[] = {
    {"encrypt", [](const Client& c, Ciphertext& out, const Ciphertext&,
                   const Ciphertext&) { c.encryptor.encrypt_into(out, c.encoder.encode(Values{0.25})); }},
    {"encrypt under the public key",
     [](const Client& c, Ciphertext& out, const Ciphertext&, const Ciphertext&) {
       Encryptor(c.context, c.open).encrypt_into(out, c.encoder.encode(Values{0.25}));
     }},
    {"add",
     [](const Client& c, Ciphertext& out, const Ciphertext& a, const Ciphertext&) { c.evaluator.add_into(out, a, a); }},
    {"multiply", [](const Client& c, Ciphertext& out, const Ciphertext& a,
                    const Ciphertext&) { c.evaluator.multiply_into(out, a, a); }},
    {"multiply more components", [](const Client& c, Ciphertext& out, const Ciphertext& a,
                                    const Ciphertext& wide) { c.evaluator.multiply_into(out, a, wide); }},
    {"multiply_add", [](const Client& c, Ciphertext& out, const Ciphertext& a,
                        const Ciphertext&) { c.evaluator.multiply_add_into(out, a, a); }},
    {"relinearize", [](const Client& c, Ciphertext& out, const Ciphertext&,
                       const Ciphertext& wide) { c.evaluator.relinearize_into(out, wide, c.relinearization); }},
    {"rescale", [](const Client& c, Ciphertext& out, const Ciphertext&,
                   const Ciphertext& wide) { c.evaluator.rescale_into(out, wide); }},
    {"multiply_relinearize_rescale",
     [](const Client& c, Ciphertext& out, const Ciphertext& a, const Ciphertext&) {
       c.evaluator.multiply_relinearize_rescale_into(out, a, a, c.relinearization);
     }},
    {"relinearize_rescale",
     [](const Client& c, Ciphertext& out, const Ciphertext&, const Ciphertext& wide) {
       c.evaluator.relinearize_rescale_into(out, wide, c.relinearization);
     }},
    {"rotate", [](const Client& c, Ciphertext& out, const Ciphertext& a,
                  const Ciphertext&) { c.evaluator.rotate_into(out, a, 1, c.galois); }},
    {"sum_slots", [](const Client& c, Ciphertext& out, const Ciphertext& a,
                     const Ciphertext&) { c.evaluator.sum_slots_into(out, a, 2, c.galois); }},
};

// Each operation has two outputs in turn, with two and with three components. If an output has the shape of the result,
// its memory is reused.
TEST(CkksVerbFaults, AnOutputIsUnchangedOrEmptyWhenTheDeviceFails) {
  testing::choose_seed(31);
  const Client client(testing::parameters_of(small()), "cpu", {1});
  const Ciphertext a = client.encrypt({0.5}), wide = client.evaluator.square(a);
  for (const Operation& operation : kOperations) {
    for (const Ciphertext* shape : {&a, &wide}) {
      Ciphertext counted =
          shape == &a ? client.evaluator.upscale(a, static_cast<i64>(a.scale())) : client.evaluator.square(a);
      ringfort::testing::fail_at(Point::verb, 0);
      operation.run(client, counted, a, wide);
      const u64 verbs = ringfort::testing::calls_at(Point::verb);
      ASSERT_GT(verbs, 0u);
      u64 kept = 0;
      for (u64 k = 1; k <= verbs; ++k) {
        Ciphertext out =
            shape == &a ? client.evaluator.upscale(a, static_cast<i64>(a.scale())) : client.evaluator.square(a);
        const auto before = testing::residues(out);
        ringfort::testing::fail_at(Point::verb, k);
        const bool done = ran([&] { operation.run(client, out, a, wide); }, Code::device_lost);
        ringfort::testing::fail_at(Point::verb, 0);
        // only the clearing of scratch memory failed; then the memory is freed, and the next clearing needs no verb
        kept += done;
        if (done || out.size() == 0) continue;
        EXPECT_EQ(testing::residues(out), before) << operation.name << " k=" << k;
      }
      EXPECT_LE(kept, std::string_view(operation.name).starts_with("encrypt") ? 5u : 0u) << operation.name;
    }
  }
  EXPECT_NEAR(client.decrypt(client.automatic.square(a))[0], 0.25, 1e-3);
}

// The test uses `cpu` with an empty cache of freed memory, so that every buffer is allocated. Operands share their
// memory with clones.
TEST(CkksVerbFaults, AnOutputIsUnchangedOrEmptyAndOperandsAreUnchangedWhenMemoryIsShort) {
  testing::choose_seed(32);
  const Client client(testing::parameters_of(small()), "cpu", {1});
  client.context.keys().keep_at_most(0);
  const Ciphertext a = client.encrypt({0.5}), wide = client.evaluator.square(a), shared = a.clone();
  const auto before_a = testing::residues(a), before_wide = testing::residues(wide);
  u64 failures = 0;
  for (const Operation& operation : kOperations) {
    for (const bool in_place : {false, true}) {
      const bool adds = std::string_view(operation.name) == "multiply_add";
      if (in_place && adds) continue;  // the scale of the sum differs from the scale of an operand
      const auto output = [&] { return in_place ? a.clone() : client.evaluator.square(a); };
      const auto runs = ringfort::testing::fail_every_allocation([&](u64 k) {
        ringfort::testing::fail_at(Point::alloc, 0);
        Ciphertext out = output();
        const auto before = testing::residues(out);
        client.context.keys().trim();
        ringfort::testing::fail_at(Point::alloc, k);
        const bool done = ran([&] { operation.run(client, out, in_place ? out : a, wide); }, Code::out_of_memory);
        if (!done && out.size() != 0) { EXPECT_EQ(testing::residues(out), before) << operation.name << " k=" << k; }
        return done;
      });
      failures += runs.count;
      EXPECT_EQ(runs.unreported, std::vector<u64>()) << operation.name;
      EXPECT_EQ(testing::residues(a), before_a) << operation.name;
      EXPECT_EQ(testing::residues(wide), before_wide) << operation.name;
    }
  }
  EXPECT_GT(failures, 50u);
  EXPECT_NEAR(client.decrypt(client.automatic.square(shared))[0], 0.25, 1e-3);
}

}  // namespace
}  // namespace ringfort::ckks
