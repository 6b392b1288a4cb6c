// SPDX-License-Identifier: Apache-2.0
// The storage of errno: one number for each tasklet.
#include <errno.h>

int __errno[24];  // tasklets of the largest chip
