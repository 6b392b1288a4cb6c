// SPDX-License-Identifier: Apache-2.0
// Contains no code. CMake compiles the header precompiled.h with the first source of its target, which is this file.
#include "support/precompiled.h"
