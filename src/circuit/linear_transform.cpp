// SPDX-License-Identifier: Apache-2.0
// The product y = M x of a public matrix M and the vector x in the slots. With the diagonals d_k[i] = M[i][i + k]
// (indices modulo the dimension), the product is y = sum_k d_k * rot(x, k) [HaleviShoup14]. Here rot(x, k)
// rotates x left by k slots, and * multiplies slot by slot. Let k = g + j, where g is a multiple of the number of baby
// steps, and j is less than this number. Then y = sum_g rot(sum_j rot(d_k, -g) * rot(x, j), g). This takes one rotation
// of x for each j other than 0, and one rotation of a sum for each g other than 0.
#include <algorithm>
#include <bit>
#include <cmath>

#include "circuit/chebyshev.h"
#include "circuit/row_sum.h"
#include "rlwe/operands.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

namespace {

void require_shape(std::size_t entries, u32 dimension, u32 slots) {
  if (std::has_single_bit(dimension) && dimension <= slots && entries == std::size_t{dimension} * dimension) return;
  throw Error(Code::invalid_argument,
              std::to_string(entries) + " entries were given for a matrix of dimension " + std::to_string(dimension),
              "give dimension^2 entries; the dimension is a power of two, at most " + std::to_string(slots) +
                  ": fill the matrix up with zeros");
}

// Returns the k-th diagonal, rotated by -turn. It is repeated so that it fills all slots.
template <class Value>
std::vector<Value> diagonal(std::span<const Value> matrix, u32 dimension, u32 k, u32 turn, u32 slots) {
  std::vector<Value> out(slots);
  for (u32 slot = 0; slot < slots; ++slot) {
    const u32 row = (slot + dimension - turn) % dimension;
    out[slot] = matrix[std::size_t{row} * dimension + (row + k) % dimension];
  }
  return out;
}

template <class Value>
double largest_row_sum(std::span<const Value> matrix, u32 dimension) {
  double most = 0;
  for (u32 row = 0; row < dimension; ++row)
    most = std::max(most, sum_of_sizes(matrix.subspan(std::size_t{row} * dimension, dimension)));
  return most;
}

}  // namespace

LinearTransform::LinearTransform(const Context& context, std::span<const double> matrix, std::uint32_t dimension,
                                 std::uint32_t level)
    : context_(context),
      level_(level) {
  encode(matrix, dimension);
}

LinearTransform::LinearTransform(const Context& context, std::span<const std::complex<double>> matrix,
                                 std::uint32_t dimension, std::uint32_t level)
    : context_(context),
      level_(level) {
  encode(matrix, dimension);
}

template <class Value>
void LinearTransform::encode(std::span<const Value> matrix, std::uint32_t dimension) {
  require_shape(matrix.size(), dimension, context_.slots());
  if (level_ < 1 || level_ > context_.top_level()) {
    throw Error(Code::invalid_argument, "a linear transform was planned for level " + std::to_string(level_),
                "give a level in 1 .. " + std::to_string(context_.top_level()));
  }
  row_sum_ = largest_row_sum(matrix, dimension);
  const u32 babies = 1u << (depth_of_element(dimension) + 1) / 2;
  const Encoder encoder(context_);
  for (u32 g = 0; g < dimension; g += babies) {
    Giant giant;
    giant.step = static_cast<std::int32_t>(g);
    for (u32 j = 0; j < std::min(babies, dimension); ++j) {
      const std::vector<Value> values = diagonal(matrix, dimension, g + j, g, context_.slots());
      if (std::all_of(values.begin(), values.end(), [](const Value& value) { return value == Value{}; })) continue;
      const auto at = std::find(babies_.begin(), babies_.end(), j);
      giant.babies.push_back(static_cast<std::size_t>(at - babies_.begin()));
      if (at == babies_.end()) babies_.push_back(j);
      giant.diagonals.push_back(encoder.encode_public(std::span<const Value>(values), {level_, {}, {}}));
    }
    if (!giant.diagonals.empty()) giants_.push_back(std::move(giant));
  }
  if (babies_.empty()) babies_.push_back(0);  // the matrix is zero: apply() refuses an empty babies_
  for (const std::int64_t step : babies_)
    if (step != 0) steps_.push_back(static_cast<std::int32_t>(step));
  for (const Giant& giant : giants_)
    if (giant.step != 0) steps_.push_back(giant.step);
}

Ciphertext LinearTransform::apply(const Ciphertext& vector, const GaloisKeys& keys, unsigned threads) const {
  if (babies_.empty())
    throw Error(Code::invalid_argument, "a linear transform was applied after it had been moved from",
                "apply the object that it was moved to");
  require_filled(vector.state().rlwe, "a linear transform");
  const Evaluator evaluator(context_, threads);
  const Ciphertext x = AutomaticEvaluator(context_, nullptr, &keys, threads).align(vector, level_);
  if (giants_.empty()) return evaluator.mod_switch(evaluator.multiply_integer(x, 0), level_);
  const std::vector<Ciphertext> rotated = evaluator.rotate_many(x, babies_, keys);
  std::vector<Ciphertext> sums;
  for (const Giant& giant : giants_) {
    std::vector<Ciphertext> factors;
    for (const std::size_t baby : giant.babies) factors.push_back(rotated[baby].clone());
    Ciphertext sum = evaluator.inner_product_plain(factors, giant.diagonals);
    sums.push_back(giant.step == 0 ? std::move(sum) : evaluator.rotate(sum, giant.step, keys));
  }
  const Ciphertext out = evaluator.rescale(evaluator.add_many(sums));
  return evaluator.declare_magnitude(out, row_sum_ * x.magnitude());
}

}  // namespace ringfort::ckks
