// SPDX-License-Identifier: Apache-2.0
// Drives the ports of the design that Verilator has compiled, and reads its memories. Words have 32, 64 or 128 bits.
#include "dv/rtl/design.h"

#include <cstring>
#include <stdexcept>

#include "verilated_syms.h"

namespace ringfort::rpu::rtl {
namespace {

// A port that is wider than 64 bits is an array of 32-bit words. Any other port is one integer.
template <class Port>
void put(Port& port, u32 lsb, u128 value, u32 bits) {
  if constexpr (std::is_integral_v<Port>) {
    const u64 mask = bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
    port = static_cast<Port>((port & ~(mask << lsb)) | ((static_cast<u64>(value) & mask) << lsb));
  } else {
    for (u32 word = 0; word < bits / 32; ++word) port[lsb / 32 + word] = static_cast<u32>(value >> (32 * word));
  }
}

template <class Port>
u128 get(const Port& port, u32 lsb, u32 bits) {
  if constexpr (std::is_integral_v<Port>) {
    const u64 mask = bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
    return (port >> lsb) & mask;
  } else {
    u128 value = 0;
    for (u32 word = 0; word < bits / 32; ++word) value |= static_cast<u128>(port[lsb / 32 + word]) << (32 * word);
    return value;
  }
}

}  // namespace

Machine machine_of_this_build() {
  Machine machine;
  set_from_list(machine, RPU_SETTINGS);
  return machine;
}

Memory::Memory(const std::string& scope, const char* name, u32 bits)
    : data_(nullptr),
      stride_(bits <= 8    ? 1
              : bits <= 16 ? 2
              : bits <= 32 ? 4
              : bits <= 64 ? 8
                           : (bits + 31) / 32 * 4) {
  const VerilatedScope* found = Verilated::threadContextp()->scopeFind(scope.c_str());
  const VerilatedVar* variable = found == nullptr ? nullptr : found->varFind(name);
  if (variable == nullptr) throw std::runtime_error("the design has no " + scope + "." + name);
  data_ = static_cast<const u8*>(variable->datap());
}

u128 Memory::read(u32 word, u32 lsb, u32 count) const {
  const u8* at = data_ + std::size_t{word} * stride_;
  if (lsb == 0 && count == 8 * stride_) {
    u128 whole = 0;
    std::memcpy(&whole, at, stride_);
    return whole;
  }
  u128 value = 0;
  for (u32 bit = 0; bit < count; ++bit)
    value |= static_cast<u128>((at[(lsb + bit) / 8] >> ((lsb + bit) % 8)) & 1) << bit;
  return value;
}

Rtl::Rtl(VerilatedContext& context) : context_(context), top_(&context) {
  const auto numbered = [](const std::string& name, u32 index) { return name + "[" + std::to_string(index) + "]"; };
  for (u32 lane = 0; lane < kLanes; ++lane)
    for (u32 m = 0; m < 16; ++m)
      registers_.emplace_back(
          numbered("TOP.rpu.g_lane", lane) + ".u_hple.u_slice." + numbered("g_memory", m) + ".u_ram", "mem", kW);
  for (u32 bank = 0; bank < kBanks; ++bank)
    banks_.emplace_back("TOP.rpu.u_vdm." + numbered("g_bank", bank) + ".u_ram", "mem", kW);
  constexpr u32 kShiftBits = kW == 32 ? 5 : kW == 64 ? 6 : 7;
  for (const char* name : {"u_even", "u_odd"}) sdm_.emplace_back("TOP.rpu.u_scalar." + std::string(name), "mem", 128);
  srf_ = std::make_unique<Memory>("TOP.rpu.u_scalar.u_srf", "mem", kW);
  mrf_ = std::make_unique<Memory>("TOP.rpu.u_scalar.u_mrf", "mem", 3 * kW + kShiftBits);
  arf_ = std::make_unique<Memory>("TOP.rpu.u_scalar", "arf", 64 * 21);
}

void Rtl::settle() {
  top_.clk = 0;
  top_.eval();
}

void Rtl::tick() {
  top_.clk = 1;
  top_.eval();
  context_.timeInc(1);
}

void Rtl::reset() {
  top_.start = top_.im_write = top_.sdm_write = top_.dma_request = top_.dma_write = 0;
  top_.rst = 1;
  for (int i = 0; i < 4; ++i) {
    settle();
    tick();
  }
  top_.rst = 0;
}

void Rtl::write_instruction(u32 address, u64 word) {
  top_.im_write = 1;
  top_.im_write_address = static_cast<SData>(address);
  top_.im_write_data = word;
  settle();
  tick();
  top_.im_write = 0;
}

void Rtl::write_scalar_data(u32 address, u128 word) {
  top_.sdm_write = 1;
  top_.sdm_write_address = address;
  put(top_.sdm_write_data, 0, word, 128);
  settle();
  tick();
  top_.sdm_write = 0;
}

void Rtl::write_row(u32 row, const std::vector<u128>& words) {
  top_.dma_request = top_.dma_write = 1;
  put(top_.dma_row, 0, row, 32);
  for (u32 bank = 0; bank < kBanks; ++bank) put(top_.dma_data, kW * bank, words[bank], kW);
  settle();
  if (top_.dma_ready == 0) throw std::runtime_error("the banks refuse a transfer while no program runs");
  tick();
  top_.dma_request = top_.dma_write = 0;
}

std::vector<u128> Rtl::read_row(u32 row) {
  top_.dma_request = 1;
  put(top_.dma_row, 0, row, 32);
  settle();
  tick();
  top_.dma_request = 0;
  settle();
  std::vector<u128> words(kBanks);
  for (u32 bank = 0; bank < kBanks; ++bank) words[bank] = get(top_.dma_q, kW * bank, kW);
  return words;
}

u128 Rtl::vector_element(u32 number, u32 i) const {
  const u32 lane = i % kLanes, row = i / kLanes;
  return registers_[16 * lane + (number >> 2)].read(4 * row + (number & 3), 0, kW);
}

}  // namespace ringfort::rpu::rtl
