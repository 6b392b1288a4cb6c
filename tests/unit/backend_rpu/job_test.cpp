// SPDX-License-Identifier: Apache-2.0
// Tests that the simulated ring processor (device `rpu`) runs the verbs of one call of run() as one job. Residues that
// stay in the processor's vector memory are not transferred to or from its off-chip memory. Every result must equal
// that of `ref`.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "differential/backend/cases.h"

namespace ringfort::testing {
namespace {

struct Counts : LaunchListener {
  mutable std::map<std::string, u32> of;
  mutable double compute_us = 0, energy_uj = 0, last_us = 0;
  void launched(const Launch& launch) const noexcept override {
    ++of[std::string(launch.name)];
    compute_us += launch.end.compute_us - launch.begin.compute_us;
    energy_uj += launch.end.energy_uj - launch.begin.energy_uj;
    last_us = std::max(last_us, launch.end.us);
  }
};

// Equal random polynomials on two devices: a ring processor, and `ref`.
class Pair {
 public:
  static constexpr u32 kSpecial = 1;
  Pair(const std::string& name, u32 n, u32 limbs, u64 seed = 1)
      : rpu(name),
        ref("ref"),
        n_(n),
        primes_(ntt_primes(50, n, limbs).value()),
        plans_{prepare(rpu, Word::u64, n, primes_), prepare(ref, Word::u64, n, primes_)},
        random_(seed) {}

  // Adds a batch of random polynomials to both devices and returns its index.
  u32 add(u32 batch) {
    std::vector<u64> words;
    for (u32 b = 0; b < batch; ++b) {
      for (const u128 q : primes_) {
        for (u32 i = 0; i < n_; ++i) words.push_back(random_() % static_cast<u64>(q));
      }
    }
    const auto limbs = static_cast<u32>(primes_.size());
    batches_.push_back({std::make_unique<Batch<u64>>(rpu, plans_[0].get(), n_, words, limbs),
                        std::make_unique<Batch<u64>>(ref, plans_[1].get(), n_, words, limbs)});
    return static_cast<u32>(batches_.size() - 1);
  }
  [[nodiscard]] View view(u32 device, u32 batch) const { return batches_[batch][device]->view(); }
  [[nodiscard]] u32 batches() const { return static_cast<u32>(batches_.size()); }

  // Runs the verbs that make(view_of) returns, on each device.
  template <class F>
  void run_job(F make) const {
    for (const u32 device : {0u, 1u}) {
      const std::vector<Verb> verbs = make([this, device](u32 batch) { return view(device, batch); });
      EXPECT_EQ(run_all(*(device == 0 ? rpu : ref), {}, verbs), Status::ok);
    }
  }
  void compare(const std::string& what) const {
    for (u32 b = 0; b < batches(); ++b)
      EXPECT_EQ(batches_[b][0]->values(), batches_[b][1]->values()) << what << ", batch " << b;
  }

  const TestDevice rpu, ref;

 private:
  u32 n_;
  std::vector<u128> primes_;
  std::array<SharedPlan, 2> plans_;
  std::mt19937_64 random_;
  std::vector<std::array<std::unique_ptr<Batch<u64>>, 2>> batches_;
};

// Counts the loads, the stores and the kernels (by name) of a sequence.
template <class F>
Counts counted(const Pair& pair, F make) {
  Counts counts;
  pair.rpu->report_launches(&counts);
  pair.run_job(make);
  pair.rpu->report_launches(nullptr);
  return counts;
}

TEST(Jobs, WordsThatTheNextVerbNeedsAreNeitherStoredNorLoaded) {
  Pair pair("rpu", 4096, 2);
  const u32 a = pair.add(1), b = pair.add(1);
  const Counts counts = counted(pair, [&](auto at) {
    return std::vector<Verb>{verb::Ntt{at(a)}, verb::Multiply{at(a), at(a), at(b)}, verb::Intt{at(a)}};
  });
  EXPECT_EQ(counts.of.at("load"), 4u);   // both operands have two limbs
  EXPECT_EQ(counts.of.at("store"), 2u);  // only the last result is stored
  EXPECT_EQ(counts.of.at("table"), 4u);
  EXPECT_EQ(counts.of.at("program"), 3u);
  pair.compare("products");
}

// The verb Copy moves no words at first: both operands are the same words until a later verb writes to one of them.
TEST(Jobs, ACopyIsANameUntilOneOfTheTwoChanges) {
  Pair pair("rpu", 4096, 2);
  const u32 a = pair.add(1), b = pair.add(1), c = pair.add(1);
  const Counts counts = counted(pair, [&](auto at) {
    return std::vector<Verb>{verb::Copy{at(b), at(a)}, verb::Copy{at(c), at(b)}, verb::Ntt{at(b)},
                             verb::Add{at(a), at(a), at(c)}};
  });
  EXPECT_EQ(counts.of.at("store"), 6u);
  EXPECT_EQ(counts.of.count("scale"), 0u);
  pair.compare("copies");
}

// If no later job reads a buffer (`ends`), its words need not go from the vector memory to the off-chip memory.
TEST(Jobs, ABufferThatEndsIsNotStored) {
  Pair pair("rpu", 4096, 2);
  const u32 a = pair.add(1), b = pair.add(1), between = pair.add(1);
  const auto make = [&](auto at) {
    return std::vector<Verb>{verb::Multiply{at(between), at(a), at(b)}, verb::Intt{at(between)},
                             verb::Add{at(a), at(a), at(between)}};
  };
  EXPECT_EQ(counted(pair, make).of.at("store"), 4u);
  pair.compare("kept");
  pair.view(0, between).buffer->ends = true;
  EXPECT_EQ(counted(pair, make).of.at("store"), 2u);
  pair.view(0, between).buffer->ends = false;
  pair.run_job([&](auto at) { return std::vector<Verb>{verb::Copy{at(between), at(b)}}; });
  pair.compare("ended");
}

// A ticket has the simulated time and energy at the end of a verb.
TEST(Jobs, TicketsAddUpToTheJob) {
  Pair pair("rpu", 4096, 2);
  const u32 a = pair.add(2), b = pair.add(2);
  Counts counts;
  const std::vector<Verb> verbs = {verb::Ntt{pair.view(0, a)},
                                   verb::Multiply{pair.view(0, b), pair.view(0, a), pair.view(0, a)},
                                   verb::Intt{pair.view(0, b)}};
  const Ticket before = pair.rpu->mark({});
  pair.rpu->report_launches(&counts);
  std::vector<Ticket> ends(verbs.size());
  ASSERT_EQ(pair.rpu->run({}, verbs, ends), Status::ok);
  pair.rpu->report_launches(nullptr);
  const Ticket after = pair.rpu->mark({});
  EXPECT_LT(before.us, ends[0].us);
  EXPECT_LT(ends[0].us, ends[1].us);
  EXPECT_LT(ends[1].us, ends[2].us);
  EXPECT_EQ(ends[2].us, after.us);
  EXPECT_NEAR(counts.last_us, after.us, 1e-6);
  EXPECT_NEAR(counts.compute_us, after.compute_us - before.compute_us, 1e-6);
  EXPECT_NEAR(counts.energy_uj, after.energy_uj - before.energy_uj, 1e-6);
}

// Returns the verbs of a CKKS product, of its key switch, and of both divisions. There is one special prime, and digits
// have one limb.
std::vector<Verb> multiplication(const std::array<View, 8>& views) {
  const auto& [a, b, t, sum, digits, key, rel, out] = views;
  const u32 limbs = a.limbs.count - Pair::kSpecial;
  const Limbs data{Pair::kSpecial, limbs}, special{0, Pair::kSpecial}, last{limbs, 1}, low{Pair::kSpecial, limbs - 1};
  const View c = t.in(data), coefficients = out.in(data).polynomial(2);
  return {verb::Tensor{c, a.in(data), b.in(data)},
          verb::Copy{coefficients, c.polynomial(2)},
          verb::Intt{coefficients},
          verb::KeySwitch{sum, c.polynomial(2), coefficients, digits, key, 1},
          verb::ModDown{rel.in(data), sum, rel.in(special), 1, Domain::evaluation},
          verb::Add{rel.in(data), rel.in(data), c.polynomials(0, 2)},
          verb::ModDown{out.in(low).polynomials(0, 2), rel.in(data), out.in(last).polynomials(0, 2), 1,
                        Domain::evaluation}};
}

struct Multiplied {
  double us, alone_us, computing;
};

Multiplied multiplied(const std::string& device, u32 n, u32 limbs) {
  Pair pair(device, n, limbs + 1);
  const u32 a = pair.add(2), b = pair.add(2), t = pair.add(3), sum = pair.add(2), digits = pair.add(limbs),
            key = pair.add(2 * limbs), rel = pair.add(2), out = pair.add(3);
  const auto make = [&](auto at) {
    return multiplication({at(a), at(b), at(t), at(sum), at(digits), at(key), at(rel), at(out)});
  };
  const Ticket before = pair.rpu->mark({});
  pair.run_job(make);
  const Ticket after = pair.rpu->mark({});
  pair.run_job([&](auto at) {  // zeroes buffers in which devices may leave different words
    return std::vector<Verb>{verb::Zero{at(digits)}, verb::Zero{at(rel).in({0, 1})},
                             verb::Zero{at(out).in({limbs, 1})}};
  });
  pair.compare(device);
  const Ticket second = pair.rpu->mark({});
  for (const Verb& verb : make([&](u32 batch) { return pair.view(0, batch); }))
    EXPECT_EQ(run_all(*pair.rpu, {}, std::span(&verb, 1)), Status::ok);
  return {after.us - before.us, pair.rpu->mark({}).us - second.us,
          (after.compute_us - before.compute_us) / (after.us - before.us)};
}

// The vector memory holds 16 polynomials. For n = 16384 and words of 16 bytes, a memory of 4 MiB holds as many. The
// operation has 8 limbs.
TEST(Jobs, AnOperationIsQuickerThanItsVerbsAndMostlyComputes) {
  const Multiplied found = multiplied("rpu:vdm_words=65536", 4096, 7);
  EXPECT_LT(found.us, found.alone_us);
  EXPECT_GE(found.computing, 0.7);
}

TEST(Jobs, ValuesThatDoNotFitTheVectorMemoryAreStoredAndLoadedAgain) {
  EXPECT_LT(multiplied("rpu:vdm_words=16384", 4096, 3).computing, 0.7);
  (void)multiplied("rpu:vdm_words=16384", 1024, 3);
}

// Random sequences of verbs on four batches. A job is split if the vector memory is too small for n.
class Sequences {
 public:
  Sequences(const std::string& device, u32 n, u64 seed) : pair_(device, n, 3, seed), random_(seed) {
    for (u32 i = 0; i < 4; ++i) pair_.add(2);
  }
  // ends: index of the batch whose buffer ends with the job. If it is 4, no buffer ends.
  void check(const std::string& what, u32 ends) {
    const u64 seed = random_();
    if (ends < 4) pair_.view(0, ends).buffer->ends = true;
    pair_.run_job([&](auto at) {
      std::mt19937_64 random(seed);
      std::vector<Verb> verbs;
      for (u32 i = 0; i < 10; ++i) verbs.push_back(verb(at, random));
      return verbs;
    });
    if (ends < 4) {
      pair_.view(0, ends).buffer->ends = false;
      pair_.run_job([&](auto at) { return std::vector<Verb>{verb::Copy{at(ends), at((ends + 1) % 4)}}; });
    }
    pair_.compare(what);
  }

 private:
  template <class At>
  Verb verb(At at, std::mt19937_64& random) const {
    const u32 first = static_cast<u32>(random() % 3), count = 1 + static_cast<u32>(random() % (3 - first)),
              polynomial = static_cast<u32>(random() % 2);
    const bool single = random() % 3 == 0;
    const std::array<u32, 4> order = shuffled(random);
    const auto view_of = [&](u32 i) {
      const View view = at(order[i]).in({first, count});
      return single ? view.polynomial(polynomial) : view;
    };
    const View out = view_of(0), a = view_of(random() % 3 == 0 ? 0 : 1), b = view_of(2);
    switch (random() % 11) {
      case 0: return verb::Add{out, a, b};
      case 1: return verb::Subtract{out, a, b};
      case 2: return verb::Negate{out, a};
      case 3: return verb::Multiply{out, a, b};
      case 4: return verb::MultiplyAdd{out, a, b};
      case 5: return verb::Copy{out, a};
      case 6: return verb::Ntt{out};
      case 7: return verb::Intt{out};
      case 8:
        return verb::BaseConvert{at(order[3]), view_of(1).batch == 2 ? view_of(1) : at(order[1]).in({first, count}),
                                 Conversion::centred};
      case 9: return verb::Zero{out};
      default: return verb::Automorphism{out, view_of(1), 5, Domain::coefficient};
    }
  }
  static std::array<u32, 4> shuffled(std::mt19937_64& random) {
    std::array<u32, 4> order = {0, 1, 2, 3};
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  Pair pair_;
  std::mt19937_64 random_;
};

TEST(Jobs, AnySequenceGivesTheBitsOfTheReference) {
  for (const std::string device : {"rpu", "rpu:vdm_words=16384"}) {
    for (const u32 n : {64u, 1024u, 2048u, 4096u}) {
      Sequences sequences(device, n, n);
      for (u32 i = 0; i < 6; ++i)
        sequences.check(device + ", n = " + std::to_string(n) + ", sequence " + std::to_string(i), i);
    }
  }
  Sequences halves("rpu:vdm_words=17000", 8192, 1);  // the three limbs of a polynomial are longer than the memory
  for (u32 i = 2; i < 5; ++i) halves.check("halves, sequence " + std::to_string(i), i);
}

}  // namespace
}  // namespace ringfort::testing
