// SPDX-License-Identifier: Apache-2.0
// The section of gpu-bench that compares the results of a device with known answers. It can also write the answers. For
// every size, there are answers for all verbs (operations of a device) that compute residues, except gadget_product.
// Primes have 30, 31 and 62 bits, because each of these lengths has separate kernels. An answer is the BLAKE2b-128
// digest of the residues of the result.
#include <sodium.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>

#include "backend/devices.h"
#include "backend/device/emu/catalog.h"
#include "bench/gpu/batch.h"
#include "backend/device/variants.h"
#include "bench/gpu/sections.h"
#include "ringfort/error.h"

namespace ringfort::bench::gpu {
namespace {

// Lengths of primes. They select u32 kernels for lazy ranges of residues, u32 kernels for strict ranges
// (backend/device/kernels/limb.h), and u64 kernels.
constexpr u32 kBits[] = {30, 31, 62};
constexpr u32 kQuickLogs[] = {1, 5, 9, 12, 14};
constexpr u32 kLimbs = 3, kBatch = 2, kGalois = 3;

struct Shape {
  u32 log_n, bits;
};

// The largest sizes come last, because a run that reaches its time limit omits the last sizes.
std::vector<Shape> shapes_of(const Options& options) {
  std::vector<u32> logs(std::begin(kQuickLogs), std::end(kQuickLogs));
  if (!options.quick) {
    logs.resize(17);
    std::iota(logs.begin(), logs.end(), 1);
  }
  std::vector<Shape> shapes;
  for (const u32 log_n : logs) {
    for (const u32 bits : kBits) {
      if (log_n <= options.largest_log) shapes.push_back({log_n, bits});
    }
  }
  return shapes;
}

std::string digest_of(const std::vector<std::byte>& words) {
  u8 out[16];
  crypto_generichash(out, sizeof out, reinterpret_cast<const u8*>(words.data()), words.size(), nullptr, 0);
  char text[2 * sizeof out + 1];
  return sodium_bin2hex(text, sizeof text, out, sizeof out);
}

using Sink = std::function<void(const std::string& name, const std::string& digest)>;

// Runs every verb that has an answer on polynomials of one shape.
class Program {
 public:
  Program(const SharedDevice& device, const Shape& shape, const Sink& sink)
      : device_(device),
        shape_(shape),
        sink_(sink),
        plan_(device->prepare(plan_of(shape.log_n, shape.bits, kLimbs))),
        a_(uniform(device, *plan_, kBatch, 1)),
        b_(uniform(device, *plan_, kBatch, 2)),
        c_(uniform(device, *plan_, kBatch, 3)),
        out_(device, *plan_, kBatch) {}

  void check_all() {
    transforms();
    element_wise();
    integers();
    automorphisms();
    conversions();
    divisions();
    products();
    key_switches();
  }

 private:
  void told(const std::string& name, const View& result) {
    std::vector<std::byte> words(result.words() * word_bytes(plan_->plan.word));
    device_->run({}, verb::Download{result, Domain::coefficient, words.data()});
    device_->synchronize({});
    sink_(name + "/n" + std::to_string(plan_->n()) + "/q" + std::to_string(shape_.bits), digest_of(words));
  }
  template <class V>
  void one(const std::string& name, const V& v, const View& result) {
    device_->run({}, v);
    told(name, result);
  }
  template <class V>
  void in_domains(const std::string& name, V v, const View& result) {
    for (const Domain domain : {Domain::coefficient, Domain::evaluation}) {
      v.domain = domain;
      if constexpr (std::is_same_v<V, verb::ModDown>) a_.fill(1);
      one(name + (domain == Domain::coefficient ? "/coefficient" : "/evaluation"), v, result);
    }
  }

  void transforms() {
    in_domains("expand_uniform", verb::ExpandUniform{out_.view(), {}, 9, 1, {}}, out_.view());
    device_->run({}, verb::Copy{out_.view(), a_.view()});
    one("ntt", verb::Ntt{out_.view()}, out_.view());
    one("intt", verb::Intt{out_.view()}, out_.view());
    device_->run({}, verb::Copy{out_.view(), b_.view()});
    one("intt of others", verb::Intt{out_.view()}, out_.view());
    one("zero", verb::Zero{out_.view()}, out_.view());
  }
  void element_wise() {
    one("add", verb::Add{out_.view(), a_.view(), b_.view()}, out_.view());
    one("subtract", verb::Subtract{out_.view(), a_.view(), b_.view()}, out_.view());
    one("negate", verb::Negate{out_.view(), a_.view()}, out_.view());
    one("multiply_add", verb::MultiplyAdd{out_.view(), a_.view(), b_.view()}, out_.view());
    one("multiply", verb::Multiply{out_.view(), a_.view(), b_.view()}, out_.view());
    one("multiply by one", verb::Multiply{out_.view(), a_.view(), b_.first(1)}, out_.view());
    const std::vector<u128> factors = {3, ~u128{0}, plan_->plan.moduli[2] - 1};
    one("multiply_scalar", verb::MultiplyScalar{out_.view(), a_.view(), factors}, out_.view());
  }
  void integers() {
    std::vector<i8> bytes(std::size_t{kBatch} * plan_->n());
    std::vector<i64> words(bytes.size());
    std::vector<i128> doubles(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<i8>(i * 37);
      words[i] = static_cast<i64>(u64{i} * 0x9E3779B97F4A7C15);
      doubles[i] = (i128{words[i]} << 50) - static_cast<i128>(i);
    }
    one("lift/1", verb::Lift{out_.view(), bytes.data(), 1}, out_.view());
    one("lift/8", verb::Lift{out_.view(), words.data(), 8}, out_.view());
    one("lift/16", verb::Lift{out_.view(), doubles.data(), 16}, out_.view());
  }
  void automorphisms() {
    in_domains("automorphism", verb::Automorphism{out_.view(), a_.view(), kGalois, {}}, out_.view());
  }
  void conversions() {
    for (const Conversion kind : {Conversion::approximate, Conversion::floor, Conversion::centred}) {
      const std::string name = "base_convert/" + std::to_string(static_cast<u32>(kind));
      one(name + "/1", verb::BaseConvert{out_.view(), a_.in({0, 1}), kind}, out_.view());
      one(name + "/2", verb::BaseConvert{out_.in({2, 1}), a_.in({0, 2}), kind}, out_.in({2, 1}));
    }
    constexpr u32 kBaseBits = 8;
    const u32 digits = (shape_.bits + kBaseBits - 1) / kBaseBits;
    const Batch all(device_, *plan_, kBatch * digits);
    const View one_limb{plan_.get(), all.view().buffer, 0, {1, 1}, kBatch * digits, 0};
    one("decompose/plain", verb::Decompose{one_limb, a_.in({1, 1}), {kBaseBits, digits, 0, false}}, one_limb);
    one("decompose/centred", verb::Decompose{one_limb, a_.in({1, 1}), {kBaseBits, digits, 0, true}}, one_limb);
  }
  void divisions() {
    for (const u64 plain : {u64{1}, u64{65537}}) {
      in_domains("mod_down/t" + std::to_string(plain),
                 verb::ModDown{out_.in({1, 2}), a_.view(), c_.in({0, 1}), plain, {}, {}, 1}, out_.in({1, 2}));
    }
    fill();
    verb::ModDown rotated{out_.in({1, 2}), a_.view(), c_.in({0, 1}), 1, Domain::evaluation, b_.in({1, 2}), kGalois};
    one("mod_down/addend", rotated, out_.in({1, 2}));
    fill();
    one("mod_down_rescale", verb::ModDownRescale{out_.in({1, 1}), a_.view(), c_.view(), 1, b_.in({1, 2})},
        out_.in({1, 1}));
    fill();
  }
  void fill() {
    a_.fill(1);
    b_.fill(2);
    c_.fill(3);
  }
  void products() {
    const Batch three(device_, *plan_, 3);
    one("inner_product", verb::InnerProduct{out_.first(1), a_.view(), b_.view(), 1, kBatch, 1, false}, out_.first(1));
    one("inner_product/on", verb::InnerProduct{out_.first(1), a_.view(), c_.view(), 1, kBatch, 1, true}, out_.first(1));
    one("inner_product/columns", verb::InnerProduct{out_.view(), a_.first(1), b_.view(), 1, 1, kBatch, false},
        out_.view());
    one("tensor", verb::Tensor{three.view(), a_.view(), b_.view()}, three.view());
    one("polymul", verb::Polymul{out_.view(), a_.view(), b_.view()}, out_.view());
    a_.fill(1);
    b_.fill(2);
  }
  void key_switches() {
    constexpr Limbs kData{1, 2};
    const Batch key = uniform(device_, *plan_, 4, 5), digits(device_, *plan_, 2),
                coefficients = uniform(device_, *plan_, 1, 6);
    const View data = a_.first(1).in(kData);
    device_->run({}, verb::Copy{coefficients.in(kData), data});
    device_->run({}, verb::Ntt{data});
    one("mod_up", verb::ModUp{digits.view(), data, coefficients.in(kData), 1}, digits.view());
    one("key_switch/1", verb::KeySwitch{out_.view(), data, coefficients.in(kData), digits.view(), key.view(), 1},
        out_.view());
    one("key_switch/2", verb::KeySwitch{out_.view(), data, coefficients.in(kData), digits.first(1), key.first(2), 2},
        out_.view());
  }

  SharedDevice device_;
  Shape shape_;
  const Sink& sink_;
  SharedPlan plan_;
  Batch a_, b_, c_, out_;
};

std::map<std::string, std::string> answers_of(const SharedDevice& device, const Shape& shape) {
  std::map<std::string, std::string> answers;
  const Sink sink = [&](const std::string& name, const std::string& digest) { answers[name] = digest; };
  Program(device, shape, sink).check_all();
  return answers;
}

std::map<std::string, std::string> read_digests(const std::filesystem::path& path) {
  std::map<std::string, std::string> known;
  std::ifstream file(path);
  std::string digest, name;
  while (file >> digest && std::getline(file >> std::ws, name)) known[name] = digest;
  if (known.empty()) throw std::runtime_error(path.string() + " has no digests");
  return known;
}

// Returns the kernels of the catalog that no answer has launched. Omits the probes, which only rates.cpp uses, and the
// kernels of variants, which variants.cpp compares.
std::vector<std::string> kernels_without_answer(const Tally& tally) {
  std::vector<std::string> missing;
  for (const auto& family : emu::kernel_families()) {
    for (const emu::EmuKernel& kernel : family) {
      const bool is_measured =
          std::string_view(kernel.name).starts_with("probe_") || device::is_variant_kernel(kernel.name);
      if (!is_measured && !tally.launches.contains(kernel.name)) missing.emplace_back(kernel.name);
    }
  }
  return missing;
}

}  // namespace

void write_digests(const Options& options) {
  std::ofstream file(options.digests);
  const SharedDevice ref = Device::open("ref");
  for (const Shape& shape : shapes_of(options)) {
    for (const auto& [name, digest] : answers_of(ref, shape)) file << digest << ' ' << name << '\n';
  }
  if (!file.flush()) throw std::runtime_error(options.digests.string() + " cannot be written");
}

void check_answers(Opened& gpu, const Options& options, Report& report) {
  const auto known = options.digests.empty() ? std::map<std::string, std::string>{} : read_digests(options.digests);
  const SharedDevice ref = options.digests.empty() ? Device::open("ref") : nullptr;
  const auto shapes = shapes_of(options);
  double right = 0, wrong = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto expected = ref == nullptr ? known : answers_of(ref, shapes[i]);
    if (report.is_cut("answers of " + std::to_string(shapes.size() - i) + " of " + std::to_string(shapes.size()) +
                      " shapes"))
      break;
    for (const auto& [name, digest] : answers_of(gpu.device(), shapes[i])) {
      const auto at = expected.find(name);
      const bool same = at != expected.end() && at->second == digest;
      ++(same ? right : wrong);
      if (!same) report.note("answers.txt", "wrong: " + name + (at == expected.end() ? " (no digest)" : ""));
    }
  }
  report.count("answers/right", "answers", right);
  report.count("answers/wrong", "answers", wrong);
  const auto missing = kernels_without_answer(gpu.tally());
  for (const std::string& kernel : missing) report.note("answers.txt", "never launched: " + kernel);
  report.count("answers/kernels", "kernels", static_cast<double>(gpu.tally().launches.size()));
  report.count("answers/kernels_never_launched", "kernels", static_cast<double>(missing.size()));
  if (wrong != 0) report.fail(std::to_string(static_cast<u64>(wrong)) + " answers are wrong: see answers.txt");
}

}  // namespace ringfort::bench::gpu
