// SPDX-License-Identifier: Apache-2.0
// Pairs of tasklets: notify() sleeps until somebody waits for the caller, wait_for(id) sleeps until `id` notifies.
#pragma once

#include <defs.h>

void handshake_notify(void);
void handshake_wait_for(sysname_t notifier);
