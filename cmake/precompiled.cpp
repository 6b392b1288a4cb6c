// SPDX-License-Identifier: Apache-2.0
// CMake compiles the header with the first source of its target.
#include "precompiled.h"
