// SPDX-License-Identifier: Apache-2.0
// The only assertions of the library: conditions that no input can break, checked in debug and sanitizer builds alone.
// A broken one traps (a debugger or sanitizer shows the place); the library itself never prints. What an input can
// break is an Error, a Failure or a Status, in every build. Safe in kernel files: a macro, no function of another file.
#pragma once

#if !defined(RINGFORT_ASSERTS) && (!defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define RINGFORT_ASSERTS 1
#endif

#if RINGFORT_ASSERTS
#define RF_ASSERT(condition) (static_cast<bool>(condition) ? static_cast<void>(0) : __builtin_trap())
#else
#define RF_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
