// SPDX-License-Identifier: Apache-2.0
// The part of the vendor's barrier.h that kernels may use. Kernels that are compiled for the host include this file
// (defs.h).
#pragma once

typedef struct barrier_t {
  int tasklets;
} barrier_t;

#define BARRIER_INIT(name, count) static barrier_t name = {count};

void barrier_wait(barrier_t* barrier);
