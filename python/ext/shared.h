// SPDX-License-Identifier: Apache-2.0
// Shared<T>: an object of the library that only one thread may use at a time. Python's threads use it in turn. Before a
// call waits for its turn, it releases the GIL, the interpreter's global lock, because the call that has the turn may
// need the GIL for a progress function. A waiting call responds to Ctrl-C.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "bind.h"
#include "gil.h"
#include "ringfort/error.h"

template <class T>
class Shared {
 public:
  template <class... Arguments>
  explicit Shared(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}
  Shared(Shared&&) = delete;

  // Runs `work` when this thread has its turn. The caller must have released the GIL. Errors: invalid_argument if a
  // progress function uses the object that called it, or if the process was forked while another thread had the turn.
  template <class Work>
  auto use(Work work) {
    wait();
    const std::unique_lock turn(mutex_, std::adopt_lock);
    thread_ = std::this_thread::get_id();
    process_ = ::getpid();
    const Owned owned{thread_};
    return work(value_);
  }

 private:
  struct Owned {  // destroyed before the turn ends
    std::atomic<std::thread::id>& thread;
    ~Owned() { thread = std::thread::id(); }
  };

  static constexpr int kMostTriesWithoutOwner = 40;  // 2 s

  void wait() {
    using ringfort::Code;
    // A thread of a forked child can have the id of a thread of the parent.
    if (thread_ == std::this_thread::get_id() && process_ == ::getpid()) {
      throw ringfort::Error(Code::invalid_argument, "a progress function uses the object that calls it",
                            "use it after the call");
    }
    for (int tries = 1; !mutex_.try_lock_for(std::chrono::milliseconds(50)); ++tries) {
      const std::thread::id other = thread_;
      // After a fork at the begin or end of a turn, the mutex is locked, but no thread has the turn.
      if ((other != std::thread::id() || tries > kMostTriesWithoutOwner) && process_ != ::getpid()) {
        throw ringfort::Error(Code::invalid_argument, "this process was forked while another thread used the object",
                              "open it again in this process");
      }
      const WithGil locked;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }

  T value_;
  std::timed_mutex mutex_;
  std::atomic<std::thread::id> thread_;
  std::atomic<pid_t> process_ = 0;
};

// Returns a function for a binding. It calls the method in turn, without the GIL, and returns a copy of the result.
template <class T, class Result, class... Arguments>
auto in_turn(Result (T::*method)(Arguments...) const) {
  return [method](Shared<T>& shared, Arguments... arguments) {
    const WithoutGil unlocked;
    return shared.use(
        [&](T& object) -> std::decay_t<Result> { return (object.*method)(std::forward<Arguments>(arguments)...); });
  };
}

// The same for `work`, a function that takes the object.
template <class T, class Work>
auto by_turns(Work work) {
  return [work](Shared<T>& shared) {
    const WithoutGil unlocked;
    return shared.use(work);
  };
}
