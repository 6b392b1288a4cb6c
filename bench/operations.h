// SPDX-License-Identifier: Apache-2.0
// Whole operations of the leveled schemes as rows in microseconds: medians over at most 15 repetitions or about a
// second.
//   {ckks,bfv,bgv}/nN/D+1/OPERATION/tT: D data primes and one special prime of equal length (the presets), T threads.
//       OPERATION: encode, encrypt (public key), decrypt, decode, decrypt_decode, add, multiply (three components), mad
//       (a product added to three components), rotate (one key), mul_lin (multiply, relinearize); for CKKS also
//       mul_lin_rs (mul_lin and rescale in one call), sqr_lin_rs, mul_lin_rs_modsw_add (mul_lin_rs, added to a third
//       ciphertext that is switched down a level). Only the verbs on ciphertexts use several threads, and only they
//       have a limit_share (limit.h), unless a row beats its limit.
//   .../peak_memory: peak resident data (memory.h: without pages of code) during all of the above, minus what the
//       process had before the context, divided by the bytes of the live objects: keys, ciphertexts, plaintexts, and
//       the context (its size when it was made). All allocations of operations count, including workspaces that the
//       context keeps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/row.h"

namespace ringfort::bench {

struct OperationBench {
  std::string device = "cpu";
  bool quick = false;                                // omits n = 65536, and takes a fifth of the time
  unsigned threads = 2;                              // a second thread count besides one
  std::vector<std::string> only;                     // first parts of names; empty: all
  std::function<bool(const std::string&)> progress;  // called with each name before it is measured; false ends the run
};

// Errors: those of ringfort/ckks.h.
[[nodiscard]] std::vector<Row> bench_operations(const OperationBench& options);

}  // namespace ringfort::bench
