// SPDX-License-Identifier: Apache-2.0
// Translates ringfort::Error to the Python class of its code, and std::bad_alloc to the class of out_of_memory.
// tools/gen_errors writes the classes (ringfort/errors.py) from the C++ enumeration. A test checks that every code has
// a class.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "bind.h"
#include "ringfort/error.h"

namespace {

void raise(ringfort::Code code, const std::string& problem, const std::string& fix) {
  try {
    nb::object by_code = nb::module_::import_("ringfort.errors").attr("BY_CODE");
    nb::object type = by_code[nb::str(std::string(ringfort::code_name(code)).c_str())];
    nb::object error = type(shown(problem), shown(fix));
    PyErr_SetObject(type.ptr(), error.ptr());
  } catch (nb::python_error& inner) { inner.restore(); }
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ringfort::Error& error) {
    raise(error.code(), error.problem(), error.fix());
  } catch (const std::bad_alloc&) {
    raise(ringfort::Code::out_of_memory, "the machine has too little free memory for this call",
          "work in smaller batches");
  }
}

std::vector<std::string> error_codes() {
  std::vector<std::string> names;
  for (auto c = 0; c <= static_cast<int>(ringfort::Code::internal); ++c) {
    names.emplace_back(ringfort::code_name(static_cast<ringfort::Code>(c)));
  }
  return names;
}

}  // namespace

void bind_errors(nb::module_& m) {
  nb::register_exception_translator(translate);
  m.def("error_codes", &error_codes, "Returns the names of all error codes, in the order of the C++ enumeration.");
}
