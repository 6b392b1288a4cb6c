// SPDX-License-Identifier: Apache-2.0
// Lets a forked process run OpenMP loops. libgomp keeps a team of threads between loops. A fork copies the record of
// the team but not its threads: the child's next loop would wait for these threads forever. Word search calls this
// function; programs with loops of their own can call it, too.
#pragma once

namespace ringfort {

// From the first call on, every fork first ends the idle team of the forking thread. The next loop creates a new team,
// in the parent and in the child. A fork inside a parallel loop is not supported.
void end_teams_at_fork() noexcept;

}  // namespace ringfort
