// SPDX-License-Identifier: Apache-2.0
// What DPUs printed during their latest launches.
#pragma once

#include <stdio.h>

#include "dpu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of one DPU, or of all of a set, each once.
dpu_error_t dpu_log_read(struct dpu_set_t dpu_set, FILE* stream);
dpu_error_t dpulog_read_for_dpu(struct dpu_t* dpu, FILE* stream);

#ifdef __cplusplus
}
#endif
