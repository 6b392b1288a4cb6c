// SPDX-License-Identifier: Apache-2.0
// Evaluates polynomials on ciphertexts [PatersonStockmeyer73]. B_i is the basis element of degree i. A polynomial p of
// degree below 2^d is q B_g + r, where g is the largest power of two up to the degree of p. The depth of q and of B_g
// is at most d - 1. Therefore the depth of their product is at most d. The sum q B_g + r is formed before
// relinearization and rescaling, so that r needs no relinearization and rescaling of its own.
//
// A part of small degree is a sum of multiples of B_1, B_2, ..., if its depth allows this. The allowed depth decreases
// from quotient to quotient. Therefore the last quotients are divided until their degree is 1.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "base/shown.h"
#include "circuit/chebyshev.h"
#include "circuit/pending_sum.h"
#include "rlwe/operands.h"

namespace ringfort::ckks {

namespace {

constexpr u32 kMostInterpolated = 4095;

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, problem, fix);
}

void require_polynomial(const Polynomial& p) {
  if (p.coefficients.empty()) refuse("the polynomial has no coefficients", "give at least one");
  for (const double c : p.coefficients)
    if (!std::isfinite(c)) refuse("a coefficient is NaN or infinite", "give finite coefficients");
  if (!(std::isfinite(p.low) && std::isfinite(p.high) && p.low < p.high))
    refuse("the domain of the polynomial is not an interval", "give finite numbers, low < high");
  if (!(p.error >= 0) || !(p.magnitude.value_or(0) >= 0))
    refuse("the error or the magnitude of the polynomial is negative", "give numbers, zero or more");
}

bool maps_domain(const Polynomial& p) { return p.basis == Basis::chebyshev && !(p.low == -1 && p.high == 1); }

struct Affine {
  double factor = 1, shift = 0;
};

// Returns the factor and the shift that map the domain to [-1, 1]. Their relative errors are at most 2^-51.
Affine to_unit(const Polynomial& p) {
  if (!maps_domain(p)) return {};
  const double width = p.high - p.low;
  return {2 / width, -(p.low + p.high) / width};
}

double rounding_of(const Polynomial& p, const Affine& map) {
  return 0x1p-50 * (map.factor * std::max(std::abs(p.low), std::abs(p.high)) + std::abs(map.shift));
}

class Evaluation {
 public:
  Evaluation(const Context& context, const RelinearizationKey& key, Basis basis, unsigned threads)
      : context_(context),
        key_(key),
        basis_(basis),
        threads_(threads),
        automatic_(context, &key, nullptr, threads) {}

  // Returns the value of the polynomial at t. t has the scale of its level. For the Chebyshev basis, the values of t
  // are in [-1, 1].
  Ciphertext evaluate(const Coefficients& p, Ciphertext&& t) {
    top_ = t.level();
    baby_ = best_steps(basis_, p).baby;
    elements_.emplace(1, std::move(t));
    Ciphertext out = finished(p, depth_of_degree(p.size() - 1));
    Accuracy& bound = out.state().bound;
    bound.error += rounding_ * bound.scale.high;
    return out;
  }

 private:
  PendingSum pending(const Coefficients& p, u32 depth) {
    const u32 degree = static_cast<u32>(p.size() - 1);
    if (is_sum(p, depth, baby_)) {
      PendingSum sum(context_, top_ - depth + 1, threads_);
      for (u32 k = 1; k <= degree; ++k)
        if (p[k] != 0) sum.add_multiple(element(k), p[k]);
      sum.add_constant(p[0]);
      return sum;
    }
    const u32 g = std::bit_floor(degree);
    const Split division = split(basis_, p, g);
    // The quotient is multiplied by basis elements. In the Chebyshev basis, their absolute values are at most 1. In the
    // power basis, the division has no rounding.
    rounding_ += division.rounding;
    PendingSum sum = pending(division.remainder, depth);
    if (division.quotient.size() == 1) sum.add_multiple(element(g), division.quotient[0]);
    else {
      const Ciphertext quotient = finished(division.quotient, depth - 1);
      sum.add_product(quotient, aligned(g, sum.level()));
    }
    return sum;
  }

  Ciphertext finished(const Coefficients& p, u32 depth) {
    PendingSum sum = pending(p, depth);
    rounding_ += std::abs(sum.constant()) * 0x1p-50;
    return sum.finish(key_, known(p, sum.constant()));
  }

  PendingSum::Known known(Coefficients p, double constant) const {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    if (basis_ == Basis::power) return {kUnknown, kUnknown};
    const double whole = largest_value(p);
    p[0] -= constant;
    return {largest_value(p) + std::abs(constant) * 0x1p-50, whole};
  }

  // Returns a basis element at the given level, with the scale of that level.
  const Ciphertext& aligned(u32 k, u32 level) {
    const auto found = aligned_.find({k, level});
    if (found != aligned_.end()) return found->second;
    return aligned_.emplace(std::pair(k, level), automatic_.align(element(k), level)).first->second;
  }

  const Ciphertext& element(u32 k) {
    if (const auto found = elements_.find(k); found != elements_.end()) return found->second;
    const u32 g = larger_factor(k), h = k - g;
    PendingSum sum(context_, top_ - depth_of_element(k) + 1, threads_);
    sum.add_product(aligned(g, sum.level()), aligned(h, sum.level()));
    PendingSum::Known known{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    if (basis_ == Basis::chebyshev) {
      sum.double_all();
      if (g == h) sum.add_constant(-1);
      else sum.add_multiple(element(g - h), -1);
      known = {g == h ? 2.0 : 1.0, 1};
    }
    return elements_.emplace(k, sum.finish(key_, known)).first->second;
  }

  Context context_;
  const RelinearizationKey& key_;
  Basis basis_;
  unsigned threads_;
  AutomaticEvaluator automatic_;
  std::map<u32, Ciphertext> elements_;
  std::map<std::pair<u32, u32>, Ciphertext> aligned_;  // key: number of the basis element, level
  u32 top_ = 0, baby_ = 1;
  double rounding_ = 0;
};

void require_levels(const Context& context, const Ciphertext& x, const Polynomial& p) {
  const u32 needed =
      levels_of(p) + (!maps_domain(p) && p.coefficients.size() > 2 && x.scale() != context.scale(x.level()));
  if (x.level() >= needed) return;
  throw Error(Code::depth_exhausted,
              "a polynomial of degree " + std::to_string(p.coefficients.size() - 1) + " takes " +
                  std::to_string(needed) + " levels, but the ciphertext has " + std::to_string(x.level()),
              "use parameters with more levels, or a polynomial of a lower degree");
}

void require_domain(const Ciphertext& x, const Polynomial& p) {
  const double end = std::max(std::abs(p.low), std::abs(p.high));
  if (p.basis == Basis::power || x.magnitude() <= end * (1 + 0x1p-40)) return;
  refuse("the declared magnitude allows values up to " + ringfort::shown(x.magnitude()) + ", but the domain ends at " +
             ringfort::shown(end),
         "declare a smaller magnitude, if the values have it, or use a polynomial for a larger domain");
}

// Returns a multiple of x plus a number. It serves for polynomials of degree 1 in x, and for the argument of the basis.
Ciphertext affine(const Context& context, const Ciphertext& x, const Affine& map, const RelinearizationKey& key,
                  unsigned threads) {
  PendingSum sum(context, x.level(), threads);
  sum.add_multiple(x, map.factor);
  sum.add_constant(map.shift);
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  return sum.finish(key, {kUnknown, kUnknown});
}

}  // namespace

Polynomial interpolate(const std::function<double(double)>& function, double low, double high, std::uint32_t degree) {
  if (degree > kMostInterpolated)
    refuse("an interpolation of degree " + std::to_string(degree) + " was requested", "give 4095 at most");
  if (!function) refuse("the function to interpolate is empty", "give a function");
  const u32 count = degree + 1;
  const double middle = (low + high) / 2, half = (high - low) / 2, step = std::numbers::pi / count;
  Polynomial out{Basis::chebyshev, Coefficients(count), low, high, 0, {}};
  for (u32 i = 0; i < count; ++i) {
    const double value = function(middle + half * std::cos((i + 0.5) * step));
    for (u32 k = 0; k < count; ++k)
      out.coefficients[k] += value * std::cos(k * (i + 0.5) * step) * (k == 0 ? 1.0 : 2.0) / count;
  }
  require_polynomial(out);
  return out;
}

std::uint32_t levels_of(const Polynomial& polynomial) {
  require_polynomial(polynomial);
  const std::size_t degree = trimmed(polynomial.coefficients).size() - 1;
  return depth_of_degree(degree) + (degree > 1 && maps_domain(polynomial));
}

std::uint32_t products_of(const Polynomial& polynomial) {
  require_polynomial(polynomial);
  return best_steps(polynomial.basis, trimmed(polynomial.coefficients)).products;
}

Ciphertext PolynomialEvaluator::evaluate(const Ciphertext& x, const Polynomial& given) const {
  require_polynomial(given);
  require_filled(x.state().rlwe, "a polynomial");
  require_two_components(x.state().rlwe, "a polynomial");
  if (x.state().rlwe.context != context_.keys().state())
    throw Error(Code::parameters_mismatch, "the ciphertext is of another context", "evaluate it in its own context");
  Polynomial p = given;
  p.coefficients = trimmed(std::move(p.coefficients));
  require_levels(context_, x, p);
  require_domain(x, p);
  const RelinearizationKey key(relinearization_);
  const Affine map = to_unit(p);
  const double rounding = rounding_of(p, map);
  Ciphertext out;
  if (p.coefficients.size() == 1) {
    out = Evaluator(context_, threads_).multiply_integer(x, 0);
    add_to_every_slot(out, p.coefficients[0], threads_);
  } else if (p.coefficients.size() == 2) {
    const double c = p.coefficients[1];
    out = affine(context_, x, {c * map.factor, p.coefficients[0] + c * map.shift}, key, threads_);
    out.state().bound.error += out.scale() * (std::abs(c) + std::abs(p.coefficients[0])) * (2 * rounding + 0x1p-50);
  } else {
    const bool is_ready = !maps_domain(p) && x.scale() == context_.scale(x.level());
    Ciphertext t = is_ready ? x.clone() : affine(context_, x, map, key, threads_);
    if (p.basis == Basis::chebyshev) {
      Accuracy& bound = t.state().bound;
      bound.error += rounding * bound.scale.high;
      bound.magnitude = std::min(bound.magnitude, 1.0);
    }
    out = Evaluation(context_, key, p.basis, threads_).evaluate(p.coefficients, std::move(t));
  }
  return declare_approximation(out, p.magnitude.value_or(std::numeric_limits<double>::infinity()), p.error);
}

Ciphertext declare_approximation(const Ciphertext& a, double magnitude, double error) {
  require_filled(a.state().rlwe, "declare_approximation");
  if (!(magnitude >= 0) || !(error >= 0 && std::isfinite(error)))
    refuse("the error or the magnitude of an approximation is negative or not a number", "give numbers, zero or more");
  Accuracy bound = a.state().bound;
  bound.error += error * bound.scale.high * (1 + 0x1p-50);
  bound.magnitude = std::min(magnitude, bound.magnitude + error);
  Ciphertext out = a.clone();
  out.state().bound = admitted(bound, *a.state().rlwe.context, a.level(), "declare_approximation");
  return out;
}

Ciphertext mark_untrusted(const Ciphertext& a) {
  require_filled(a.state().rlwe, "mark_untrusted");
  Ciphertext out = a.clone();
  out.state().rlwe.untrusted = true;
  return out;
}

}  // namespace ringfort::ckks
