// SPDX-License-Identifier: Apache-2.0
// Each tasklet has a place, for one tasklet that waits for it or for the mark that it sleeps in notify().
#include <handshake.h>
#include <mutex.h>

#include "runtime.h"

enum { kNobody = 0, kNotifierSleeps = 255 };  // other values: number of the waiting tasklet plus one

static uint8_t places[24];
ATOMIC_BIT_INIT(handshake_lock);

void handshake_notify(void) {
  mutex_lock(&handshake_lock);
  uint8_t found = places[me()];
  places[me()] = found == kNobody ? kNotifierSleeps : kNobody;
  if (found != kNobody) tasklet_resume(found - 1u);
  mutex_unlock(&handshake_lock);
  if (found == kNobody) tasklet_stop();
}

void handshake_wait_for(sysname_t notifier) {
  mutex_lock(&handshake_lock);
  uint8_t found = places[notifier];
  // two tasklets wait for one notifier
  if (found != kNobody && found != kNotifierSleeps) raise_fault(kDpuFaultBarrier);
  places[notifier] = found == kNotifierSleeps ? kNobody : (uint8_t)(me() + 1u);
  if (found == kNotifierSleeps) tasklet_resume(notifier);
  mutex_unlock(&handshake_lock);
  if (found == kNobody) tasklet_stop();
}
