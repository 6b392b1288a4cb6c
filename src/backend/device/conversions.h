// SPDX-License-Identifier: Apache-2.0
// Makes the arguments of the kernels of base conversion (kernels/convert.h).
#pragma once

#include "backend/device/calls.h"

namespace ringfort::device {

// Returns the arguments of a conversion. They include the shape of its blocks, which depends on the number of
// multiprocessors of the device.
template <class Word>
[[nodiscard]] ConvertArgs<Word> convert_args(const Caller& on, const verb::BaseConvert& v, const ConversionTable& table,
                                             ConvertShape shape) noexcept {
  shape.tile_log = convert_tile_log<Word>(shape.sources, shape.log_n);
  shape.limbs_of_block = convert_limbs_of_block(shape, on.pool.driver().facts().units);
  shape.weights = weights_of_limb<Word>(shape.sources);
  return {batch_of<Word>(v.out),
          batch_of<const Word>(v.a),
          table.at<SourceLimb<Word>>(0),
          table.at<Word>(table.weights_at) + std::size_t{v.out.limbs.first} * shape.weights,
          limbs_of<Word>(v.out),
          shape,
          v.kind == Conversion::centred ? device::u64{1} << 55 : 0,
          v.kind == Conversion::approximate ? 0 : ~device::u64{0}};
}

}  // namespace ringfort::device
