// SPDX-License-Identifier: Apache-2.0
// Replaces OpenMP's header if the compiler has none (CMakeLists.txt). There is one thread, and the compiler ignores the
// pragmas.
#pragma once

inline int omp_get_thread_num() { return 0; }
inline int omp_get_num_threads() { return 1; }
inline int omp_get_num_procs() { return 1; }
inline int omp_in_parallel() { return 0; }

enum { omp_pause_soft = 1 };
inline int omp_pause_resource_all(int) { return 0; }
