// SPDX-License-Identifier: Apache-2.0
// The queue of device `deferred`: verbs, releases and changes of owner that wait. It decides which of them may run
// next.
#pragma once

#include <list>
#include <memory>
#include <random>
#include <vector>

#include "backend/backend.h"
#include "base/secret.h"

namespace ringfort::deferred {

// Copies of the host data to which a verb points. They live until the verb runs.
struct HostCopy {
  Secret<u8> bytes;
  std::vector<u128> factors;
};

struct Waiting {
  u32 stream = 0;
  Verb verb;
  std::unique_ptr<HostCopy> host_copy;
  DeviceBuffer* ended = nullptr;  // if set, the entry is not a verb: it ends the contents of this buffer
  bool is_recycled = false;       // true: the buffer gets another owner; false: the buffer is released
  bool wipe = false;
  u64 event = 0;
  [[nodiscard]] bool is_end() const noexcept { return ended != nullptr; }
};

class Queue {
 public:
  // by_buffer: if true, verbs of different streams are ordered by the buffers that they share. The rules of backend.h
  // require true. Tests pass false, too.
  Queue(u64 seed, bool by_buffer) : random_(seed), by_buffer_(by_buffer) {}
  void push(Waiting&& waiting) { waiting_.push_back(std::move(waiting)); }
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }

  // Runs the entries that `wanted` selects, and all entries that must precede them. The seed chooses the order.
  template <class Wanted, class Run>
  void settle(Wanted wanted, Run run) {
    std::vector<std::list<Waiting>::iterator> needed;
    for (auto at = waiting_.end(); at != waiting_.begin();) {
      --at;
      bool is_needed = wanted(*at);
      for (std::size_t i = 0; i < needed.size() && !is_needed; ++i) is_needed = precedes(*at, *needed[i]);
      if (is_needed) needed.push_back(at);
    }
    while (!needed.empty()) {  // `needed` is in reverse order of the calls: the last entry is the earliest
      std::vector<std::size_t> ready;
      for (std::size_t i = needed.size(); i-- > 0;) {
        bool free = true;
        for (std::size_t earlier = i + 1; earlier < needed.size() && free; ++earlier)
          free = !precedes(*needed[earlier], *needed[i]);
        if (free) ready.push_back(i);
      }
      const std::size_t chosen = ready[random_() % ready.size()];
      run(*needed[chosen]);
      waiting_.erase(needed[chosen]);
      needed.erase(needed.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }

 private:
  // Tells whether `later`, which was called after `earlier`, must wait for it.
  [[nodiscard]] bool precedes(const Waiting& earlier, const Waiting& later) const noexcept;
  std::mt19937_64 random_;
  bool by_buffer_;
  std::list<Waiting> waiting_;
};

}  // namespace ringfort::deferred
