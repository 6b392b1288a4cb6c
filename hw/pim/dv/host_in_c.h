// SPDX-License-Identifier: Apache-2.0
// See host_in_c.c. Returns 0 or the number of the failed step.
#pragma once

int host_in_c(const char* program);
