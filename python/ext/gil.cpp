// SPDX-License-Identifier: Apache-2.0
// Notes the end of the interpreter (gil.h).
//
// Python calls the functions of module atexit before it refuses the GIL to other threads. Ours sets `ending`, and then
// waits without the GIL until no thread of the library waits for it. From then on, such threads sleep.
#include "gil.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

std::atomic<std::uint64_t> acquiring{0};  // threads between begin_to_acquire and end_to_acquire
std::atomic<bool> ending{false};
std::atomic<std::thread::id> ending_thread;  // may still acquire the GIL: other functions of atexit may use the library

void note_the_end() {
  ending_thread = std::this_thread::get_id();
  ending = true;
  const nb::gil_scoped_release unlocked;  // this thread ends the interpreter, and may wait for the GIL
  while (acquiring != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

void begin_to_acquire() noexcept {
  ++acquiring;
  if (!ending || ending_thread.load() == std::this_thread::get_id()) return;
  --acquiring;
  for (;;) (void)::pause();
}

void end_to_acquire() noexcept { --acquiring; }

void watch_for_the_end() {
  // A forked child has only the thread that forked. If its parent was ending, but another thread forked, the child does
  // not end.
  (void)::pthread_atfork(nullptr, nullptr, [] {
    acquiring = 0;
    if (ending_thread.load() != std::this_thread::get_id()) ending = false;
  });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&note_the_end));
}
