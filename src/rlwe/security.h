// SPDX-License-Identifier: Apache-2.0
// The security tables (security_tables.csv). Every public key and every encryption under a secret key is a published
// sample; check_sample compares its degree and modulus with the tables. There is no interpolation between rows.
#pragma once

#include <optional>

#include "base/result.h"
#include "math/types.h"

namespace ringfort {

enum class Standard : u16 { of_2018 = 2018, of_2024 = 2024 };
enum class Attack : u8 { classical, quantum };
enum class SecretKind : u8 { ternary, gaussian };

struct SecurityLevel {
  Standard standard = Standard::of_2024;
  Attack attack = Attack::classical;
  u32 bits = 128;  // 128, 192 or 256
};

// Smallest standard deviation of the error in the tables.
inline constexpr double kSmallestSigma = 3.19;

// Returns the largest log2 of the modulus, or nothing if the standard has no such row or cell. The quantum rows of 2024
// are published only as starting points for estimates. Therefore the limit for quantum attacks is the smaller of the
// rows of 2018 and 2024. Both tables assume the cost of shortest vectors in [LaarhovenMoscaPol15].
[[nodiscard]] std::optional<u32> largest_log2_modulus(u32 n, SecretKind secret, const SecurityLevel& level);

struct Sample {
  u32 n = 0;
  double log2_modulus = 0;
  SecretKind secret = SecretKind::ternary;
  double sigma = 0;
};

// Checks one kind of sample. Failure: insecure_parameters, with the allowed size.
[[nodiscard]] Result<Done> check_sample(const Sample& sample, const SecurityLevel& level = {});

}  // namespace ringfort
