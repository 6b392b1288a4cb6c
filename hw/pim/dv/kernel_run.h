// SPDX-License-Identifier: Apache-2.0
// Runs a kernel on one simulated DPU: writes the arguments, writes the operands to the MRAM heap, runs the kernel, and
// reads the results. The tests and the table of cycles use this class. It throws if a program faults. hw/pim/README.md
// explains the terms.
#pragma once

#include <bit>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/elementwise.h"
#include "sim/dpu.h"
#include "sim/words.h"

namespace ringfort::pim::testing {

// Sets byte_quotient and byte_shift for kMultiplyByte.
inline ElementwiseArguments with_byte_quotient(ElementwiseArguments arguments) {
  arguments.byte_shift = static_cast<u32>(std::bit_width(arguments.q)) - 16;
  arguments.byte_quotient = static_cast<u32>((u64{arguments.scalar} << (arguments.byte_shift + 23)) / arguments.q);
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

  void put(u32 offset, const std::vector<u32>& words) { write(heap() + offset, words.data(), words.size() * 4); }

  std::vector<u32> get(u32 offset, std::size_t count) const {
    std::vector<u32> words(count);
    if (!dpu_.read(heap() + offset, {reinterpret_cast<u8*>(words.data()), count * 4}))
      throw std::runtime_error("read beyond MRAM");
    return words;
  }

  Counters launch() {
    const RunReport report = dpu_.run();
    if (report.fault.code != FaultCode::none) throw std::runtime_error(report.fault.text);
    return report.counters;
  }

 private:
  u32 symbol(const std::string& name) const { return dpu_.program().symbols.at(name).address; }
  u32 heap() const { return symbol("__sys_used_mram_end"); }
  void write(u32 address, const void* bytes, std::size_t count) {
    if (!dpu_.write(address, {static_cast<const u8*>(bytes), count})) throw std::runtime_error("write beyond a memory");
  }

  Dpu dpu_;
};

}  // namespace ringfort::pim::testing
