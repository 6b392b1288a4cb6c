// SPDX-License-Identifier: Apache-2.0
// Products of encrypted matrices (ringfort/matmul.h): checks of shapes, and loops over the entries of matrices. All
// arithmetic is in ckks::Evaluator.
#include "ringfort/matmul.h"

#include <string>
#include <utility>

#include "ringfort/error.h"

namespace ringfort::matmul {
namespace {

constexpr std::uint32_t kMostRows = 1u << 16;
constexpr std::size_t kMostSlots = std::size_t{1} << 16;  // slots of the largest ring

std::string shape(std::uint32_t rows, std::uint32_t cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

void require_factors(const Matrix& a, const Matrix& b) {
  if (a.cols() == b.rows()) return;
  throw Error(Code::invalid_argument,
              "matrices of " + shape(a.rows(), a.cols()) + " and " + shape(b.rows(), b.cols()) + " have no product",
              "the first one needs as many columns as the second one has rows");
}

void add_product(ckks::Ciphertext& sum, const ckks::Ciphertext& a, const ckks::Ciphertext& b,
                 const ckks::Evaluator& evaluator, Sums sums) {
  if (sums == Sums::fused) evaluator.multiply_add_into(sum, a, b);
  else evaluator.add_into(sum, sum, evaluator.multiply(a, b));
}

// Calls change(entry, row, column) for each entry of a matrix. If a call fails, makes the matrix empty. A caller who
// repeats a failed sum therefore adds no product twice.
template <class Change>
void change_entries(Matrix& c, Change change) {
  try {
    for (std::uint32_t i = 0; i < c.rows(); ++i)
      for (std::uint32_t j = 0; j < c.cols(); ++j) change(c.at(i, j), i, j);
  } catch (...) {
    const Matrix ended = std::move(c);
    throw;
  }
}

}  // namespace

Matrix::Matrix(std::uint32_t rows, std::uint32_t cols, std::vector<ckks::Ciphertext> entries)
    : rows_(rows),
      cols_(cols),
      entries_(std::move(entries)) {
  if (rows == 0 || cols == 0 || rows > kMostRows || cols > kMostRows ||
      entries_.size() != static_cast<std::size_t>(rows) * cols)
    throw Error(
        Code::invalid_argument,
        "a matrix of " + shape(rows, cols) + " has " + std::to_string(entries_.size()) + " entries",
        "give one ciphertext for each entry, by rows; at most " + std::to_string(kMostRows) + " rows and columns");
}

std::size_t Matrix::index(std::uint32_t row, std::uint32_t col) const {
  if (entries_.empty())
    throw Error(Code::invalid_argument, "a moved-from matrix has no entries", "use the object to which it was moved");
  if (row >= rows_ || col >= cols_)
    throw Error(Code::invalid_argument,
                "entry " + std::to_string(row) + ", " + std::to_string(col) + " is outside " + shape(rows_, cols_),
                "count rows and columns from 0");
  return static_cast<std::size_t>(row) * cols_ + col;
}

Matrix encrypt(std::uint32_t rows, std::uint32_t cols, std::span<const double> values, const ckks::Encoder& encoder,
               const ckks::Encryptor& encryptor) {
  const std::size_t entries = static_cast<std::size_t>(rows) * cols;
  if (entries == 0 || rows > kMostRows || cols > kMostRows || values.empty() || values.size() % entries != 0)
    throw Error(Code::invalid_argument,
                std::to_string(values.size()) + " values do not make a matrix of " + shape(rows, cols) + " vectors",
                "give equally many values for each entry, by rows");
  const std::size_t slots = values.size() / entries;
  std::vector<ckks::Ciphertext> encrypted;
  encrypted.reserve(entries);
  for (std::size_t i = 0; i < entries; ++i)
    encrypted.push_back(encryptor.encrypt(encoder.encode(values.subspan(i * slots, slots))));
  return {rows, cols, std::move(encrypted)};
}

Matrix multiply(const Matrix& a, const Matrix& b, const ckks::Evaluator& evaluator, Sums sums) {
  require_factors(a, b);
  std::vector<ckks::Ciphertext> entries;
  entries.reserve(static_cast<std::size_t>(a.rows()) * b.cols());
  for (std::uint32_t i = 0; i < a.rows(); ++i) {
    for (std::uint32_t j = 0; j < b.cols(); ++j) {
      ckks::Ciphertext sum = evaluator.multiply(a.at(i, 0), b.at(0, j));
      for (std::uint32_t k = 1; k < a.cols(); ++k) add_product(sum, a.at(i, k), b.at(k, j), evaluator, sums);
      entries.push_back(std::move(sum));
    }
  }
  return {a.rows(), b.cols(), std::move(entries)};
}

void multiply_add_into(Matrix& c, const Matrix& a, const Matrix& b, const ckks::Evaluator& evaluator, Sums sums) {
  require_factors(a, b);
  if (c.rows() != a.rows() || c.cols() != b.cols())
    throw Error(Code::invalid_argument,
                "a product of " + shape(a.rows(), b.cols()) + " does not fit a sum of " + shape(c.rows(), c.cols()),
                "add to a matrix of the product's shape");
  change_entries(c, [&](ckks::Ciphertext& sum, std::uint32_t i, std::uint32_t j) {
    for (std::uint32_t k = 0; k < a.cols(); ++k) add_product(sum, a.at(i, k), b.at(k, j), evaluator, sums);
  });
}

void relinearize_rescale_into(Matrix& c, const ckks::Evaluator& evaluator, const RelinearizationKey& key) {
  change_entries(c, [&](ckks::Ciphertext& entry, std::uint32_t, std::uint32_t) {
    evaluator.relinearize_rescale_into(entry, entry, key);
  });
}

std::vector<double> decrypt(const Matrix& a, std::size_t slots, const ckks::Encoder& encoder,
                            const ckks::Decryptor& decryptor) {
  if (slots > kMostSlots)
    throw Error(Code::invalid_argument, std::to_string(slots) + " values of each entry were requested",
                "request at most as many as a ciphertext has slots");
  std::vector<double> values(static_cast<std::size_t>(a.rows()) * a.cols() * slots);
  std::span<double> rest(values);
  for (std::uint32_t i = 0; i < a.rows(); ++i) {
    for (std::uint32_t j = 0; j < a.cols(); ++j) {
      encoder.decode(decryptor.decrypt(a.at(i, j)), rest.first(slots));
      rest = rest.subspan(slots);
    }
  }
  return values;
}

}  // namespace ringfort::matmul
