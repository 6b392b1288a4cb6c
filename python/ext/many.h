// SPDX-License-Identifier: Apache-2.0
// Verbs on several ciphertexts: lists of Python's objects as spans of C++'s. Clones share the words.
#pragma once

#include <nanobind/stl/vector.h>

#include <vector>

#include "bind.h"

template <class C>
using Many = std::vector<const C*>;

template <class C>
std::vector<C> clones(const Many<C>& all) {
  std::vector<C> out;
  out.reserve(all.size());
  for (const C* each : all) out.push_back(each->clone());
  return out;
}

template <class A, class C>
std::vector<C> multiply_many(const A& evaluator, const Many<C>& a, const Many<C>& b) {
  const nb::gil_scoped_release unlocked;
  const std::vector<C> x = clones<C>(a);
  return a == b ? evaluator.multiply(x, x) : evaluator.multiply(x, clones<C>(b));
}

template <class A, class C>
std::vector<C> exponentiate_many(const A& evaluator, const Many<C>& a, std::uint32_t exponent) {
  const nb::gil_scoped_release unlocked;
  return evaluator.exponentiate(clones<C>(a), exponent);
}

template <class A, class C>
std::vector<C> rotate_many(const A& evaluator, const Many<C>& a, std::int64_t step) {
  const nb::gil_scoped_release unlocked;
  return evaluator.rotate(clones<C>(a), step);
}

template <class E, class C, class Key>
std::vector<C> relinearize_many(const E& evaluator, const Many<C>& a, const Key& key) {
  const nb::gil_scoped_release unlocked;
  return evaluator.relinearize(clones<C>(a), key);
}

// An AutomaticEvaluator's verbs.
template <class C, class Class>
void bind_many(Class& bound) {
  using A = typename Class::Type;
  bound.def("multiply_many", &multiply_many<A, C>, nb::arg("a"), nb::arg("b"))
      .def("exponentiate_many", &exponentiate_many<A, C>, nb::arg("a"), nb::arg("exponent"))
      .def("rotate_many", &rotate_many<A, C>, nb::arg("a"), nb::arg("step"));
}
