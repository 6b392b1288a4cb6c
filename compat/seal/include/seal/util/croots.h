// SPDX-License-Identifier: Apache-2.0
// Complex roots of unity under SEAL's name, for programs that encode CKKS slots themselves. The angles of the first
// eighth of the circle give all roots. Therefore conjugate and opposite roots have the same digits.
#pragma once

#include <complex>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "seal/memorymanager.h"
#include "seal/util/uintcore.h"

namespace seal {
namespace util {

// std::invalid_argument: the degree is not a power of two, or is below 4; or there is no pool.
class ComplexRoots {
 public:
  ComplexRoots() = delete;
  ComplexRoots(std::size_t degree_of_roots, MemoryPoolHandle pool) : degree_(degree_of_roots), pool_(std::move(pool)) {
    if (get_power_of_two(degree_) < 2) throw std::invalid_argument("the degree of roots is no power of two above 2");
    if (!pool_) throw std::invalid_argument("the memory pool is empty");
  }

  // Returns exp(2 pi i index / degree). The index may be any number.
  [[nodiscard]] std::complex<double> get_root(std::size_t index) const {
    const std::size_t at = index % degree_;
    if (at > degree_ / 4 * 3) return std::conj(get_root(degree_ - at));
    if (at > degree_ / 2) return -get_root(at - degree_ / 2);
    if (at > degree_ / 4) return -std::conj(get_root(degree_ / 2 - at));
    if (at > degree_ / 8) return swapped(get_root(degree_ / 4 - at));
    return std::polar(1.0, 2 * kPi * static_cast<double>(at) / static_cast<double>(degree_));
  }

 private:
  static constexpr double kPi = 3.141592653589793;
  [[nodiscard]] static std::complex<double> swapped(std::complex<double> z) { return {z.imag(), z.real()}; }
  std::size_t degree_;
  MemoryPoolHandle pool_;
};

}  // namespace util
}  // namespace seal
