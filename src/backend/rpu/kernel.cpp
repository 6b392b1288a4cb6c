// SPDX-License-Identifier: Apache-2.0
// Makes a Kernel from the code of a scheduler (kernel.h). It gives each region its address register, and counts cycles
// and energy.
#include "backend/rpu/kernel.h"

#include <algorithm>

#include "codegen/scalar_loads.h"
#include "sim/timing/timing.h"

namespace ringfort::rpu_host {
namespace {

using rpu::Instruction;
using rpu::Op;

class Linker {
 public:
  Linker(const Boundaries& boundaries, u32 moduli, u32 scalars, const rpu::Machine& machine)
      : boundaries_(boundaries),
        timing_(machine) {
    kernel_.moduli = moduli;
    kernel_.scalars = scalars;
    for (std::size_t r = 0; r + 1 < boundaries.size(); ++r)
      kernel_.regions.push_back({.words = boundaries[r + 1] - boundaries[r]});
  }

  Kernel linked(const std::vector<Instruction>& code) {
    for (const Instruction& in : code) {
      if (in.op == Op::aload) load_bases(in);
      else if (in.op == Op::mload) emit(moved(in, bases() + 2 * in.vt), 0);
      else if (in.op == Op::sload) emit(moved(in, bases() + 2 * kernel_.moduli + in.vt), 0);
      else if (in.info().pipe == rpu::Pipe::load_store) access(in);
      else emit(in, 0);
    }
    kernel_.image.kernels = {{"kernel", 0, static_cast<u32>(kernel_.image.code.size())}};
    kernel_.cycles = timing_.finish().cycles;
    kernel_.energy_uj = activity_.microjoules();
    return std::move(kernel_);
  }

 private:
  static Instruction moved(Instruction in, u32 address) {
    in.address = address;
    return in;
  }

  [[nodiscard]] u32 bases() const { return static_cast<u32>(kernel_.regions.size()); }

  void load_bases(Instruction in) {
    for (u32 r = 0; r < bases(); ++r) {
      in.vt = static_cast<u8>(r);
      emit(moved(in, r), 0);
    }
  }

  void access(Instruction in) {
    const auto past = std::upper_bound(boundaries_.begin(), boundaries_.end(), in.address);
    const auto region = static_cast<u32>(past - boundaries_.begin()) - 1;
    const u64 base = in.address;
    in.rm = static_cast<u8>(region);
    (in.op == Op::vstore ? kernel_.regions[region].written : kernel_.regions[region].read) = true;
    emit(moved(in, in.address - boundaries_[region]), base);
  }

  // Adds an instruction, and its time for this base. Other runs may use other bases. All bases differ by multiples of
  // the number of banks of the vector memory. Therefore an access uses the same banks, and takes the same time.
  void emit(const Instruction& in, u64 base) {
    timing_.consume({static_cast<u32>(kernel_.image.code.size()), in, base});
    activity_.add(in);
    kernel_.image.code.push_back(rpu::encode(in));
  }

  const Boundaries& boundaries_;
  rpu::Timing timing_;
  rpu::Activity activity_;
  Kernel kernel_;
};

}  // namespace

Kernel link(const std::vector<Instruction>& code, const Boundaries& boundaries, u32 moduli, u32 scalars,
            const rpu::Machine& machine) {
  return Linker(boundaries, moduli, scalars, machine).linked(code);
}

}  // namespace ringfort::rpu_host
