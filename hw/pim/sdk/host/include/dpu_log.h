// SPDX-License-Identifier: Apache-2.0
// Log output of DPUs.
#pragma once

#include <stdio.h>

#include "dpu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes the log of one DPU or of all DPUs of a set; each text is returned once.
dpu_error_t dpu_log_read(struct dpu_set_t dpu_set, FILE* stream);
dpu_error_t dpulog_read_for_dpu(struct dpu_t* dpu, FILE* stream);

#ifdef __cplusplus
}
#endif
