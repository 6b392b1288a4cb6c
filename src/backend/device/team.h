// SPDX-License-Identifier: Apache-2.0
// The team that runs a kernel: the lanes of one block. Every kernel is a template with the type of the team as
// parameter. Therefore it is written once. gpu/team.h has the team of a GPU; emu/team.h has the team of the emulator.
// This header needs no standard library.
//
// Terms of GPUs: a kernel is a function that runs on the GPU. A launch runs it on many lanes (CUDA's threads), which
// are divided into blocks of equal size. One multiprocessor runs all lanes of a block. The lanes of a block have fast
// shared memory in common; global memory is larger and slower, and all blocks access it. A sub-group (CUDA's warp) is
// 32 neighbouring lanes, or another number, that exchange registers directly. A cluster is a few neighbouring blocks
// that access the shared memory of each other. A stream is a queue of launches and copies.
//
// A kernel is a sequence of phases. Every lane runs each phase. In a phase, lanes may run in any order. A barrier ends
// the phase: it makes the phase's stores to shared and global memory visible to the block. The blocks of a launch have
// no order. The functions of a team are:
//
//   lanes(), block(), blocks()  lanes of a block, number of this block, blocks of the launch
//   phase(f)                    runs f(lane) for every lane, then the barrier
//   last_phase(f)               runs f(lane) for every lane, without a barrier. No later phase may load what f stores
//   load(p), store(p, x)        data in global memory
//   load_table(p)               a constant in global memory. Outside phases, p is the same for all lanes
//   shared<W>(n)                n words of the block's shared memory, with load(i) and store(i, x). Call it before the
//                               first phase. The grid's shared_bytes covers the words of all calls.
//                               load_row(i) and store_row(i, row) access the kRowWords<W> words from i on (a Row<W>,
//                               16 bytes) at once. i is a multiple of kRowWords<W>
//   PerLane<T>                  x[lane] is a T for each lane. It keeps its value between phases
//   shuffle_xor(x, mask)        between phases: the PerLane whose lane i has x[i ^ mask]. mask is below 32
//
// A kernel for clusters is a sequence of cluster phases. A cluster phase consists of phases. The blocks of a cluster
// run at the same time, and each block runs every cluster phase. In a cluster phase, the blocks have no order. Not
// every GPU has clusters. The functions for clusters are:
//
//   cluster_phase(f)            runs f() for every block of the cluster, then the barrier of the cluster. This
//                               barrier makes stores to shared and global memory visible to the cluster
//   last_cluster_phase(f)       runs f() for every block of the cluster, without the barrier
//   rank()                      in a cluster phase: the number of this block in its cluster
//   start_cluster()             before the first cluster phase: tells the cluster that this block has started
//   await_cluster()             in the first cluster phase, outside phases: returns when every block has started
//   load_of(rank, i), store_of(rank, i, x)  functions of Shared: a word of another block of the cluster. This
//                               block must be running: the call is after await_cluster() or a barrier of the cluster,
//                               and before a later barrier
//
// A kernel has two members: Args, at most 256 bytes of plain data with pointers to device memory, and the function
// run_team(team, args), which computes one team's part.
#pragma once

#include "backend/device/grid.h"
#include "backend/device/word.h"

namespace ringfort::device {

inline constexpr u32 kMostKernelBytes = 256;  // limit for the arguments of a kernel

}  // namespace ringfort::device
