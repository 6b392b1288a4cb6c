// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

int __errno[24];  // tasklets of the largest chip
