// SPDX-License-Identifier: Apache-2.0
// Binds ringfort::Ntt and ringfort::primes for ringfort/ring.py, which checks shapes and dtypes. Arrays are flat and
// contiguous. In an array, a word of 128 bits is two words of 64 bits, the low one first, at an address that is a
// multiple of 16. A modulus or a root is a pair (low, high) of words of 64 bits.
#include "ringfort/ring.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "gil.h"

namespace {

using ringfort::Ntt;
using ringfort::uint128;
using ringfort::WordWidth;
using Halves = std::pair<std::uint64_t, std::uint64_t>;
template <class W>
using In = nb::ndarray<const W, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class W>
using Out = nb::ndarray<W, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Halves halves(uint128 v) { return {static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(v >> 64)}; }
uint128 joined(Halves h) { return (static_cast<uint128>(h.second) << 64) | h.first; }

struct Transform {  // the transform of one ring, for one word width
  Ntt ntt;
  bool wide;  // words of 128 bits
};

Transform make(std::uint32_t n, Halves q, unsigned width, const std::string& device) {
  const auto word = width == 32 ? WordWidth::bits32 : width == 64 ? WordWidth::bits64 : WordWidth::bits128;
  return {Ntt(n, joined(q), word, device), width == 128};
}

template <class W, class S>
std::span<const W> view(const In<S>& a) {
  return {reinterpret_cast<const W*>(a.data()), a.size() * sizeof(S) / sizeof(W)};
}
template <class W, class S>
std::span<W> view(const Out<S>& a) {
  return {reinterpret_cast<W*>(a.data()), a.size() * sizeof(S) / sizeof(W)};
}

template <class S>
void forward(const Transform& t, In<S> in, Out<S> out, unsigned threads) {
  const WithoutGil unlocked;
  if (t.wide) return t.ntt.forward<uint128>(view<uint128>(in), view<uint128>(out), threads);
  t.ntt.forward<S>(view<S>(in), view<S>(out), threads);
}

template <class S>
void inverse(const Transform& t, In<S> in, Out<S> out, unsigned threads) {
  const WithoutGil unlocked;
  if (t.wide) return t.ntt.inverse<uint128>(view<uint128>(in), view<uint128>(out), threads);
  t.ntt.inverse<S>(view<S>(in), view<S>(out), threads);
}

template <class S>
void multiply(const Transform& t, In<S> a, In<S> b, Out<S> out, unsigned threads) {
  const WithoutGil unlocked;
  if (t.wide) return t.ntt.multiply<uint128>(view<uint128>(a), view<uint128>(b), view<uint128>(out), threads);
  t.ntt.multiply<S>(view<S>(a), view<S>(b), view<S>(out), threads);
}

template <class S>
void bind_words(nb::class_<Transform>& c) {
  c.def("forward", &forward<S>, nb::arg("input").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"));
  c.def("inverse", &inverse<S>, nb::arg("input").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"));
  c.def("multiply", &multiply<S>, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("out").noconvert(),
        nb::arg("threads"));
}

std::vector<Halves> primes(unsigned bits, std::uint64_t n, std::size_t count) {
  const WithoutGil unlocked;
  std::vector<Halves> found;
  for (const uint128 q : ringfort::primes(bits, n, count)) found.push_back(halves(q));
  return found;
}

}  // namespace

void bind_ring(nb::module_& m) {
  nb::class_<Transform> c(m, "Transform", "The transform of Z_q[x]/(x^n + 1), for words of 32, 64 or 128 bits.");
  c.def(
      "__init__",
      [](Transform* t, std::uint32_t n, Halves q, unsigned width, const std::string& device) {
        const WithoutGil unlocked;
        new (t) Transform(make(n, q, width, device));
      },
      nb::arg("n"), nb::arg("q"), nb::arg("width"), nb::arg("device"));
  c.def_prop_ro("psi", [](const Transform& t) { return halves(t.ntt.psi()); });
  c.def_prop_ro("device", [](const Transform& t) { return t.ntt.device(); });
  bind_words<std::uint32_t>(c);
  bind_words<std::uint64_t>(c);
  m.def("primes", &primes, nb::arg("bits"), nb::arg("n"), nb::arg("count"));
}
