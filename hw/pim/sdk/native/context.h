// SPDX-License-Identifier: Apache-2.0
// A context (coroutine) is one of several control flows of a thread. ThreadSanitizer keeps a call stack for each
// context, and this file reports every switch to it. Otherwise ThreadSanitizer would see calls begin in one context and
// end in another, and its stack would overflow.
#pragma once

#include <ucontext.h>

#include <span>

#if defined(__SANITIZE_THREAD__)  // GCC's macro; the thread tests run with GCC only
#include <sanitizer/tsan_interface.h>

#include "sim/words.h"
#endif

namespace ringfort::pim {

class Context {
 public:
  // Makes an object for the running context.
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
#if defined(__SANITIZE_THREAD__)
  ~Context() {
    if (owned_) __tsan_destroy_fiber(watched_);
  }
#endif

  // Prepares a context that begins with `enter`, which must never return, on `stack`.
  void begin(void (*enter)(), std::span<u8> stack) {
    getcontext(&state_);
    state_.uc_stack.ss_sp = stack.data();
    state_.uc_stack.ss_size = stack.size();
    makecontext(&state_, enter, 0);
#if defined(__SANITIZE_THREAD__)
    watched_ = __tsan_create_fiber(0);
    owned_ = true;
#endif
  }

  // Switches from this context, the running one, to `other`; returns when a context switches back.
  void leave_for(Context& other) {
#if defined(__SANITIZE_THREAD__)
    watched_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(other.watched_, 0);
#endif
    swapcontext(&state_, &other.state_);
  }

 private:
  ucontext_t state_{};
#if defined(__SANITIZE_THREAD__)
  void* watched_ = nullptr;
  bool owned_ = false;
#endif
};

}  // namespace ringfort::pim
