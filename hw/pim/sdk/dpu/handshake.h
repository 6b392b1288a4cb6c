// SPDX-License-Identifier: Apache-2.0
// Handshakes between two tasklets: notify() sleeps until a tasklet waits for the caller, wait_for(id) sleeps until
// tasklet `id` notifies.
#pragma once

#include <defs.h>

void handshake_notify(void);
void handshake_wait_for(sysname_t notifier);
