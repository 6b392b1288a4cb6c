// SPDX-License-Identifier: Apache-2.0
// Ends the teams of OpenMP before a fork (ringfort/teams.h).
#include "ringfort/teams.h"

#include <omp.h>
#include <pthread.h>

#include <atomic>

namespace ringfort {

namespace {

std::atomic<bool> wanted{false};

void end_team() noexcept {
  if (wanted) omp_pause_resource_all(omp_pause_soft);
}

// Registered when the program is loaded, for the reasons in fork_mutex.cpp. If there is no memory for this, forks
// behave as without end_teams_at_fork().
[[maybe_unused]] const int end_registered = pthread_atfork(end_team, nullptr, nullptr);

}  // namespace

void end_teams_at_fork() noexcept { wanted = true; }

}  // namespace ringfort
