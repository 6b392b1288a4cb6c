// SPDX-License-Identifier: Apache-2.0
// Optional interface of a device beside Backend: receives a call when the memory cache (runtime/memory_cache.h) passes
// a buffer to its next owner without a release. Device `deferred` then overwrites the previous owner's words, so that
// tests find code that reads undefined memory. Other devices need not implement it.
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
