// SPDX-License-Identifier: Apache-2.0
// The macros that name the compiler.
#pragma once

#if defined(__clang__)
#define HEXL_USE_CLANG
#else
#define HEXL_USE_GNU
#endif

#define HEXL_UNUSED(x) (void)(x)
