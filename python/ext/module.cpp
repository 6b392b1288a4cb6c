// SPDX-License-Identifier: Apache-2.0
// The extension module ringfort._core. Its submodules are private: users import ringfort.
#include <cstdlib>
#include <stdexcept>

#include "bind.h"
#include "gil.h"
#include "ringfort/secret_memory.h"

// All interpreters of a process would share the state of this module. A process that imported it only in another
// interpreter than the main one aborted at its end.
static void require_main_interpreter() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return;
  throw std::runtime_error("ringfort works only in the main interpreter of a process; use processes or threads");
}

NB_MODULE(_core, m) {
  require_main_interpreter();
  m.doc() = "Bindings of the Ringfort library; import ringfort instead.";
  m.def("version", [] { return RINGFORT_VERSION; }, "Returns the library's version.");
  m.def(
      "compiler", [] { return RINGFORT_COMPILER; },
      "Returns the compiler that built the library, for benchmark records.");
  // Disables nanobind's warnings about leaked references, because the library must not print. Another library can cause
  // such a warning: NumPy 2.4 leaks a reference to the operand of a rejected ufunc.reduce(x). A test enables the
  // warnings to check the references of this library.
  nb::set_leak_warnings(std::getenv("RINGFORT_LEAK_WARNINGS") != nullptr);
  m.def("secret_memory_is_locked", &ringfort::secret_memory_is_locked,
        "Returns False once the system has failed to lock memory of a secret.");
  watch_for_the_end();
  bind_errors(m);
  bind_devices(m);
  nb::module_ ring = m.def_submodule("ring", "Rings without a scheme; the public API is ringfort.ring.");
  bind_ring(ring);
  nb::module_ search = m.def_submodule("search", "Encrypted word search; the public API is ringfort.search.");
  bind_search(search);
  nb::module_ parameters =
      m.def_submodule("parameters", "Parameters of the leveled schemes; the public API is ringfort.Context.");
  bind_leveled_parameters(parameters);
  nb::module_ keys = m.def_submodule("keys", "Keys of the leveled schemes; the public API is ringfort.Context.");
  bind_leveled_keys(keys);
  nb::module_ ckks = m.def_submodule("ckks", "CKKS on single ciphertexts; the public API is ringfort.Context.");
  bind_ckks(ckks);
  nb::module_ bfv = m.def_submodule("bfv", "BFV on single ciphertexts; the public API is ringfort.Context.");
  nb::module_ bgv = m.def_submodule("bgv", "BGV on single ciphertexts; the public API is ringfort.Context.");
  bind_integers(bfv, bgv);
  nb::module_ files =
      m.def_submodule("files", "Files of the leveled schemes; the public API is ringfort.save and ringfort.load.");
  bind_leveled_files(files);
  nb::module_ statistics =
      m.def_submodule("statistics", "Statistics over many users; the public API is ringfort.statistics.");
  bind_statistics(statistics, bfv, bgv);
  nb::module_ bench = m.def_submodule("bench", "Benchmark rows; the command is ringfort bench.");
  bind_bench(bench);
}
