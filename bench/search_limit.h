// SPDX-License-Identifier: Apache-2.0
// Computes limit_share for the rows of the word search. There are two lower limits of the time on this machine with the
// same algorithm, by bytes and by vectors (limit.h). The longer one, divided by the measured time, is limit_share. f
// bits are compared, a ciphertext has N = 2 l rows of two polynomials, and a residue has w bytes in memory.
//   row      bytes   (f - 1) N 2 n w + 2 n w: each ciphertext is read once, of the first one row
//            vectors (f - 1) (N + 2) transforms and (f - 1) N 2 n products (one multiplication each below 2^31,
//                    otherwise two)
//            cold    packed bytes of the file instead, and ChaCha20 for the f N expanded polynomials, 16 bytes per
//                    coefficient
//   literal  bytes   f N 2 n w;   vectors: f (N^2 + 2 N) transforms and f N^2 2 n products
//   index    vectors of a word: for each of its N rows per bit, one transform (3 for senders) and ChaCha20: 24 bytes
//            per coefficient
// sequential: f N^2 2 (3 n/2 log2 n + n) products, one 64-bit multiplication per cycle.
// A share near 1 by bytes means that memory is the limit; a last-level cache that holds the words can exceed it.
#pragma once

#include <optional>

#include "ringfort/rgsw.h"

namespace ringfort::bench {

struct WordWork {
  double vectors = 0;  // vectors of 64 bytes
  double bytes = 0;
};

struct WordShape {
  rgsw::Parameters parameters;
  double factors = 0;  // bits compared
  double planes = 0;   // bits encrypted
};

[[nodiscard]] WordWork row_work(const WordShape& shape, bool cold);
[[nodiscard]] WordWork literal_work(const WordShape& shape);
[[nodiscard]] WordWork index_work(const WordShape& shape, rgsw::Mode mode);

// Returns the least milliseconds per word, or nothing if the instruction set in use has no limit.
[[nodiscard]] std::optional<double> least_ms(const WordWork& work, unsigned threads, double bytes_a_microsecond);
[[nodiscard]] double least_sequential_ms(const WordShape& shape);

}  // namespace ringfort::bench
