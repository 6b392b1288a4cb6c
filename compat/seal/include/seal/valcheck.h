// SPDX-License-Identifier: Apache-2.0
// Checks that an object fits a context. Metadata: the parameters, sizes and scale. Buffer: the object is complete.
// Data: metadata, and every coefficient is below its modulus. Objects of this library are complete and below their
// moduli by construction, because its decoders check them.
#pragma once

#include "seal/context.h"

namespace seal {

class Plaintext;
class Ciphertext;
class SecretKey;
class PublicKey;
class KSwitchKeys;
class RelinKeys;
class GaloisKeys;

// allow_pure_key_levels: objects with all primes are valid, too.
[[nodiscard]] bool is_metadata_valid_for(const Plaintext& in, const SEALContext& context,
                                         bool allow_pure_key_levels = false);
[[nodiscard]] bool is_metadata_valid_for(const Ciphertext& in, const SEALContext& context,
                                         bool allow_pure_key_levels = false);
[[nodiscard]] bool is_metadata_valid_for(const SecretKey& in, const SEALContext& context);
[[nodiscard]] bool is_metadata_valid_for(const PublicKey& in, const SEALContext& context);
[[nodiscard]] bool is_metadata_valid_for(const KSwitchKeys& in, const SEALContext& context);
[[nodiscard]] bool is_metadata_valid_for(const RelinKeys& in, const SEALContext& context);
[[nodiscard]] bool is_metadata_valid_for(const GaloisKeys& in, const SEALContext& context);

[[nodiscard]] bool is_buffer_valid(const Plaintext& in);
[[nodiscard]] bool is_buffer_valid(const Ciphertext& in);
[[nodiscard]] bool is_buffer_valid(const SecretKey& in);
[[nodiscard]] bool is_buffer_valid(const PublicKey& in);
[[nodiscard]] bool is_buffer_valid(const KSwitchKeys& in);
[[nodiscard]] bool is_buffer_valid(const RelinKeys& in);
[[nodiscard]] bool is_buffer_valid(const GaloisKeys& in);

[[nodiscard]] bool is_data_valid_for(const Plaintext& in, const SEALContext& context);
[[nodiscard]] bool is_data_valid_for(const Ciphertext& in, const SEALContext& context);
[[nodiscard]] bool is_data_valid_for(const SecretKey& in, const SEALContext& context);
[[nodiscard]] bool is_data_valid_for(const PublicKey& in, const SEALContext& context);
[[nodiscard]] bool is_data_valid_for(const KSwitchKeys& in, const SEALContext& context);
[[nodiscard]] bool is_data_valid_for(const RelinKeys& in, const SEALContext& context);
[[nodiscard]] bool is_data_valid_for(const GaloisKeys& in, const SEALContext& context);

// Buffer and data.
[[nodiscard]] bool is_valid_for(const Plaintext& in, const SEALContext& context);
[[nodiscard]] bool is_valid_for(const Ciphertext& in, const SEALContext& context);
[[nodiscard]] bool is_valid_for(const SecretKey& in, const SEALContext& context);
[[nodiscard]] bool is_valid_for(const PublicKey& in, const SEALContext& context);
[[nodiscard]] bool is_valid_for(const KSwitchKeys& in, const SEALContext& context);
[[nodiscard]] bool is_valid_for(const RelinKeys& in, const SEALContext& context);
[[nodiscard]] bool is_valid_for(const GaloisKeys& in, const SEALContext& context);

}  // namespace seal
