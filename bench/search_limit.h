// SPDX-License-Identifier: Apache-2.0
// Computes limit_share for the rows of the word search. An algorithm's time on this machine has two lower limits, by
// bytes and by vectors (limit.h). limit_share is the longer of these two times, divided by the measured time. Let f be
// the number of compared bits of a word. The ciphertext of a bit has N = 2 l rows of two polynomials, where l is the
// number of gadget digits. A polynomial has n residues, and a residue has w bytes in memory.
//   row      bytes:   (f - 1) N 2 n w + 2 n w. Each ciphertext is read once. Of the first ciphertext, only one row is
//                     read.
//            vectors: (f - 1) (N + 2) transforms and (f - 1) N 2 n products. A product is one multiplication if q is
//                     below 2^31, otherwise two.
//            cold:    The vectors also include ChaCha20 for the f N polynomials that are expanded from seeds, 16 bytes
//                     per coefficient. The bytes are the packed bytes of the file.
//   literal  bytes:   f N 2 n w.
//            vectors: f (N^2 + 2 N) transforms and f N^2 2 n products.
//   index    vectors: for each of the N rows of each bit of a word, one transform and one product (three and two with
//                     a public key), and 24 bytes of ChaCha20 per coefficient.
// The limit of sequential rows is the time of f N^2 2 (3 n/2 log2 n + n) products, at one 64-bit multiplication per
// cycle. If the limit by bytes is the longer one, and limit_share is near 1, the search is as fast as memory allows.
// The share can exceed 1 if a last-level cache holds the words.
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

// Returns the least milliseconds per word, or nothing if the instruction set in use has no limit by vectors.
[[nodiscard]] std::optional<double> least_ms(const WordWork& work, unsigned threads, double bytes_a_microsecond);
[[nodiscard]] double least_sequential_ms(const WordShape& shape);

}  // namespace ringfort::bench
