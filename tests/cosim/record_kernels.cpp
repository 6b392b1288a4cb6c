// SPDX-License-Identifier: Apache-2.0
// Multiplies two ciphertexts on the simulated ring processor (docs/rpu.md), and records every kernel of this product.
// Each kernel becomes a program NNNN.b512, which also has the contents of the memories before the kernel runs.
// hw/rpu/dv/test_rtl_device.py runs these programs on the hardware (a simulation of its Verilog). The keys are made
// only for this test. Therefore the files contain no user's secret.
//
// usage: record_kernels ckks|bfv DEVICE FOLDER, where DEVICE is for example rpu:hples=8,banks=8
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "backend/rpu/kernel_run.h"
#include "sim/image.h"
#include "support/integers.h"

namespace {

std::string folder;  // if it is empty, nothing is recorded
int recorded = 0;

}  // namespace

namespace ringfort::rpu_host {

void before_kernel_run(const Kernel& kernel, const rpu::State& state) {
  if (folder.empty()) return;
  rpu::Image image = kernel.image;
  image.symbols.clear();
  image.segments.clear();
  image.vdm_words = 0;
  for (u32 at = 0; at < state.vdm.size();) {
    u32 end = at;
    while (end < state.vdm.size() && state.vdm[end] != 0) ++end;
    if (end > at) {
      image.segments.push_back({rpu::Space::vdm, at, {state.vdm.begin() + at, state.vdm.begin() + end}});
      image.vdm_words = end;
    }
    at = end + 1;
  }
  image.sdm_words = kernel.scalar_words();
  image.segments.push_back({rpu::Space::sdm, 0, {state.sdm.begin(), state.sdm.begin() + image.sdm_words}});
  char name[16];
  std::snprintf(name, sizeof name, "/%04d.b512", recorded++);
  const std::vector<u8> bytes = rpu::image_bytes(image);
  std::ofstream file(folder + name, std::ios::binary);
  if (!file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error("cannot write into " + folder);
}

}  // namespace ringfort::rpu_host

namespace ringfort {
namespace {

constexpr u32 kDegree = 1024;

// Records the product on the device. Tells whether it equals the product on the CPU.
template <class Client, class Multiply>
bool record(const Client& cpu, const std::string& device, const std::string& to, Multiply multiply) {
  const auto there = decltype(cpu.context)(cpu.context.parameters(), device);
  const auto a = cpu.encrypt({1, -1, 0}), b = cpu.encrypt({-1, 1, 1});
  const RelinearizationKey key = cpu.relinearization.to(there);
  const auto x = a.to(there), y = b.to(there);
  multiply(there, x, y, key);  // the first product copies operands and keys to the device
  folder = to;
  const auto product = multiply(there, x, y, key);
  folder.clear();
  return ckks::testing::words(product.state().rlwe) ==
         ckks::testing::words(multiply(cpu.context, a, b, cpu.relinearization).state().rlwe);
}

bool record_ckks(const std::string& device, const std::string& to) {
  ckks::testing::Shape shape;
  shape.n = kDegree;
  shape.levels = 2;
  const ckks::testing::Client cpu(ckks::testing::parameters_of(shape), "cpu");
  return record(cpu, device, to, [](const ckks::Context& on, const auto& a, const auto& b, const auto& key) {
    return ckks::Evaluator(on).multiply_relinearize_rescale(a, b, key);
  });
}

bool record_bfv(const std::string& device, const std::string& to) {
  integers::testing::Shape shape = integers::testing::bfv_shape();
  shape.n = kDegree;
  const integers::testing::Client<bfv::Scheme> cpu(integers::testing::parameters_of<bfv::Scheme>(shape, 65537), "cpu");
  return record(cpu, device, to, [](const bfv::Context& on, const auto& a, const auto& b, const auto& key) {
    const bfv::Evaluator evaluator(on);
    return evaluator.relinearize(evaluator.multiply(a, b), key);
  });
}

}  // namespace
}  // namespace ringfort

int main(int count, char** values) {
  if (count != 4) {
    std::cerr << "usage: record_kernels ckks|bfv DEVICE FOLDER\n";
    return 2;
  }
  try {
    const bool equal = std::string(values[1]) == "bfv" ? ringfort::record_bfv(values[2], values[3])
                                                       : ringfort::record_ckks(values[2], values[3]);
    std::cout << recorded << " kernels, the product " << (equal ? "equals" : "DIFFERS FROM") << " the CPU's product\n";
    return equal ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "record_kernels: " << error.what() << "\n";
    return 2;
  }
}
