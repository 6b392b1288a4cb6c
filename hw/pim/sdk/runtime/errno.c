// SPDX-License-Identifier: Apache-2.0
// The variable behind errno (errno.h): one number for each tasklet. hw/pim/README.md explains the terms.
#include <errno.h>

int __errno[24];  // 24 is the largest number of tasklets of a chip
