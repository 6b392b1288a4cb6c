// SPDX-License-Identifier: Apache-2.0
// Measures encrypted products of matrices, C += A B, with a ciphertext for each entry [Lyashevsky23, Fig. 25]. A
// measurement includes all work: encode, encrypt, multiply and add, decrypt, decode. Like the publication, the section
// measures four steps of optimization:
//   separate    no optimization: products and sums by separate kernels, naive transforms, memory from the driver each
//               time
//   mad_mod     in addition, one kernel multiplies and adds residues, with one reduction
//   arithmetic  in addition, the library's own transforms
//   cache       in addition, memory from the library's cache
// Let DEGREE be the ring degree. The row matmul/STEP/MxNxK/nDEGREE/whole is the host's time in ms for all work, and
// /products is the time for products and sums alone. /speedup is the row /whole of the step `separate`, divided by the
// row /whole of this step. On an emulated device, the rows are counts: launches and bytes during the products and sums.
// products/model/CHIP is the time of a model (model.h).
#include <array>
#include <optional>

#include "base/clock.h"
#include "bench/gpu/client.h"
#include "bench/gpu/sections.h"
#include "bench/gpu/stated.h"
#include "ringfort/matmul.h"

namespace ringfort::bench::gpu {
namespace {

struct MatrixShape {
  u32 m, n, k;  // C is m by n, A is m by k, B is k by n
  [[nodiscard]] std::string name() const {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  }
};

struct MatmulStep {
  const char* name;
  const char* option;  // option of the device
  matmul::Sums sums;
  bool has_cache;
};
constexpr std::array kMatmulSteps{MatmulStep{"separate", "ntt=naive", matmul::Sums::separate, false},
                                  MatmulStep{"mad_mod", "ntt=naive", matmul::Sums::fused, false},
                                  MatmulStep{"arithmetic", "", matmul::Sums::fused, false},
                                  MatmulStep{"cache", "", matmul::Sums::fused, true}};

class Products {
 public:
  Products(const Chain& chain, const std::string& device, const MatrixShape& shape)
      : client_(chain, device),
        shape_(shape),
        encoder_(client_.context),
        encryptor_(client_.context, client_.keys.secret_key()) {}
  [[nodiscard]] KeyContext keys() const { return client_.context; }
  [[nodiscard]] const Device& device() const { return client_.device(); }

  void encrypt() {
    operands_.clear(), sum_.clear();
    operands_.push_back(encrypted(shape_.m, shape_.k, 0));
    operands_.push_back(encrypted(shape_.k, shape_.n, 1));
    // Terms of a sum must have one scale, here the scale of products. Therefore C begins as the product of a column and
    // a row.
    sum_.push_back(matmul::multiply(encrypted(shape_.m, 1, 0), encrypted(1, shape_.n, 1), client_.evaluator));
    device().synchronize({});
  }
  void multiply(matmul::Sums sums) {
    matmul::multiply_add_into(sum_[0], operands_[0], operands_[1], client_.evaluator, sums);
    device().synchronize({});
  }
  // Decrypts all of C. Returns the largest error.
  double decrypt() {
    const ckks::Decryptor decryptor(client_.context, client_.keys.secret_key());
    const std::size_t slots = client_.context.slots();
    const std::vector<double> found = matmul::decrypt(sum_[0], slots, encoder_, decryptor);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const u32 row = static_cast<u32>(i / slots) / shape_.n, col = static_cast<u32>(i / slots) % shape_.n;
      const std::size_t slot = i % slots;
      double expected = value(row, slot) * value(col + 1, slot);
      for (u32 k = 0; k < shape_.k; ++k)
        expected += value(row * shape_.k + k, slot) * value(k * shape_.n + col + 1, slot);
      worst = std::max(worst, std::abs(found[i] - expected));
    }
    return worst;
  }

 private:
  [[nodiscard]] static double value(u32 entry, std::size_t slot) {
    return std::cos(0.37 * static_cast<double>(slot) + 0.11 * entry);
  }
  // Entry i has value(first + i, slot) in each slot.
  [[nodiscard]] matmul::Matrix encrypted(u32 rows, u32 cols, u32 first) const {
    std::vector<double> values;
    for (u32 entry = 0; entry < rows * cols; ++entry)
      for (std::size_t slot = 0; slot < client_.context.slots(); ++slot) values.push_back(value(first + entry, slot));
    return matmul::encrypt(rows, cols, values, encoder_, encryptor_);
  }

  Client client_;
  MatrixShape shape_;
  ckks::Encoder encoder_;
  ckks::Encryptor encryptor_;
  std::vector<matmul::Matrix> operands_, sum_;  // A and B; C. Empty before they are encrypted.
};

class MatMul {
 public:
  MatMul(const Opened& gpu, const Options& options, Report& report) : gpu_(gpu), options_(options), report_(report) {}

  void measure_all() {
    // The larger chain has 8192 slots, as published. An emulated device has too little memory for this chain.
    const bool is_small = options_.quick || !gpu_.times();
    const Chain chain = is_small ? Chain{11, 60, 3, 1, 1} : Chain{14, 60, 3, 1, 1};
    const std::vector<MatrixShape> shapes =
        is_small ? std::vector<MatrixShape>{{3, 2, 2}} : std::vector<MatrixShape>{{10, 9, 8}, {100, 10, 1}};
    for (const MatrixShape& shape : shapes) {
      for (const MatmulStep& step : kMatmulSteps) {
        if (report_.is_cut("matmul/" + std::string(step.name) + "/" + shape.name() + " and later ones")) return;
        measure(chain, shape, step);
      }
    }
  }

 private:
  void measure(const Chain& chain, const MatrixShape& shape, const MatmulStep& step) {
    const std::string of = "/" + shape.name() + "/n" + std::to_string(1u << chain.log_n);
    const std::string name = "matmul/" + std::string(step.name) + of;
    Products products(chain, options_.device_with(step.option), shape);
    const std::size_t kept = products.keys().memory().most_cached;
    if (!step.has_cache) products.keys().keep_at_most(0);
    const Report::Params params{{"step", std::string(step.name)}};
    if (gpu_.times()) times(name, products, step, params);
    else count(name, products, step, params);
    products.keys().keep_at_most(kept);
    const double first = report_.median_of("matmul/" + std::string(kMatmulSteps[0].name) + of + "/whole");
    const double whole = report_.median_of(name + "/whole");
    if (&step == &kMatmulSteps[0] || first == 0 || whole == 0) return;
    report_.add(make_row(name + "/speedup", "times", {first / whole}, params));
  }
  void times(const std::string& name, Products& products, const MatmulStep& step, const Report::Params& params) {
    std::optional<Frame> frame;  // a frame keeps all freed memory, so steps without a cache have no frame
    if (step.has_cache) frame.emplace();
    std::vector<double> whole, alone;
    for (int sample = 0; sample < (options_.quick ? 2 : 4); ++sample) {
      const double begin = steady_us();
      products.encrypt();
      const double encrypted = steady_us();
      products.multiply(step.sums);
      const double multiplied = steady_us();
      check(name, products.decrypt());
      if (sample == 0) continue;  // the first run computes tables and compiles kernels
      whole.push_back((steady_us() - begin) / 1e3);
      alone.push_back((multiplied - encrypted) / 1e3);
    }
    report_.time(name + "/whole", "ms", std::move(whole), params);
    report_.time(name + "/products", "ms", std::move(alone), params);
  }
  void count(const std::string& name, Products& products, const MatmulStep& step, const Report::Params& params) {
    products.encrypt();
    const Profile profile;
    const KeyContext keys = products.keys();
    keys.profile(&profile);
    products.multiply(step.sums);
    keys.profile(nullptr);
    const Stated work = stated_work(profile);
    report_.count(name + "/launches", "launches", work.launches, params);
    report_.count(name + "/bytes", "bytes", work.bytes, params);
    report_models(report_, name + "/products", work, params);
    check(name, products.decrypt());
  }
  void check(const std::string& name, double error) {
    constexpr double kMost = 1e-6;  // scales have 60 bits
    if (!(error < kMost)) report_.fail(name + ": an error of " + std::to_string(error));
  }

  const Opened& gpu_;
  const Options& options_;
  Report& report_;
};

}  // namespace

void measure_matmul(const Opened& gpu, const Options& options, Report& report) {
  MatMul(gpu, options, report).measure_all();
}

}  // namespace ringfort::bench::gpu
