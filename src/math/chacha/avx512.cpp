// SPDX-License-Identifier: Apache-2.0
// ChaCha20 for AVX-512 without IFMA. It computes whole blocks. The caller converts their bytes to samples.
#include "math/chacha/rounds_avx512.h"

namespace ringfort::chacha {

const Kernels kAvx512 = {.blocks = blocks};

}  // namespace ringfort::chacha
