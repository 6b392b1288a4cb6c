// SPDX-License-Identifier: Apache-2.0
// check_sample is the only door for published samples: every public key and every encryption under a secret passes it
// with its own degree and modulus. The limits are data (security_tables.csv); nothing is interpolated between rows.
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

// Smallest standard deviation of the error that the tables speak of.
inline constexpr double kSmallestSigma = 3.19;

// Largest log2 of the modulus; nothing where the standard has no such row or cell. Quantum rows of 2024 are start
// values of a script: where the row of 2018 is smaller, it is the limit. Both assume that shortest vectors cost what
// [LaarhovenMoscaPol15] says.
[[nodiscard]] std::optional<u32> largest_log2_modulus(u32 n, SecretKind secret, const SecurityLevel& level);

struct Sample {
  u32 n = 0;
  double log2_modulus = 0;
  SecretKind secret = SecretKind::ternary;
  double sigma = 0;
};

// Failure: insecure_parameters, with what is allowed.
[[nodiscard]] Result<Done> check_sample(const Sample& sample, const SecurityLevel& level = {});

}  // namespace ringfort
