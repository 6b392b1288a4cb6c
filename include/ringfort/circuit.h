// SPDX-License-Identifier: Apache-2.0
// Circuits on CKKS ciphertexts. Polynomials use baby steps and giant steps [PatersonStockmeyer73] and take the smallest
// depth that their degree allows. Products with public matrices use diagonals [HaleviShoup14]. Results carry bounds on
// values and errors like those of the evaluators. Types are immutable and shareable between threads.
#pragma once

#include "ringfort/ckks.h"

namespace ringfort::ckks {

enum class Basis : std::uint8_t { power, chebyshev };  // basis of the coefficients

// Real polynomial: the sum of coefficients[k] x^k, or of coefficients[k] T_k(t), where t maps [low, high] to [-1, 1].
// The polynomial may approximate a function on [low, high], the domain. Then `error` bounds the distance between
// polynomial and function there, and `magnitude` bounds the absolute value of the function.
struct Polynomial {
  Basis basis = Basis::chebyshev;
  std::vector<double> coefficients;
  double low = -1, high = 1;  // the domain; not checked in the power basis
  double error = 0;           // added to the error bound of results
  std::optional<double> magnitude;
};

// Returns the polynomial that equals `function` at degree + 1 Chebyshev points of the domain. Its `error` is zero: the
// caller sets it to a bound that is proven elsewhere. Errors: invalid_argument (an empty domain; a value that is not
// finite; a degree above 4095).
[[nodiscard]] Polynomial interpolate(const std::function<double(double)>& function, double low, double high,
                                     std::uint32_t degree);

// Returns the levels that an evaluation takes: ceil(log2(degree + 1)), and in the Chebyshev basis one more if the
// degree is above 1 and the domain is not [-1, 1]. Errors: invalid_argument (no coefficients, a coefficient that is not
// finite, an empty domain).
[[nodiscard]] std::uint32_t levels_of(const Polynomial& polynomial);
// Returns the number of products of ciphertexts that an evaluation takes.
[[nodiscard]] std::uint32_t products_of(const Polynomial& polynomial);

// Returns `a` as an approximation of other numbers, for example of a function's values. The caller declares that these
// numbers differ from the values of `a` by at most `error`, and that their absolute value is at most `magnitude`. The
// result shares the memory of `a`. Errors: invalid_argument, noise_bound_exceeded.
[[nodiscard]] Ciphertext declare_approximation(const Ciphertext& a, double magnitude, double error);
// Returns `a`, marked as bound_is_untrusted(). Use it for ciphertexts whose bounds come from another party. Shares the
// memory of `a`.
[[nodiscard]] Ciphertext mark_untrusted(const Ciphertext& a);

class PolynomialEvaluator {  // computes polynomials of ciphertexts
 public:
  PolynomialEvaluator(const Context& context, const RelinearizationKey& relinearization, unsigned threads = 1)
      : context_(context),
        relinearization_(relinearization.state()),
        threads_(threads) {}
  // Returns p(x), at the scale of its level. If x does not have the scale of its level, the evaluation takes one level
  // more than levels_of(p). No extra level is needed if p has degree 0 or 1, or if levels_of(p) already includes a
  // level for the domain. In the Chebyshev basis the values of x must be in the domain. evaluate() checks only that
  // x.magnitude() is at most max(|low|, |high|); the caller guarantees the rest. Errors: invalid_argument (also a
  // magnitude above this limit), depth_exhausted, noise_bound_exceeded, parameters_mismatch, unsupported (a coefficient
  // has more than 120 bits at its scale).
  [[nodiscard]] Ciphertext evaluate(const Ciphertext& x, const Polynomial& polynomial) const;

 private:
  Context context_;
  std::shared_ptr<const RelinearizationKey::State> relinearization_;
  unsigned threads_;
};

// Product of a public square matrix with the vector in the slots. The dimension is a power of two, at most the number
// of slots. Vector and result are repeated until they fill all slots. A product takes one level. A moved-from transform
// is refused (invalid_argument).
class LinearTransform {
 public:
  // Encodes the diagonals, for ciphertexts of `level` and its scale. matrix: row after row. Errors: invalid_argument.
  LinearTransform(const Context& context, std::span<const double> matrix, std::uint32_t dimension, std::uint32_t level);
  LinearTransform(const Context& context, std::span<const std::complex<double>> matrix, std::uint32_t dimension,
                  std::uint32_t level);
  // Returns the rotations that `apply` uses: about 2 sqrt(dimension), fewer if diagonals are zero.
  [[nodiscard]] const std::vector<std::int32_t>& steps() const noexcept { return steps_; }
  // Returns the product. The baby steps share one decomposition (hoisting); the giant steps rotate sums of products
  // before their only rescaling. Errors: those of Evaluator; key_missing.
  [[nodiscard]] Ciphertext apply(const Ciphertext& vector, const GaloisKeys& keys, unsigned threads = 1) const;

 private:
  struct Giant {
    std::int32_t step = 0;
    std::vector<std::size_t> babies;   // baby steps: indices into babies_
    std::vector<Plaintext> diagonals;  // one for each element of `babies`
  };
  template <class Value>
  void encode(std::span<const Value> matrix, std::uint32_t dimension);
  Context context_;
  std::uint32_t level_;
  double row_sum_ = 0;  // largest sum of a row's absolute values
  std::vector<std::int64_t> babies_;
  std::vector<Giant> giants_;
  std::vector<std::int32_t> steps_;
};

}  // namespace ringfort::ckks
