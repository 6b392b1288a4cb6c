// SPDX-License-Identifier: Apache-2.0
// Tests ciphertexts, plaintexts and keys on two devices, and counts every upload and every download. to() only promises
// a move. Residues must move at their first use on the other device, and only once. A failure must leave both devices
// unchanged.
#include "backend/backend.h"
#include "backend/devices.h"
#include "rlwe/wire.h"
#include "support/fault.h"
#include "support/integers.h"

namespace ringfort {
namespace {

struct Moves {
  std::size_t up = 0, down = 0;
  bool operator==(const Moves&) const = default;
};

// Counts the transfers of a device, from the construction to the destruction of this object.
class Count {
 public:
  explicit Count(const KeyContext& context) : context_(context) { context_.profile(&profile_); }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;
  ~Count() { context_.profile(nullptr); }
  [[nodiscard]] Moves moves() const {
    Moves moves;
    for (const VerbRecord& record : profile_.records()) {
      moves.up += record.verb == "upload";
      moves.down += record.verb == "download";
    }
    return moves;
  }

 private:
  KeyContext context_;
  Profile profile_;
};

struct Ckks {
  using Client = ckks::testing::Client;
  static Client client() { return Client(ckks::testing::parameters_of({}), "cpu"); }
  static auto encrypted(const Client& c, u64 seed) { return c.encrypt(ckks::testing::random_values(32, seed)); }
  static auto residues(const ckks::Ciphertext& c) { return ckks::testing::residues(c); }
};

template <class S>
struct Integers {
  using Client = integers::testing::Client<S>;
  static Client client() { return Client(integers::testing::parameters_of<S>(integers::testing::bfv_shape()), "cpu"); }
  static auto encrypted(const Client& c, u64 seed) {
    return c.encrypt(integers::testing::random_values(64, 257, seed));
  }
  static auto residues(const integers::Ciphertext<S>& c) { return integers::testing::residues(c); }
};

template <class T>
class Moved : public ::testing::Test {};
using Schemes = ::testing::Types<Ckks, Integers<bfv::Scheme>, Integers<bgv::Scheme>>;
TYPED_TEST_SUITE(Moved, Schemes);

template <class Client>
auto evaluator_of(const Client&, const auto& context) {
  return decltype(Client::evaluator)(context);
}

TYPED_TEST(Moved, NothingMovesBeforeItIsUsedAndNothingMovesTwice) {
  ckks::testing::choose_seed(71);
  const auto client = TypeParam::client();
  const decltype(client.context) there(client.context.parameters(), "ref");
  const auto x = TypeParam::encrypted(client, 1);
  const auto evaluator = evaluator_of(client, there);
  const Count home(client.context), away(there);
  const auto moved = x.to(there), again = x.to(there), copied = moved.clone();
  EXPECT_EQ(moved.device(), "ref");
  EXPECT_EQ(x.device(), "cpu");
  EXPECT_EQ(moved.bytes(), x.bytes());
  const auto back = moved.to(client.context);
  EXPECT_EQ(home.moves(), Moves{});
  EXPECT_EQ(away.moves(), Moves{});

  const auto sum = evaluator.add(moved, again), less = evaluator.subtract(copied, moved);
  EXPECT_EQ(home.moves(), (Moves{0, 1}));
  EXPECT_EQ(away.moves(), (Moves{1, 0}));

  const auto same = client.evaluator.add(back, x), used = moved.to(client.context);
  (void)client.evaluator.negate(used);
  EXPECT_EQ(home.moves(), (Moves{0, 1})) << "unchanged words must not move again";
  EXPECT_EQ(away.moves(), (Moves{1, 0}));

  const auto brought = sum.to(client.context);
  EXPECT_EQ(away.moves(), (Moves{1, 0}));
  EXPECT_EQ(TypeParam::residues(client.evaluator.subtract(brought, same)),
            TypeParam::residues(client.evaluator.subtract(x, x)));
  EXPECT_EQ(away.moves(), (Moves{1, 1})) << "a result moves only from its own device";
}

TYPED_TEST(Moved, AKeyIsUploadedOnceForAllOperations) {
  ckks::testing::choose_seed(72);
  const auto client = TypeParam::client();
  const decltype(client.context) there(client.context.parameters(), "ref");
  const auto x = TypeParam::encrypted(client, 1).to(there);
  const auto evaluator = evaluator_of(client, there);
  const auto product = evaluator.multiply(x, x);
  const Count away(there);
  const RelinearizationKey relinearization = client.relinearization.to(there);
  const GaloisKeys galois = client.galois.to(there);
  const PublicKey open = client.open.to(there);
  const SecretKey secret = client.generator.secret_key().to(there);
  EXPECT_EQ(relinearization.device() + galois.device() + open.device() + secret.device(), "refrefrefref");
  EXPECT_EQ(away.moves(), Moves{});
  for (int i = 0; i < 3; ++i) (void)evaluator.relinearize(product, relinearization);
  EXPECT_EQ(away.moves(), (Moves{1, 0}));
  for (int i = 0; i < 3; ++i) (void)evaluator.rotate(x, 1, galois);
  EXPECT_EQ(away.moves(), (Moves{2, 0})) << "the keys of other rotations must not move";
  (void)evaluator.relinearize(product, client.relinearization.to(there));
  EXPECT_EQ(away.moves(), (Moves{2, 0})) << "a key must not move twice";
}

// At a lower level, a key switch needs fewer digits, and fewer limbs of each digit. Only these parts of a key are
// uploaded.
TEST(Placement, AKeyMovesByLevel) {
  ckks::testing::choose_seed(78);
  ckks::testing::Shape shape;
  shape.levels = 7;
  const ckks::testing::Client client(ckks::testing::parameters_of(shape), "cpu", {1});
  for (const char* const device : {"ref", "emu:0", "deferred:1"}) {
    if (open_backend(device) == nullptr) continue;  // this build has no emulated GPUs (RINGFORT_SIMULATORS=OFF)
    const ckks::Context there(client.context.parameters(), device);
    const ckks::Evaluator evaluator(there);
    const auto x = Ckks::encrypted(client, 1);
    const GaloisKeys keys = client.galois.to(there);
    const Chain& chain = there.keys().state()->chain;
    const std::size_t limb = std::size_t{there.keys().state()->p.n} * word_bytes(there.keys().state()->ring.word());
    u64 moved = 0;
    for (const u32 level : {1u, 0u, 1u, chain.top_level()}) {
      const auto low = client.evaluator.mod_switch(x, level);
      const auto away = low.to(there);
      (void)evaluator.negate(away);  // moves the ciphertext to the device
      Profile profile;
      there.keys().profile(&profile);
      const auto rotated = evaluator.rotate(away, 1, keys);
      there.keys().profile(nullptr);
      for (const VerbRecord& record : profile.records()) moved += record.verb == "upload" ? record.bytes : 0;
      const u32 most = std::max(level, 1u);
      EXPECT_EQ(moved, 2 * chain.digits(most) * chain.extended(most).count * limb) << device << ", level " << level;
      EXPECT_EQ(Ckks::residues(rotated), Ckks::residues(client.evaluator.rotate(low, 1, client.galois))) << device;
    }
  }
}

// A loop may write to its variable again and again. Each write reuses the variable's memory only if no other object
// shares the memory.
TYPED_TEST(Moved, WritingChangesNoOtherObject) {
  ckks::testing::choose_seed(73);
  const auto client = TypeParam::client();
  const decltype(client.context) there(client.context.parameters(), "ref");
  const auto x = TypeParam::encrypted(client, 1), y = TypeParam::encrypted(client, 2);
  const auto sum = TypeParam::residues(client.evaluator.add(x, y)), before = TypeParam::residues(x);
  auto out = client.evaluator.negate(client.evaluator.negate(x));
  const auto copied = out.clone(), moved = out.to(there);
  client.evaluator.add_into(out, x, y);
  EXPECT_EQ(TypeParam::residues(out), sum);
  EXPECT_EQ(TypeParam::residues(copied), before);
  EXPECT_EQ(TypeParam::residues(moved), before);

  auto total = client.evaluator.multiply(x, y);
  const auto product = TypeParam::residues(total);
  const auto kept = total.clone(), promised = total.to(there);
  client.evaluator.multiply_add_into(total, x, y);
  EXPECT_EQ(TypeParam::residues(kept), product);
  EXPECT_EQ(TypeParam::residues(promised), product);
  EXPECT_EQ(TypeParam::residues(total), TypeParam::residues(client.evaluator.add(kept, kept)));
}

TYPED_TEST(Moved, WordsOutliveTheObjectAndTheContextThatMadeThem) {
  ckks::testing::choose_seed(74);
  const auto client = TypeParam::client();
  auto passing = std::make_unique<decltype(client.context)>(client.context.parameters(), "ref");
  const auto x = TypeParam::encrypted(client, 1);
  const auto expected = TypeParam::residues(client.evaluator.add(x, x));
  auto there = evaluator_of(client, *passing).add(x.to(*passing), x.to(*passing));
  const auto home = there.to(client.context);
  there = {};
  passing.reset();
  EXPECT_EQ(TypeParam::residues(home), expected);
}

TEST(Placement, APlaintextAndAKeyArePlacedAsCiphertextsAre) {
  ckks::testing::choose_seed(75);
  const auto client = Ckks::client();
  const ckks::Context there(client.context.parameters(), "ref");
  const auto plain = client.encoder.encode(ckks::testing::Values{0.5, 0.25});
  const auto x = Ckks::encrypted(client, 1);
  const auto moved = plain.to(there);
  const auto far = x.to(there);
  const Count away(there);
  EXPECT_EQ(moved.device(), "ref");
  EXPECT_EQ(ckks::Plaintext().device(), "");
  const ckks::Evaluator evaluator(there);
  const auto sum = evaluator.add_plain(far, moved), product = evaluator.multiply_plain(far, moved);
  EXPECT_EQ(away.moves(), (Moves{2, 0}));
  EXPECT_EQ(Ckks::residues(sum), Ckks::residues(client.evaluator.add_plain(x, plain)));
  EXPECT_EQ(Ckks::residues(product), Ckks::residues(client.evaluator.multiply_plain(x, plain)));
}

TEST(Placement, AFileIsWrittenFromWhereTheWordsAre) {
  ckks::testing::choose_seed(76);
  const auto client = Ckks::client();
  const ckks::Context there(client.context.parameters(), "ref");
  const auto x = Ckks::encrypted(client, 1);
  const RelinearizationKey key = client.relinearization.to(there);
  const auto moved = x.to(there);
  std::vector<u8> here_bytes, there_bytes;
  const auto into = [](std::vector<u8>& bytes) {
    return [&bytes](u64, std::span<const u64> words) {
      for (const u64 word : words)
        bytes.insert(bytes.end(), reinterpret_cast<const u8*>(&word), reinterpret_cast<const u8*>(&word + 1));
    };
  };
  const Count away(there);
  wire::export_rlwe(x.state().rlwe, into(here_bytes));
  wire::export_rlwe(moved.state().rlwe, into(there_bytes));
  wire::export_key_switching_key(*there.keys().state(), key.state()->key, into(there_bytes));
  wire::export_key_switching_key(*client.context.keys().state(), client.relinearization.state()->key, into(here_bytes));
  EXPECT_EQ(here_bytes, there_bytes);
  EXPECT_EQ(away.moves(), Moves{});
}

TYPED_TEST(Moved, EveryFailureOnTheWayLeavesBothSidesAsTheyWere) {
  ckks::testing::choose_seed(77);
  const auto client = TypeParam::client();
  const decltype(client.context) there(client.context.parameters(), "ref");
  const auto evaluator = evaluator_of(client, there);
  const auto x = TypeParam::encrypted(client, 1);
  const auto product = client.evaluator.multiply(x, x);
  const auto before = TypeParam::residues(x),
             expected = TypeParam::residues(client.evaluator.relinearize(product, client.relinearization));
  for (const auto point : {fault::Point::verb, fault::Point::alloc}) {
    u64 k = 1;
    for (bool met = true; met; ++k) {
      const auto moved = product.to(there);
      const RelinearizationKey key = client.relinearization.to(there);
      auto out = evaluator.add(x.to(there), x.to(there));
      const auto untouched = TypeParam::residues(out);
      bool failed = false;
      testing::fail_at(point, k);
      try {
        evaluator.relinearize_into(out, moved, key);
      } catch (const Error& error) {
        failed = true;
        EXPECT_EQ(error.code(), point == fault::Point::verb ? Code::device_lost : Code::out_of_memory);
      } catch (const std::bad_alloc&) { failed = true; }
      met = testing::calls_at(point) >= k;
      testing::fail_at(point, 0);
      if (failed && out.size() != 0) { EXPECT_EQ(TypeParam::residues(out), untouched); }
      EXPECT_EQ(TypeParam::residues(x), before);
      EXPECT_EQ(TypeParam::residues(evaluator.relinearize(moved, key)), expected) << "after a failure at " << k;
    }
    EXPECT_GE(k, 4u);
  }
}

}  // namespace
}  // namespace ringfort
