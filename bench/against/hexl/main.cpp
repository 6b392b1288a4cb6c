// SPDX-License-Identifier: Apache-2.0
// Measures transforms (NTTs, Fourier transforms modulo a prime) and polynomial products of Intel HEXL, for comparison
// with Ringfort. The calls run in one thread and in place, and give canonical results, below the modulus. Prints
// medians in microseconds as one JSON document, with the row names of `ringfort bench`:
//   against-hexl [--quick]
// Every transform is checked before it is timed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "hexl/hexl.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Polynomial = intel::hexl::AlignedVector64<std::uint64_t>;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// Returns microseconds per call: the median over batches. The calls of a batch take about 40 us. If a call takes
// longer, a batch has one call.
template <class Call>
double median(std::size_t repeats, Call call) {
  std::size_t warm = 0;
  for (const auto begin = Clock::now(); microseconds_since(begin) < 2000;) {
    call();
    ++warm;
  }
  const std::size_t batch = std::max<std::size_t>(1, warm / 50);
  std::vector<double> samples(repeats);
  for (double& sample : samples) {
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < batch; ++i) call();
    sample = microseconds_since(begin) / static_cast<double>(batch);
  }
  std::nth_element(samples.begin(), samples.begin() + repeats / 2, samples.end());
  return samples[repeats / 2];
}

// Checks that the transform of X consists of n different roots of X^n + 1, and that the inverse transform gives X.
bool transforms(intel::hexl::NTT& ntt, std::uint64_t n, std::uint64_t q) {
  Polynomial x(n), values(n), again(n);
  x[1] = 1;
  ntt.ComputeForward(values.data(), x.data(), 1, 1);
  ntt.ComputeInverse(again.data(), values.data(), 1, 1);
  const bool roots = std::all_of(values.begin(), values.end(), [&](std::uint64_t value) {
    return value < q && intel::hexl::PowMod(value, n, q) == q - 1;
  });
  std::sort(values.begin(), values.end());
  return roots && again == x && std::adjacent_find(values.begin(), values.end()) == values.end();
}

void print_rows(std::uint64_t bits, std::uint64_t n, std::size_t repeats, const char* separator) {
  // GeneratePrimes(count, k, false, n) returns the largest primes below 2^(k + 1).
  const std::uint64_t q = intel::hexl::GeneratePrimes(1, bits - 1, false, n)[0];
  intel::hexl::NTT ntt(n, q);
  if (!transforms(ntt, n, q)) {
    std::fprintf(stderr, "HEXL's transforms are wrong for n = %llu\n", static_cast<unsigned long long>(n));
    std::exit(1);
  }
  Polynomial a(n), b(n);
  std::iota(a.begin(), a.end(), 1);
  std::iota(b.begin(), b.end(), n);
  const auto forward = [&](Polynomial& p) { ntt.ComputeForward(p.data(), p.data(), 1, 1); };
  const auto inverse = [&](Polynomial& p) { ntt.ComputeInverse(p.data(), p.data(), 1, 1); };
  const double product = median(repeats, [&] {
    forward(a);
    forward(b);
    intel::hexl::EltwiseMultMod(a.data(), a.data(), b.data(), n, q, 1);
    inverse(a);
  });
  const std::string name = "/n" + std::to_string(n) + "/q" + std::to_string(bits);
  std::printf("%s\n  \"ntt/forward%s\": %.4f,\n  \"ntt/inverse%s\": %.4f", separator, name.c_str(),
              median(repeats, [&] { forward(a); }), name.c_str(), median(repeats, [&] { inverse(a); }));
  for (const char* how : {"fused", "composed"}) std::printf(",\n  \"polymul/%s%s\": %.4f", how, name.c_str(), product);
}

}  // namespace

int main(int count, char** arguments) {
  const bool quick = count > 1 && std::string_view(arguments[1]) == "--quick";
  std::printf("{\"peer\": \"HEXL\", \"version\": \"%s\", \"rows\": {", HEXL_PEER_VERSION);
  const char* separator = "";
  for (const std::uint64_t bits : {30, 31, 50, 60}) {
    for (std::uint64_t n = 1024; n <= 65536; n *= 2) {
      print_rows(bits, n, quick ? 15 : 51, separator);
      separator = ",";
    }
  }
  std::printf("\n}}\n");
}
