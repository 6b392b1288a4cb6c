// SPDX-License-Identifier: Apache-2.0
// Tests that BFV and BGV take constant time (secrets.h) in key generation, encoding to slots and coefficients,
// encryption, decryption, decoding, and uploads of a study (encrypted records, ringfort/statistics.h).
#include "constant_time/leveled.h"
#include "ringfort/statistics.h"
#include "support/integers.h"

namespace ringfort::integers {
namespace {

using ringfort::testing::hide_all;
using ringfort::testing::is_hidden;
using ringfort::testing::show_all;

template <class S>
class IntegersOnSecrets : public ringfort::testing::OnSecrets {
 protected:
  static Context<S> context(testing::Shape shape, u64 t = 12289) {  // 1 mod 1024
    shape.n = 512;  // the least degree for which the encoder has kernels of AVX-512
    return Context<S>(testing::parameters_of<S>(shape, t));
  }
  static std::vector<i64> hidden_values() {
    std::vector<i64> values(512);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<i64>(i * 31 % 1000) - 500;
    hide_all(values);
    return values;
  }
  static void expect_equal(std::vector<i64> a, std::vector<i64> b) {
    EXPECT_TRUE(is_hidden(a.data(), 1));
    show_all(a);
    show_all(b);
    EXPECT_EQ(a, b);
  }
  static void round_trip(const Context<S>& context) {
    const KeyGenerator generator(context);
    const PublicKey open = generator.create_public_key();
    const Encoder<S> encoder(context);
    const Decryptor<S> decryptor(context, generator.secret_key());
    const std::vector<i64> values = hidden_values();
    std::vector<i64> out(values.size());
    const Plaintext<S> slots = encoder.encode(std::span<const i64>(values)),
                       coefficients = encoder.encode_coefficients(values);
    encoder.decode(decryptor.decrypt(Encryptor<S>(context, open).encrypt(slots)), out);
    expect_equal(out, values);
    encoder.decode_coefficients(decryptor.decrypt(Encryptor<S>(context, generator.secret_key()).encrypt(coefficients)),
                                out);
    expect_equal(out, values);
  }
};
using Schemes = ::testing::Types<bfv::Scheme, bgv::Scheme>;
TYPED_TEST_SUITE(IntegersOnSecrets, Schemes);

TYPED_TEST(IntegersOnSecrets, EveryKey) {
  ringfort::testing::make_every_key(this->context(testing::bgv_shape()).keys());
}
TYPED_TEST(IntegersOnSecrets, KeysPackedForFilesAndRead) {
  ringfort::testing::pack_and_read(this->context(testing::bgv_shape()).keys());
}
TYPED_TEST(IntegersOnSecrets, EncryptedAndDecrypted) { this->round_trip(this->context(testing::bgv_shape())); }
TYPED_TEST(IntegersOnSecrets, EncryptedAndDecryptedInShortWords) {
  this->round_trip(this->context(testing::short_words()));
}

// Decrypted totals are the study's results. Therefore the code that checks and divides totals treats them as public.
TYPED_TEST(IntegersOnSecrets, RecordsOfAStudy) {
  using S = TypeParam;
  statistics::Study study;
  study.columns = {{"age", 0, 100}};
  study.wanted = statistics::Wanted::means;
  study.uploads = 1;
  study.records = 4;
  study.each_slot = true;
  const Context<S> context = this->context(testing::bgv_shape());
  const KeyGenerator generator(context);
  const PublicKey open = generator.create_public_key();
  std::vector<std::vector<i64>> columns = {{18, 99, 50, 41}};
  hide_all(columns[0]);
  const statistics::Upload<S> upload = statistics::encrypt(context, study, open, columns);
  std::vector<i64> out(4);
  Encoder<S>(context).decode(Decryptor<S>(context, generator.secret_key()).decrypt(upload.columns[0]), out);
  this->expect_equal(out, columns[0]);
}

}  // namespace
}  // namespace ringfort::integers
