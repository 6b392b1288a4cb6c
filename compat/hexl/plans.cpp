// SPDX-License-Identifier: Apache-2.0
// Plans that the process keeps (plans.h). A thread finds the plans that it used last without a lock.
#include "plans.h"

#include <array>
#include <map>
#include <utility>

#include "base/fork_mutex.h"

namespace ringfort::hexl {

namespace {

constexpr std::size_t kLeastCount = 512;  // for fewer words, a verb takes longer than portable code

using Key = std::pair<std::size_t, u64>;

struct Plans {
  ForkMutex mutex{ForkMutex::Order::inner};
  std::map<Key, std::shared_ptr<const Elementwise>> all;  // null: portable code
};

Plans& plans() {
  static Plans* const kept = new Plans;  // never destroyed: other static objects may compute in their destructors
  return *kept;
}

const Elementwise* find_or_prepare(Key key) {
  Plans& kept = plans();
  {
    const std::lock_guard lock(kept.mutex);
    if (const auto found = kept.all.find(key); found != kept.all.end()) return found->second.get();
    if (kept.all.size() >= kMostPlans) return nullptr;
  }
  std::shared_ptr<const Elementwise> plan = Elementwise::prepare(key.first, key.second);
  const std::lock_guard lock(kept.mutex);
  return kept.all.emplace(key, std::move(plan)).first->second.get();
}

struct Recent {
  Key key;
  const Elementwise* plan = nullptr;
};

}  // namespace

const Elementwise* plan_for(std::size_t count, u64 q) {
  if (count < kLeastCount) return nullptr;
  thread_local std::array<Recent, 64> recent{};
  const u64 mixed = (q ^ count) * 0x9E3779B97F4A7C15;  // floor(2^64 / golden ratio), odd
  Recent& entry = recent[mixed >> 58];
  if (entry.key != Key{count, q}) entry = {{count, q}, find_or_prepare({count, q})};
  return entry.plan;
}

}  // namespace ringfort::hexl
