// SPDX-License-Identifier: Apache-2.0
// Cholesky factorization of a symmetric matrix, in long double [Higham02]. All elements of the diagonal are near 1. The
// solver of least squares uses the factorization, and so does the check that a covariance matrix is possible. The
// factorization branches on pivots. Therefore it must not be used for secrets.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace ringfort::statistics {

// A square matrix, stored row by row. Only its lower triangle is used.
class Cholesky {
 public:
  explicit Cholesky(std::size_t size) : size_(size), entries_(size * size) {}
  long double& operator()(std::size_t row, std::size_t column) { return entries_[row * size_ + column]; }

  // Factors in place. Returns the first column with a pivot (a diagonal element before its square root is taken) below
  // `least`, or the size if there is none.
  [[nodiscard]] std::size_t factor(long double least) {
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t i = j; i < size_; ++i) {
        for (std::size_t k = 0; k < j; ++k) (*this)(i, j) -= (*this)(i, k) * (*this)(j, k);
      }
      if (!((*this)(j, j) >= least)) return j;
      const long double root = std::sqrt((*this)(j, j));
      for (std::size_t i = j; i < size_; ++i) (*this)(i, j) /= root;
    }
    return size_;
  }

  // Call it after factor(). Returns the first column whose pivot may be a rounding error, or the size if there is none.
  // Such a column is nearly a combination of the earlier columns. Let w be the coefficients of this combination. An
  // error of size e in the matrix changes the pivot by at most (1 + |w|^2) e [Higham02, section 10.1]. A margin covers
  // the error of w itself.
  [[nodiscard]] std::size_t first_uncertain() const {
    constexpr long double kMargin = 0x1p+8L;
    const long double error = kMargin * static_cast<long double>(size_) * std::numeric_limits<long double>::epsilon();
    std::vector<long double> inverse(size_ * size_);
    for (std::size_t i = 0; i < size_; ++i) {
      const long double root = entries_[i * size_ + i];
      long double norm = 0;  // |w|^2
      for (std::size_t j = 0; j < i; ++j) {
        long double w = 0;
        for (std::size_t k = j; k < i; ++k) w += entries_[i * size_ + k] * inverse[k * size_ + j];
        inverse[i * size_ + j] = -w / root;
        norm += w * w;
      }
      inverse[i * size_ + i] = 1 / root;
      if (!(root * root >= error * (1 + norm))) return i;
    }
    return size_;
  }

  void solve(std::vector<long double>& right) {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < i; ++k) right[i] -= (*this)(i, k) * right[k];
      right[i] /= (*this)(i, i);
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t k = i + 1; k < size_; ++k) right[i] -= (*this)(k, i) * right[k];
      right[i] /= (*this)(i, i);
    }
  }

 private:
  std::size_t size_;
  std::vector<long double> entries_;
};

}  // namespace ringfort::statistics
