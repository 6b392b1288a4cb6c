// SPDX-License-Identifier: Apache-2.0
// ChaCha20 for AVX-512 without IFMA: whole blocks; samples are converted from bytes.
#include "math/chacha/rounds_avx512.h"

namespace ringfort::chacha {

const Kernels kAvx512 = {.blocks = blocks};

}  // namespace ringfort::chacha
