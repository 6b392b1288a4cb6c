// SPDX-License-Identifier: Apache-2.0
// An interface that a device may implement in addition to Backend. The memory cache (runtime/memory_cache.h) calls it
// when it passes a buffer to the next owner without a release. Device `deferred` implements it: it overwrites the words
// of the previous owner, so that tests find code that reads undefined memory. Other devices do not need it.
#pragma once

namespace ringfort {

struct DeviceBuffer;

class RecycleListener {
 public:
  virtual ~RecycleListener() = default;
  // Makes the contents of the buffer undefined after all earlier verbs.
  virtual void recycled(DeviceBuffer* buffer) noexcept = 0;
};

}  // namespace ringfort
