// SPDX-License-Identifier: Apache-2.0
// For programs with OpenMP loops of their own: what such a loop calls first, so that a forked process can run such
// loops, too. libgomp's threads do not survive a fork, its memory of them does, and the next loop would wait for them
// for ever. The library's own loops call it.
#pragma once

namespace ringfort {

// From the first call on, a fork ends the forking thread's idle team before it happens; the next loop makes a new one,
// in the parent and in the child. Nothing can be done for a fork inside a parallel loop.
void end_teams_at_fork() noexcept;

}  // namespace ringfort
