// SPDX-License-Identifier: Apache-2.0
// Products of up to slots() encrypted matrices at once. Every entry is a ciphertext, whose slots belong to different
// matrices (apps/matmul/README.md). Each entry of a result is relinearized once. The products of entries are the
// element-wise polynomial products of [Lyashevsky23, Fig. 25].
#pragma once

#include <cstdint>
#include <vector>

#include "ringfort/ckks.h"

namespace ringfort::matmul {

// A matrix of ciphertexts, by rows. Move-only, like ciphertexts. Errors of the constructor: invalid_argument (no entry,
// or not rows x cols entries). A moved-from matrix is empty: every use of its entries is an error (invalid_argument).
class Matrix {
 public:
  Matrix(std::uint32_t rows, std::uint32_t cols, std::vector<ckks::Ciphertext> entries);
  [[nodiscard]] std::uint32_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint32_t cols() const noexcept { return cols_; }
  // Errors: invalid_argument (outside the matrix).
  [[nodiscard]] const ckks::Ciphertext& at(std::uint32_t row, std::uint32_t col) const {
    return entries_[place(row, col)];
  }
  [[nodiscard]] ckks::Ciphertext& at(std::uint32_t row, std::uint32_t col) { return entries_[place(row, col)]; }

 private:
  [[nodiscard]] std::size_t place(std::uint32_t row, std::uint32_t col) const;

  std::uint32_t rows_, cols_;
  std::vector<ckks::Ciphertext> entries_;
};

// values: rows x cols vectors, one after another, each of the same number of slots. Errors: invalid_argument (sizes,
// values), and those of Encryptor::encrypt.
[[nodiscard]] Matrix encrypt(std::uint32_t rows, std::uint32_t cols, std::span<const double> values,
                             const ckks::Encoder& encoder, const ckks::Encryptor& encryptor);

enum class Sums : std::uint8_t {  // method of adding products
  fused,    // a kernel multiplies and adds residues, with one reduction: *mad_mod* of [Lyashevsky23]
  separate  // a kernel for products, then a kernel for sums
};
// Entries of results have 3 components and the level of the factors, until relinearize_rescale_into. Errors:
// invalid_argument (shapes), and those of Evaluator::multiply. After an error, c is unchanged or empty.
[[nodiscard]] Matrix multiply(const Matrix& a, const Matrix& b, const ckks::Evaluator& evaluator,
                              Sums sums = Sums::fused);
// Adds the product a b to c.
void multiply_add_into(Matrix& c, const Matrix& a, const Matrix& b, const ckks::Evaluator& evaluator,
                       Sums sums = Sums::fused);
void relinearize_rescale_into(Matrix& c, const ckks::Evaluator& evaluator, const RelinearizationKey& key);

// Returns rows x cols vectors of `slots` values. Errors: those of Decryptor::decrypt and Encoder::decode.
[[nodiscard]] std::vector<double> decrypt(const Matrix& a, std::size_t slots, const ckks::Encoder& encoder,
                                          const ckks::Decryptor& decryptor);

}  // namespace ringfort::matmul
