// SPDX-License-Identifier: Apache-2.0
// Compares the arithmetic of lanes (law_bench.sv) with arithmetic bit by bit: products by doubling and adding,
// reciprocals by long division. The bench has no code in common with the simulators. Each element (the operands of one
// operation) has its own modulus. Therefore the bench detects a modulus, or a part of its constants, that arrives in a
// wrong cycle. Elements come with or without a pause between them, as instructions do. rtl/rpu_law_pkg.sv explains
// latency and interval. hw/rpu/README.md explains the other terms.
//
// usage: law_bench VECTORS SEED     Each lane gets at least VECTORS elements. Exit status: 0 if all results are equal;
// 1 after a difference, which the bench prints with the operands; 2 for a wrong number of arguments
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "Vlaw_bench.h"

namespace {

__extension__ using u128 = unsigned __int128;
using u64 = std::uint64_t;

constexpr unsigned kLanes = 6;

// The latencies and the interval of one machine. The build sets them.
struct Machine {
  unsigned multiply, add, interval;
};
constexpr std::array<Machine, 2> kMachines{{{MULTIPLY_LATENCY_0, ADD_LATENCY_0, MULTIPLY_INTERVAL_0},
                                            {MULTIPLY_LATENCY_1, ADD_LATENCY_1, MULTIPLY_INTERVAL_1}}};

struct Modulus {
  u128 q, normal, reciprocal;
  unsigned shift;
};

struct Element {
  Modulus m;
  u128 vs, vt, vt1;
  bool bfly, subtract;
};

u128 low_bits(unsigned bits) { return bits == 128 ? ~u128{0} : (u128{1} << bits) - 1; }

u128 add_mod(u128 a, u128 b, u128 q) { return a >= q - b ? a - (q - b) : a + b; }

u128 subtract_mod(u128 a, u128 b, u128 q) { return a >= b ? a - b : a + (q - b); }

// Returns a b mod q for any a and b.
u128 multiply_mod(u128 a, u128 b, u128 q) {
  u128 sum = 0, power = b % q;
  for (; a != 0; a >>= 1) {
    if ((a & 1) != 0) sum = add_mod(sum, power, q);
    power = add_mod(power, power, q);
  }
  return sum;
}

Modulus modulus_of(u128 q, unsigned width) {
  Modulus m{q, q, 0, 0};
  for (; (m.normal >> (width - 1)) == 0; m.normal <<= 1) ++m.shift;
  // Divides 2^(2 width) - 1 by m.normal. The first `width` bits of the dividend give bit `width` of the quotient. This
  // bit is 1, and m.reciprocal omits it.
  u128 rest = low_bits(width) - m.normal;
  for (unsigned bit = 0; bit < width; ++bit) {
    const bool carry = ((rest >> (width - 1)) & 1) != 0;
    rest = ((rest << 1) | 1) & low_bits(width);
    const bool fits = carry || rest >= m.normal;
    rest -= fits ? m.normal : 0;
    rest &= low_bits(width);
    m.reciprocal = (m.reciprocal << 1) | (fits ? 1 : 0);
  }
  return m;
}

class Source {
 public:
  Source(unsigned width, u64 seed) : width_(width), random_(seed * 1000 + width) {
    moduli_ = {modulus_of(2, width), modulus_of(3, width)};
    for (unsigned bits = 2; bits <= width; ++bits) {
      moduli_.push_back(modulus_of(u128{1} << (bits - 1), width));
      moduli_.push_back(modulus_of((u128{1} << (bits - 1)) + 1, width));
      moduli_.push_back(modulus_of(low_bits(bits), width));
      for (int i = 0; i < 16; ++i) moduli_.push_back(modulus_of(at_least_two(word() & low_bits(bits)), width));
    }
  }

  Element next() {
    Element e{};
    e.m = moduli_[random_() % moduli_.size()];
    e.bfly = random_() % 2 != 0;
    e.subtract = random_() % 2 != 0;
    const u128 any = value(low_bits(width_));
    e.vt = value(e.m.q - 1);
    // Only one factor of a product may be q or larger: vt1 of a butterfly, vs of every other product.
    e.vs = e.bfly || random_() % 2 != 0 ? value(e.m.q - 1) : any;
    e.vt1 = any;
    return e;
  }

 private:
  static u128 at_least_two(u128 x) { return x < 2 ? x + 2 : x; }
  u128 word() { return (u128{random_()} << 64) | random_(); }

  // Returns a random value up to `most`. Often the value is near 0 or near `most`.
  u128 value(u128 most) {
    switch (random_() % 8) {
      case 0: return most;
      case 1: return most - (random_() % 3) % (most + 1 == 0 ? 3 : most + 1);
      case 2: return (random_() % 3) % (most + 1 == 0 ? 3 : most + 1);
      case 3: return (low_bits(1 + random_() % width_)) & most;
      default: return most + 1 == 0 ? word() : word() % (most + 1);
    }
  }

  unsigned width_;
  std::mt19937_64 random_;
  std::vector<Modulus> moduli_;
};

std::string text(u128 x) {
  std::array<char, 40> out{};
  std::snprintf(out.data(), out.size(), "%016llx%016llx", static_cast<unsigned long long>(x >> 64),
                static_cast<unsigned long long>(x));
  return out.data();
}

// Tests one lane: gives elements to the lane, and checks that the right results come in the right cycles.
class LawUnderTest {
 public:
  LawUnderTest(Vlaw_bench& top, unsigned number, u64 seed)
      : top_(top),
        number_(number),
        width_(32U << (number % 3)),
        machine_(kMachines[number / 3]),
        source_(width_, seed + number / 3),
        pauses_(seed) {}

  [[nodiscard]] u64 elements() const { return elements_; }

  void drive(u64 cycle) {
    const bool starts = cycle >= next_;
    if (starts) {
      now_ = source_.next();
      ++elements_;
      const unsigned pause = pauses_() % 16 == 0 ? static_cast<unsigned>(pauses_() % 7) : 0;
      next_ = cycle + machine_.interval + pause;
      expect(cycle);
    }
    set_bit(top_.first, starts);
    set_bit(top_.bfly, now_.bfly);
    set_bit(top_.subtract, now_.subtract);
    write(top_.vs, now_.vs);
    write(top_.vt, now_.vt);
    write(top_.vt1, now_.vt1);
    write(top_.q, now_.m.q);
    write(top_.normal, now_.m.normal);
    write(top_.reciprocal, now_.m.reciprocal);
    top_.shift = (top_.shift & ~(u64{0xff} << (8 * number_))) | (u64{now_.m.shift} << (8 * number_));
  }

  bool check(u64 cycle) {
    return shows(sums_, cycle, top_.sum, "sum") && shows(products_, cycle, top_.product, "product") &&
           shows(bfly_sums_, cycle, top_.bfly_sum, "bfly_sum") &&
           shows(bfly_differences_, cycle, top_.bfly_difference, "bfly_difference");
  }

 private:
  struct Expected {
    u64 cycle;
    u128 value;
    Element element;
  };

  // Latencies count from the read of an element. An element is at the inputs one cycle after its read. Therefore a
  // result comes latency - 1 cycles after the element. With an interval of I cycles, a product comes another I - 1
  // cycles later.
  void expect(u64 cycle) {
    const Element& e = now_;
    const u128 q = e.m.q;
    const u64 multiplied = cycle + machine_.multiply - 1 + machine_.interval - 1;
    if (e.vs < q) {
      const u128 sum = e.subtract ? subtract_mod(e.vs, e.vt, q) : add_mod(e.vs, e.vt, q);
      sums_.push_back({cycle + machine_.add - 1, sum, e});
    }
    const u128 product = multiply_mod(e.bfly ? e.vt1 : e.vs, e.vt, q);
    products_.push_back({multiplied, product, e});
    if (!e.bfly) return;
    bfly_sums_.push_back({multiplied + machine_.add, add_mod(e.vs, product, q), e});
    bfly_differences_.push_back({multiplied + machine_.add, subtract_mod(e.vs, product, q), e});
  }

  template <class Wide>
  bool shows(std::deque<Expected>& queue, u64 cycle, const Wide& port, const char* name) {
    if (queue.empty() || queue.front().cycle != cycle) return true;
    const Expected expected = queue.front();
    queue.pop_front();
    u128 found = 0;
    for (unsigned i = 4; i-- > 0;) found = (found << 32) | port[4 * number_ + i];
    if (found == expected.value) return true;
    const Element& e = expected.element;
    std::printf("W %u, latencies %u and %u, interval %u: %s is %s, not %s\n", width_, machine_.multiply, machine_.add,
                machine_.interval, name, text(found).c_str(), text(expected.value).c_str());
    std::printf("vs %s vt %s vt1 %s q %s bfly %d subtract %d\n", text(e.vs).c_str(), text(e.vt).c_str(),
                text(e.vt1).c_str(), text(e.m.q).c_str(), e.bfly, e.subtract);
    return false;
  }

  template <class Bits>
  void set_bit(Bits& port, bool value) {
    port = static_cast<Bits>((port & ~(1U << number_)) | (value ? 1U << number_ : 0U));
  }

  template <class Wide>
  void write(Wide& port, u128 value) {
    for (unsigned i = 0; i < 4; ++i) port[4 * number_ + i] = static_cast<std::uint32_t>(value >> (32 * i));
  }

  Vlaw_bench& top_;
  unsigned number_, width_;
  Machine machine_;
  Source source_;
  std::mt19937_64 pauses_;
  Element now_{};
  u64 next_ = 0, elements_ = 0;
  std::deque<Expected> sums_, products_, bfly_sums_, bfly_differences_;
};

int check_lanes(u64 vectors, u64 seed) {
  VerilatedContext context;
  Vlaw_bench top(&context);
  std::vector<LawUnderTest> lanes;
  lanes.reserve(kLanes);
  for (unsigned k = 0; k < kLanes; ++k) lanes.emplace_back(top, k, seed);
  u64 fewest = 0;
  for (u64 cycle = 0; fewest < vectors; ++cycle) {
    top.clk = 0;
    for (LawUnderTest& lane : lanes) lane.drive(cycle);
    top.eval();
    fewest = vectors;
    for (LawUnderTest& lane : lanes) {
      if (!lane.check(cycle)) return 1;
      fewest = std::min(fewest, lane.elements());
    }
    top.clk = 1;
    top.eval();
  }
  std::printf("%llu vectors a lane, all equal\n", static_cast<unsigned long long>(fewest));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  return check_lanes(std::strtoull(arguments[1], nullptr, 10), std::strtoull(arguments[2], nullptr, 10));
}
