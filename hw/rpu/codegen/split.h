// SPDX-License-Identifier: Apache-2.0
// A transform with as few shuffles as natural order allows. Of the index bits, nine stand in a vector's lanes and the
// others number the vectors; only a stage on a lane bit needs a shuffle. So the upper stages combine whole vectors, with
// one root each, broadcast; then every pair of vectors goes through the lane stages by itself: a butterfly on the bit that
// tells the pair's vectors apart, and UNPKLO and UNPKHI, which bring that bit into the lanes and the next one out. The
// last stage stores with stride 2. Everything happens in place: natural order in, bit-reversed evaluations out.
//   With a twist, coefficient j of each row of 512 is multiplied by r^j after the last upper stage, r being the first of
//   the row's 512 evaluation points: all rows then share one root vector a stage, which stays in a register. Without it
//   each pair loads its own. The first costs a multiplication for each vector, the second a load for each pair and stage.
// Transforms above 32 vectors take two passes, the upper stages first.
#pragma once

#include "codegen/plan.h"

namespace ringfort::rpu {

[[nodiscard]] TransformPlan split_transform(const TransformField& field, u32 n, bool twist);

}  // namespace ringfort::rpu
