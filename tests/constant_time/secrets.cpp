// SPDX-License-Identifier: Apache-2.0
// Hides secrets from the checker (secrets.h). It uses valgrind's requests, or the functions of MemorySanitizer.
#include "constant_time/secrets.h"

#include <pthread.h>
#include <sys/random.h>

#include <cstring>

#include "math/random.h"
#include "ringfort/declassified.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define RINGFORT_MSAN 1
#endif
#endif

#if defined(RINGFORT_MSAN)
#include <sanitizer/msan_interface.h>
#else
#include <valgrind/memcheck.h>
#endif

namespace ringfort {

namespace testing {

namespace {

unsigned long draws = 0;

// Tells whether an address is on the stack. Public seeds are on the stack, secret seeds are in locked memory.
bool is_on_stack(const void* address) noexcept {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const auto* at = static_cast<const char*>(address);
  return at >= static_cast<const char*>(low) && at < static_cast<const char*>(low) + bytes;
}

}  // namespace

unsigned long secret_draws() noexcept { return draws; }

#if defined(RINGFORT_MSAN)
bool is_checked() noexcept { return true; }
bool follows_other_libraries() noexcept { return false; }
void hide(void* data, std::size_t bytes) noexcept { __msan_poison(data, bytes); }
void show(void* data, std::size_t bytes) noexcept { __msan_unpoison(data, bytes); }
bool is_hidden(const void* data, std::size_t bytes) noexcept { return __msan_test_shadow(data, bytes) == 0; }
unsigned long findings() noexcept {
  // GoogleTest is not instrumented. If it writes to the stack below this frame, bytes that were hidden there stay
  // hidden.
  constexpr std::size_t kBelow = 65536;
  char here = 0;
  show(&here - kBelow, kBelow);
  return 0;
}
#else
bool is_checked() noexcept { return RUNNING_ON_VALGRIND != 0; }
bool follows_other_libraries() noexcept { return true; }
void hide(void* data, std::size_t bytes) noexcept { VALGRIND_MAKE_MEM_UNDEFINED(data, bytes); }
void show(void* data, std::size_t bytes) noexcept { VALGRIND_MAKE_MEM_DEFINED(data, bytes); }
bool is_hidden(const void* data, std::size_t bytes) noexcept {
  unsigned char bits = 0;
  return bytes != 0 && VALGRIND_GET_VBITS(data, &bits, 1) == 1 && bits == 0xFF;
}
unsigned long findings() noexcept { return VALGRIND_COUNT_ERRORS; }
#endif

}  // namespace testing

bool fill_entropy(std::span<u8> out) noexcept {
  const bool filled = getrandom(out.data(), out.size(), 0) == static_cast<ssize_t>(out.size());
  if (testing::is_on_stack(out.data())) return filled;
  testing::hide(out.data(), out.size());
  ++testing::draws;
  return filled;
}

bool declassified(bool verdict) noexcept {
  testing::show(&verdict, sizeof verdict);
  return verdict;
}

}  // namespace ringfort

#if defined(RINGFORT_MSAN)
// Replaces a function of libsodium that is not instrumented. Memory that the original function zeroes would stay
// hidden.
extern "C" void sodium_memzero(void* const data, const size_t bytes) {
  __msan_unpoison(data, bytes);
  explicit_bzero(data, bytes);
}
#endif
