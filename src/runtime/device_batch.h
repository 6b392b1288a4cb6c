// SPDX-License-Identifier: Apache-2.0
// A DeviceBatch is a batch of polynomials on one device. Objects on that device share the ownership of the batch.
// on_device() returns a batch for the same words on another device, and copies nothing. The first use of the new batch
// copies the words. They are copied only once for all objects and threads. If the first use needs at most half of the
// batch, it copies only the part that it needs. A batch that has copies is never written again. Therefore all copies
// stay valid. A device frees its words when no object on it owns them and no other batch still has to copy them. Within
// a budget, a device keeps copies longer (runtime/kept_copies.h, docs/notes/0012).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/object_mutex.h"
#include "runtime/device.h"

namespace ringfort {

// A device and a plan that this device prepared. Two contexts have different plans, even if their devices have the same
// name.
struct DevicePlan {
  std::shared_ptr<const Device> device;
  std::shared_ptr<const PreparedPlan> plan;
};

struct BatchShape {
  u32 batch = 0;
  Limbs limbs;
  std::size_t stride = 0;  // words from one polynomial to the next: limbs * n
  std::size_t word_bytes = 0;
  Privacy privacy = Privacy::open;
  MemoryUser user = MemoryUser::value;
  [[nodiscard]] std::size_t polynomial_bytes() const noexcept { return stride * word_bytes; }
};

// The first polynomials of a batch, restricted to some of its limbs.
struct BatchPart {
  u32 batch = 0;
  Limbs limbs{0, 0};
  [[nodiscard]] bool contains(const BatchPart& o) const noexcept {
    return o.batch <= batch && o.limbs.first >= limbs.first && o.limbs.end() <= limbs.end();
  }
};

class DeviceBatch : public std::enable_shared_from_this<DeviceBatch> {
 public:
  // Allocates new memory. Errors: out_of_memory, device_lost.
  DeviceBatch(DevicePlan device_plan, const BatchShape& shape, Contents contents = Contents::zeroed);
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;
  ~DeviceBatch() {
    if (mutex_.is_left()) drop_half_made();
  }

  [[nodiscard]] const BatchShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Device& device() const noexcept { return *device_plan_.device; }
  [[nodiscard]] bool is_here() const noexcept { return here_.load(std::memory_order_acquire); }
  // Tells whether the words are read-only, because other objects may own them or another device may copy them.
  [[nodiscard]] bool is_shared() const noexcept { return shared_.load(std::memory_order_relaxed); }
  void share() noexcept { shared_.store(true, std::memory_order_relaxed); }
  // Returns the words on this device. If the words are on another device, this call copies them first. Errors:
  // out_of_memory, device_lost. After an error, the next call tries again.
  [[nodiscard]] const View& view() {
    if (!is_here()) fetch();
    return view_;
  }
  // Returns a part of the batch. If this device lacks words of the part, this call copies words first. If the part is
  // at most half the batch, and no part was copied before, the call copies only the part. In all other cases, it copies
  // all words of the batch that this device lacks. Errors: out_of_memory, device_lost.
  [[nodiscard]] View view(const BatchPart& part);
  void keep_contents() noexcept;  // the data are public: the destructor need not zero them

  // Returns a batch for the same words with the device and the plan of `device_plan`. It returns an existing batch, or
  // makes one that copies the words at its first use. `domain` is the domain of the words.
  [[nodiscard]] static std::shared_ptr<DeviceBatch> on_device(const std::shared_ptr<DeviceBatch>& words,
                                                              const DevicePlan& device_plan, Domain domain);
  // Returns a batch that has the words on its own device now. This is `words` itself, or the batch from which `words`
  // would copy.
  [[nodiscard]] static std::shared_ptr<DeviceBatch> readable(const std::shared_ptr<DeviceBatch>& words);

  // Keeps `copy`, a copy of these words on another device, alive. It stays alive as long as this batch, or until
  // let_go.
  void hold(const std::shared_ptr<DeviceBatch>& copy);
  void let_go(const DeviceBatch& copy) noexcept;

 private:
  struct Copies;  // copies of one batch, on any number of devices
  struct Promise {
    std::shared_ptr<Copies> copies;
    std::shared_ptr<DeviceBatch> source;  // holds the words
    Domain domain;
  };
  DeviceBatch(DevicePlan device_plan, const DeviceBatch& like, Promise promise);
  [[nodiscard]] static Promise promise(const std::shared_ptr<DeviceBatch>& words, Domain domain);
  void fetch();
  [[nodiscard]] ObjectMutex::Lock locked() noexcept {
    return {mutex_, [this] { drop_half_made(); }};
  }
  void drop_half_made() noexcept;
  // The caller of these functions must hold the mutex.
  void fetch_part(const BatchPart& part);
  void fetch_rest();
  [[nodiscard]] Buffer allocate(const BatchPart& part) const;
  void copy_words(const View& to, std::size_t at) const;

  DevicePlan device_plan_;
  BatchShape shape_;
  Buffer buffer_;
  View view_;  // its buffer is set when all words are here
  std::atomic<bool> here_;
  std::atomic<bool> shared_;
  bool wipe_ = true;
  ObjectMutex mutex_;                    // guards the rest; held during the copy
  Domain domain_ = Domain::coefficient;  // domain of the words
  std::shared_ptr<DeviceBatch> source_;  // reset when all words are here
  Buffer part_buffer_;                   // kept until the destructor, because other threads may use it
  BatchPart part_;                       // the words that are in part_buffer_
  std::shared_ptr<Copies> copies_;       // null before the first on_device()
  // Guards kept_copies_. No other lock is taken under it. It is free in a forked child, because every thread that holds
  // it also holds the ForkMutex of a KeptCopies.
  std::mutex kept_copies_mutex_;
  std::vector<std::shared_ptr<DeviceBatch>> kept_copies_;
};

}  // namespace ringfort
