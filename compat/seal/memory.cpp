// SPDX-License-Identifier: Apache-2.0
// The pools and profiles of the process (seal/memorymanager.h). They are never destroyed, because static objects of
// programs may use them in their destructors.
#include "seal/memorymanager.h"

namespace seal {

namespace util::global_variables {

const std::shared_ptr<MemoryPool>& common_pool() {
  static const auto* const pool = new std::shared_ptr<MemoryPool>(std::make_shared<MemoryPool>());
  return *pool;
}

const std::shared_ptr<MemoryPool>& pool_of_thread() {
  static thread_local const std::shared_ptr<MemoryPool> pool = std::make_shared<MemoryPool>();
  return pool;
}

}  // namespace util::global_variables

namespace {

std::unique_ptr<MMProf>& installed_profile() {
  static auto* const profile = new std::unique_ptr<MMProf>(new MMProfGlobal);
  return *profile;
}

}  // namespace

std::mutex& MemoryManager::mutex() {
  static std::mutex lock;  // needs neither code at the first use nor a destructor (glibc)
  return lock;
}

namespace {

// Made when the program is loaded: a child that was forked while another thread made them would wait for ever.
[[maybe_unused]] const bool objects_made = [] {
  try {
    util::global_variables::common_pool(), installed_profile();
  } catch (const std::bad_alloc&) { return false; }  // the first use tries again
  return true;
}();

}  // namespace

std::unique_ptr<MMProf> MemoryManager::exchange(std::unique_ptr<MMProf> profile) {
  if (!profile) throw std::invalid_argument("a memory profile is null; pass an object");
  std::swap(installed_profile(), profile);
  return profile;
}

std::unique_ptr<MMProf> MemoryManager::SwitchProfile(std::unique_ptr<MMProf>&& profile) {
  const std::lock_guard<std::mutex> lock(mutex());
  return exchange(std::move(profile));
}

// Takes no lock: a guard keeps the mutex while its thread asks for pools.
MemoryPoolHandle MemoryManager::pool_of_profile(mm_prof_opt_t option) { return installed_profile()->get_pool(option); }

}  // namespace seal
