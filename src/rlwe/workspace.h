// SPDX-License-Identifier: Apache-2.0
// A workspace is a stream (a queue of a device's work) and scratch memory for one thread. A context has a pool of
// workspaces. Every operation leases a workspace from the pool. Therefore threads can share encryptors and evaluators.
// A scratch buffer has one owner, and two live buffers never overlap. The memory of a buffer comes from the device's
// cache (runtime/memory_cache.h) and returns to it. Secret memory is zeroed before it returns. Operations at different
// times thus use the same memory (docs/notes/0014, 0021).
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/fork_mutex.h"
#include "ring/ring.h"
#include "runtime/collector.h"

namespace ringfort {

class Workspace;

// Polynomials of undefined contents. A slice of them must not outlive them.
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
  [[nodiscard]] Slice<D> polynomials(std::size_t first, u32 count) const noexcept {
    return slice_.polynomials(first, count);
  }
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

  // Allocates `batch` polynomials over `limbs`. The memory is large enough for all the limbs `rows`, which must contain
  // `limbs`. Some devices assign limbs to processors. If callers pass the same `rows` at all levels, such a device
  // needs only one layout.
  template <class D>
  [[nodiscard]] Scratch<D> allocate(u32 batch, Limbs limbs, Limbs rows) {
    return allocate_any<D>(batch, limbs, rows, false);
  }
  template <class D>
  [[nodiscard]] Scratch<D> allocate(u32 batch, Limbs limbs) {
    return allocate_any<D>(batch, limbs, limbs, false);
  }
  // Allocates memory for errors, phases and messages. The destructor of the Scratch zeroes the memory, also after an
  // error.
  template <class D>
  [[nodiscard]] Scratch<D> allocate_secret(u32 batch, Limbs limbs, Limbs rows) {
    return allocate_any<D>(batch, limbs, rows, true);
  }
  template <class D>
  [[nodiscard]] Scratch<D> allocate_secret(u32 batch, Limbs limbs) {
    return allocate_any<D>(batch, limbs, limbs, true);
  }
  // Returns the largest number of bytes of scratch memory that were allocated at one time.
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

// The destructor of a Cleared zeroes the host memory of the workspace. Therefore errors and values do not outlive an
// operation.
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
    Lease(WorkspacePool& pool, std::unique_ptr<Workspace> leased) noexcept
        : pool_(pool),
          leased_(std::move(leased)),
          workspace_(*leased_) {}
    Lease(WorkspacePool& pool, Workspace& joined) noexcept : pool_(pool), workspace_(joined) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (leased_ != nullptr) pool_.give_back(std::move(leased_));
    }
    [[nodiscard]] Workspace& operator*() const noexcept { return workspace_; }
    [[nodiscard]] Workspace* operator->() const noexcept { return &workspace_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> leased_;  // null while JoinedVerbs has the workspace
    Workspace& workspace_;
  };
  [[nodiscard]] Lease lease(u32 threads = 1);

  [[nodiscard]] std::unique_ptr<Workspace> acquire();
  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }

 private:
  void give_back(std::unique_ptr<Workspace> workspace) noexcept;
  const Ring& ring_;
  ForkMutex mutex_{ForkMutex::Order::outer};
  u32 count_ = 0;
  std::vector<std::unique_ptr<Workspace>> idle_;  // has capacity for all workspaces: give_back() allocates nothing
};

// Runs the verbs of several operations of one thread as one sequence. Some devices run long sequences faster
// (runtime/collector.h). The verbs wait until end() or the destructor. Meanwhile the operations keep one stream and
// their scratch memory. Therefore no other thread takes memory that a waiting verb needs.
class JoinedVerbs {
 public:
  explicit JoinedVerbs(WorkspacePool& pool);
  JoinedVerbs(const JoinedVerbs&) = delete;
  JoinedVerbs& operator=(const JoinedVerbs&) = delete;
  ~JoinedVerbs();
  void end();  // runs the verbs and throws their errors
  // Returns the joined workspace of this thread and pool, or nullptr.
  [[nodiscard]] static Workspace* workspace_of(const WorkspacePool& pool) noexcept;

 private:
  const WorkspacePool& pool_;
  // Empty if the device runs verbs at once, or if an outer JoinedVerbs exists.
  std::optional<WorkspacePool::Lease> lease_;
  std::optional<WaitingMemory> memory_;  // memory of the waiting verbs, for no other use
  std::optional<Collector> collector_;   // destroyed first
};

}  // namespace ringfort
