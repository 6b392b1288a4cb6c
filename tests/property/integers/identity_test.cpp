// SPDX-License-Identifier: Apache-2.0
// The same seeds give the same bits of BFV and BGV on every device and instruction set, for any number of threads inside a verb and
// of callers on one key.
#include <thread>

#include "support/devices.h"
#include "support/integers.h"

namespace ringfort::integers {
namespace {

using testing::Client;
using Bits = std::vector<std::vector<u64>>;

template <class S>
Bits program(const Client<S>& client, const Evaluator<S>& e) {
  const auto a = client.encrypt(testing::random_values(64, 257, 3));
  const auto b = Encryptor<S>(client.context, client.open).encrypt(client.encoder.encode(testing::random_values(64, 257, 4)));
  const auto product = e.multiply(a, b), narrow = e.relinearize(product, client.relinearization), low = e.mod_switch(narrow, narrow.level() - 1);
  const auto turned = e.rotate(low, -3, client.galois), sum = e.add_plain(e.sum_slots(turned, 2, client.galois), client.encoder.encode(testing::random_values(64, 257, 5)));
  Bits bits;
  for (const auto* c : {&a, &b, &product, &narrow, &low, &turned, &sum}) bits.push_back(testing::residues(*c));
  return bits;
}

template <class S>
void expect_identity(const testing::Shape& shape) {
  Bits expected;
  for (const std::string_view device : shape.form == PrimeForm::any ? ringfort::testing::general_devices() : backend_names()) {
    for (const unsigned threads : {1u, 2u, 7u}) {
      if (device != "cpu" && threads != 1) continue;
      testing::choose_seed(5);
      const Client<S> client(testing::parameters_of<S>(shape), std::string(device));
      const Bits bits = program<S>(client, Evaluator<S>(client.context, threads));
      if (expected.empty()) expected = bits;
      EXPECT_EQ(bits, expected) << device << " " << threads;
    }
  }
}

TEST(IntegerIdentity, EveryDeviceAndEveryNumberOfThreadsGivesTheSameBits) {
  expect_identity<bfv::Scheme>(testing::bgv_shape());
  expect_identity<bgv::Scheme>(testing::bgv_shape());
  expect_identity<bfv::Scheme>(testing::short_words());
  expect_identity<bgv::Scheme>(testing::short_words());
  expect_identity<bfv::Scheme>(testing::words_of_short_form());
  expect_identity<bgv::Scheme>(testing::words_of_short_form());
}

// Two contexts side by side, one of them recorded, eight threads each.
template <class S>
void expect_threads_to_agree() {
  testing::choose_seed(6);
  const Client<S> client(testing::parameters_of<S>(testing::bgv_shape())), other(testing::parameters_of<S>(testing::short_words()));
  const auto a = client.encrypt(testing::random_values(64, 257, 3)), foreign = other.encrypt(testing::random_values(64, 257, 4));
  const auto work = [](const Client<S>& at, const auto& c) {
    const auto fresh = Encryptor<S>(at.context, at.open).encrypt(at.encoder.encode(testing::Values{1, 2, 3}));
    const auto low = at.evaluator.mod_switch(at.automatic.square(at.automatic.add(c, at.automatic.sub(fresh, fresh))), 0);
    (void)at.decrypt(low);
    return testing::residues(at.evaluator.rotate(at.automatic.square(c), 1, at.galois));
  };
  const std::vector<u64> expected = work(client, a), others = work(other, foreign);
  const Profile profile;
  client.context.keys().profile(&profile);
  Bits found(16);
  std::vector<std::thread> team;
  for (std::size_t t = 0; t < found.size(); ++t) {
    team.emplace_back([&, t] { found[t] = t % 2 == 0 ? work(client, a) : work(other, foreign); });
  }
  (void)profile.records();                                             // while they write
  for (std::thread& thread : team) thread.join();
  client.context.keys().profile(nullptr);
  for (std::size_t t = 0; t < found.size(); ++t) EXPECT_EQ(found[t], t % 2 == 0 ? expected : others) << t;
  EXPECT_FALSE(profile.records().empty());
}

TEST(IntegerIdentity, SixteenThreadsOnOneKeyGiveTheSameBitsEach) {
  expect_threads_to_agree<bfv::Scheme>();
  expect_threads_to_agree<bgv::Scheme>();
}

}  // namespace
}  // namespace ringfort::integers
