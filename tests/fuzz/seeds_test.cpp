// SPDX-License-Identifier: Apache-2.0
// Runs each stored input of the C++ fuzz targets (fuzz/seeds) once through its target. The inputs python_*.txt are for
// python/tests/test_fuzz_seeds.py. Also runs each stored file of every version (tests/vectors/wire) through every
// target. A wrong result aborts the program, as it would stop a fuzzer. `./dev fuzz` looks for other inputs.
#include <gtest/gtest.h>
#include <sodium.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "targets.h"

namespace ringfort::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Reads the inputs of a target: one per line, in base64.
std::vector<Bytes> stored_inputs(const std::string& target) {
  std::vector<Bytes> inputs;
  std::ifstream file(std::string(RINGFORT_SEEDS "/") + target + ".txt");
  for (std::string line; std::getline(file, line);) {
    Bytes bytes(line.size());
    std::size_t used = 0;
    if (sodium_base642bin(bytes.data(), bytes.size(), line.data(), line.size(), nullptr, &used, nullptr,
                          sodium_base64_VARIANT_ORIGINAL) != 0) {
      throw std::runtime_error(target + ": a line is no base64");
    }
    bytes.resize(used);
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

std::vector<Bytes> stored_files() {
  std::vector<Bytes> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(RINGFORT_WIRE)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

class FuzzSeeds : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzSeeds, EveryStoredInputIsRefusedOrHarmless) {
  const auto inputs = stored_inputs(GetParam().name);
  EXPECT_FALSE(inputs.empty()) << "no stored inputs: ./dev fuzz --hours N writes them";
  for (const Bytes& input : inputs) EXPECT_EQ(GetParam().use(input.data(), input.size()), 0);
}

TEST_P(FuzzSeeds, EveryStoredFileOfAnyTypeIsRefusedOrHarmless) {
  for (const Bytes& file : stored_files()) EXPECT_EQ(GetParam().use(file.data(), file.size()), 0);
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, FuzzSeeds, ::testing::ValuesIn(kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ringfort::testing
