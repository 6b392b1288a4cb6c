// SPDX-License-Identifier: Apache-2.0
// Functions that read the text that DPU programs print. hw/pim/README.md explains the terms.
#pragma once

#include <stdio.h>

#include "dpu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Write the log of all DPUs of a set, or of one DPU, to `stream`. A second call does not write the same text again.
dpu_error_t dpu_log_read(struct dpu_set_t dpu_set, FILE* stream);
dpu_error_t dpulog_read_for_dpu(struct dpu_t* dpu, FILE* stream);

#ifdef __cplusplus
}
#endif
