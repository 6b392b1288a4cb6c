// SPDX-License-Identifier: Apache-2.0
// Runs the host program of host_in_c.c with a DPU program. Returns 0, or the number of the step that failed.
// hw/pim/README.md explains the terms.
#pragma once

int host_in_c(const char* program);
