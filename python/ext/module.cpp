// SPDX-License-Identifier: Apache-2.0
// The extension module ringfort._core. Its submodules are private: users import ringfort.
#include <cstdlib>

#include "bind.h"
#include "ringfort/secret_memory.h"

NB_MODULE(_core, m) {
  m.doc() = "Bindings of the Ringfort library; import ringfort instead.";
  m.def("version", [] { return RINGFORT_VERSION; }, "The library's version.");
  m.def("compiler", [] { return RINGFORT_COMPILER; }, "The compiler that built the library, for benchmark records.");
  // The library does not print, also where somebody else keeps a reference to the end: NumPy 2.4 loses one to the
  // operands of a refused ufunc.reduce(x). Our own references are tested with the warnings.
  nb::set_leak_warnings(std::getenv("RINGFORT_LEAK_WARNINGS") != nullptr);
  m.def("secret_memory_is_locked", &ringfort::secret_memory_is_locked,
        "False once the system has refused to lock memory of a secret.");
  bind_errors(m);
  bind_devices(m);
  nb::module_ ring = m.def_submodule("ring", "Rings without a scheme; the checked face is ringfort.ring.");
  bind_ring(ring);
  nb::module_ search = m.def_submodule("search", "Encrypted word search; the typed face is ringfort.search.");
  bind_search(search);
  nb::module_ parameters =
      m.def_submodule("parameters", "Parameters of the leveled schemes; the checked face is ringfort.Context.");
  bind_leveled_parameters(parameters);
  nb::module_ keys = m.def_submodule("keys", "Keys of the leveled schemes; the checked face is ringfort.Context.");
  bind_leveled_keys(keys);
  nb::module_ ckks = m.def_submodule("ckks", "CKKS on single ciphertexts; the checked face is ringfort.Context.");
  bind_ckks(ckks);
  nb::module_ bfv = m.def_submodule("bfv", "BFV on single ciphertexts; the checked face is ringfort.Context.");
  nb::module_ bgv = m.def_submodule("bgv", "BGV on single ciphertexts; the checked face is ringfort.Context.");
  bind_integers(bfv, bgv);
  nb::module_ files =
      m.def_submodule("files", "Files of the leveled schemes; the checked face is ringfort.save and ringfort.load.");
  bind_leveled_files(files);
  nb::module_ statistics =
      m.def_submodule("statistics", "Statistics over many users; the checked face is ringfort.statistics.");
  bind_statistics(statistics, bfv, bgv);
  nb::module_ bench = m.def_submodule("bench", "Benchmark rows; the command is ringfort bench.");
  bind_bench(bench);
}
