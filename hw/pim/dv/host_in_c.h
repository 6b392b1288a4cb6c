// SPDX-License-Identifier: Apache-2.0
// See host_in_c.c. 0, or the number of the step that failed.
#pragma once

int host_in_c(const char* program);
