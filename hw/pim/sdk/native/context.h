// SPDX-License-Identifier: Apache-2.0
// One of several flows of control of one thread. ThreadSanitizer keeps a stack of calls for each and is told which one
// goes on: it would otherwise see calls begin in one context and end in another, and its own stack run over.
#pragma once

#include <ucontext.h>

#include <span>

#if defined(__SANITIZE_THREAD__)  // GNU; clang names it otherwise, and our tests of threads are GNU's
#include <sanitizer/tsan_interface.h>

#include "sim/words.h"
#endif

namespace ringfort::pim {

class Context {
 public:
  // Whoever runs now.
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
#if defined(__SANITIZE_THREAD__)
  ~Context() {
    if (owned_) __tsan_destroy_fiber(watched_);
  }
#endif

  // One that will begin with `enter`, which never returns, on `stack`.
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

  // Leaves this one, which runs, for `other`; returns when someone goes on with this one.
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
