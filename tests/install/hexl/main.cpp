// SPDX-License-Identifier: Apache-2.0
// Multiplies two polynomials modulo x^N + 1 by transforms, in the way of programs for Intel HEXL. Gives the tables of
// the transform an allocator of the program.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "hexl/hexl.hpp"

using intel::hexl::AlignedVector64;

namespace {

struct Counting {
  int* allocations;
};

}  // namespace

namespace intel {
namespace hexl {

template <>
struct NTT::AllocatorAdapter<Counting> : public AllocatorInterface<NTT::AllocatorAdapter<Counting>> {
  explicit AllocatorAdapter(Counting&& counting) : counting_(counting) {}
  void* allocate_impl(size_t bytes) {
    ++*counting_.allocations;
    return std::malloc(bytes);
  }
  void deallocate_impl(void* memory, size_t) {
    --*counting_.allocations;
    std::free(memory);
  }

 private:
  Counting counting_;
};

}  // namespace hexl
}  // namespace intel

int main() {
  const uint64_t n = 1024, q = intel::hexl::GeneratePrimes(1, 49, true, n)[0];
  AlignedVector64<uint64_t> a(n), b(n), product(n);
  for (uint64_t i = 0; i < n; ++i) a[i] = i * i % q, b[i] = q - 1 - i;
  std::vector<uint64_t> expected(n, 0);
  for (uint64_t i = 0; i < n; ++i) {
    for (uint64_t j = 0; j < n; ++j) {
      const uint64_t term = intel::hexl::MultiplyMod(a[i], b[j], q);
      uint64_t& sum = expected[(i + j) % n];
      sum = i + j < n ? intel::hexl::AddUIntMod(sum, term, q) : intel::hexl::SubUIntMod(sum, term, q);
    }
  }
  int allocations = 0;
  bool is_right = false, took_memory = false;
  {
    intel::hexl::NTT ntt(n, q, Counting{&allocations});
    took_memory = allocations > 0;
    ntt.ComputeForward(a.data(), a.data(), 1, 4);
    ntt.ComputeForward(b.data(), b.data(), 1, 4);
    intel::hexl::EltwiseMultMod(product.data(), a.data(), b.data(), n, q, 4);
    ntt.ComputeInverse(product.data(), product.data(), 1, 1);
    is_right = std::vector<uint64_t>(product.begin(), product.end()) == expected;
  }
  std::printf("the product is %s; %d allocations are left\n", is_right ? "right" : "WRONG", allocations);
  return is_right && took_memory && allocations == 0 ? 0 : 1;
}
