// SPDX-License-Identifier: Apache-2.0
// Shape of a kernel launch. Freestanding: kernels and drivers include it.
#pragma once

namespace ringfort::device {

struct Grid {
  unsigned blocks = 1;
  unsigned lanes = 1;           // lanes of a block
  unsigned shared_bytes = 0;    // shared memory of a block
  unsigned cluster_blocks = 1;  // blocks of a cluster, which have neighbouring numbers; a divisor of `blocks`
};

}  // namespace ringfort::device
