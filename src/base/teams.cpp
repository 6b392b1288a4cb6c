// SPDX-License-Identifier: Apache-2.0
// Ends the teams of OpenMP before a fork (ringfort/teams.h).
#include "ringfort/teams.h"

#include <omp.h>
#include <pthread.h>

namespace ringfort {

namespace {

void end_team() noexcept { omp_pause_resource_all(omp_pause_soft); }

}  // namespace

// Registers the handlers for forks. If there is no memory for this, forks behave as without this call.
void end_teams_at_fork() noexcept {
  static const int registered = pthread_atfork(end_team, nullptr, nullptr);
  static_cast<void>(registered);
}

}  // namespace ringfort
