// SPDX-License-Identifier: Apache-2.0
// Teams of workers, and the loops that they compute (threads.h).
#include "base/threads.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/object_mutex.h"

namespace ringfort {

namespace {

// A waiting thread looks for a change for at most this time, and then sleeps. Between the loops of one operation,
// workers usually wait for less time.
constexpr double kLook_us = 50;

// A caller keeps an account: the time that its workers have saved, minus the time that waits for them have cost. The
// account is at most kMostSaved_us, which is about a time slice of the system. If the account becomes negative, the
// caller computes alone for kAlone times the missing time.
constexpr double kMostSaved_us = 4000, kAlone = 8;

// The state of a team in one word. It has the number of workers in the loop, two bits that announce a loop and the end,
// and the number of the loop modulo 2^18. A worker that has slept for 2^18 loops sees the same number again, and misses
// a loop. Then this loop has one thread less.
constexpr std::uint32_t kInside = (1U << 12) - 1, kOpen = 1U << 12, kEnd = 1U << 13, kLoop = 1U << 14;

thread_local bool in_loop = false;

void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until `value` differs from `known`. Returns the new value.
std::uint32_t changed(const std::atomic<std::uint32_t>& value, std::uint32_t known) noexcept {
  const double until = steady_us() + kLook_us;
  do {
    for (int i = 0; i < 16; ++i) {
      if (const std::uint32_t now = value.load(std::memory_order_acquire); now != known) return now;
      relax();
    }
  } while (steady_us() < until);
  value.wait(known, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

// The items of one thread. `taken` and `us` are the number of items that this thread has computed, also from other
// shares, and their time. A share has a cache line of its own.
struct alignas(64) Share {
  std::atomic<std::size_t> next{0};
  std::size_t end = 0;
  std::size_t taken = 0;
  double us = 0;
};

struct Loop {
  void (*call)(const void*, std::size_t, unsigned) = nullptr;
  const void* loop = nullptr;
  unsigned threads = 0;
};

// The workers of one calling thread.
class Team {
 public:
  explicit Team(unsigned threads)
      : shares_(std::make_unique<Share[]>(threads)),
        most_(threads),
        fork_(fork_generation()) {
    workers_.reserve(threads - 1);
    sigset_t all, before;  // workers handle no signals of the process
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (unsigned t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
    } catch (const std::exception&) {}  // the other threads take the shares of missing workers
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Team() {
    door_.fetch_or(kEnd, std::memory_order_release);
    door_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] unsigned most() const noexcept { return most_; }
  // Tells whether the team has its threads. In a forked process, the object exists, but its threads do not.
  [[nodiscard]] bool has_threads() const noexcept { return fork_ == fork_generation(); }

  // Computes all items. Returns the time that workers have saved, minus the time for which the caller has waited for
  // them.
  double run(const Loop& loop, std::size_t items) noexcept {
    for (unsigned t = 0; t < loop.threads; ++t) {
      shares_[t].next.store(items * t / loop.threads, std::memory_order_relaxed);
      shares_[t].end = items * (t + 1) / loop.threads;
      shares_[t].taken = 0;
    }
    loop_ = loop;
    const std::uint32_t number = number_of(door_.load(std::memory_order_relaxed)) + kLoop;
    ended_.store(number ^ kLoop, std::memory_order_relaxed);  // an earlier loop of this number may have set it
    door_.store(number | kOpen, std::memory_order_release);
    door_.notify_all();
    take_items(0);
    const double end = steady_us();
    if ((door_.fetch_and(~kOpen, std::memory_order_acq_rel) & kInside) == 0) return saved_us();
    for (std::uint32_t last = ended_.load(std::memory_order_acquire); last != number;) last = changed(ended_, last);
    return saved_us() - (steady_us() - end);
  }

 private:
  static std::uint32_t number_of(std::uint32_t door) noexcept { return door & ~(kLoop - 1); }

  void take_items(unsigned thread) noexcept {
    const double begin = steady_us();
    std::size_t taken = 0;
    for (unsigned s = 0; s < loop_.threads; ++s) {
      Share& share = shares_[(thread + s) % loop_.threads];
      for (std::size_t i; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end; ++taken) {
        loop_.call(loop_.loop, i, thread);
      }
    }
    shares_[thread].taken = taken;
    shares_[thread].us = steady_us() - begin;
  }

  // Returns the time that the caller would have needed for the items of the workers. The system may have stopped a
  // thread for a part of the time. Then the time of this thread is too long. Therefore the estimate for each worker is
  // the smaller of two times: its own time, and the time that the caller takes for as many items.
  [[nodiscard]] double saved_us() const noexcept {
    const Share& caller = shares_[0];
    double sum = 0;
    for (unsigned t = 1; t < loop_.threads; ++t) {
      const Share& of = shares_[t];
      if (of.taken == 0) continue;
      sum += caller.taken == 0
                 ? of.us
                 : std::min(of.us, caller.us * static_cast<double>(of.taken) / static_cast<double>(caller.taken));
    }
    return sum;
  }

  void work(unsigned thread) noexcept {
    in_loop = true;
    std::uint32_t now = door_.load(std::memory_order_acquire), seen = 0;
    while ((now & kEnd) == 0) {
      if ((now & kOpen) == 0 || number_of(now) == seen) {
        now = changed(door_, now);
        continue;
      }
      if (!door_.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      seen = number_of(now);
      if (thread < loop_.threads) take_items(thread);
      now = door_.fetch_sub(1, std::memory_order_acq_rel) - 1;
      if ((now & (kOpen | kInside)) != 0) continue;
      ended_.store(seen, std::memory_order_release);  // the caller waits for this last worker
      ended_.notify_one();
    }
  }

  std::unique_ptr<Share[]> shares_;
  unsigned most_;
  std::uint32_t fork_;
  Loop loop_;
  alignas(64) std::atomic<std::uint32_t> door_{0};
  alignas(64) std::atomic<std::uint32_t> ended_{0};
  std::vector<std::thread> workers_;
};

// The state of a calling thread.
struct Caller {
  std::unique_ptr<Team> team;
  double saved_us = 0, alone_until_us = 0;

  Caller() = default;
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() { forget_other_process(); }

  void forget_other_process() noexcept {
    if (team != nullptr && !team->has_threads()) static_cast<void>(team.release());
  }

  // Returns nullptr if the system has no memory for a team.
  Team* team_of(unsigned threads) noexcept {
    forget_other_process();
    if (team != nullptr && team->most() >= threads) return team.get();
    try {
      team = std::make_unique<Team>(threads);
    } catch (const std::bad_alloc&) { return nullptr; }
    return team.get();
  }
};
thread_local Caller caller;

}  // namespace

void share_items(unsigned threads, std::size_t items, void (*call)(const void*, std::size_t, unsigned),
                 const void* loop) noexcept {
  threads = static_cast<unsigned>(std::min<std::size_t>({threads, items, kInside}));
  const bool alone = in_loop || omp_in_parallel() != 0 || steady_us() < caller.alone_until_us;
  Team* const team = alone ? nullptr : caller.team_of(threads);
  if (team == nullptr) {
    for (std::size_t i = 0; i < items; ++i) call(loop, i, 0);
    return;
  }
  in_loop = true;
  caller.saved_us = std::min(kMostSaved_us, caller.saved_us + team->run({call, loop, threads}, items));
  in_loop = false;
  if (caller.saved_us >= 0) return;
  caller.alone_until_us = steady_us() - kAlone * caller.saved_us;
  caller.saved_us = 0;
}

}  // namespace ringfort
