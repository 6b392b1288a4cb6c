// SPDX-License-Identifier: Apache-2.0
// Releases the GIL, the interpreter's global lock, while the library works, and acquires it for Python functions that
// the library calls.
//
// Until Python 3.13, a daemon thread that waits for the GIL while the interpreter ends is unwound by pthread_exit, and
// unwinding a C++ program's frames aborts the process. Therefore these classes never let a thread wait for the GIL of
// an interpreter that ends: such a thread sleeps until the process ends, as in Python 3.14.
#pragma once

#include "bind.h"

// Registers a function with the module atexit. It notes the end of the interpreter. Call once.
void watch_for_the_end();

// A thread begins to wait for the GIL. Does not return if the interpreter ends and another thread is ending it.
void begin_to_acquire() noexcept;
void end_to_acquire() noexcept;

// Releases the GIL in the constructor and acquires it in the destructor.
class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    begin_to_acquire();
    PyEval_RestoreThread(thread_);
    end_to_acquire();
  }

 private:
  PyThreadState* thread_;
};

// Acquires the GIL in the constructor and releases it in the destructor.
class WithGil {
 public:
  WithGil() {
    begin_to_acquire();
    state_ = PyGILState_Ensure();
    end_to_acquire();
  }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};
