// SPDX-License-Identifier: Apache-2.0
// Handshakes between two tasklets: notify() sleeps until a tasklet waits for the caller, wait_for(id) sleeps until
// tasklet `id` notifies, and returns 0. If two tasklets wait for the same notifier, the program stops with a fault.
#pragma once

#include <defs.h>

void handshake_notify(void);
int handshake_wait_for(sysname_t notifier);
