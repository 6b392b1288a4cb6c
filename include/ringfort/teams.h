// SPDX-License-Identifier: Apache-2.0
// For programs with their own OpenMP loops: lets a forked process run such loops, too. libgomp's threads do not survive
// a fork but its record of them does, so the next loop would wait for them forever. The library's own loops call this
// function.
#pragma once

namespace ringfort {

// Registers a handler: after the first call, every fork first ends the forking thread's idle team; the next loop
// creates a new one, in the parent and in the child. A fork inside a parallel loop stays unsupported.
void end_teams_at_fork() noexcept;

}  // namespace ringfort
