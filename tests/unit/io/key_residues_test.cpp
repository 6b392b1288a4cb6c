// SPDX-License-Identifier: Apache-2.0
// Tests ringfort/key_residues.h: the residues of keys meet the equations of the header, keys of residues compute like
// their originals, and wrong residues are refused.
#include "ringfort/key_residues.h"

#include "ringfort/files.h"
#include "ringfort/residues.h"
#include "support/refused.h"
#include "unguarded.h"

namespace ringfort {
namespace {

using testing::ckks_client;
using testing::expect_refused;
using testing::integer_client;
using Words = std::vector<std::uint64_t>;
using Wide = unsigned __int128;

std::vector<std::uint64_t> moduli_of(const KeyContext& context) {
  std::vector<std::uint64_t> all = context.chain().data;
  all.insert(all.end(), context.chain().special.begin(), context.chain().special.end());
  return all;
}

Words secret_words(const KeyContext& context, const SecretKey& secret) {
  Words words(moduli_of(context).size() * context.chain().n);
  residues(secret, words);
  return words;
}

// Computes, by its definition, the polynomial at x^element: its value at a root is the value at the power of the root.
Words at_power(const KeyContext& context, Words words, std::uint32_t element) {
  const std::uint32_t n = context.chain().n;
  const std::vector<std::uint64_t> moduli = moduli_of(context);
  for (std::size_t limb = 0; limb < moduli.size(); ++limb) {
    const std::span<std::uint64_t> row(words.data() + limb * n, n);
    const Ntt ntt(n, moduli[limb], WordWidth::bits64, "cpu");
    ntt.inverse<std::uint64_t>(row, row);
    Words moved(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t to = i * element % (2 * n);
      moved[to % n] = to < n || row[i] == 0 ? row[i] : moduli[limb] - row[i];
    }
    ntt.forward<std::uint64_t>(moved, row);
  }
  return words;
}

// Returns the coefficients of (b + a s - P g s') / f as numbers around zero, for each limb. `first` and `count` are the
// limbs of the digit.
std::vector<std::int64_t> errors_of(const KeyContext& context, std::span<const std::uint64_t> pair, const Words& secret,
                                    const Words& source, std::pair<std::size_t, std::size_t> digit, std::uint64_t f) {
  const std::uint32_t n = context.chain().n;
  const std::vector<std::uint64_t> moduli = moduli_of(context);
  const std::size_t limbs = pair.size() / 2 / n, data = context.chain().data.size();
  std::vector<std::int64_t> errors;
  for (std::size_t limb = 0; limb < limbs; ++limb) {
    const std::size_t prime = limb < data ? limb : moduli.size() - limbs + limb;  // a public key has the last one
    const std::uint64_t q = moduli[prime];
    Wide product = 1;
    for (const std::uint64_t p : context.chain().special) product = product * (p % q) % q;
    if (limb < digit.first || limb >= digit.first + digit.second) product = 0;
    Words row(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::size_t at = limb * n + i, of_prime = prime * n + i;
      const Wide message = product * source[of_prime] % q;
      row[i] = static_cast<std::uint64_t>(
          (pair[at] + Wide(pair[pair.size() / 2 + at]) * secret[of_prime] + q - message) % q);
    }
    Ntt(n, q, WordWidth::bits64, "cpu").inverse<std::uint64_t>(row, row);
    for (const std::uint64_t word : row) {
      const auto centred = word > q / 2 ? -static_cast<std::int64_t>(q - word) : static_cast<std::int64_t>(word);
      errors.push_back(centred % static_cast<std::int64_t>(f) == 0 ? centred / static_cast<std::int64_t>(f) : 1 << 30);
    }
  }
  return errors;
}

void expect_small(const std::vector<std::int64_t>& errors) {
  bool any = false;
  for (const std::int64_t error : errors) {
    ASSERT_LE(std::abs(error), 21);
    any |= error != 0;
  }
  EXPECT_TRUE(any);
}

void expect_switches(const KeyContext& context, const Words& key, const Words& secret, const Words& source,
                     std::uint64_t f) {
  const std::size_t row = 2 * secret.size(), digits = key.size() / row, limbs = context.chain().digit_limbs;
  ASSERT_EQ(key.size(), row * ((context.chain().data.size() + limbs - 1) / limbs));
  for (std::size_t d = 0; d < digits; ++d) {
    const std::size_t count = std::min(limbs, context.chain().data.size() - d * limbs);
    expect_small(errors_of(context, std::span(key).subspan(d * row, row), secret, source, {d * limbs, count}, f));
  }
}

template <class Client>
void keys_meet_their_equations(const Client& c, std::uint64_t f) {
  const KeyContext& keys = c.context.keys();
  const Words s = secret_words(keys, c.generator.secret_key());
  const std::vector<std::uint64_t> moduli = moduli_of(keys);
  Words square(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::uint64_t q = moduli[i / keys.chain().n];
    square[i] = static_cast<std::uint64_t>(Wide(s[i]) * s[i] % q);
  }
  expect_small(errors_of(keys, residues(c.open), s, s, {0, 0}, f));
  expect_switches(keys, residues(c.relinearization), s, square, f);
  ASSERT_EQ(elements(c.galois).size(), 5u);
  for (const std::uint32_t element : elements(c.galois))
    expect_switches(keys, residues(c.galois, element), s, at_power(keys, s, element), f);
}

TEST(KeyResidues, MeetTheEquationsOfKeys) {
  keys_meet_their_equations(ckks_client(), 1);
  keys_meet_their_equations(integer_client<bfv::Scheme>(integers::testing::bgv_shape()), 1);
  keys_meet_their_equations(integer_client<bgv::Scheme>(integers::testing::bgv_shape()), 257);
}

// Rebuilds all keys from their residues, and computes with both.
template <class Client, class Ciphertext>
void keys_of_residues_compute(const Client& c, const Ciphertext& x) {
  const KeyContext& keys = c.context.keys();
  const SecretKey secret = secret_key_of(keys, secret_words(keys, c.generator.secret_key()));
  const RelinearizationKey relinearization = relinearization_key_of(keys, residues(c.relinearization));
  const PublicKey open = public_key_of(keys, residues(c.open));
  EXPECT_EQ(residues(open), residues(c.open));
  require_matching(secret, open);
  require_matching(secret, relinearization);
  const auto square = c.evaluator.square(x);
  EXPECT_EQ(residues(c.evaluator.relinearize(square, relinearization)),
            residues(c.evaluator.relinearize(square, c.relinearization)));
  std::optional<GaloisKeys> set;
  for (const std::uint32_t element : elements(c.galois)) {
    GaloisKeys one = galois_key_of(keys, element, residues(c.galois, element));
    set = set ? set->joined(one) : std::move(one);
  }
  require_matching(secret, *set);
  EXPECT_EQ(elements(*set), elements(c.galois));
  EXPECT_EQ(set->plan().elements.size(), 5u);
  EXPECT_EQ(residues(c.evaluator.rotate(x, -3, *set)), residues(c.evaluator.rotate(x, -3, c.galois)));
  EXPECT_EQ(residues(automorphism(c.context, x, 5, *set)), residues(c.evaluator.rotate(x, 1, c.galois)));
  EXPECT_EQ(secret_words(keys, secret), secret_words(keys, c.generator.secret_key()));
}

// Reads a key polynomial by polynomial, with `read`, and rebuilds it pair by pair, with `build`.
template <class Read, class Build>
void pieces_are_the_whole(const Words& whole, std::size_t polynomials, Read read, Build build) {
  const std::size_t each = whole.size() / polynomials;
  Words joined(whole.size());
  for (std::size_t i = 0; i < polynomials; ++i) read(i, std::span(joined).subspan(i * each, each));
  EXPECT_EQ(joined, whole);
  expect_refused(Code::invalid_argument, [&] { read(polynomials, std::span(joined).first(each)); }, "polynomials");
  expect_refused(Code::invalid_argument, [&] { read(0, std::span(joined).first(each - 1)); }, "residues");
  std::size_t at = 0;
  build([&]() -> std::span<const std::uint64_t> { return std::span(whole).subspan(2 * each * at++, 2 * each); });
  EXPECT_EQ(at, polynomials / 2);
}

TEST(KeyResidues, AreReadAndMadeInPieces) {
  const auto c = integer_client<bgv::Scheme>(integers::testing::bgv_shape());
  const KeyContext& keys = c.context.keys();
  const Words whole = residues(c.relinearization);
  const std::size_t polynomials = whole.size() / (moduli_of(keys).size() * keys.chain().n);
  pieces_are_the_whole(
      whole, polynomials, [&](std::size_t i, std::span<std::uint64_t> out) { residues(c.relinearization, i, out); },
      [&](const PairSource& next) { EXPECT_EQ(residues(relinearization_key_of(keys, next)), whole); });
  const std::uint32_t element = elements(c.galois)[1];
  const Words one = residues(c.galois, element);
  pieces_are_the_whole(
      one, polynomials, [&](std::size_t i, std::span<std::uint64_t> out) { residues(c.galois, element, i, out); },
      [&](const PairSource& next) { EXPECT_EQ(residues(galois_key_of(keys, element, next), element), one); });
  const Words open = residues(c.open);
  Words second(open.size() / 2);
  residues(c.open, 1, second);
  EXPECT_TRUE(std::equal(second.begin(), second.end(), open.begin() + static_cast<std::ptrdiff_t>(second.size())));
  const auto short_pair = [&] { return std::span(whole).first(1); };
  expect_refused(Code::invalid_argument, [&] { (void)relinearization_key_of(keys, short_pair); }, "residues");
}

TEST(KeyResidues, MakeKeysThatComputeLikeTheirOriginals) {
  const auto a = ckks_client();
  keys_of_residues_compute(a, a.encrypt({0.5, -1}));
  const auto b = integer_client<bfv::Scheme>(integers::testing::bgv_shape());
  keys_of_residues_compute(b, b.encrypt({3, -4}));
  const auto d = integer_client<bgv::Scheme>(integers::testing::bgv_shape());
  keys_of_residues_compute(d, d.encrypt({3, -4}));
}

TEST(KeyResidues, KeysOfElementsComputeEveryAutomorphism) {
  const auto c = integer_client<bgv::Scheme>(integers::testing::bgv_shape());
  const std::uint32_t n = c.context.keys().chain().n;
  integers::testing::Values values(n);
  for (std::uint32_t i = 0; i < n; ++i) values[i] = i;
  const auto x = c.encryptor.encrypt(c.encoder.encode_coefficients(values));
  const std::vector<std::uint32_t> all{3, 9, 27, 2 * n - 1, 3, 1};
  const GaloisKeys keys = create_element_keys(c.context.keys(), c.generator.secret_key(), all);
  EXPECT_EQ(elements(keys), (std::vector<std::uint32_t>{1, 3, 9, 27, 2 * n - 1}));
  require_matching(c.generator.secret_key(), keys);
  for (const std::uint32_t element : all) {
    integers::testing::Values expected(n), found(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t to = i * element % (2 * n);
      expected[to % n] = to < n ? values[i] : -values[i];
    }
    c.encoder.decode_coefficients(c.decryptor.decrypt(automorphism(c.context, x, element, keys)), found);
    EXPECT_EQ(found, expected) << element;
  }
  expect_refused(Code::key_missing, [&] { (void)automorphism(c.context, x, 5, keys); }, "create it");
  for (const std::uint32_t wrong : {0U, 2U, 2 * n + 1})
    expect_refused(Code::invalid_argument, [&] { (void)automorphism(c.context, x, wrong, keys); }, "odd number");
  expect_refused(Code::unsupported, [&] { (void)io::encode_key(c.context, keys); }, "store their residues");
}

TEST(KeyResidues, AnotherUniformPolynomialKeepsThePhase) {
  const auto c = integer_client<bgv::Scheme>(integers::testing::bgv_shape());
  const KeyContext& keys = c.context.keys();
  const SecretKey& secret = c.generator.secret_key();
  const std::uint32_t n = keys.chain().n;
  const std::vector<std::uint64_t> moduli = moduli_of(keys);
  const auto uniform = [&](std::size_t limbs) {
    Words words(limbs * n);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = 0x9e3779b97f4a7c15 * (i + 1) % moduli[i / n];
    return words;
  };
  for (const std::uint32_t level : {4U, 1U}) {
    const auto x = c.evaluator.mod_switch(c.encrypt({3, -4}), level);
    Words pair = residues(x);
    const Words second = uniform(level + 1);
    replace_uniform(secret, pair, second);
    EXPECT_TRUE(std::equal(second.begin(), second.end(), pair.begin() + static_cast<std::ptrdiff_t>(second.size())));
    EXPECT_EQ(c.decrypt(ciphertext_of(c.context, level, correction_factor(x), pair)), c.decrypt(x));
  }
  Words key = residues(c.relinearization);
  const Words third = uniform(moduli.size());
  for (std::size_t at = 0; at < key.size(); at += 2 * third.size())
    replace_uniform(secret, std::span(key).subspan(at, 2 * third.size()), third);
  require_matching(secret, relinearization_key_of(keys, key));
  // The replacement has an error of its own: b + a s changes, by a multiple of t that is small.
  Words before = residues(c.encrypt({3})), after = before;
  const std::size_t half = before.size() / 2;
  const Words same(before.begin() + static_cast<std::ptrdiff_t>(half), before.end());
  replace_uniform(secret, after, same);
  EXPECT_NE(before, after);
  EXPECT_TRUE(std::equal(same.begin(), same.end(), after.begin() + static_cast<std::ptrdiff_t>(half)));
  EXPECT_EQ(c.decrypt(ciphertext_of(c.context, 4, 1, after)), c.decrypt(ciphertext_of(c.context, 4, 1, before)));
  Words pair = residues(c.encrypt({3}));
  const auto refused = [&](Words second) {
    expect_refused(Code::invalid_argument, [&] { replace_uniform(secret, pair, second); }, "");
  };
  refused({});
  refused(uniform(4));
  refused(Words(pair.size() / 2 - 1));
  refused(Words(pair.size() / 2, moduli[0]));
  EXPECT_EQ(pair, residues(ciphertext_of(c.context, 4, 1, pair)));
}

TEST(KeyResidues, WrongOnesAreRefused) {
  const auto c = ckks_client();
  const KeyContext& keys = c.context.keys();
  const std::uint32_t n = keys.chain().n;
  const Words secret = secret_words(keys, c.generator.secret_key());
  const auto refused = [&](const Words& wrong, std::string_view advice) {
    expect_refused(Code::invalid_argument, [&] { (void)secret_key_of(keys, wrong); }, advice);
  };
  Words wrong = secret;
  wrong.back() = keys.chain().special.back();
  refused(wrong, "reduce");
  wrong = secret;
  wrong.back() = (wrong.back() + 1) % keys.chain().special.back();  // another polynomial modulo the last prime
  refused(wrong, "ternary");
  refused(Words(secret.size(), 2), "ternary");                          // the constant 2
  EXPECT_NO_THROW((void)secret_key_of(keys, Words(secret.size(), 1)));  // the constant 1
  refused(Words(secret.begin(), secret.end() - 1), "residues");
  refused({}, "residues");
  Words key = residues(c.relinearization);
  key.back() = keys.chain().special.back();
  expect_refused(Code::invalid_argument, [&] { (void)relinearization_key_of(keys, key); }, "reduce");
  expect_refused(Code::invalid_argument, [&] { (void)galois_key_of(keys, 3, key); }, "reduce");
  expect_refused(Code::invalid_argument, [&] { (void)galois_key_of(keys, 2 * n + 1, Words()); }, "odd number");
  expect_refused(Code::invalid_argument, [&] { (void)public_key_of(keys, key); }, "residues");
  expect_refused(Code::key_missing, [&] { (void)residues(c.galois, 3); }, "join");
}

TEST(KeyResidues, KeysWithoutSeedsAreNotStored) {
  const auto c = ckks_client();
  const KeyContext& keys = c.context.keys();
  const auto refused = [](auto f) { expect_refused(Code::unsupported, f, "store its residues"); };
  refused([&] { (void)io::encode_key(c.context, public_key_of(keys, residues(c.open))); });
  refused([&] { (void)io::encode_key(c.context, relinearization_key_of(keys, residues(c.relinearization))); });
}

TEST(KeyResidues, AContextWithBoundsRefusesThem) {
  ckks::testing::choose_seed(3);
  const ckks::testing::Client c(ckks::testing::parameters_of({}));
  const KeyContext& keys = c.context.keys();
  const auto refused = [](auto f) { expect_refused(Code::mode_forbidden, f, "unguarded_reason"); };
  refused([&] { (void)secret_key_of(keys, secret_words(keys, c.generator.secret_key())); });
  refused([&] { (void)public_key_of(keys, residues(c.open)); });
  refused([&] { (void)relinearization_key_of(keys, residues(c.relinearization)); });
  refused([&] { (void)galois_key_of(keys, 5, residues(c.galois, 5)); });
  refused([&] { (void)create_element_keys(keys, c.generator.secret_key(), std::vector<std::uint32_t>{3}); });
  refused([&] { (void)automorphism(c.context, c.encrypt({0.5}), 5, c.galois); });
}

TEST(KeyResidues, ObjectsOfUnguardedContextsHaveNoIdentity) {
  const auto c = ckks_client();
  EXPECT_EQ(c.open.key_id(), 0u);
  EXPECT_EQ(c.encrypt({0.5}).key_id(), 0u);
  const KeyGenerator other(c.context.keys());
  EXPECT_EQ(other.create_public_key().key_id(), 0u);
  EXPECT_NO_THROW((void)c.evaluator.add(
      c.encrypt({0.5}),
      ckks::Encryptor(c.context, other.secret_key()).encrypt(c.encoder.encode(std::vector<double>{1}))));
  expect_refused(Code::parameters_mismatch, [&] { (void)require_matching(other.secret_key(), c.open); }, "");
}

}  // namespace
}  // namespace ringfort
