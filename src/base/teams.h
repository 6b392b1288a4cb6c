// SPDX-License-Identifier: Apache-2.0
// The rooms' include of end_teams_at_fork(). It is public because applications also run parallel loops and only see
// public headers.
#pragma once

#include "ringfort/teams.h"
