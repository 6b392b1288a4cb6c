// SPDX-License-Identifier: Apache-2.0
// Operations on several ciphertexts at a time: converts lists of Python objects to vectors of C++ objects. The vectors
// contain clones, which share the residues of the originals. Also binds the operations that the Arithmetic classes of
// all schemes have in common.
#pragma once

#include <nanobind/stl/vector.h>

#include <vector>

#include "bind.h"
#include "gil.h"

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
std::vector<C> multiply_each(const A& evaluator, const Many<C>& a, const Many<C>& b) {
  const WithoutGil unlocked;
  const std::vector<C> x = clones<C>(a);
  return a == b ? evaluator.multiply(x, x) : evaluator.multiply(x, clones<C>(b));
}

template <class A, class C>
std::vector<C> power_each(const A& evaluator, const Many<C>& a, std::uint32_t exponent) {
  const WithoutGil unlocked;
  return evaluator.power(clones<C>(a), exponent);
}

template <class A, class C>
std::vector<C> rotate_each(const A& evaluator, const Many<C>& a, std::int64_t step) {
  const WithoutGil unlocked;
  return evaluator.rotate(clones<C>(a), step);
}

template <class E, class C, class Key>
std::vector<C> relinearize_each(const E& evaluator, const Many<C>& a, const Key& key) {
  const WithoutGil unlocked;
  return evaluator.relinearize(clones<C>(a), key);
}

// Binds the operations that are the same code in the Arithmetic classes of all schemes, under the names of
// python/src/ringfort/encrypted/packing/arithmetic.py. A is such a class. Its evaluator `automatic` manages levels, and
// its evaluator `by_hand` does not.
template <class C, class A>
void bind_arithmetic(nb::class_<A>& bound) {
  using Unlocked = nb::call_guard<WithoutGil>;
  bound.def_prop_ro("wants_batches", [](const A& on) { return on.context.keys().wants_batches(); })
      .def(
          "add", [](const A& on, const C& a, const C& b) { return on.automatic.add(a, b); }, nb::arg("a"), nb::arg("b"),
          Unlocked())
      .def(
          "subtract", [](const A& on, const C& a, const C& b) { return on.automatic.subtract(a, b); }, nb::arg("a"),
          nb::arg("b"), Unlocked())
      .def(
          "negate", [](const A& on, const C& a) { return on.by_hand.negate(a); }, nb::arg("a"), Unlocked())
      .def(
          "multiply", [](const A& on, const C& a, const C& b) { return on.automatic.multiply(a, b); }, nb::arg("a"),
          nb::arg("b"), Unlocked())
      .def(
          "multiply_each",
          [](const A& on, const Many<C>& a, const Many<C>& b) { return multiply_each(on.automatic, a, b); },
          nb::arg("a"), nb::arg("b"))
      .def(
          "power", [](const A& on, const C& a, std::uint32_t exponent) { return on.automatic.power(a, exponent); },
          nb::arg("a"), nb::arg("exponent"), Unlocked())
      .def(
          "power_each",
          [](const A& on, const Many<C>& a, std::uint32_t exponent) { return power_each(on.automatic, a, exponent); },
          nb::arg("a"), nb::arg("exponent"))
      .def(
          "rotate", [](const A& on, const C& a, std::int64_t step) { return on.automatic.rotate(a, on.turn(step)); },
          nb::arg("a"), nb::arg("step"), Unlocked())
      .def(
          "rotate_each",
          [](const A& on, const Many<C>& a, std::int64_t step) { return rotate_each(on.automatic, a, on.turn(step)); },
          nb::arg("a"), nb::arg("step"));
}
