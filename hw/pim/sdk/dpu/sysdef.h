// SPDX-License-Identifier: Apache-2.0
// Types of names and numbers of the run-time library.
#pragma once

typedef unsigned int thread_id_t;
typedef unsigned int sysname_t;
