// SPDX-License-Identifier: Apache-2.0
// Where the words of a batch are. A DeviceBatch is one batch on one device, held by the objects that are there; once it
// is shared it is never written again, so that every copy of it is current for ever. on_device() gives the same words a
// place on another device and moves nothing: whoever first asks for them there brings them, once for all objects and
// threads. Words live where an object holds them, and where one that has yet to fetch them was sent from; elsewhere
// only within a budget of copies (runtime/kept_copies.h, docs/notes/0012). Verbs and their streams are not here.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device.h"

namespace ringfort {

// What may hold batches: a device with a plan that it prepared. Two contexts are two places, even on devices of one
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
  [[nodiscard]] std::size_t polynomial_bytes() const noexcept { return stride * word_bytes; }
};

class DeviceBatch : public std::enable_shared_from_this<DeviceBatch> {
 public:
  // Memory of its own. Errors: out_of_memory, device_lost.
  DeviceBatch(DevicePlan device_plan, const BatchShape& shape, Contents contents = Contents::zeroed);

  [[nodiscard]] const BatchShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Device& device() const noexcept { return *device_plan_.device; }
  [[nodiscard]] bool is_here() const noexcept { return here_.load(std::memory_order_acquire); }
  // Not to be written: others may hold these words, or were promised them.
  [[nodiscard]] bool is_shared() const noexcept { return shared_.load(std::memory_order_relaxed); }
  void share() noexcept { shared_.store(true, std::memory_order_relaxed); }
  // The words on this device, brought first where they are elsewhere. Errors: out_of_memory, device_lost; the words are
  // then where they were, and asking again tries again.
  [[nodiscard]] const View& view() {
    if (!is_here()) fetch();
    return view_;
  }
  void keep_contents() noexcept;  // public data: no need to zero it at the end

  // The same words at `device_plan`, now shared: what is there already, or a promise. `domain`: what they are.
  [[nodiscard]] static std::shared_ptr<DeviceBatch> on_device(const std::shared_ptr<DeviceBatch>& words,
                                                              const DevicePlan& device_plan, Domain domain);
  // The same words where they can be read without bringing them: `words`, or what it was promised by.
  [[nodiscard]] static std::shared_ptr<DeviceBatch> readable(const std::shared_ptr<DeviceBatch>& words);

  // A copy of these words on another device lives as long as they, unless it is let go of.
  void hold(const std::shared_ptr<DeviceBatch>& copy);
  void let_go(const DeviceBatch& copy) noexcept;

 private:
  struct Copies;  // of one batch, on any number of devices
  struct Promise {
    std::shared_ptr<Copies> copies;
    std::shared_ptr<DeviceBatch> source;  // has the words
    Domain domain;
  };
  DeviceBatch(DevicePlan device_plan, const DeviceBatch& like, Promise promise);
  [[nodiscard]] static Promise promise(const std::shared_ptr<DeviceBatch>& words, Domain domain);
  void fetch();

  DevicePlan device_plan_;
  BatchShape shape_;
  Buffer buffer_;
  View view_;  // its buffer is set when the words are here
  std::atomic<bool> here_;
  std::atomic<bool> shared_;
  bool wipe_ = true;
  std::mutex mutex_;                     // of the rest; held while the words are brought
  Domain domain_ = Domain::coefficient;  // of words that were promised
  std::shared_ptr<DeviceBatch> source_;  // only until they are here
  std::shared_ptr<Copies> copies_;       // none before the first promise
  std::mutex held_mutex_;                // of the next; no other is taken while it is held
  std::vector<std::shared_ptr<DeviceBatch>> held_;
};

}  // namespace ringfort
