// SPDX-License-Identifier: Apache-2.0
// The formulas of search_limit.h for the word search: bytes and vectors of a word, and the least time that follows from
// them.
#include "bench/search_limit.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "bench/limit.h"
#include "ringfort/device.h"

namespace ringfort::bench {

namespace {

// bytes of ChaCha20 per coefficient and per block (math/random.h)
constexpr double kUniformBytes = 16, kSmallBytes = 8, kBlockBytes = 64;

// Common terms of the formulas, as real numbers.
struct Terms {
  explicit Terms(const WordShape& shape)
      : n(shape.parameters.n),
        rows(2.0 * shape.parameters.digits),
        small(shape.parameters.q >> 31 == 0),
        transform(transform_vectors(cpu_cap().used, shape.parameters.n, shape.parameters.q)),
        product(product_vectors(cpu_cap().used, n, shape.parameters.q)) {}
  double n;
  double rows;       // N
  bool small;        // residues of 32-bit words
  double transform;  // vectors
  double product;    // vectors for the product of two polynomials in the evaluation domain
  [[nodiscard]] double ciphertext_bytes() const { return rows * 2 * n * (small ? 4 : 8); }
  [[nodiscard]] double chacha(double bytes_a_coefficient) const {
    return n * bytes_a_coefficient / kBlockBytes * kChaChaVectorsABlock;
  }
};

}  // namespace

WordWork row_work(const WordShape& shape, bool cold) {
  const Terms t(shape);
  const double products = shape.factors - 1;
  WordWork work;
  work.vectors = products * ((t.rows + 2) * t.transform + t.rows * 2 * t.product);
  work.bytes = products * t.ciphertext_bytes() + t.ciphertext_bytes() / t.rows;
  if (!cold) return work;
  work.vectors += shape.factors * t.rows * t.chacha(kUniformBytes);
  work.bytes = shape.factors * t.rows * t.n * static_cast<double>(std::bit_width(shape.parameters.q)) / 8;
  return work;
}

WordWork literal_work(const WordShape& shape) {
  const Terms t(shape);
  return {shape.factors * ((t.rows * t.rows + 2 * t.rows) * t.transform + t.rows * t.rows * 2 * t.product),
          shape.factors * t.ciphertext_bytes()};
}

WordWork index_work(const WordShape& shape, rgsw::Mode mode) {
  const Terms t(shape);
  const bool owner = mode == rgsw::Mode::secret_key;
  const double row = owner ? t.transform + t.product + t.chacha(kUniformBytes + kSmallBytes)
                           : 3 * t.transform + 2 * t.product + t.chacha(3 * kSmallBytes);
  return {shape.planes * t.rows * row, 0};
}

std::optional<double> least_ms(const WordWork& work, unsigned threads, double bytes_a_microsecond) {
  if (!states_vector_limit(cpu_cap().used)) return std::nullopt;
  const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, threads);
  const double by_vectors = work.vectors / kVectorsACycle / cycles_per_microsecond() / cores;
  return std::max(by_vectors, work.bytes / bytes_a_microsecond) / 1e3;
}

double least_sequential_ms(const WordShape& shape) {
  const Terms t(shape);
  const double entry = 3 * butterflies(shape.parameters.n) + t.n;
  return shape.factors * t.rows * t.rows * 2 * entry / cycles_per_microsecond() / 1e3;
}

}  // namespace ringfort::bench
