// SPDX-License-Identifier: Apache-2.0
// One thread's stream and scratch memory for the leveled schemes, and the pool of them that a context keeps: every operation
// leases one, so that encryptors and evaluators are shareable between threads. Rooms are made when first asked for and
// grow; contents are undefined. What holds secrets is under a Cleared.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "ring/ring.h"

namespace ringfort {

enum class Room : u8 { samples, polynomial, digits, sum, dropped, product, count };

class Workspace {
 public:
  Workspace(const Ring& ring, u32 stream_index)
      : stream{stream_index, 1}, staging(ring.n()), small(ring.n()), lifted(ring.n()), ring_(ring) {}

  // `batch` polynomials over `limbs`. Asking again for the same room ends what it held where it has to grow.
  template <class D>
  [[nodiscard]] Slice<D> take(Room room, u32 batch, Limbs limbs) {
    Held& held = rooms_[static_cast<std::size_t>(room)];
    if (held.batch < batch) grow(held, batch);
    const Slice<Coeff> all = held.polynomials.part(0, batch);
    return Slice<D>(all.view(), std::size_t{all.limbs().count} * ring_.n()).limbs(limbs);
  }

  Stream stream;
  Staging staging;
  Secret<i8> small;
  Secret<i64> lifted;

 private:
  struct Held {
    u32 batch = 0;
    Poly<Coeff> polynomials;                 // of all limbs; the domain is that of whoever takes them
  };
  friend class Cleared;
  void grow(Held& held, u32 batch);
  void clear(Room room) noexcept;
  const Ring& ring_;
  std::array<Held, static_cast<std::size_t>(Room::count)> rooms_;
};

// At its end a room is zero, and so is what a workspace keeps on the host: errors and phases outlive no operation, however it ends.
class Cleared {
 public:
  Cleared(Workspace& work, Room room) noexcept : work_(work), room_(room) {}
  Cleared(const Cleared&) = delete;
  Cleared& operator=(const Cleared&) = delete;
  ~Cleared();

 private:
  Workspace& work_;
  Room room_;
};

class WorkspacePool {
 public:
  explicit WorkspacePool(const Ring& ring) : ring_(ring) {}

  class Lease {
   public:
    Lease(WorkspacePool& pool, std::unique_ptr<Workspace> held) noexcept : pool_(pool), held_(std::move(held)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(held_)); }
    [[nodiscard]] Workspace& operator*() const noexcept { return *held_; }
    [[nodiscard]] Workspace* operator->() const noexcept { return held_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> held_;
  };
  [[nodiscard]] Lease lease(u32 threads = 1);

 private:
  void give_back(std::unique_ptr<Workspace> workspace) noexcept;
  const Ring& ring_;
  std::mutex mutex_;
  u32 made_ = 0;
  std::vector<std::unique_ptr<Workspace>> idle_;     // capacity for all that were made: giving back allocates nothing
};

}  // namespace ringfort
