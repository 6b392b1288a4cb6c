// SPDX-License-Identifier: Apache-2.0
// Experiments that do not repeat figures of [Mwaisela24]. They are: work on data that is already on the DPUs, the mean
// of a hundred thousand ciphertexts, scaling with the number of DPUs, transfers of various sizes, a comparison of the
// two chips, and the number of operations per copied word from which the DPUs are faster than the host. The experiments
// assume that the host reads 60 GB/s from its memory. hw/pim/README.md explains the terms.
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "bench/experiments.h"
#include "bench/kernel_cases.h"
#include "dv/host_system.h"
#include "dv/ntt_run.h"
#include "kernels/accumulate.h"
#include "sdk/host/profile.h"
#include "sim/words.h"

namespace ringfort::pim::bench {
namespace {

using testing::HostSystem;
using testing::product_mod;
using testing::require;

// check-magic: 1073479681 == ntt_prime(30, 2**15)
// check-magic: 16580609 == ntt_prime(24, 2**15)
constexpr u32 kQ30 = 1073479681, kQ24 = 16580609;
constexpr double kWordBits = 60;

struct Resident {
  double dpu_ms = 0;
  bool estimated = false;
};

Resident resident(const Setting& setting, u32 dpus, const KernelCase& kernel_case) {
  const Times times = measure_case(setting.folder, setting.profile, dpus, kernel_case);
  return {times.dpu_ms, times.estimated};
}

Params params_of(const Setting& setting, bool estimated, u32 dpus) {
  return Params()
      .set("profile", setting.profile)
      .set("cycles", estimated ? "estimated" : "simulated")
      .set("dpus", dpus);
}

// Adds the time in nanoseconds per 60 bits of modulus. With this unit, results for moduli of 24, 30 and 60 bits can be
// compared.
void add_resident(const Setting& setting, const std::string& name, const Resident& run, double words, double bits) {
  setting.rows->add("pim/resident/" + name, "ns/60 bits", run.dpu_ms * 1e6 / (words * bits / kWordBits),
                    params_of(setting, run.estimated, kDpus).set("words", words).set("bits", bits));
}

void resident_vectors(const Setting& setting) {
  const u32 words = setting.quick ? 1u << 17 : 1u << 20;
  const double all = static_cast<double>(words) * kDpus;
  add_resident(setting, "add30", resident(setting, kDpus, add_case(kQ30, words)), all, 30);
  add_resident(setting, "multiply30", resident(setting, kDpus, multiply_case(kQ30, words / 8)), all / 8, 30);
  add_resident(setting, "multiply24", resident(setting, kDpus, multiply_case(kQ24, words / 8)), all / 8, 24);
}

// Transforms a batch of polynomials on every DPU, with the tables of one prime.
Resident transform_batch(const Setting& setting, unsigned bits, u32 polynomials) {
  const testing::Transform t = testing::make_transform(bits, 12);
  HostSystem system(kDpus, "fidelity=shapes,timing=" + setting.profile);
  system.load(setting.folder + "/ntt.dpu");
  const u32 bytes = polynomials * t.n() * 4;
  require(ringfort_pim_generate(system.set(), 0, bytes, 1, std::vector<u32>(kDpus, t.q).data()));
  auto table = testing::twiddle_table(t, false);
  require(dpu_broadcast_to(system.set(), DPU_MRAM_HEAP_POINTER_NAME, bytes, table.data(), table.size() * 4,
                           DPU_XFER_DEFAULT));
  system.set_arguments(NttArguments{kForward, t.narrow, t.q, t.log_n, 0, polynomials, 0, bytes, 0, {}});
  const double before = system.clock_ms();
  system.launch();
  const Resident run{system.clock_ms() - before, system.last_event().estimated};
  std::vector<u32> first(t.n());
  for (u32 i = 0; i < t.n(); ++i) first[i] = ringfort_pim_word(1, kDpus - 1, i, t.q);
  if (system.get_one(kDpus - 1, 0, t.n()) != testing::negacyclic_transform(first, t.root, t.q))
    throw std::runtime_error("a transform is wrong");
  return run;
}

void resident_transforms(const Setting& setting) {
  constexpr u32 kPolynomials = 16;
  for (unsigned bits : {30u, 24u}) {
    const Resident run = transform_batch(setting, bits, kPolynomials);
    add_resident(setting, "ntt4096/q" + std::to_string(bits), run, double{kDpus} * kPolynomials * 4096, bits);
    setting.rows->add("pim/ntt-rate/n4096/q" + std::to_string(bits), "transforms/s",
                      double{kDpus} * kPolynomials / run.dpu_ms * 1e3,
                      params_of(setting, run.estimated, kDpus).set("batch", kPolynomials));
  }
}

double peak_gigabytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  double kilobytes = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> kilobytes;
  }
  return kilobytes / 1e6;
}

// Adds the time of the mean of 100000 ciphertexts. A ciphertext has two polynomials of 8192 coefficients modulo eight
// 30-bit primes. Its 2^17 words are divided among 128 DPUs. Each of sixteen groups of 128 DPUs sums a sixteenth of the
// ciphertexts, and the host adds the sums of the groups.
void mean(const Setting& setting) {
  constexpr u32 kWords = 1024, kGroups = 16;
  const u32 ciphertexts = 100000, rows = ciphertexts / kGroups;
  HostSystem system(kDpus, "fidelity=shapes,timing=" + setting.profile);
  system.load(setting.folder + "/accumulate.dpu");
  require(
      ringfort_pim_generate(system.set(), 0, std::size_t{rows} * kWords * 4, 7, std::vector<u32>(kDpus, kQ30).data()));
  const double loaded = system.clock_ms();
  const u64 radix = u64{1} << 32;
  const u32 out = rows * kWords * 4;
  system.set_arguments(AccumulateArguments{kQ30, 0, kWords, rows, 0, out, static_cast<u32>(radix % kQ30),
                                           static_cast<u32>(product_mod(radix, 1u << kSplitBits, kQ30))});
  const double before = system.clock_ms();
  system.launch();
  const double summed = system.clock_ms();
  const bool estimated = system.last_event().estimated;
  const auto sums = system.get_one(1, out, 8);
  for (u32 i = 0; i < sums.size(); ++i) {
    u64 sum = 0;
    for (u32 r = 0; r < rows; ++r) sum += ringfort_pim_word(7, 1, r * kWords + i, kQ30);
    if (sums[i] != sum % kQ30) throw std::runtime_error("a sum of ciphertexts is wrong");
  }
  const double read_back = find_profile(setting.profile)->push_ms(Direction::from_dpu, kWords * 4, kDpus / 64);
  const double host_adds = double{kDpus} * kWords * 4 / kHostBytesPerMs;
  const Params params =
      params_of(setting, estimated, kDpus).set("ciphertexts", ciphertexts).set("bits_of_modulus", 240);
  const std::string name = "pim/mean/ct100000";
  setting.rows->add(name + "/load", "ms", loaded, params);
  setting.rows->add(name + "/dpu", "ms", summed - before, params);
  setting.rows->add(name + "/from_dpus", "ms", read_back + host_adds, params);
  setting.rows->add(name + "/query", "ms", summed - before + read_back + host_adds, params);
  setting.rows->add(name + "/host_memory", "GB", peak_gigabytes(), params, 4);
}

void scaling(const Setting& setting) {
  constexpr u32 kWords = 16384;
  for (u32 dpus = 64; dpus <= 2048; dpus *= 2) {
    const auto rate = [&](const char* name, const KernelCase& kernel_case) {
      const Resident run = resident(setting, dpus, kernel_case);
      setting.rows->add(std::string("pim/scaling/") + name + "/dpus" + std::to_string(dpus), "coefficients/ns",
                        double{kWords} * dpus / (run.dpu_ms * 1e6),
                        params_of(setting, run.estimated, dpus).set("words", kWords));
    };
    rate("add30", add_case(kQ30, kWords));
    rate("multiply30", multiply_case(kQ30, kWords));
  }
}

// Compares the two chips, with kernels that fit both chips.
void chips(const Setting& setting) {
  constexpr u32 kWords = 1u << 15;
  for (const Chip& chip : kChips) {
    const auto add = [&](const char* name, const KernelCase& kernel_case, double operands) {
      const Times times =
          measure_case(setting.folder, setting.profile + ",chip=" + std::string(chip.name), kDpus, kernel_case);
      setting.rows->add("pim/chips/" + std::string(chip.name) + "/" + name, "coefficients/ns",
                        kWords * double{kDpus} / (times.dpu_ms * 1e6),
                        params_of(setting, times.estimated, kDpus)
                            .set("chip", std::string(chip.name))
                            .set("clock_mhz", chip.clock_mhz)
                            .set("tasklets", 16)
                            .set("words", operands * kWords));
    };
    add("add30", add_case(kQ30, kWords), 2);
    add("multiply30", multiply_case(kQ30, kWords), 2);
    add("multiply24", multiply_case(kQ24, kWords), 2);
  }
}

void transfers(const Setting& setting) {
  for (const auto& profile : kProfiles) {
    for (double bytes = 1024; bytes <= 1 << 19; bytes *= setting.quick ? 8 : 2) {
      for (Direction direction : {Direction::to_dpu, Direction::from_dpu}) {
        const std::string way = direction == Direction::to_dpu ? "to" : "from";
        setting.rows->add(
            "pim/transfer/" + profile.name + "/" + way + "/bytes" + std::to_string(static_cast<int>(bytes)), "ms",
            profile.push_ms(direction, bytes, 32),
            Params().set("profile", profile.name).set("ranks", 32).set("bytes_per_dpu", bytes));
      }
    }
  }
}

// The number k of operations for which the DPUs and the host take equally long. Two operands are pushed to the DPUs,
// and one result is pulled back. The DPUs take copies_ns + k pim_ns, and the host takes k host_ns. Two operands and a
// result are three copied words. Therefore alpha, the number of operations per copied word, is k / 3.
struct BreakEven {
  double copies_ns, pim_ns, host_ns;  // times per coefficient
  double operations() const { return copies_ns / (host_ns - pim_ns); }
};

BreakEven break_even(const HostProfile& profile, double bytes, double pim_ns) {
  const double words = bytes / 4 * kDpus;
  const double copies =
      2 * profile.push_ms(Direction::to_dpu, bytes, 32) + profile.push_ms(Direction::from_dpu, bytes, 32);
  return {copies * 1e6 / words, pim_ns, 12 / kHostBytesPerMs * 1e6};
}

double resident_add_ns(const Setting& setting) {
  constexpr u32 kWords = 1u << 17;
  return resident(setting, kDpus, add_case(kQ30, kWords)).dpu_ms * 1e6 / (double{kWords} * kDpus);
}

void alpha(const Setting& setting) {
  const double pim_ns = resident_add_ns(setting);
  for (const char* name : {"mwaisela-4210R", "direct-2024"}) {
    const HostProfile profile = *find_profile(name);
    for (double bytes = 1024; bytes <= 1 << 19; bytes *= 2) {
      const BreakEven b = break_even(profile, bytes, pim_ns);
      const Params params = Params()
                                .set("profile", name)
                                .set("bytes_per_dpu", bytes)
                                .set("operations", b.operations())
                                .set("copies_ns", b.copies_ns)
                                .set("pim_ns", b.pim_ns)
                                .set("host_ns", b.host_ns);
      setting.rows->add(std::string("pim/alpha/") + name + "/bytes" + std::to_string(static_cast<int>(bytes)),
                        "operations/word", b.operations() / 3, params);
    }
  }
  const BreakEven b = break_even(*find_profile(setting.profile), 1 << 19, pim_ns);
  for (int operations = 1; operations <= 64; operations *= 2)
    setting.rows->add(
        "pim/alpha-sweep/operations" + std::to_string(operations), "host/pim",
        operations * b.host_ns / (b.copies_ns + operations * b.pim_ns),
        Params().set("profile", setting.profile).set("bytes_per_dpu", 1 << 19).set("alpha", operations / 3.0));
}

}  // namespace

std::vector<Experiment> sweeps() {
  return {{"resident", resident_vectors},
          {"ntt-rate", resident_transforms},
          {"mean", mean},
          {"scaling", scaling},
          {"chips", chips},
          {"transfer", transfers},
          {"alpha", alpha}};
}

}  // namespace ringfort::pim::bench
