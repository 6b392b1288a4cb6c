// SPDX-License-Identifier: Apache-2.0
// Tests files of both versions of public keys, and of fresh encryptions under them. A key of version 3 has a limb for a
// special prime, and a key of version 2 has not (rlwe/encryption.h). The error of an encryption depends on the version
// of the key. Therefore a reader must not take one version for the other.
#include <gtest/gtest.h>

#include "../../../fuzz/mend.h"
#include "support/folder.h"
#include "support/leveled_files.h"

namespace ringfort::testing {
namespace {

using Values = ckks::testing::Values;

// A public key of version 2 has no limb for the special prime. Encryptions under it have the larger error of before,
// and so do ciphertexts of origin 2. Both are written again as they were.
TEST(PublicKeyFiles, OfVersion2EncryptAsBeforeAndKeepTheirVersion) {
  choose_seed(14);
  const Receiver& on = receiver();
  const auto secret_file = read_all(stored_path("2", "ckks-secret.key")),
             key_file = read_all(stored_path("2", "ckks-public.key")),
             ciphertext_file = read_all(stored_path("2", "ckks-public.rfc"));
  const auto secret = io::decode_secret_key(on.ckks, secret_file);
  const PublicKey older = io::decode_public_key(on.ckks, key_file);
  require_matching(secret, older);
  EXPECT_EQ(older.state()->origin(), Origin::fresh_public);
  EXPECT_EQ(io::encode_key(on.ckks, older), key_file);
  const PublicKey newer = KeyGenerator(on.ckks, io::decode_secret_key(on.ckks, secret_file)).create_public_key();
  const ckks::Encoder encoder(on.ckks);
  const auto encrypted = [&](const PublicKey& key) {
    return ckks::Encryptor(on.ckks, key).encrypt(encoder.encode(Values{1}));
  };
  const auto a = encrypted(older), b = encrypted(newer);
  EXPECT_EQ(a.state().rlwe.origin, Origin::fresh_public);
  EXPECT_EQ(b.state().rlwe.origin, Origin::fresh_public_divided);
  EXPECT_LT(a.precision_bits(), b.precision_bits() - 1);
  const auto stored = io::decode_ciphertext(on.ckks, ciphertext_file, false);
  EXPECT_EQ(stored.precision_bits(), a.precision_bits());
  EXPECT_FALSE(stored.bound_is_untrusted());
  EXPECT_EQ(io::encode_ciphertext(on.ckks, stored), ciphertext_file);
  for (const auto* c : {&a, &b, &stored}) {
    Values out(1);
    encoder.decode(ckks::Decryptor(on.ckks, secret).decrypt(*c), std::span<double>(out));
    EXPECT_NEAR(out[0], 1, 1e-6);
  }
  const auto older_file = io::encode_ciphertext(on.ckks, a), newer_file = io::encode_ciphertext(on.ckks, b);
  EXPECT_EQ(older_file[8], 2);
  EXPECT_EQ(newer_file[8], 3);
  EXPECT_FALSE(io::decode_ciphertext(on.ckks, newer_file, false).bound_is_untrusted());
}

// The origin decides which bound a reader computes. Therefore the version of the file must agree with it.
TEST(PublicKeyFiles, AnOriginThatContradictsTheVersionOrTheContextIsRefused) {
  constexpr std::size_t kOriginAt = io::kHeaderBytes + 8 + 4 + 1;
  choose_seed(15);
  const integers::testing::Client<bgv::Scheme> c(small_integers<bgv::Scheme>(integers::testing::bgv_shape()), "ref",
                                                 {1});
  const auto sender = integers::Encryptor<bgv::Scheme>(c.context, c.open);
  auto bytes = io::encode_ciphertext(c.context, sender.encrypt(c.encoder.encode(integers::testing::Values{1})));
  ASSERT_EQ(bytes[kOriginAt], 3);
  for (const u8 origin : {0, 1, 2, 3, 4}) {
    bytes[kOriginAt] = origin;
    fuzz::mend_leveled(bytes);
    if (origin == 3) EXPECT_TRUE(io::open_ciphertext(c.context, bytes, false).ok());
    else EXPECT_EQ(io::open_ciphertext(c.context, bytes, false).failure().code, Code::io_range) << int{origin};
  }
  ckks::testing::Shape plain;
  plain.special = 0;
  const ckks::Context none(ckks::testing::parameters_of(plain), "ref");
  const wire::RlweFacts facts{.key_id = 1, .level = 0, .components = 2, .origin = Origin::fresh_public_divided};
  EXPECT_FALSE(wire::check_rlwe(*none.keys().state(), facts).ok());
  auto key = io::encode_key(none, KeyGenerator(none).create_public_key());
  EXPECT_EQ(key[8], 2);
  EXPECT_TRUE(io::open_public_key(none, key).ok());
  key[8] = 3;
  fuzz::mend_leveled(key);
  EXPECT_EQ(io::open_public_key(none, key).failure().code, Code::unsupported);
}

}  // namespace
}  // namespace ringfort::testing
