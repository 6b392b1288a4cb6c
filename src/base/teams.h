// SPDX-License-Identifier: Apache-2.0
// Includes end_teams_at_fork() for all files of src. The function is public because applications also run parallel
// loops and see only public headers.
#pragma once

#include "ringfort/teams.h"
