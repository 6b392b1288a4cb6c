// SPDX-License-Identifier: Apache-2.0
// One thread's stream and scratch memory for the leveled schemes, and the pool of them that a context keeps: every
// operation leases one, so that encryptors and evaluators are shareable between threads. A Scratch is somebody's until
// its end: no two that live together share a word. Its memory comes from the device's cache and goes back to it
// (runtime/memory_cache.h), secret memory zeroed, so that all callers share what they do not need at the same time
// (docs/notes/0014, 0021).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ring/ring.h"
#include "runtime/collector.h"

namespace ringfort {

class Workspace;

// Some polynomials of undefined contents. Slices of it end with it.
template <class D>
class Scratch {
 public:
  Scratch(Workspace& work, Buffer&& memory, Slice<D> slice, bool secret) noexcept
      : work_(&work),
        memory_(std::move(memory)),
        slice_(slice),
        secret_(secret) {}
  Scratch(Scratch&& o) noexcept
      : work_(std::exchange(o.work_, nullptr)),
        memory_(std::move(o.memory_)),
        slice_(o.slice_),
        secret_(o.secret_) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();
  [[nodiscard]] Slice<D> all() const noexcept { return slice_; }
  [[nodiscard]] Slice<D> part(std::size_t first, u32 count) const noexcept { return slice_.part(first, count); }
  [[nodiscard]] Slice<D> limbs(Limbs limbs) const noexcept { return slice_.limbs(limbs); }

 private:
  Workspace* work_;
  Buffer memory_;
  Slice<D> slice_;
  bool secret_;
};

class Workspace {
 public:
  Workspace(const Ring& ring, u32 stream_index)
      : stream{stream_index, 1},
        staging(ring.n()),
        small(ring.n()),
        lifted(ring.n()),
        ring_(ring) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // `batch` polynomials over `limbs`, in memory for `rows`: the same rows at all levels are one layout on devices that
  // place by limb.
  template <class D>
  [[nodiscard]] Scratch<D> allocate(u32 batch, Limbs limbs, Limbs rows) {
    return allocate_any<D>(batch, limbs, rows, false);
  }
  template <class D>
  [[nodiscard]] Scratch<D> allocate(u32 batch, Limbs limbs) {
    return allocate_any<D>(batch, limbs, limbs, false);
  }
  // For errors, phases, messages: zero at its end, however that comes.
  template <class D>
  [[nodiscard]] Scratch<D> allocate_secret(u32 batch, Limbs limbs, Limbs rows) {
    return allocate_any<D>(batch, limbs, rows, true);
  }
  template <class D>
  [[nodiscard]] Scratch<D> allocate_secret(u32 batch, Limbs limbs) {
    return allocate_any<D>(batch, limbs, limbs, true);
  }
  // The most scratch memory that was taken at once.
  [[nodiscard]] std::size_t most_bytes() const noexcept { return most_; }

  Stream stream;
  Staging staging;
  Secret<i8> small;
  Secret<i64> lifted;

 private:
  template <class D>
  friend class Scratch;
  template <class D>
  [[nodiscard]] Scratch<D> allocate_any(u32 batch, Limbs limbs, Limbs rows, bool secret) {
    Buffer memory = borrow(std::size_t{batch} * rows.count, secret);
    const Slice<D> whole(ring_.rows_in(memory, rows, batch));
    return {*this, std::move(memory), whole.limbs(limbs), secret};
  }
  [[nodiscard]] Buffer borrow(std::size_t limbs, bool secret);
  void end(Buffer& memory, const View& view, bool secret) noexcept;
  const Ring& ring_;
  std::size_t taken_ = 0, most_ = 0;
};

template <class D>
Scratch<D>::~Scratch() {
  if (work_ != nullptr) work_->end(memory_, slice_.view(), secret_);
}

// At its end what a workspace keeps on the host is zero: errors and values outlive no operation, however it ends.
class Cleared {
 public:
  explicit Cleared(Workspace& work) noexcept : work_(work) {}
  Cleared(const Cleared&) = delete;
  Cleared& operator=(const Cleared&) = delete;
  ~Cleared();

 private:
  Workspace& work_;
};

class WorkspacePool {
 public:
  explicit WorkspacePool(const Ring& ring) : ring_(ring) {}

  class Lease {
   public:
    Lease(WorkspacePool& pool, std::unique_ptr<Workspace> held) noexcept
        : pool_(pool),
          held_(std::move(held)),
          workspace_(*held_) {}
    Lease(WorkspacePool& pool, Workspace& joined) noexcept : pool_(pool), workspace_(joined) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (held_ != nullptr) pool_.give_back(std::move(held_));
    }
    [[nodiscard]] Workspace& operator*() const noexcept { return workspace_; }
    [[nodiscard]] Workspace* operator->() const noexcept { return &workspace_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> held_;  // none where verbs are joined: JoinedVerbs has it
    Workspace& workspace_;
  };
  [[nodiscard]] Lease lease(u32 threads = 1);

  [[nodiscard]] std::unique_ptr<Workspace> acquire();
  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }

 private:
  void give_back(std::unique_ptr<Workspace> workspace) noexcept;
  const Ring& ring_;
  std::mutex mutex_;
  u32 made_ = 0;
  std::vector<std::unique_ptr<Workspace>> idle_;  // capacity for all that were made: giving back allocates nothing
};

// Several operations of one thread whose verbs run as one sequence, on devices that gain by it (runtime/collector.h):
// until it ends they share one stream and their scratch memory, since what another thread takes may still be waited
// for.
class JoinedVerbs {
 public:
  explicit JoinedVerbs(WorkspacePool& pool);
  JoinedVerbs(const JoinedVerbs&) = delete;
  JoinedVerbs& operator=(const JoinedVerbs&) = delete;
  ~JoinedVerbs();
  void end();  // Errors: those of the verbs
  // Of this thread and pool, or nullptr.
  [[nodiscard]] static Workspace* workspace_of(const WorkspacePool& pool) noexcept;

 private:
  const WorkspacePool& pool_;
  std::optional<WorkspacePool::Lease> lease_;  // none where the device does not gain, or an outer one joins
  std::optional<WaitingMemory> memory_;        // what verbs wait for is nobody else's
  std::optional<Collector> collector_;         // ends first
};

}  // namespace ringfort
