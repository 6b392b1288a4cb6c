// SPDX-License-Identifier: Apache-2.0
// Tests that the same seeds give bit-identical ciphertexts on every device and instruction set. This holds for any
// number of threads inside a verb, and for any number of callers that share one key. A ciphertext that moves to another
// device gives the same bits there.
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

// Runs every verb of both evaluators, and collects all intermediate results. These include the residues of a plaintext
// and of a decryption. tests/tools/test_verbs_in_identity.py compares this list of verbs with the header.
class Program {
 public:
  Program(const Client& client, unsigned threads)
      : client_(client),
        e_(client.context, threads),
        automatic_(client.context, &client.relinearization, &client.galois, threads) {}

  Bits compute() {
    const Ciphertext a = client_.encrypt(values(3));
    const Ciphertext b = Encryptor(client_.context, client_.open).encrypt(client_.encoder.encode(values(4)));
    keep(a), keep(b);
    by_hand(a, b);
    by_itself(a, b);
    return std::move(bits_);
  }

 private:
  [[nodiscard]] testing::Values values(u64 seed) const { return testing::random_values(client_.context.slots(), seed); }
  void keep(const Ciphertext& c) { bits_.push_back(testing::residues(c)); }
  void keep(const Plaintext& p) { bits_.push_back(testing::words(p.state().rlwe)); }

  void by_hand(const Ciphertext& a, const Ciphertext& b) {
    const RelinearizationKey& key = client_.relinearization;
    const GaloisKeys& galois = client_.galois;
    const Ciphertext product = e_.multiply(a, b), narrow = e_.relinearize(product, key), low = e_.rescale(narrow);
    const Plaintext p = client_.encoder.encode_public(values(5), {low.level(), {}, {}});
    const Ciphertext lower = e_.mod_switch(narrow, low.level()), terms[] = {low.clone(), e_.negate(low)};
    const Plaintext plain[] = {p.clone(), p.clone()};
    keep(p), keep(product), keep(narrow), keep(low), keep(lower);
    keep(e_.add(a, b)), keep(e_.subtract(a, b)), keep(e_.negate(a)), keep(e_.square(a));
    keep(e_.add_plain(low, p)), keep(e_.subtract_plain(low, p)), keep(e_.multiply_plain(low, p));
    keep(e_.multiply_integer(low, -7)), keep(e_.upscale(low, 11));
    Ciphertext sum = product.clone();
    e_.multiply_add_into(sum, a, a);
    keep(sum);
    keep(e_.rotate(e_.mod_switch(low, 0), -3, galois)), keep(e_.conjugate(e_.subtract(low, e_.negate(low)), galois));
    keep(e_.sum_slots(low, 4, galois));
    for (const Ciphertext& at_once : {e_.multiply_relinearize_rescale(a, b, key), e_.relinearize_rescale(product, key)})
      EXPECT_EQ(testing::residues(at_once), testing::residues(low));
    keep(e_.declare_magnitude(low, low.magnitude() / 2)), keep(e_.declare_scale(low, 2 * low.scale()));
    keep(e_.add_many(terms)), keep(e_.inner_product(terms, terms)), keep(e_.inner_product_plain(terms, plain));
    const std::int64_t steps[] = {1, -3, 0, 5};
    for (const Ciphertext& rotated : e_.rotate_many(low, steps, galois)) keep(rotated);
    keep(client_.decryptor.decrypt(low));
  }

  void by_itself(const Ciphertext& a, const Ciphertext& b) {
    const testing::Values numbers = values(6);
    const std::vector<std::complex<double>> points(client_.context.slots(), {0.25, -0.5});
    const Ciphertext low = automatic_.multiply(a, b), pair[] = {low.clone(), b.clone()};
    keep(low);
    keep(automatic_.add(low, b)), keep(automatic_.subtract(a, low)), keep(automatic_.square(low));
    keep(automatic_.add_plain(low, numbers)), keep(automatic_.add_plain(low, points)),
        keep(automatic_.add_plain(low, {0.5, 0.25}));
    keep(automatic_.multiply_plain(low, numbers)), keep(automatic_.multiply_plain(low, points)),
        keep(automatic_.multiply_plain(low, {0.5, 0.25}));
    keep(automatic_.power(a, 3)), keep(automatic_.inner_product(pair, pair));
    const std::span<const double> numbers_twice[] = {numbers, numbers};
    const std::span<const std::complex<double>> points_twice[] = {points, points};
    keep(automatic_.inner_product_plain<double>(pair, numbers_twice));
    keep(automatic_.inner_product_plain<std::complex<double>>(pair, points_twice));
    keep(automatic_.negate(low)), keep(automatic_.multiply_integer(low, 3)), keep(automatic_.add_many(pair));
    keep(automatic_.subtract_plain(low, numbers)), keep(automatic_.subtract_plain(low, points));
    keep(automatic_.rotate(low, 5)), keep(automatic_.conjugate(low)), keep(automatic_.sum_slots(low)),
        keep(automatic_.align(a, 0));
  }

  const Client& client_;
  Evaluator e_;
  AutomaticEvaluator automatic_;
  Bits bits_;
};

TEST(CkksIdentity, EveryDeviceAndEveryNumberOfThreadsGivesTheSameBits) {
  Shape short_words = testing::short_words();
  const Shape short_form = testing::words_of_short_form();  // n = 64, because simulated devices are slow
  short_words.n = 128;
  for (const Shape& chain : {shape(), short_words, short_form}) {
    Bits expected;
    std::vector<std::int32_t> rotations{-3};
    for (u32 step = 1; step < chain.n / 2; step *= 2) rotations.push_back(static_cast<std::int32_t>(step));
    for (const std::string_view device :
         chain.form == PrimeForm::any ? ringfort::testing::general_devices() : ringfort::testing::all_devices()) {
      for (const unsigned threads : {1u, 2u, 7u}) {
        if (threads != 1 && (device != "cpu" || chain.form != PrimeForm::any)) continue;
        testing::choose_seed(5);
        const Client client(testing::parameters_of(chain), std::string(device), rotations);
        const Bits bits = Program(client, threads).compute();
        if (expected.empty()) expected = bits;
        EXPECT_EQ(bits, expected) << device << " " << threads;
      }
    }
  }
}

TEST(CkksIdentity, SixteenThreadsOnOneKeyGiveTheSameBitsEach) {
  testing::choose_seed(6);
  const Client client(testing::parameters_of(shape())), other(testing::parameters_of(shape()));
  const Ciphertext a = client.encrypt(testing::random_values(64, 3)),
                   foreign = other.encrypt(testing::random_values(64, 3));
  const auto work = [](const Client& at, const Ciphertext& c) {
    const Ciphertext square = at.automatic.square(c);
    (void)at.decrypt(at.automatic.add(square, at.encrypt({0.5})));
    return testing::residues(at.evaluator.rotate(square, 1, at.galois));
  };
  const std::vector<u64> expected = work(client, a), others = work(other, foreign);
  const Profile profile;
  client.context.keys().profile(&profile);
  Bits found(32);  // sixteen threads use the keys of each context
  std::vector<std::thread> team;
  for (std::size_t t = 0; t < found.size(); ++t) {
    team.emplace_back([&, t] { found[t] = t % 2 == 0 ? work(client, a) : work(other, foreign); });
  }
  (void)profile.records();  // reads the records while the threads write records
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
