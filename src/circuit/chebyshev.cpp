// SPDX-License-Identifier: Apache-2.0
// Divides a polynomial by a basis element, so that its evaluation takes few products. Chebyshev's polynomials satisfy
// T_(g + i) = 2 T_g T_i - T_(g - i). Therefore a polynomial of degree below 2 g with coefficients c_k is q T_g + r.
// Here q_0 = c_g and q_i = 2 c_(g + i). The remainder r has the coefficients c_0 .. c_(g - 1), but c_(g + i) is
// subtracted from the coefficient of T_(g - i). In the power basis, q and r are the two halves of the coefficients.
#include "circuit/chebyshev.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>

namespace ringfort::ckks {

namespace {

constexpr double kHalfUnit = 0x1p-53;  // relative rounding error of one operation

// Counts the products that a division into parts takes, and collects the basis elements that the parts use.
struct Count {
  Basis basis;
  u32 baby;
  u32 products = 0;
  std::set<u32> elements;

  void need(u32 k) {
    if (k < 2 || !elements.insert(k).second) return;
    const u32 g = larger_factor(k);
    ++products;
    need(g);
    need(k - g);
    if (basis == Basis::chebyshev) need(2 * g - k);
  }
  void visit(const Coefficients& p, u32 depth) {
    const u32 degree = static_cast<u32>(p.size() - 1);
    if (is_sum(p, depth, baby)) {
      for (u32 k = 2; k <= degree; ++k)
        if (p[k] != 0) need(k);
      return;
    }
    const u32 g = std::bit_floor(degree);
    const Split division = split(basis, p, g);
    need(g);
    if (division.quotient.size() > 1) {
      ++products;
      visit(division.quotient, depth - 1);
    }
    visit(division.remainder, depth);
  }
};

}  // namespace

Coefficients trimmed(Coefficients p) {
  while (p.size() > 1 && p.back() == 0) p.pop_back();
  return p;
}

Split split(Basis basis, const Coefficients& p, u32 g) {
  Split out;
  out.quotient.assign(p.begin() + g, p.end());
  out.remainder.assign(p.begin(), p.begin() + g);
  if (basis == Basis::chebyshev) {
    for (u32 i = 1; i < out.quotient.size(); ++i) {
      double& lower = out.remainder[g - i];
      lower -= out.quotient[i];
      out.rounding += std::abs(lower) * kHalfUnit;
      out.quotient[i] *= 2;
    }
  }
  out.quotient = trimmed(std::move(out.quotient));
  out.remainder = trimmed(std::move(out.remainder));
  return out;
}

double largest_value(const Coefficients& p) {
  const std::size_t count = 24 * p.size();
  double most = 0, sum = 0;
  for (const double c : p) sum += std::abs(c);
  for (std::size_t i = 0; i < count; ++i) {
    const double t = std::cos(std::numbers::pi * (2 * static_cast<double>(i) + 1) / (2 * static_cast<double>(count)));
    double next = 0, after = 0;  // variables of Clenshaw's recurrence
    for (std::size_t k = p.size() - 1; k > 0; --k) {
      const double now = p[k] + 2 * t * next - after;
      after = next;
      next = now;
    }
    most = std::max(most, std::abs(p[0] + t * next - after));
  }
  const double degree = static_cast<double>(p.size() - 1);
  // The term `rounding` covers the rounding of the recurrence, which grows with the square of the degree.
  const double rounding = 16 * kHalfUnit * sum * static_cast<double>(p.size() * p.size());
  return std::min(sum, (most + rounding) / std::cos(std::numbers::pi * degree / (2 * static_cast<double>(count))));
}

u32 larger_factor(u32 k) noexcept { return std::bit_floor(k - 1); }
u32 depth_of_element(u32 k) noexcept { return static_cast<u32>(std::bit_width(k - 1)); }
u32 depth_of_degree(std::size_t degree) noexcept { return static_cast<u32>(std::bit_width(degree)); }

bool is_sum(const Coefficients& p, u32 depth, u32 baby) noexcept {
  const u32 degree = static_cast<u32>(p.size() - 1);
  return degree <= 1 || (degree <= baby && depth_of_element(degree) < depth);
}

Steps best_steps(Basis basis, const Coefficients& p) {
  const u32 depth = depth_of_degree(p.size() - 1);
  Steps best;
  for (u32 baby = 1; baby == 1 || baby < p.size(); baby = 2 * baby + 1) {
    Count count{basis, baby, 0, {}};
    count.visit(p, depth);
    if (baby == 1 || count.products < best.products) best = {baby, count.products};
  }
  return best;
}

}  // namespace ringfort::ckks
