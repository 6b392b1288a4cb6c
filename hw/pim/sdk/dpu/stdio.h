// SPDX-License-Identifier: Apache-2.0
// printf writes to the log of the DPU. The host reads the log with dpu_log_read(). Unlike in C, printf does not count
// the characters; it always returns 0. hw/pim/README.md explains the terms.
#pragma once

__attribute__((format(printf, 1, 2))) int printf(const char* restrict format, ...);
