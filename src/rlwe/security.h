// SPDX-License-Identifier: Apache-2.0
// The security tables (security_tables.csv), and the check of samples. Every public key and every encryption under a
// secret key is a published sample of the RLWE problem. check_sample compares the degree, the modulus and the error of
// a sample with the tables. It does not interpolate between rows.
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

// Returns log2 of the largest modulus. Returns nothing if the standard has no entry for these arguments. For quantum
// attacks, the standard of 2024 publishes its rows only as starting points for estimates. Therefore, for quantum
// attacks and the standard of 2024, this function returns the smaller of the limits of 2018 and 2024, or the limit of
// 2024 if the standard of 2018 has none. For quantum attacks, both standards take the cost of finding shortest vectors
// from [LaarhovenMoscaPol15].
[[nodiscard]] std::optional<u32> largest_log2_modulus(u32 n, SecretKind secret, const SecurityLevel& level);

struct Sample {
  u32 n = 0;
  double log2_modulus = 0;
  SecretKind secret = SecretKind::ternary;
  double sigma = 0;
};

// Checks one kind of sample. Failure: insecure_parameters; the message states the allowed size.
[[nodiscard]] Result<Done> check_sample(const Sample& sample, const SecurityLevel& level = {});

}  // namespace ringfort
