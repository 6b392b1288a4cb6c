// SPDX-License-Identifier: Apache-2.0
// Each tasklet has a place with an atomic bit, for one tasklet that waits for it or for the mark that it sleeps in
// notify().
#include <atomic_bit.h>
#include <handshake.h>

#include "runtime.h"

enum { kNobody = 0, kNotifierSleeps = 255, kTasklets = 24 };  // other values: number of the waiting tasklet plus one

static uint8_t places[kTasklets];
ATOMIC_BIT_INIT(handshake)[kTasklets];

void handshake_notify(void) {
  const uint32_t self = me(), lock = (uint32_t)(ATOMIC_BIT_GET(handshake) + self);
  uint8_t* place = places + self;
  rf_acquire(lock);
  const uint8_t found = *place;
  *place = found == kNobody ? kNotifierSleeps : kNobody;
  if (found != kNobody) tasklet_resume(found - 1u);
  rf_release(lock);
  if (found == kNobody) tasklet_stop();
}

int handshake_wait_for(sysname_t notifier) {
  const uint32_t lock = (uint32_t)(ATOMIC_BIT_GET(handshake) + notifier);
  uint8_t* place = places + notifier;
  rf_acquire(lock);
  const uint8_t found = *place;
  if (found != kNobody && found != kNotifierSleeps) raise_fault(kDpuFaultBarrier);  // two tasklets wait for one
  *place = found == kNotifierSleeps ? kNobody : (uint8_t)(me() + 1u);
  if (found == kNotifierSleeps) tasklet_resume(notifier);
  rf_release(lock);
  if (found == kNobody) tasklet_stop();
  return 0;
}
