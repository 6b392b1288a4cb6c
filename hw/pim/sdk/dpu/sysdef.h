// SPDX-License-Identifier: Apache-2.0
// Types that the run-time library uses for names and numbers.
#pragma once

typedef unsigned int thread_id_t;
typedef unsigned int sysname_t;
