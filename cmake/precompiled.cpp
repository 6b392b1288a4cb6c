// SPDX-License-Identifier: Apache-2.0
// CMake compiles a precompiled header with the first source of its target. This is that source.
#include "precompiled.h"
