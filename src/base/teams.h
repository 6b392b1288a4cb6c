// SPDX-License-Identifier: Apache-2.0
// end_teams_at_fork(), under the name by which the rooms know it: applications run loops on threads, too, and see
// public headers.
#pragma once

#include "ringfort/teams.h"
