// SPDX-License-Identifier: Apache-2.0
// Tests that the same seeds give bit-identical BFV and BGV ciphertexts on every device and instruction set. This holds
// for any number of threads inside a verb, and for any number of callers that share one key.
#include <thread>

#include "support/devices.h"
#include "support/integers.h"

namespace ringfort::integers {
namespace {

using testing::Client;
using Bits = std::vector<std::vector<u64>>;

// Runs every verb of both evaluators, and collects all intermediate results. These include the coefficients of a
// decryption. tests/tools/test_verbs_in_identity.py compares this list of verbs with the header.
template <class S>
class Program {
 public:
  Program(const Client<S>& client, unsigned threads)
      : client_(client),
        e_(client.context, threads),
        automatic_(client.context, &client.relinearization, &client.galois, threads) {}

  Bits compute() {
    const auto a = client_.encrypt(values(3));
    const auto b = Encryptor<S>(client_.context, client_.open).encrypt(client_.encoder.encode(values(4)));
    keep(a), keep(b);
    by_hand(a, b);
    by_itself(a, b);
    return std::move(bits_);
  }

 private:
  [[nodiscard]] testing::Values values(u64 seed) const {
    return testing::random_values(client_.context.parameters().chain.n, 257, seed);
  }
  void keep(const Ciphertext<S>& c) { bits_.push_back(testing::residues(c)); }
  void keep(const Plaintext<S>& p) {
    const auto coefficients = p.state().coefficients.span();
    bits_.emplace_back(coefficients.begin(), coefficients.end());
  }

  void by_hand(const Ciphertext<S>& a, const Ciphertext<S>& b) {
    const GaloisKeys& galois = client_.galois;
    const auto p = client_.encoder.encode(values(5));
    const auto product = e_.multiply(a, b), narrow = e_.relinearize(product, client_.relinearization),
               low = e_.mod_switch(narrow, narrow.level() - 1);
    const Ciphertext<S> terms[] = {low.clone(), e_.negate(low), e_.mod_switch(a, low.level())};
    const Plaintext<S> plain[] = {p.clone(), p.clone(), p.clone()};
    keep(p), keep(product), keep(narrow), keep(low), keep(terms[1]), keep(terms[2]);
    keep(e_.add(narrow, b)), keep(e_.subtract(narrow, b)), keep(e_.square(low));
    keep(e_.add_plain(low, p)), keep(e_.subtract_plain(low, p)), keep(e_.multiply_plain(low, p)),
        keep(e_.multiply_integer(low, -7));
    auto prepared = p.clone();
    e_.prepare_plain(prepared, low.level());
    keep(e_.multiply_plain(low, prepared));
    auto sum = product.clone();
    e_.multiply_add_into(sum, a, a);
    keep(sum);
    keep(e_.rotate(low, -3, galois)), keep(e_.swap_rows(low, galois)), keep(e_.sum_slots(low, 4, galois));
    keep(e_.add_many(terms)), keep(e_.inner_product(terms, terms)), keep(e_.inner_product_plain(terms, plain));
    keep(e_.power(a, 2, client_.relinearization));
    auto ready = p.clone();
    e_.prepare_plain(ready, low.level());
    keep(e_.multiply_plain(low, ready));
    const i64 steps[] = {1, -3, 0, 5};
    for (const auto& rotated : e_.rotate_many(low, steps, galois)) keep(rotated);
    keep(client_.decryptor.decrypt(low));
  }

  void by_itself(const Ciphertext<S>& a, const Ciphertext<S>& b) {
    const auto p = client_.encoder.encode(values(6));
    const auto low = automatic_.multiply(a, b);
    const Ciphertext<S> pair[] = {a.clone(), b.clone()}, uneven[] = {low.clone(), b.clone()};
    keep(low);
    keep(automatic_.negate(low)), keep(automatic_.subtract_plain(low, p)), keep(automatic_.multiply_integer(low, 5));
    keep(automatic_.inner_product(pair, pair)), keep(automatic_.add_many(uneven));
    keep(automatic_.add(low, b)), keep(automatic_.subtract(a, low)), keep(automatic_.square(a));
    keep(automatic_.add_plain(low, p)), keep(automatic_.multiply_plain(low, p)), keep(automatic_.power(a, 3));
    keep(automatic_.rotate(low, 5)), keep(automatic_.swap_rows(low)), keep(automatic_.sum_slots(low));
  }

  const Client<S>& client_;
  Evaluator<S> e_;
  AutomaticEvaluator<S> automatic_;
  Bits bits_;
};

template <class S>
void expect_identity(const testing::Shape& shape) {
  Bits expected;
  std::vector<std::int32_t> rotations{-3};
  for (u32 step = 1; step < shape.n / 2; step *= 2) rotations.push_back(static_cast<std::int32_t>(step));
  for (const std::string_view device :
       shape.form == PrimeForm::any ? ringfort::testing::general_devices() : ringfort::testing::all_devices()) {
    for (const unsigned threads : {1u, 2u, 7u}) {
      if (threads != 1 && (device != "cpu" || shape.form != PrimeForm::any)) continue;
      testing::choose_seed(5);
      const Client<S> client(testing::parameters_of<S>(shape), std::string(device), rotations);
      const Bits bits = Program<S>(client, threads).compute();
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

// Two contexts run in parallel, and one of them is profiled. Sixteen threads use the keys of each context.
template <class S>
void expect_threads_to_agree() {
  testing::choose_seed(6);
  const Client<S> client(testing::parameters_of<S>(testing::bgv_shape())),
      other(testing::parameters_of<S>(testing::short_words()));
  const auto a = client.encrypt(testing::random_values(64, 257, 3)),
             foreign = other.encrypt(testing::random_values(64, 257, 4));
  const auto work = [](const Client<S>& at, const auto& c) {
    const auto fresh = Encryptor<S>(at.context, at.open).encrypt(at.encoder.encode(testing::Values{1, 2, 3}));
    const auto low =
        at.evaluator.mod_switch(at.automatic.square(at.automatic.add(c, at.automatic.subtract(fresh, fresh))), 0);
    (void)at.decrypt(low);
    return testing::residues(at.evaluator.rotate(at.automatic.square(c), 1, at.galois));
  };
  const std::vector<u64> expected = work(client, a), others = work(other, foreign);
  const Profile profile;
  client.context.keys().profile(&profile);
  Bits found(32);
  std::vector<std::thread> team;
  for (std::size_t t = 0; t < found.size(); ++t) {
    team.emplace_back([&, t] { found[t] = t % 2 == 0 ? work(client, a) : work(other, foreign); });
  }
  (void)profile.records();  // reads the records while the threads write records
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
