// SPDX-License-Identifier: Apache-2.0
// The interface of Intel HEXL 1.2 for programs that were written for it. Ringfort computes (compat/hexl/README.md).
// Every illegal argument throws ringfort::Error (ringfort/error.h) before anything is written. Headers of this folder
// compile as C++17.
#pragma once

#include "hexl/eltwise/eltwise-add-mod.hpp"
#include "hexl/eltwise/eltwise-cmp-add.hpp"
#include "hexl/eltwise/eltwise-cmp-sub-mod.hpp"
#include "hexl/eltwise/eltwise-fma-mod.hpp"
#include "hexl/eltwise/eltwise-mult-mod.hpp"
#include "hexl/eltwise/eltwise-reduce-mod.hpp"
#include "hexl/eltwise/eltwise-sub-mod.hpp"
#include "hexl/logging/logging.hpp"
#include "hexl/ntt/ntt.hpp"
#include "hexl/number-theory/number-theory.hpp"
#include "hexl/util/check.hpp"
#include "hexl/util/compiler.hpp"
#include "hexl/util/defines.hpp"
#include "hexl/util/types.hpp"
#include "hexl/util/util.hpp"
