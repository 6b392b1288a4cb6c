// SPDX-License-Identifier: Apache-2.0
// The only assertions of the library. They check conditions that no input can break, and only in debug and sanitizer
// builds. A failed assertion traps, and a debugger or a sanitizer shows the place. The library never prints. Conditions
// that an input can break give an Error, a Failure or a Status in every build. Kernel files can use the macro, because
// it calls no function of another file.
#pragma once

#if !defined(RINGFORT_ASSERTS) && (!defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define RINGFORT_ASSERTS 1
#endif

#if RINGFORT_ASSERTS
#define RF_ASSERT(condition) (static_cast<bool>(condition) ? static_cast<void>(0) : __builtin_trap())
#else
#define RF_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
