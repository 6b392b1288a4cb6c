// SPDX-License-Identifier: Apache-2.0
// Benchmarks of whole operations of CKKS, BFV and BGV. A row of an operation is a median in microseconds, over 3 to 15
// calls. After the third call, the measurement ends when all calls together have taken a second. A row of peak_memory
// is a quotient. The names of the rows are:
//   {ckks,bfv,bgv}/nN/D+1/OPERATION/tT
//   {ckks,bfv,bgv}/nN/D+1/peak_memory
// The parameters are presets with ring degree N, D data primes, and one special prime of the same length. T is the
// number of threads. The operations are:
//   encode, encrypt (with the public key), decrypt, decode, decrypt_decode
//   add, multiply                  the product has three components
//   mad                            adds a product to a ciphertext of three components
//   rotate, rotate_many            one rotation with one key; rotations of one ciphertext by 1 to 8, in one call
//   mul_lin                        multiplies and relinearizes
//   mul_lin_rs, sqr_lin_rs         CKKS: multiplies (or squares), relinearizes and rescales, in one call
//   mul_lin_rs_modsw_add           CKKS: mul_lin_rs, then the sum with a ciphertext that is switched down a level
// The operations of the first line use one thread. A time includes the wait for the device. If the device is a CPU
// whose code uses AVX-512, all rows except encode, decode, decrypt_decode and peak_memory have a limit_share: the least
// time of the operation (limit.h), divided by the measured time. A row whose measured time is below this limit has no
// limit_share.
//
// For peak_memory, the benchmark measures the peak of resident data (memory.h) during all these rows except
// rotate_many, and subtracts the data of the process before the context was made. The row is this difference, divided
// by the bytes of the live objects: keys, ciphertexts, plaintexts, values, and the context. The context counts with its
// size right after it was made. The peak includes all allocations of the operations, also workspaces that the context
// keeps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/row.h"

namespace ringfort::bench {

struct OperationBench {
  std::string device = "cpu";
  bool quick = false;                                // omits n = 65536, and repeats for 0.2 s, not for a second
  unsigned threads = 2;                              // also measures with this many threads, not only with one
  std::vector<std::string> only;                     // first parts of names; empty: all
  std::function<bool(const std::string&)> progress;  // called with each name before it is measured; false ends the run
};

// Errors: those of ringfort/ckks.h.
[[nodiscard]] std::vector<Row> bench_operations(const OperationBench& options);

}  // namespace ringfort::bench
