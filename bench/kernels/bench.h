// SPDX-License-Identifier: Apache-2.0
// Benchmarks of kernels: transforms (ntt), products of polynomials (polymul), modular products of words (modmul),
// operations on several limbs (limbs.cpp), and a Ring-GSW product and its parts (inner_product.cpp). A row is the time
// of one operation in one thread, in microseconds (for modmul, nanoseconds). The caller must pin the thread to a core.
// A row has `repeats` samples, but at least 15. A sample is a batch of calls that takes about 60 us or more
// (measure.h). The rows `fused` and limbs/key_switch exist only if the device has these verbs. The names of the rows
// are:
//   ntt/{forward,inverse}/n{1024,2048,..65536}/q{30,31,50,60}
//   polymul/{fused,composed}/n../q..
//   modmul/{builtin,barrett,dhem,proposed,shoup,montgomery}/q{28,29,30,60,62}   only moduli that the reduction accepts
//   limbs/{convert/{1,half},{mod_down,automorphism}/{coefficient,evaluation},tensor,key_product,digits,key_switch,copy,
//     lift,ntt}/n../q../limbs..
//   kernel/inner_product/{literal,gsw128}, kernel/gadget_product/{literal,gsw128}/{fused,composed}
//   kernel/decompose/{bits,base15}
// limit_share (bench/limit.h) is a lower limit of the time, divided by the measured time. The limit is the time of the
// multiplications, in vectors of 64 bytes, at two vectors per cycle. If the instruction set has no such vectors, there
// is no limit. Of the rows limbs/.., only convert and key_product have a limit.
//
// For modmul the limit is the time of the word multiplications of one modular product. A modular product takes three
// word multiplications. With builtin it takes only one, but most of its time is the division. For words of 64 bits, the
// limit assumes one multiplication per cycle. For words of 32 bits, it assumes two vectors of multiplications per
// cycle. Such a vector has 8 (AVX-512), 4 (AVX2) or 2 (SSE2) words, for the instruction set for which the benchmark is
// compiled.
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

// Each function returns the rows whose names are wanted (`only`), perhaps none. Errors: device_unknown (not
// bench_modmul, which uses no device). The functions throw std::bad_alloc.
[[nodiscard]] std::vector<Row> bench_ntt(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_polymul(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_modmul(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_inner_product(const KernelBench& options = {});
[[nodiscard]] std::vector<Row> bench_limbs(const KernelBench& options = {});

}  // namespace ringfort::bench
