// SPDX-License-Identifier: Apache-2.0
// Lets a forked process run OpenMP loops. The OpenMP library libgomp keeps a team of threads between loops. A fork
// copies the record of the team, but not the threads. The next loop of the child would wait for the missing threads
// forever. The word search calls end_teams_at_fork; other programs that use OpenMP and fork can call it, too.
#pragma once

namespace ringfort {

// After the first call, every fork first ends the idle team of the thread that forks. The next loop creates a new team,
// in the parent and in the child. A fork inside a parallel loop is not supported.
void end_teams_at_fork() noexcept;

}  // namespace ringfort
