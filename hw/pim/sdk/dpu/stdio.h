// SPDX-License-Identifier: Apache-2.0
// printf to the DPU's log, which the host reads with dpu_log_read().
#pragma once

__attribute__((format(printf, 1, 2))) int printf(const char* restrict format, ...);
