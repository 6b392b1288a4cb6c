// SPDX-License-Identifier: Apache-2.0
// Optional interface of a device, in addition to Backend. The memory cache (runtime/memory_cache.h) calls it when it
// passes a buffer to the next owner without a release. Device `deferred` then overwrites the previous owner's words, so
// that tests find code that reads undefined memory. Other devices need not implement this interface.
#pragma once

namespace ringfort {

struct DeviceBuffer;

class RecycleListener {
 public:
  virtual ~RecycleListener() = default;
  // Makes the contents of the buffer undefined after all verbs called before.
  virtual void recycled(DeviceBuffer* buffer) noexcept = 0;
};

}  // namespace ringfort
