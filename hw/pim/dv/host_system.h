// SPDX-License-Identifier: Apache-2.0
// A system of DPUs for tests, with one kernel on all DPUs, and with arguments and data for each DPU. The class calls
// the functions of dpu.h, and throws their errors with their text. hw/pim/README.md explains the terms.
#pragma once

#include <dpu.h>
#include <ringfort_pim.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/words.h"

namespace ringfort::pim::testing {

inline void require(dpu_error_t status) {
  if (status == DPU_OK) return;
  char* text = dpu_error_to_string(status);
  std::string copy = text;
  std::free(text);
  throw std::runtime_error(copy);
}

class HostSystem {
 public:
  HostSystem(u32 dpus, const std::string& profile) {
    require(dpu_alloc(dpus, profile.c_str(), &set_));
    dpu_set_t dpu;
    DPU_FOREACH(set_, dpu) dpus_.push_back(dpu);
  }
  ~HostSystem() { dpu_free(set_); }
  HostSystem(const HostSystem&) = delete;
  HostSystem& operator=(const HostSystem&) = delete;

  dpu_set_t& set() { return set_; }
  std::size_t size() const { return dpus_.size(); }

  void load(const std::string& path) { require(dpu_load(set_, path.c_str(), nullptr)); }
  void load_text(std::string text) {
    require(dpu_load_from_memory(set_, reinterpret_cast<u8*>(text.data()), text.size(), nullptr));
  }

  // Sends one value to all DPUs.
  template <class T>
  void set_arguments(const T& value) {
    require(dpu_broadcast_to(set_, "arguments", 0, &value, sizeof value, DPU_XFER_DEFAULT));
  }
  // Sends one value to each DPU.
  template <class T>
  void set_arguments(std::vector<T>& values) {
    push(DPU_XFER_TO_DPU, "arguments", 0, sizeof(T), [&](std::size_t i) { return &values[i]; });
  }

  // Writes one vector to each DPU. All vectors have equal lengths.
  void put(u32 offset, std::vector<std::vector<u32>>& words) {
    push(DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, offset, words.front().size() * 4,
         [&](std::size_t i) { return words[i].data(); });
  }
  std::vector<std::vector<u32>> get(u32 offset, std::size_t count) {
    std::vector<std::vector<u32>> words(size(), std::vector<u32>(count));
    push(DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, offset, count * 4,
         [&](std::size_t i) { return words[i].data(); });
    return words;
  }
  std::vector<u32> get_one(std::size_t dpu, u32 offset, std::size_t count) {
    std::vector<u32> words(count);
    require(dpu_copy_from(dpus_[dpu], DPU_MRAM_HEAP_POINTER_NAME, offset, words.data(), count * 4));
    return words;
  }

  void launch() { require(dpu_launch(set_, DPU_SYNCHRONOUS)); }

  double clock_ms() {
    double ms = 0;
    require(ringfort_pim_clock_ms(set_, &ms));
    return ms;
  }
  ringfort_pim_event_t last_event() {
    std::size_t count = 0;
    ringfort_pim_event_t event{};
    require(ringfort_pim_event_count(set_, &count));
    require(ringfort_pim_event(set_, count - 1, &event));
    return event;
  }

 private:
  template <class AddressOf>
  void push(dpu_xfer_t direction, const char* symbol, u32 offset, std::size_t bytes, AddressOf address_of) {
    for (std::size_t i = 0; i < dpus_.size(); ++i) require(dpu_prepare_xfer(dpus_[i], address_of(i)));
    require(dpu_push_xfer(set_, direction, symbol, offset, bytes, DPU_XFER_DEFAULT));
  }

  dpu_set_t set_{};
  std::vector<dpu_set_t> dpus_;
};

}  // namespace ringfort::pim::testing
