// SPDX-License-Identifier: Apache-2.0
// Makes a generator of random bytes usable for the distributions of the standard library.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "seal/randomgen.h"

namespace seal {

class RandomToStandardAdapter {
 public:
  using result_type = std::uint32_t;
  RandomToStandardAdapter(std::shared_ptr<UniformRandomGenerator> generator) : generator_(std::move(generator)) {
    if (!generator_) throw std::invalid_argument("the adapter needs a generator");
  }
  [[nodiscard]] result_type operator()() { return generator_->generate(); }
  [[nodiscard]] std::shared_ptr<UniformRandomGenerator> generator() const noexcept { return generator_; }
  [[nodiscard]] static constexpr result_type min() noexcept { return (std::numeric_limits<result_type>::min)(); }
  [[nodiscard]] static constexpr result_type max() noexcept { return (std::numeric_limits<result_type>::max)(); }

 private:
  std::shared_ptr<UniformRandomGenerator> generator_;
};

}  // namespace seal
