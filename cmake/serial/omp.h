// SPDX-License-Identifier: Apache-2.0
// Replaces OpenMP's header where the compiler has none (CMakeLists.txt): one thread, and the pragmas are ignored.
#pragma once

inline int omp_get_thread_num() { return 0; }
inline int omp_get_num_threads() { return 1; }
inline int omp_get_num_procs() { return 1; }
inline int omp_in_parallel() { return 0; }

enum { omp_pause_soft = 1 };
inline int omp_pause_resource_all(int) { return 0; }
