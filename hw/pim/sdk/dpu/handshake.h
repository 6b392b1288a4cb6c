// SPDX-License-Identifier: Apache-2.0
// Handshakes between two tasklets. handshake_notify() sleeps until another tasklet waits for the caller.
// handshake_wait_for(id) sleeps until tasklet `id` calls handshake_notify(), and returns 0. If two tasklets wait for
// the same tasklet, the program stops with a fault. hw/pim/README.md explains the terms.
#pragma once

#include <defs.h>

void handshake_notify(void);
int handshake_wait_for(sysname_t notifier);
