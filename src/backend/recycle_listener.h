// SPDX-License-Identifier: Apache-2.0
// A device may implement this beside Backend to hear that the memory cache (runtime/memory_cache.h) gave a buffer to
// its next owner, without a release. Device `deferred` then overwrites the words of the owner before, so that tests
// find code that reads undefined memory. Devices that compute for users have nothing to do.
#pragma once

namespace ringfort {

struct DeviceBuffer;

class RecycleListener {
 public:
  virtual ~RecycleListener() = default;
  // The contents of the buffer are undefined after the verbs that were called before.
  virtual void recycled(DeviceBuffer* buffer) noexcept = 0;
};

}  // namespace ringfort
