// SPDX-License-Identifier: Apache-2.0
// Each tasklet has a place, protected by an atomic bit. The place has the number of the tasklet that waits for its
// owner, or a mark that the owner sleeps in notify().
#include <atomic_bit.h>
#include <handshake.h>

#include "runtime.h"

enum { kNobody = 0, kNotifierSleeps = 255, kTasklets = 24 };  // other values: number of the waiting tasklet plus one

// Lies within the first bytes of WRAM (dpu.ld), so that an access takes one instruction, as on the DPU.
__attribute__((section(".data.first"))) uint8_t handshake_places[kTasklets];
ATOMIC_BIT_INIT(handshake)[kTasklets];

// Returns the index of a tasklet's atomic bit.
static inline uint32_t lock_of(uint32_t tasklet) {
  uint32_t lock;
  __asm__("addi %0, %1, %%lo(__atomic_bit_handshake)" : "=r"(lock) : "r"(tasklet));
  return lock;
}

static inline uint32_t read_place(uint32_t tasklet) {
  uint32_t found;
  __asm__ volatile("lbu %0, %%lo(handshake_places)(%1)" : "=r"(found) : "r"(tasklet) : "memory");
  return found;
}

static inline void write_place(uint32_t tasklet, uint32_t value) {
  __asm__ volatile("sb %0, %%lo(handshake_places)(%1)" ::"r"(value), "r"(tasklet) : "memory");
}

void handshake_notify(void) {
  const uint32_t self = me(), lock = lock_of(self);
  rf_acquire(lock);
  const uint32_t found = read_place(self);
  write_place(self, found == kNobody ? kNotifierSleeps : kNobody);
  if (found != kNobody) tasklet_resume(found - 1u);
  rf_release(lock);
  if (found == kNobody) tasklet_stop();
}

int handshake_wait_for(sysname_t notifier) {
  const uint32_t lock = lock_of(notifier);
  rf_acquire(lock);
  const uint32_t found = read_place(notifier);
  if (found != kNobody && found != kNotifierSleeps) raise_fault(kDpuFaultBarrier);  // two tasklets wait for it
  write_place(notifier, found == kNotifierSleeps ? kNobody : me() + 1);
  if (found == kNotifierSleeps) tasklet_resume(notifier);
  rf_release(lock);
  if (found == kNobody) tasklet_stop();
  return 0;
}
