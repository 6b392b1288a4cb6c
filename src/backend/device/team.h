// SPDX-License-Identifier: Apache-2.0
// The team that runs a kernel: the lanes of one block. Every kernel is a template over it, written once. gpu/team.h has
// the team of a GPU, emu/team.h the team of the emulator. Freestanding.
//
// A kernel is a sequence of phases. Every lane runs each phase; within a phase, lanes may run in any order. A barrier
// ends the phase, and makes its stores to shared and global memory visible to the block. The blocks of a launch have no
// order.
//
//   lanes(), block(), blocks()  lanes of a block, number of this block, blocks of the launch
//   phase(f)                    runs f(lane) for every lane, then the barrier
//   last_phase(f)               runs f(lane) for every lane, without a barrier. No later phase may read what f stores
//   load(p), store(p, x)        data in global memory
//   load_table(p)               a constant in global memory. A call outside a phase loads one constant for all lanes
//   shared<W>(n)                n words of the block's shared memory, with load(i) and store(i, x). Call it before the
//                               first phase. The grid's shared_bytes covers the words of all calls.
//                               load_row(i) and store_row(i, row) access the kRowWords<W> words from i on (a Row<W>,
//                               16 bytes) at once; i is a multiple of kRowWords<W>
//   PerLane<T>                  one T for each lane, x[lane], that keeps its value between phases
//   shuffle_xor(x, mask)        between phases: the PerLane whose lane i has x[i ^ mask]; mask is below 32
//
// Kernels have: Args, at most 256 bytes of plain data with pointers to device memory; run(team, args).
#pragma once

#include "backend/device/grid.h"
#include "backend/device/word.h"

namespace ringfort::device {

inline constexpr u32 kMostKernelBytes = 256;  // limit for the arguments

}  // namespace ringfort::device
