// SPDX-License-Identifier: Apache-2.0
// Functions that many tests use: they load the built DPU programs, access variables of a program by name, and make
// random words. hw/pim/README.md explains the terms.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/dpu.h"
#include "sim/words.h"

namespace ringfort::pim::testing {

// Tests of DPU programs are skipped if the build found no compiler for them.
class DpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PIM_HAS_COMPILER == 0)
      GTEST_SKIP() << "DPU programs were not built: sdk/pimcc needs clang and lld (apt-get install clang-19 lld-19)";
  }
};

// Returns true if RINGFORT_COUNTS=full requests long counts.
inline bool all_counts() {
  const char* counts = std::getenv("RINGFORT_COUNTS");
  return counts != nullptr && std::string(counts) == "full";
}

inline std::string program_path(const std::string& name) { return std::string(PIM_PROGRAMS) + "/" + name + ".dpu"; }

inline std::string kernel_path(const std::string& name) { return std::string(PIM_KERNELS) + "/" + name + ".dpu"; }

// Returns the number of the line of a DPU program's source that ends in `// line: MARK`; 0 if there is none.
inline int marked_line(const std::string& source, const std::string& mark) {
  std::ifstream file(std::string(PIM_ROOT) + "/dv/programs/" + source);
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.ends_with("// line: " + mark)) return number;
  }
  return 0;
}

inline std::shared_ptr<const Program> load(const std::string& name, const Chip& chip = kV1A) {
  auto loaded = load_program_file(program_path(name), chip);
  if (const auto* failure = std::get_if<LoadFailure>(&loaded)) throw std::runtime_error(name + ": " + failure->text);
  return std::make_shared<const Program>(std::move(std::get<Program>(loaded)));
}

inline Dpu ready(const std::string& name, const Timing& timing = {}, const Chip& chip = kV1A) {
  Dpu dpu(chip, timing);
  dpu.load(load(name, chip));
  return dpu;
}

inline u32 address(const Dpu& dpu, const std::string& symbol) {
  const auto found = dpu.program().symbols.find(symbol);
  if (found == dpu.program().symbols.end()) throw std::runtime_error("no symbol " + symbol);
  return found->second.address;
}

template <class T>
void put(Dpu& dpu, u32 at, const std::vector<T>& values) {
  ASSERT_TRUE(dpu.write(at, {reinterpret_cast<const u8*>(values.data()), values.size() * sizeof(T)}));
}

template <class T>
void set(Dpu& dpu, const std::string& symbol, T value) {
  put(dpu, address(dpu, symbol), std::vector<T>{value});
}

template <class T>
std::vector<T> get(const Dpu& dpu, u32 at, std::size_t count) {
  std::vector<T> values(count);
  EXPECT_TRUE(dpu.read(at, {reinterpret_cast<u8*>(values.data()), count * sizeof(T)}));
  return values;
}

template <class T>
T get(const Dpu& dpu, const std::string& symbol) {
  return get<T>(dpu, address(dpu, symbol), 1).front();
}

// Random words by splitmix64. They are the same on every machine.
class Words {
 public:
  explicit Words(u64 seed) : state_(seed) {}
  u64 next() {
    u64 z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  u32 below(u32 bound) { return static_cast<u32>(next() % bound); }

 private:
  u64 state_;
};

template <class Word>
std::vector<Word> random_words(std::size_t count, Word bound, u64 seed) {
  Words random(seed);
  std::vector<Word> words(count);
  for (auto& word : words) word = static_cast<Word>(random.next() % bound);
  return words;
}

}  // namespace ringfort::pim::testing
