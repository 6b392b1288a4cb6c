// SPDX-License-Identifier: Apache-2.0
// Errors of the functions of dpu.h, with the vendor's names, and the two macros that check the result of a call.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dpu_error_t {
  DPU_OK = 0,
  DPU_ERR_INTERNAL,
  DPU_ERR_SYSTEM,
  DPU_ERR_DRIVER,
  DPU_ERR_ALLOCATION,
  DPU_ERR_INVALID_DPU_SET,
  DPU_ERR_INVALID_THREAD_ID,
  DPU_ERR_INVALID_NOTIFY_ID,
  DPU_ERR_INVALID_WRAM_ACCESS,
  DPU_ERR_INVALID_IRAM_ACCESS,
  DPU_ERR_INVALID_MRAM_ACCESS,
  DPU_ERR_INVALID_SYMBOL_ACCESS,
  DPU_ERR_MRAM_BUSY,
  DPU_ERR_TRANSFER_ALREADY_SET,
  DPU_ERR_NO_PROGRAM_LOADED,
  DPU_ERR_DIFFERENT_DPU_PROGRAMS,
  DPU_ERR_CORRUPTED_MEMORY,
  DPU_ERR_DPU_DISABLED,
  DPU_ERR_DPU_ALREADY_RUNNING,
  DPU_ERR_INVALID_MEMORY_TRANSFER,
  DPU_ERR_INVALID_LAUNCH_POLICY,
  DPU_ERR_DPU_FAULT,
  DPU_ERR_ELF_INVALID_FILE,
  DPU_ERR_ELF_NO_SUCH_FILE,
  DPU_ERR_ELF_NO_SUCH_SECTION,
  DPU_ERR_TIMEOUT,
  DPU_ERR_INVALID_PROFILE,
  DPU_ERR_UNKNOWN_SYMBOL,
  DPU_ERR_LOG_FORMAT,
  DPU_ERR_LOG_CONTEXT_MISSING,
  DPU_ERR_LOG_BUFFER_TOO_SMALL,
  DPU_ERR_INVALID_BUFFER_SIZE,
  DPU_ERR_SG_NOT_ACTIVATED,
  DPU_ERR_SG_LENGTH_MISMATCH,
  DPU_ERR_SG_TOO_MANY_BLOCKS
} dpu_error_t;

// Returns a text that the caller frees. The text begins with the vendor's sentence. If `status` is the calling thread's
// latest error, the text also says what was requested, what was found and, if known, how to fix the error.
char* dpu_error_to_string(dpu_error_t status);

#define DPU_CHECK(statement, on_error)                                     \
  do {                                                                     \
    dpu_error_t dpu_check_status_ = (statement);                           \
    if (dpu_check_status_ != DPU_OK) {                                     \
      char* dpu_check_text_ = dpu_error_to_string(dpu_check_status_);      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, dpu_check_text_); \
      free(dpu_check_text_);                                               \
      on_error;                                                            \
    }                                                                      \
  } while (0)
#define DPU_ASSERT(statement) DPU_CHECK(statement, exit(EXIT_FAILURE))

#ifdef __cplusplus
}
#endif
