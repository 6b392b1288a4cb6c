// SPDX-License-Identifier: Apache-2.0
// A context (coroutine) is one of several control flows of a thread. ThreadSanitizer keeps a call stack for each
// context. Therefore this file reports every switch of contexts to ThreadSanitizer. Without these reports,
// ThreadSanitizer would see calls begin in one context and end in another, and its call stack would overflow.
#pragma once

#include <ucontext.h>

#include <span>

#include "sim/words.h"

#if defined(__SANITIZE_THREAD__)  // a macro of GCC; the tests with ThreadSanitizer run with GCC only
#include <sanitizer/tsan_interface.h>
#endif

namespace ringfort::pim {

class Context {
 public:
  // Makes an object for the context that is running.
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
#if defined(__SANITIZE_THREAD__)
  ~Context() {
    if (owned_) __tsan_destroy_fiber(watched_);
  }
#endif

  // Prepares a context that begins in the function `enter` and uses `stack`. `enter` must never return.
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

  // Switches from this context, which must be the running one, to `other`. Returns when another context switches back
  // to this one.
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
