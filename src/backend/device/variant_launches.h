// SPDX-License-Identifier: Apache-2.0
// Launches the transforms of a variant (variants.h) on a driver. Plans of devices and batches of benchmarks use it.
#pragma once

#include <functional>
#include <map>

#include "backend/device/driver.h"
#include "backend/device/variants.h"

namespace ringfort::device {

// Words and tables in device memory.
template <class Word>
struct VariantOperands {
  Batch<Word> words;
  const std::byte* factors;  // factors for one direction of the transform
  const std::byte* moduli;   // a Modulus<Word> for each limb
  u32 batch;                 // number of polynomials
};

class VariantLaunches {
 public:
  struct Ready {
    StageLaunch launch;
    Kernel kernel;
    std::string_view name;  // name of the kernel
  };

  VariantLaunches(const Variant& variant, u32 log_n, u32 word_bytes)
      : variant_(variant),
        log_n_(log_n),
        word_bytes_(word_bytes) {}
  [[nodiscard]] u32 log_n() const noexcept { return log_n_; }

  // Loads the kernels. Returns Status::unsupported if the variant does not take the degree, or if the driver lacks
  // clusters or a kernel. Throws std::bad_alloc.
  [[nodiscard]] Status load(Driver& driver);
  // Returns the launches for `transforms` transforms. Throws std::bad_alloc.
  [[nodiscard]] std::vector<Ready> launches(u32 transforms, bool forward) const;

  // Calls submit(launch, arguments) for each launch. Stops at the first launch that fails.
  template <class Word, class Submit>
  [[nodiscard]] Status submit_all(const std::vector<Ready>& launches, const VariantOperands<Word>& of,
                                  Submit submit) const {
    // The arguments contain only a pointer to the factors. Therefore the type of a factor does not change their bytes.
    StageArgs<Word, Word> args{of.words,
                               reinterpret_cast<const Word*>(of.factors),
                               reinterpret_cast<const Modulus<Word>*>(of.moduli),
                               log_n_,
                               of.batch,
                               {}};
    for (const Ready& each : launches) {
      each.launch.set(args);
      if (const Status status = submit(each, args); status != Status::ok) return status;
    }
    return Status::ok;
  }

 private:
  Variant variant_;
  u32 log_n_, word_bytes_;
  std::map<std::string, Kernel, std::less<>> kernels_;
};

}  // namespace ringfort::device
