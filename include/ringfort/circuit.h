// SPDX-License-Identifier: Apache-2.0
// Polynomials and products with public matrices on CKKS ciphertexts. Polynomials use baby steps (low powers of x) and
// giant steps (a few higher powers, which combine polynomials of low degree) [PatersonStockmeyer73]. They take the
// smallest depth that their degree allows. Products with matrices multiply each diagonal of the matrix by a rotation of
// the vector [HaleviShoup14]. Results carry bounds on values and errors, like results of the evaluators. Types are
// immutable and shareable between threads.
#pragma once

#include "ringfort/ckks.h"

namespace ringfort::ckks {

enum class Basis : std::uint8_t { power, chebyshev };  // basis of the coefficients

// A real polynomial. In the power basis it is the sum of coefficients[k] x^k. In the Chebyshev basis it is the sum of
// coefficients[k] T_k(t), where t maps [low, high] to [-1, 1]. The polynomial may approximate a function on [low,
// high], the domain. Then `error` bounds the distance between the polynomial and the function on the domain, and
// `magnitude` bounds the absolute value of the function.
struct Polynomial {
  Basis basis = Basis::chebyshev;
  std::vector<double> coefficients;
  double low = -1, high = 1;  // the domain; values in the power basis may be outside it
  double error = 0;           // added to the error bound of results
  std::optional<double> magnitude;
};

// Returns the polynomial that equals `function` at degree + 1 Chebyshev points of the domain. Its `error` is zero; the
// caller can set it to a proven bound. Errors: invalid_argument (an empty domain, a value that is not finite, or a
// degree above 4095).
[[nodiscard]] Polynomial interpolate(const std::function<double(double)>& function, double low, double high,
                                     std::uint32_t degree);

// Returns the number of levels that an evaluation takes: ceil(log2(degree + 1)). In the Chebyshev basis, the evaluation
// takes one level more if the degree is above 1 and the domain is not [-1, 1]. Errors: invalid_argument (no
// coefficients, a coefficient that is not finite, an empty domain, a negative error or magnitude).
[[nodiscard]] std::uint32_t levels_of(const Polynomial& polynomial);
// Returns the number of products of ciphertexts that an evaluation takes.
[[nodiscard]] std::uint32_t products_of(const Polynomial& polynomial);

// Returns `a` as an approximation of other numbers, for example of the values of a function. The caller declares two
// bounds: these numbers differ from the values of `a` by at most `error`, and their absolute value is at most
// `magnitude`. The result shares the memory of `a`. Errors: invalid_argument, noise_bound_exceeded.
[[nodiscard]] Ciphertext declare_approximation(const Ciphertext& a, double magnitude, double error);
// Returns `a` with bound_is_untrusted() true. Use it for ciphertexts whose bounds come from another party. The result
// shares the memory of `a`.
[[nodiscard]] Ciphertext mark_untrusted(const Ciphertext& a);

class PolynomialEvaluator {  // computes polynomials of ciphertexts
 public:
  PolynomialEvaluator(const Context& context, const RelinearizationKey& relinearization, unsigned threads = 1)
      : context_(context),
        relinearization_(relinearization.state()),
        threads_(threads) {}
  // Returns p(x), at the scale of its level; a constant p keeps the scale of x. Takes levels_of(p) levels. If x does
  // not have the scale of its level, the evaluation takes one level more, with two exceptions: p has degree 0 or 1, or
  // levels_of(p) includes a level for the domain. In the Chebyshev basis the values of x must be in the domain.
  // evaluate() checks only that x.magnitude() is at most max(|low|, |high|); the caller guarantees the rest. Errors:
  // invalid_argument (also if x.magnitude() is too large), depth_exhausted, noise_bound_exceeded, parameters_mismatch,
  // unsupported (a coefficient has more than 120 bits at its scale).
  [[nodiscard]] Ciphertext evaluate(const Ciphertext& x, const Polynomial& polynomial) const;

 private:
  Context context_;
  std::shared_ptr<const RelinearizationKey::State> relinearization_;
  unsigned threads_;
};

// The product of a public square matrix with the vector in the slots. The dimension is a power of two, at most the
// number of slots. Vector and result are repeated until they fill all slots. A product takes one level, or none if the
// matrix is zero. A moved-from transform cannot be applied (invalid_argument).
class LinearTransform {
 public:
  // Encodes the diagonals of `matrix` for ciphertexts of `level` with the scale of this level. `matrix` contains its
  // rows one after another. Errors: invalid_argument, noise_bound_exceeded.
  LinearTransform(const Context& context, std::span<const double> matrix, std::uint32_t dimension, std::uint32_t level);
  LinearTransform(const Context& context, std::span<const std::complex<double>> matrix, std::uint32_t dimension,
                  std::uint32_t level);
  // Returns the rotations that `apply` uses: about 2 sqrt(dimension), or fewer if diagonals are zero.
  [[nodiscard]] const std::vector<std::int32_t>& steps() const noexcept { return steps_; }
  // Brings `vector` to the level that was given to the constructor, and returns the product. The baby steps are
  // rotations of `vector` that share their first part (hoisting). The giant steps rotate sums of products, and one
  // rescaling follows. If the matrix is zero, the result is an encryption of zeros at that level. Errors: those of
  // AutomaticEvaluator.
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
  double row_sum_ = 0;  // largest sum, over the rows, of the absolute values in a row
  std::vector<std::int64_t> babies_;
  std::vector<Giant> giants_;
  std::vector<std::int32_t> steps_;
};

}  // namespace ringfort::ckks
