// SPDX-License-Identifier: Apache-2.0
// Computes bounds of errors in the canonical embedding (embedding_bound.h, which derives the formulas).
#include "rlwe/embedding_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/assert.h"
#include "rlwe/zero.h"

namespace ringfort {

namespace {

constexpr double kRoundedUp = 0x1p-40;
constexpr double kDirections = 32;
constexpr std::size_t kMostDigits = 128;

double log2_sum(double a, double b) noexcept {
  const double high = std::max(a, b), low = std::min(a, b);
  if (std::isinf(low)) return high;
  return high + std::log1p(std::exp2(low - high)) / std::numbers::ln2 + kRoundedUp;
}

}  // namespace

Bound Bound::of(double value) noexcept {
  return {value > 0 ? std::log2(value) + kRoundedUp : -std::numeric_limits<double>::infinity()};
}
double Bound::value() const noexcept { return std::exp2(log2); }
Bound operator+(Bound a, Bound b) noexcept { return {log2_sum(a.log2, b.log2)}; }

EmbeddingBound::EmbeddingBound(u32 n) : n_(n) {
  log_events_ = std::log(kDirections * n / 2) + (kFailureBits + kUnionBits) * std::numbers::ln2;
  log2_any_ = -std::log2(std::sin(std::numbers::pi / (2.0 * n)));
}

// The bound holds for every |u| below 2 / max s_i (embedding_bound.h defines u and s_i). This function evaluates the
// bound at 48 values of |u|. Each value is 2^(-1/4) times the value before it. The function returns the smallest of the
// 48 bounds, which is near the optimum.
Bound EmbeddingBound::tail(double normal, std::span<const double> products) const noexcept {
  constexpr int kSteps = 48;
  const double pole = 2 / *std::max_element(products.begin(), products.end());
  double best = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kSteps; ++step) {
    const double u = pole * (1 - 0x1p-6) * std::exp2(-0.25 * step);
    double exponent = log_events_ + u * u * normal / 4;
    for (const double s : products) exponent -= std::log1p(-u * u * s * s / 4);
    best = std::min(best, exponent / u);
  }
  return Bound::of(best / std::cos(std::numbers::pi / kDirections));
}

Bound EmbeddingBound::random(double variance) const noexcept {
  return Bound::of(std::sqrt(log_events_ * n_ * variance) / std::cos(std::numbers::pi / kDirections));
}

Bound EmbeddingBound::any(Bound largest) const noexcept { return {largest.log2 + log2_any_}; }

Bound EmbeddingBound::fresh_secret() const noexcept { return random(kErrorVariance); }

Bound EmbeddingBound::fresh_public() const noexcept {
  const double product = n_ * std::sqrt(kTernaryVariance * kErrorVariance);
  return tail(n_ * kErrorVariance, std::array{product, product});
}

Bound EmbeddingBound::rounding(u32 components) const noexcept {
  RF_ASSERT(components >= 2);
  const double s = secret().value();
  double weight = 1;  // sum of S^(2i - 2), by Horner's rule
  for (u32 i = 2; i < components; ++i) weight = 1 + s * s * weight;
  return tail(n_ * kRoundingVariance, std::array{n_ * std::sqrt(kTernaryVariance * kRoundingVariance * weight)});
}

Bound EmbeddingBound::key_switch(std::span<const double> log2_digits, double log2_divisor) const noexcept {
  std::array<double, kMostDigits + 1> products{n_ * std::sqrt(kTernaryVariance * kRoundingVariance)};
  RF_ASSERT(log2_digits.size() <= kMostDigits);
  for (std::size_t d = 0; d < log2_digits.size(); ++d) {
    products[d + 1] = n_ * std::sqrt(kErrorVariance * kRoundingVariance) * std::exp2(log2_digits[d] - log2_divisor);
  }
  return tail(n_ * kRoundingVariance, std::span(products).first(log2_digits.size() + 1));
}

}  // namespace ringfort
