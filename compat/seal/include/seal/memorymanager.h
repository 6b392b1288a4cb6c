// SPDX-License-Identifier: Apache-2.0
// Handles of memory pools, and the profiles that choose a pool. Pools only count the bytes of plaintexts and arrays:
// the memory of ciphertexts and keys belongs to the device (ringfort/device.h).
#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

#include "seal/util/defines.h"
#include "seal/util/globals.h"
#include "seal/util/mempool.h"

namespace seal {

class MemoryPoolHandle {
 public:
  MemoryPoolHandle() = default;
  MemoryPoolHandle(std::shared_ptr<util::MemoryPool> pool) noexcept : pool_(std::move(pool)) {}

  [[nodiscard]] static MemoryPoolHandle Global() { return util::global_variables::common_pool(); }
  [[nodiscard]] static MemoryPoolHandle ThreadLocal() { return util::global_variables::pool_of_thread(); }
  [[nodiscard]] static MemoryPoolHandle New(bool clear_on_destruction = false) {
    return std::make_shared<util::MemoryPool>(clear_on_destruction);
  }

  operator util::MemoryPool&() const {
    if (!pool_) throw std::logic_error("this handle has no memory pool; take one from MemoryManager::GetPool()");
    return *pool_;
  }
  [[nodiscard]] std::size_t pool_count() const noexcept { return pool_ ? pool_->pool_count() : 0; }
  [[nodiscard]] std::size_t alloc_byte_count() const noexcept { return pool_ ? pool_->alloc_byte_count() : 0; }
  [[nodiscard]] long use_count() const noexcept { return pool_.use_count(); }
  explicit operator bool() const noexcept { return pool_ != nullptr; }
  bool operator==(const MemoryPoolHandle& compare) const noexcept { return pool_ == compare.pool_; }
  bool operator!=(const MemoryPoolHandle& compare) const noexcept { return pool_ != compare.pool_; }

 private:
  std::shared_ptr<util::MemoryPool> pool_;
};

using mm_prof_opt_t = std::uint64_t;

enum mm_prof_opt : mm_prof_opt_t {
  mm_default = 0x0,
  mm_force_global = 0x1,
  mm_force_new = 0x2,
  mm_force_thread_local = 0x4
};

// A profile chooses the pool for calls of MemoryManager::GetPool. Programs may derive their own.
class MMProf {
 public:
  virtual ~MMProf() = default;
  virtual MemoryPoolHandle get_pool(mm_prof_opt_t) = 0;
};

class MMProfGlobal : public MMProf {
 public:
  [[nodiscard]] MemoryPoolHandle get_pool(mm_prof_opt_t) override { return MemoryPoolHandle::Global(); }
};

class MMProfNew : public MMProf {
 public:
  [[nodiscard]] MemoryPoolHandle get_pool(mm_prof_opt_t) override { return MemoryPoolHandle::New(); }
};

class MMProfFixed : public MMProf {
 public:
  MMProfFixed(MemoryPoolHandle pool) : pool_(std::move(pool)) {
    if (!pool_) throw std::invalid_argument("a fixed profile needs a memory pool");
  }
  [[nodiscard]] MemoryPoolHandle get_pool(mm_prof_opt_t) override { return pool_; }

 private:
  MemoryPoolHandle pool_;
};

class MMProfThreadLocal : public MMProf {
 public:
  [[nodiscard]] MemoryPoolHandle get_pool(mm_prof_opt_t) override { return MemoryPoolHandle::ThreadLocal(); }
};

class MemoryManager {
 public:
  MemoryManager() = delete;

  // Install a profile, and return the one before.
  static std::unique_ptr<MMProf> SwitchProfile(MMProf*&& profile) {
    return SwitchProfile(std::unique_ptr<MMProf>(profile));
  }
  static std::unique_ptr<MMProf> SwitchProfile(std::unique_ptr<MMProf>&& profile);

  template <typename... Args>
  [[nodiscard]] static MemoryPoolHandle GetPool(mm_prof_opt_t option, Args&&... args) {
    if (option == mm_force_global) return MemoryPoolHandle::Global();
    if (option == mm_force_new) return MemoryPoolHandle::New(std::forward<Args>(args)...);
    if (option == mm_force_thread_local) return MemoryPoolHandle::ThreadLocal();
    return pool_of_profile(option);
  }
  [[nodiscard]] static MemoryPoolHandle GetPool() { return pool_of_profile(mm_default); }

 private:
  friend class MMProfGuard;
  [[nodiscard]] static MemoryPoolHandle pool_of_profile(mm_prof_opt_t option);
  static std::unique_ptr<MMProf> exchange(std::unique_ptr<MMProf> profile);  // the caller holds the mutex
  static std::mutex& mutex();
};

// Installs a profile until the end of a scope, and keeps other threads from switching it.
class MMProfGuard {
 public:
  MMProfGuard(std::unique_ptr<MMProf>&& profile, bool start_locked = true)
      : other_(std::move(profile)),
        lock_(MemoryManager::mutex(), std::defer_lock) {
    if (start_locked) lock();
  }
  MMProfGuard(MMProf*&& profile, bool start_locked = true)
      : MMProfGuard(std::unique_ptr<MMProf>(profile), start_locked) {}
  ~MMProfGuard() {
    if (lock_.owns_lock()) unlock();
  }

  bool try_lock() {
    refuse_if(lock_.owns_lock(), "this guard already has the lock");
    if (!lock_.try_lock()) return false;
    other_ = MemoryManager::exchange(std::move(other_));
    return true;
  }
  bool try_lock(std::unique_ptr<MMProf>&& profile) {
    refuse_if(lock_.owns_lock(), "this guard already has the lock");
    if (!lock_.try_lock()) return false;
    other_ = MemoryManager::exchange(std::move(profile));
    return true;
  }
  bool try_lock(MMProf*&& profile) { return try_lock(std::unique_ptr<MMProf>(profile)); }
  void lock() {
    refuse_if(lock_.owns_lock(), "this guard already has the lock");
    lock_.lock();
    other_ = MemoryManager::exchange(std::move(other_));
  }
  void lock(std::unique_ptr<MMProf>&& profile) {
    refuse_if(lock_.owns_lock(), "this guard already has the lock");
    other_ = std::move(profile);
    lock();
  }
  void lock(MMProf*&& profile) { lock(std::unique_ptr<MMProf>(profile)); }
  void unlock() {
    refuse_if(!lock_.owns_lock(), "this guard has no lock to give back");
    other_ = MemoryManager::exchange(std::move(other_));
    lock_.unlock();
  }
  [[nodiscard]] bool owns_lock() noexcept { return lock_.owns_lock(); }

 private:
  static void refuse_if(bool condition, const char* problem) {
    if (condition) throw std::runtime_error(problem);
  }
  std::unique_ptr<MMProf> other_;  // the profile that the guard installs or, while it holds the lock, restores
  std::unique_lock<std::mutex> lock_;
};

}  // namespace seal
