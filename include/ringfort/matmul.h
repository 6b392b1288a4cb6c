// SPDX-License-Identifier: Apache-2.0
// Products of encrypted matrices, up to ckks::Context::slots() of them at once. Every entry of a Matrix is a
// ciphertext. Slot k of all entries belongs to the k-th matrix (apps/matmul/README.md). Each entry of a product is
// relinearized once, after all sums. The products of entries are the element-wise polynomial products of [Lyashevsky23,
// Fig. 25].
#pragma once

#include <cstdint>
#include <vector>

#include "ringfort/ckks.h"

namespace ringfort::matmul {

// A matrix of ciphertexts, row after row. Move-only, like ciphertexts. A moved-from matrix is empty; every use of its
// entries is an error (invalid_argument). Errors of the constructor: invalid_argument (no entry, not rows x cols
// entries, or more than 2^16 rows or columns).
class Matrix {
 public:
  Matrix(std::uint32_t rows, std::uint32_t cols, std::vector<ckks::Ciphertext> entries);
  [[nodiscard]] std::uint32_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint32_t cols() const noexcept { return cols_; }
  // Errors: invalid_argument (the entry is outside the matrix).
  [[nodiscard]] const ckks::Ciphertext& at(std::uint32_t row, std::uint32_t col) const {
    return entries_[index(row, col)];
  }
  [[nodiscard]] ckks::Ciphertext& at(std::uint32_t row, std::uint32_t col) { return entries_[index(row, col)]; }

 private:
  [[nodiscard]] std::size_t index(std::uint32_t row, std::uint32_t col) const;

  std::uint32_t rows_, cols_;
  std::vector<ckks::Ciphertext> entries_;
};

// `values` has rows x cols vectors, one after another, of equal length. The length is the number of matrices, one slot
// for each. Errors: invalid_argument (sizes, values), and those of Encryptor::encrypt.
[[nodiscard]] Matrix encrypt(std::uint32_t rows, std::uint32_t cols, std::span<const double> values,
                             const ckks::Encoder& encoder, const ckks::Encryptor& encryptor);

enum class Sums : std::uint8_t {  // method of adding products
  fused,                          // one kernel multiplies, adds, and reduces each sum once: *mad_mod* of [Lyashevsky23]
  separate                        // one kernel multiplies, and another kernel adds
};
// The entries of the product have 3 components and the level of the factors; relinearize_rescale_into finishes them.
// Errors: invalid_argument (shapes), and those of Evaluator::multiply.
[[nodiscard]] Matrix multiply(const Matrix& a, const Matrix& b, const ckks::Evaluator& evaluator,
                              Sums sums = Sums::fused);
// Adds the product a b to c. After an error of this function or of the next one, c is unchanged or empty.
void multiply_add_into(Matrix& c, const Matrix& a, const Matrix& b, const ckks::Evaluator& evaluator,
                       Sums sums = Sums::fused);
void relinearize_rescale_into(Matrix& c, const ckks::Evaluator& evaluator, const RelinearizationKey& key);

// Returns rows x cols vectors of `slots` values, one after another. Errors: invalid_argument (too many slots), and
// those of Decryptor::decrypt and Encoder::decode.
[[nodiscard]] std::vector<double> decrypt(const Matrix& a, std::size_t slots, const ckks::Encoder& encoder,
                                          const ckks::Decryptor& decryptor);

}  // namespace ringfort::matmul
