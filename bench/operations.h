// SPDX-License-Identifier: Apache-2.0
// Whole operations of the leveled schemes as rows, microseconds each: medians over at most 15 repetitions or about a
// second.
//   {ckks,bfv,bgv}/nN/D+1/OPERATION/tT: D data primes and one special prime of equal length (the presets), T threads.
//   encode, encrypt (public key), decrypt, decode, decrypt_decode, add, multiply (three components), mad (a product
//   added to
//     three
//   parts), rotate (one key), and for CKKS the routines
//   mul_lin (multiply, relinearize), mul_lin_rs (.., rescale, in one call), sqr_lin_rs, mul_lin_rs_modsw_add (.., add
//     to a third
//   ciphertext brought down a level); for BFV and BGV mul_lin alone. Only the verbs on ciphertexts use more threads
//     than one, and
//   only they state a limit (limit.h), if the row does not beat it.
//   .../peak_memory: most resident data (memory.h: not the pages of code) while all of the above ran, less what the
//                    process had before
//   the context, over the bytes of the objects that were alive: keys, ciphertexts, plaintexts, and the context (what it
//     took when it
//   was made). All that operations allocate counts, the workspaces that the context keeps too.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/row.h"

namespace ringfort::bench {

struct OperationBench {
  std::string device = "cpu";
  bool quick = false;                                // without n = 65536, and a fifth of the time
  unsigned threads = 2;                              // beside one
  std::vector<std::string> only;                     // first parts of names; empty: all
  std::function<bool(const std::string&)> progress;  // told each name before it is measured; false ends the run
};

// Errors: those of ringfort/ckks.h.
[[nodiscard]] std::vector<Row> bench_operations(const OperationBench& options);

}  // namespace ringfort::bench
