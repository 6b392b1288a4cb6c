// SPDX-License-Identifier: Apache-2.0
// Tests that CKKS takes constant time (secrets.h): in the generation of keys of every kind, in both encoders, in
// encryption, in decryption, in decryption for others, and in decoding. Decoding is tested with doubles, with integers,
// and with integers of more than two words.
#include <complex>

#include "constant_time/leveled.h"
#include "ringfort/ckks.h"
#include "scheme/ckks/state.h"
#include "support/ckks.h"

namespace ringfort::ckks {
namespace {

using ckks::testing::Shape;
using ringfort::testing::hide_all;
using ringfort::testing::is_hidden;
using ringfort::testing::show_all;
using CkksOnSecrets = ringfort::testing::OnSecrets;

Parameters small(Shape shape) {
  shape.n = 256;
  return ckks::testing::parameters_of(shape);
}

template <class Value>
std::vector<Value> hidden_values(const Context& context) {
  std::vector<Value> values(context.slots());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.3 * (static_cast<int>(i % 7) - 3);
  hide_all(values);
  return values;
}

template <class Value>
void round_trip(const Context& context, const KeyGenerator& generator, const EncodeOptions& options = {}) {
  const PublicKey open = generator.create_public_key();
  const Encoder encoder(context);
  std::vector<Value> values = hidden_values<Value>(context), out(values.size());
  const Plaintext plaintext = encoder.encode(std::span<const Value>(values), options);
  for (const Ciphertext& c :
       {Encryptor(context, open).encrypt(plaintext), Encryptor(context, generator.secret_key()).encrypt(plaintext)}) {
    encoder.decode(Decryptor(context, generator.secret_key()).decrypt(c), std::span<Value>(out));
    EXPECT_TRUE(is_hidden(&out[3], 8));
    show_all(out);
    show_all(values);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(std::abs(out[i] - values[i]), 0, 1e-3) << i;
    hide_all(values);
  }
}

TEST_F(CkksOnSecrets, EveryKey) { ringfort::testing::make_every_key(Context(small({})).keys()); }
TEST_F(CkksOnSecrets, EveryKeyOfShortWords) {
  ringfort::testing::make_every_key(Context(small(ckks::testing::short_words())).keys());
}

TEST_F(CkksOnSecrets, KeysPackedForFilesAndRead) { ringfort::testing::pack_and_read(Context(small({})).keys()); }

TEST_F(CkksOnSecrets, EncodedInDoublesEncryptedAndDecrypted) {
  const Context context(small({}));
  const KeyGenerator generator(context);
  ASSERT_EQ(precision_for(context.slots(), context.scale(context.top_level())), Precision::doubles);
  round_trip<double>(context, generator);
  round_trip<std::complex<double>>(context, generator);
}

TEST_F(CkksOnSecrets, EncodedInIntegersEncryptedAndDecrypted) {
  const Context context(small(ckks::testing::short_words()));
  const KeyGenerator generator(context);
  ASSERT_EQ(precision_for(context.slots(), context.scale(context.top_level())), Precision::integers);
  round_trip<double>(context, generator);
  round_trip<std::complex<double>>(context, generator);
}

TEST_F(CkksOnSecrets, ValuesOfMoreThanTwoWordsWithTheirScale) {
  const Context context(small({.levels = 4}));
  const KeyGenerator generator(context);
  const Evaluator evaluator(context);
  const Encoder encoder(context);
  std::vector<double> values = hidden_values<double>(context), out(values.size());
  const Plaintext plaintext = encoder.encode(std::span<const double>(values));
  const Ciphertext c =
      evaluator.upscale(Encryptor(context, generator.secret_key()).encrypt(plaintext), std::int64_t{1} << 46);
  const Ciphertext product = evaluator.multiply(c, c);  // a scale of 172 bits
  encoder.decode(Decryptor(context, generator.secret_key()).decrypt(product), std::span<double>(out));
  EXPECT_TRUE(is_hidden(&out[3], 8));
}

TEST_F(CkksOnSecrets, DecryptedForOthers) {
  Parameters p = small({});
  p.release = {20, 100};
  const Context context(p);
  const KeyGenerator generator(context);
  std::vector<double> values = hidden_values<double>(context), out(values.size());
  const Ciphertext c =
      Encryptor(context, generator.secret_key()).encrypt(Encoder(context).encode(std::span<const double>(values)));
  Encoder(context).decode(Decryptor(context, generator.secret_key()).decrypt(c, p.release, [](u64, const Release&) {}),
                          std::span<double>(out));
  EXPECT_TRUE(is_hidden(&out[3], 8));
}

}  // namespace
}  // namespace ringfort::ckks
