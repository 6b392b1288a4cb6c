// SPDX-License-Identifier: Apache-2.0
// Benchmarks of kernels. A row is the time of one operation in microseconds (nanoseconds for modmul), in one thread,
// which the caller must pin. It has at least `repeats` samples. Each sample is a batch of calls that takes about 60 us
// or more (measure.h). The names of the rows are:
//   ntt/{forward,inverse}/n{1024,2048,..65536}/q{30,31,50,60}
//   polymul/{fused,composed}/n../q..
//   modmul/{builtin,barrett,dhem,proposed,shoup,montgomery}/q{28,29,30,60,62}   only moduli that the reduction accepts
//   limbs/{convert/{1,half},{mod_down,automorphism}/{coefficient,evaluation},tensor,key_product,digits,key_switch,copy,
//     lift,ntt}/n../q../limbs..
//   kernel/inner_product/{literal,gsw128}, kernel/gadget_product/{literal,gsw128}/{fused,composed}
//   kernel/decompose/{bits,base15}
// limit_share (bench/limit.h) is a lower limit of the time, divided by the measured time. The limit is the time of all
// multiplications of full vectors, at two per cycle; there is none if the instruction set has no such vectors. For
// modmul the limit is the time of the multiplications of one product: three, or one for builtin, whose time is mostly
// the division. The rate is one multiplication per cycle for 64-bit words, and two vectors of multiplications per cycle
// for 32-bit words. The instruction set that the compiler was given determines the vector: 8 words (AVX-512), 4 (AVX2)
// or 2 (SSE2).
#pragma once

#include <string>
#include <vector>

#include "bench/row.h"
#include "math/types.h"

namespace ringfort::bench {

struct KernelBench {
  std::string device = "cpu";
  u32 repeats = 15;
  std::vector<std::string> only;  // first parts of names; empty: all
};

// Return no rows if the device does not exist or no name is wanted. Throw std::bad_alloc.
[[nodiscard]] std::vector<Row> bench_ntt(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_polymul(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_modmul(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_inner_product(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_limbs(const KernelBench& options = {});

}  // namespace ringfort::bench
