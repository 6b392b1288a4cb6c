// SPDX-License-Identifier: Apache-2.0
// Facts that hold for the whole process: the two common pools, and SEAL's description of its error distribution. The
// errors of this library are centred binomial (ringfort/keys.h), with nearly the same standard deviation.
#pragma once

#include <memory>

#include "seal/util/hestdparms.h"
#include "seal/util/mempool.h"

namespace seal {
namespace util {
namespace global_variables {

[[nodiscard]] const std::shared_ptr<MemoryPool>& common_pool();
[[nodiscard]] const std::shared_ptr<MemoryPool>& pool_of_thread();

constexpr double noise_standard_deviation = seal_he_std_parms_error_std_dev;
constexpr double noise_distribution_width_multiplier = 6;
constexpr double noise_max_deviation = noise_standard_deviation * noise_distribution_width_multiplier;

}  // namespace global_variables
}  // namespace util
}  // namespace seal
