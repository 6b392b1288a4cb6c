// SPDX-License-Identifier: Apache-2.0
// The same seeds give the same bits of the same ciphertexts on every device and instruction set, for any number of threads inside
// a verb and of callers on one key; and what moves to another device goes on there with the same bits.
#include <thread>

#include "support/ckks.h"
#include "support/devices.h"

namespace ringfort::ckks {
namespace {

using testing::Client;
using testing::Shape;

using Bits = std::vector<std::vector<u64>>;

Shape shape() {
  Shape shape;
  shape.n = 128;
  shape.levels = 3;
  shape.special = 2;
  shape.digit_limbs = 2;
  return shape;
}

// Every verb once; all ciphertexts on the way.
Bits program(const Client& client, const Evaluator& e) {
  const Ciphertext a = client.encrypt(testing::random_values(64, 3)), b = Encryptor(client.context, client.open).encrypt(client.encoder.encode(testing::random_values(64, 4)));
  const Ciphertext product = e.multiply(a, b), narrow = e.relinearize(product, client.relinearization), low = e.rescale(narrow);
  const Ciphertext sum = e.sum_slots(low, 4, client.galois), turned = e.rotate(e.mod_switch(low, 0), -3, client.galois);
  const Ciphertext plain = e.multiply_plain(low, client.encoder.encode_public(testing::random_values(64, 5), {low.level(), {}, {}}));
  const AutomaticEvaluator automatic(client.context, &client.relinearization, &client.galois, 2);
  Bits bits;
  for (const Ciphertext* c : {&a, &b, &product, &narrow, &low, &sum, &turned, &plain}) bits.push_back(testing::residues(*c));
  bits.push_back(testing::residues(automatic.add(automatic.square(low), b)));
  bits.push_back(testing::residues(e.conjugate(e.sub(low, e.negate(low)), client.galois)));
  return bits;
}

TEST(CkksIdentity, EveryDeviceAndEveryNumberOfThreadsGivesTheSameBits) {
  Shape short_words = testing::short_words();
  Shape short_form = testing::words_of_short_form();
  short_words.n = short_form.n = 128;
  for (const Shape& chain : {shape(), short_words, short_form}) {
    Bits expected;
    for (const std::string_view device : chain.form == PrimeForm::any ? ringfort::testing::general_devices() : backend_names()) {
      for (const unsigned threads : {1u, 2u, 7u}) {
        if (device != "cpu" && threads != 1) continue;
        testing::choose_seed(5);
        const Client client(testing::parameters_of(chain), std::string(device));
        const Bits bits = program(client, Evaluator(client.context, threads));
        if (expected.empty()) expected = bits;
        EXPECT_EQ(bits, expected) << device << " " << threads;
      }
    }
  }
}

TEST(CkksIdentity, SixteenThreadsOnOneKeyGiveTheSameBitsEach) {
  testing::choose_seed(6);
  const Client client(testing::parameters_of(shape())), other(testing::parameters_of(shape()));
  const Ciphertext a = client.encrypt(testing::random_values(64, 3)), foreign = other.encrypt(testing::random_values(64, 3));
  const auto work = [](const Client& at, const Ciphertext& c) {
    const Ciphertext square = at.automatic.square(c);
    (void)at.decrypt(at.automatic.add(square, at.encrypt({0.5})));
    return testing::residues(at.evaluator.rotate(square, 1, at.galois));
  };
  const std::vector<u64> expected = work(client, a), others = work(other, foreign);
  const Profile profile;
  client.context.keys().profile(&profile);
  Bits found(16);
  std::vector<std::thread> team;
  for (std::size_t t = 0; t < found.size(); ++t) {
    team.emplace_back([&, t] { found[t] = t % 2 == 0 ? work(client, a) : work(other, foreign); });
  }
  (void)profile.records();                                               // while they write
  for (std::thread& thread : team) thread.join();
  client.context.keys().profile(nullptr);
  EXPECT_FALSE(profile.records().empty());
  for (std::size_t t = 0; t < found.size(); ++t) EXPECT_EQ(found[t], t % 2 == 0 ? expected : others) << t;
}

TEST(CkksIdentity, KeysAndCiphertextsGoOnAtAnotherDevice) {
  testing::choose_seed(7);
  const Client client(testing::parameters_of(shape()));
  const Context there(testing::parameters_of(shape()), "ref");
  const Ciphertext a = client.encrypt(testing::random_values(64, 3)), moved = a.to(there);
  const RelinearizationKey relinearization = client.relinearization.to(there);
  const GaloisKeys galois = client.galois.to(there);
  const AutomaticEvaluator e(there, &relinearization, &galois);
  const Ciphertext result = e.rotate(e.square(moved), 2);
  EXPECT_EQ(testing::residues(result), testing::residues(client.automatic.rotate(client.automatic.square(a), 2)));
  const SecretKey secret = client.generator.secret_key().to(there);
  const auto decrypted = Decryptor(there, secret).decrypt(result).to(client.context);
  testing::Values out(64), here(64);
  client.encoder.decode(decrypted, std::span<double>(out));
  client.encoder.decode(client.decryptor.decrypt(result.to(client.context)), std::span<double>(here));
  EXPECT_EQ(out, here);
  const PublicKey open = client.open.to(there);
  EXPECT_EQ(Encryptor(there, open).encrypt(Encoder(there).encode(testing::Values{0.5})).size(), 2u);
}

}  // namespace
}  // namespace ringfort::ckks
