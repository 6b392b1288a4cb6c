// SPDX-License-Identifier: Apache-2.0
// Times of whole operations of CKKS, BFV and BGV. A row is in microseconds: the median of at most 15 repetitions, or of
// as many as take about a second. The names of the rows are:
//   {ckks,bfv,bgv}/nN/D+1/OPERATION/tT
//   {ckks,bfv,bgv}/nN/D+1/peak_memory
// The parameters are presets with ring degree N, D data primes, and one special prime of the same length. T is the
// number of threads. The operations are encode, encrypt (with the public key), decrypt, decode, decrypt_decode, add,
// multiply (the result has three components), mad (adds a product to three components), rotate (with one key),
// rotate_many (rotations of one ciphertext by 1 to 8, in one call) and mul_lin (multiply and relinearize). For CKKS
// there are also mul_lin_rs (multiply, relinearize and rescale in one call), sqr_lin_rs (the same for a square) and
// mul_lin_rs_modsw_add (mul_lin_rs, then the sum with a ciphertext that is switched down a level). Only operations on
// ciphertexts use several threads. The rows of these operations, of encrypt and of decrypt have a limit_share
// (limit.h), unless the measured time is below the limit.
//
// peak_memory is the peak of resident data (memory.h) during all these rows except rotate_many, minus the data of the
// process before the context was made. It is divided by the bytes of the live objects: keys, ciphertexts, plaintexts,
// and the context with its size after it was made. The peak includes all allocations of the operations, also workspaces
// that the context keeps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/row.h"

namespace ringfort::bench {

struct OperationBench {
  std::string device = "cpu";
  bool quick = false;                                // omits n = 65536, and takes a fifth of the time
  unsigned threads = 2;                              // also measures this many threads, not only one
  std::vector<std::string> only;                     // first parts of names; empty: all
  std::function<bool(const std::string&)> progress;  // called with each name before it is measured; false ends the run
};

// Errors: those of ringfort/ckks.h.
[[nodiscard]] std::vector<Row> bench_operations(const OperationBench& options);

}  // namespace ringfort::bench
