// SPDX-License-Identifier: Apache-2.0
// One thread's stream and scratch memory for the leveled schemes, and the pool of them that a context keeps: every operation
// leases one, so that encryptors and evaluators are shareable between threads. A Scratch is somebody's until its end: no two
// that live together share a word. It lies in the smallest free block that is large enough; where there is none, the largest free
// one is replaced. Secrets have blocks of their own, in locked memory. Blocks are kept, so a workspace holds what its most demanding operations needed at once (docs/notes/0014).
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
  Scratch(Workspace& work, std::size_t block, Slice<D> slice, bool secret) noexcept : work_(&work), block_(block), slice_(slice), secret_(secret) {}
  Scratch(Scratch&& o) noexcept : work_(std::exchange(o.work_, nullptr)), block_(o.block_), slice_(o.slice_), secret_(o.secret_) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();
  [[nodiscard]] Slice<D> all() const noexcept { return slice_; }
  [[nodiscard]] Slice<D> part(std::size_t first, u32 count) const noexcept { return slice_.part(first, count); }
  [[nodiscard]] Slice<D> limbs(Limbs limbs) const noexcept { return slice_.limbs(limbs); }

 private:
  Workspace* work_;
  std::size_t block_;
  Slice<D> slice_;
  bool secret_;
};

class Workspace {
 public:
  Workspace(const Ring& ring, u32 stream_index)
      : stream{stream_index, 1}, staging(ring.n()), small(ring.n()), lifted(ring.n()), ring_(ring) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // `batch` polynomials over `limbs`, in memory for `rows`: the same rows at all levels are one layout on devices that place by limb.
  template <class D>
  [[nodiscard]] Scratch<D> take(u32 batch, Limbs limbs, Limbs rows) {
    return take_any<D>(batch, limbs, rows, false);
  }
  template <class D>
  [[nodiscard]] Scratch<D> take(u32 batch, Limbs limbs) {
    return take_any<D>(batch, limbs, limbs, false);
  }
  // For errors, phases, messages: zero at its end, however that comes.
  template <class D>
  [[nodiscard]] Scratch<D> take_secret(u32 batch, Limbs limbs, Limbs rows) {
    return take_any<D>(batch, limbs, rows, true);
  }
  template <class D>
  [[nodiscard]] Scratch<D> take_secret(u32 batch, Limbs limbs) {
    return take_any<D>(batch, limbs, limbs, true);
  }
  // What the blocks have on the device.
  [[nodiscard]] std::size_t bytes() const noexcept;

  Stream stream;
  Staging staging;
  Secret<i8> small;
  Secret<i64> lifted;

 private:
  struct Memory {
    Poly<Coeff> towers;                      // of n words each
    bool secret = false;                     // only what is taken as a secret lies here
    bool taken = false;
  };
  template <class D>
  friend class Scratch;
  template <class D>
  [[nodiscard]] Scratch<D> take_any(u32 batch, Limbs limbs, Limbs rows, bool secret) {
    const std::size_t block = reserve(batch * rows.count, secret);
    const View memory = blocks_[block].towers.all().view();
    const Slice<D> whole(View{memory.plan, memory.buffer, 0, rows, batch});
    blocks_[block].taken = true;
    return {*this, block, whole.limbs(limbs), secret};
  }
  [[nodiscard]] std::size_t reserve(u32 towers, bool secret);
  void clear(std::size_t block, const View& view) noexcept;
  void end(std::size_t block, bool secret) noexcept;
  const Ring& ring_;
  std::vector<Memory> blocks_;
};

template <class D>
Scratch<D>::~Scratch() {
  if (work_ == nullptr) return;
  if (secret_) work_->clear(block_, slice_.view());
  work_->end(block_, secret_);
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
    Lease(WorkspacePool& pool, std::unique_ptr<Workspace> held) noexcept : pool_(pool), held_(std::move(held)), workspace_(*held_) {}
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
    std::unique_ptr<Workspace> held_;                // none where verbs are joined: JoinedVerbs has it
    Workspace& workspace_;
  };
  [[nodiscard]] Lease lease(u32 threads = 1);

  [[nodiscard]] std::unique_ptr<Workspace> take();
  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }

 private:
  void give_back(std::unique_ptr<Workspace> workspace) noexcept;
  const Ring& ring_;
  std::mutex mutex_;
  u32 made_ = 0;
  std::vector<std::unique_ptr<Workspace>> idle_;     // capacity for all that were made: giving back allocates nothing
};

// Several operations of one thread whose verbs run as one sequence, on devices that gain by it (runtime/collector.h): until it
// ends they share one workspace, since scratch memory that another thread takes may still be waited for.
class JoinedVerbs {
 public:
  explicit JoinedVerbs(WorkspacePool& pool);
  JoinedVerbs(const JoinedVerbs&) = delete;
  JoinedVerbs& operator=(const JoinedVerbs&) = delete;
  ~JoinedVerbs();
  void end();                                          // Errors: those of the verbs
  // Of this thread and pool, or nullptr.
  [[nodiscard]] static Workspace* workspace_of(const WorkspacePool& pool) noexcept;

 private:
  const WorkspacePool& pool_;
  std::optional<WorkspacePool::Lease> lease_;          // none where the device does not gain, or an outer one joins
  std::optional<Collector> collector_;                 // ends first
};

}  // namespace ringfort
