// SPDX-License-Identifier: Apache-2.0
// Runs the kernels on one simulated DPU: arguments, operands in the MRAM heap, results. Used by the tests and by the cycle
// table; throws where a program faults.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/elementwise.h"
#include "sim/dpu.h"

namespace ringfort::pim::testing {

// Completes the arguments of kMultiplyByte.
inline ElementwiseArguments with_byte_quotient(ElementwiseArguments arguments) {
  arguments.byte_shift = static_cast<std::uint32_t>(std::bit_width(arguments.q)) - 16;
  arguments.byte_quotient = static_cast<std::uint32_t>((std::uint64_t{arguments.scalar} << (arguments.byte_shift + 23)) / arguments.q);
  return arguments;
}

class KernelRun {
 public:
  KernelRun(const std::string& path, const Timing& timing) : dpu_(kV1A, timing) {
    auto loaded = load_program_file(path, kV1A);
    if (const auto* failure = std::get_if<LoadFailure>(&loaded)) throw std::runtime_error(failure->text);
    dpu_.load(std::make_shared<const Program>(std::move(std::get<Program>(loaded))));
  }

  template <class T>
  void set_arguments(const T& value) {
    write(symbol("arguments"), &value, sizeof value);
  }

  void put(std::uint32_t offset, const std::vector<std::uint32_t>& words) { write(heap() + offset, words.data(), words.size() * 4); }

  std::vector<std::uint32_t> get(std::uint32_t offset, std::size_t count) const {
    std::vector<std::uint32_t> words(count);
    if (!dpu_.read(heap() + offset, {reinterpret_cast<std::uint8_t*>(words.data()), count * 4})) throw std::runtime_error("read beyond MRAM");
    return words;
  }

  Counters run() {
    const RunReport report = dpu_.run();
    if (report.fault.code != FaultCode::none) throw std::runtime_error(report.fault.text);
    return report.counters;
  }

 private:
  std::uint32_t symbol(const std::string& name) const { return dpu_.program().symbols.at(name).address; }
  std::uint32_t heap() const { return symbol("__sys_used_mram_end"); }
  void write(std::uint32_t address, const void* bytes, std::size_t count) {
    if (!dpu_.write(address, {static_cast<const std::uint8_t*>(bytes), count})) throw std::runtime_error("write beyond a memory");
  }

  Dpu dpu_;
};

}  // namespace ringfort::pim::testing
