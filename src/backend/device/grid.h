// SPDX-License-Identifier: Apache-2.0
// The shape of a kernel launch, for kernels and drivers. team.h explains its terms. This header needs no standard
// library.
#pragma once

namespace ringfort::device {

struct Grid {
  unsigned blocks = 1;
  unsigned lanes = 1;           // lanes of a block
  unsigned shared_bytes = 0;    // bytes of shared memory of a block
  unsigned cluster_blocks = 1;  // blocks of a cluster, which have neighbouring numbers; a divisor of `blocks`
};

}  // namespace ringfort::device
