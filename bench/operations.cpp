// SPDX-License-Identifier: Apache-2.0
// Measures the operations of CKKS, BFV and BGV whose rows operations.h lists.
#include "bench/operations.h"

#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "bench/limit.h"
#include "bench/memory.h"
#include "ringfort/bfv.h"
#include "ringfort/bgv.h"
#include "ringfort/ckks.h"
#include "rlwe/keys.h"

namespace ringfort::bench {

namespace {

double microseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

struct Stopped {};

// The rows of one parameter set.
class Table {
 public:
  Table(const OperationBench& options, std::string prefix, const ChainParameters& chain, std::vector<Row>& rows)
      : options_(options),
        prefix_(std::move(prefix)),
        chain_(chain),
        rows_(rows),
        before_(data_bytes()) {}

  // Tells whether any row of this set is wanted. If none is wanted, the set's keys are not made, because making them
  // takes long.
  [[nodiscard]] bool is_wanted() const {
    return options_.only.empty() ||
           std::any_of(options_.only.begin(), options_.only.end(), [&](const std::string& wanted) {
             return wanted.starts_with(prefix_) || prefix_.starts_with(wanted);
           });
  }

  // Tells whether one row is wanted.
  [[nodiscard]] bool is_wanted(const std::string& operation, unsigned threads) const {
    return wanted(options_.only, name_of(operation, threads));
  }

  // Adds a row. bytes: size of operands, keys and result, for the lower bound of the time; 0: the row gets no
  // limit_share.
  template <class Call>
  void time(const std::string& operation, unsigned threads, std::size_t bytes, Call call) {
    const std::string name = name_of(operation, threads);
    if (!wanted(options_.only, name)) return;
    if (options_.progress && !options_.progress(name)) throw Stopped{};
    const u64 products = products_of(call);  // warms up
    const double budget = options_.quick ? 2e5 : 1e6;
    std::vector<double> samples;
    for (double spent = 0; samples.size() < 3 || (samples.size() < kMost && spent < budget); spent += samples.back()) {
      const auto begin = std::chrono::steady_clock::now();
      call();
      wait();
      samples.push_back(microseconds_since(begin));
    }
    const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    Row row = make_row(name, "us", std::move(samples),
                       {{"n", count(chain_.n)},
                        {"data_primes", count(chain_.data.size())},
                        {"special_primes", count(chain_.special.size())},
                        {"threads", count(threads)}});
    row.device = options_.device;
    if (bytes != 0) works_.push_back({rows_.size(), threads, bytes, products});
    rows_.push_back(std::move(row));
  }

  // Measures the memory of the context. Must be called right after the context is made.
  void observe(const KeyContext& keys) {
    keys_.emplace(keys);
    if (before_) context_bytes_ = *data_bytes() - *before_;
  }
  // Starts the measurement of peak memory, which ends at peak_memory(). In this time all objects are alive and the
  // verbs run.
  void mark() { peak_.emplace(); }
  void peak_memory(std::size_t objects) {
    const std::string name = prefix_ + "peak_memory";
    const std::optional<std::int64_t> most = peak_->bytes();
    if (!before_ || !most || !wanted(options_.only, name)) return;
    const std::int64_t alive = static_cast<std::int64_t>(objects) + context_bytes_, peak = *most - *before_;
    rows_.push_back(make_row(name, "of objects", {static_cast<double>(peak) / static_cast<double>(alive)},
                             {{"n", std::int64_t{chain_.n}},
                              {"peak_bytes", peak},
                              {"object_bytes", alive},
                              {"context_bytes", context_bytes_}}));
    rows_.back().device = options_.device;
  }
  // Sets limit_share. Must be called after peak_memory(), because the measurement of bandwidth uses as much memory as
  // an operation moves.
  void state_limits() {
    const std::string used = cpu_cap().used;
    if (!options_.device.starts_with("cpu") || !states_vector_limit(used)) return;
    std::map<std::pair<unsigned, std::size_t>, double> bandwidth;
    for (const Work& work : works_) {
      double& bytes_a_us = bandwidth[{work.threads, work.bytes}];
      if (bytes_a_us == 0) bytes_a_us = bytes_per_microsecond(work.threads, work.bytes);
      const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, work.threads);
      const double by_products = product_vectors(used, static_cast<double>(work.products), chain_.data[0]) /
                                 kVectorsACycle / cycles_per_microsecond() / cores;
      const double share = std::max(by_products, static_cast<double>(work.bytes) / bytes_a_us) / rows_[work.row].median;
      // a share above 1 means that other programs slowed down the measurement of the limit
      if (share <= 1) rows_[work.row].limit_share = share;
    }
  }

 private:
  static constexpr std::size_t kMost = 15;
  struct Work {
    std::size_t row;
    unsigned threads;
    std::size_t bytes;
    u64 products;
  };

  [[nodiscard]] std::string name_of(const std::string& operation, unsigned threads) const {
    return prefix_ + operation + "/t" + std::to_string(threads);
  }
  // Waits for the device, because a GPU's verbs return before they are computed.
  void wait() const { keys_->state()->ring.device().synchronize({}); }
  template <class Call>
  u64 products_of(Call call) const {
    const Profile profile;
    keys_->profile(&profile);
    call();
    wait();
    keys_->profile(nullptr);
    u64 products = 0;
    for (const VerbRecord& verb : profile.records()) products += verb.multiplications;
    return products;
  }

  const OperationBench& options_;
  std::string prefix_;
  const ChainParameters& chain_;
  std::vector<Row>& rows_;
  std::optional<std::int64_t> before_;
  std::int64_t context_bytes_ = 0;
  std::optional<KeyContext> keys_;
  std::optional<DataPeak> peak_;
  std::vector<Work> works_;
};

// Bytes of the objects of one parameter set.
struct Sizes {
  explicit Sizes(const Explanation& e)
      : ciphertext(e.ciphertext_bytes),
        relinearization(e.relinearization_key_bytes),
        galois(e.galois_key_bytes),
        open(e.public_key_bytes),
        keys(relinearization + galois + open + e.secret_key_bytes) {}
  std::size_t ciphertext, relinearization, galois, open, keys;
};

std::string prefix_of(const std::string& scheme, const ChainParameters& chain) {
  return scheme + "/n" + std::to_string(chain.n) + "/" + std::to_string(chain.data.size()) + "+" +
         std::to_string(chain.special.size()) + "/";
}

std::vector<unsigned> thread_counts(const OperationBench& options) {
  return options.threads > 1 ? std::vector<unsigned>{1, options.threads} : std::vector<unsigned>{1};
}

// Eight rotations of one ciphertext, with eight keys, which exist only during these rows.
template <class Evaluator, class Context, class Ciphertext>
void rotation_rows(Table& table, const OperationBench& options, const Context& context, const KeyGenerator& keys,
                   const Ciphertext& a, const Sizes& sizes) {
  const std::vector<unsigned> counts = thread_counts(options);
  if (std::none_of(counts.begin(), counts.end(), [&](unsigned n) { return table.is_wanted("rotate_many", n); })) return;
  const std::vector<std::int64_t> steps = {1, 2, 3, 4, 5, 6, 7, 8};
  const GaloisKeys galois =
      keys.create_galois_keys(plan_keys(context, {std::vector<std::int32_t>(steps.begin(), steps.end()), false, 0}));
  for (const unsigned threads : counts) {
    const Evaluator e(context, threads);
    table.time("rotate_many", threads, sizes.ciphertext + steps.size() * (sizes.ciphertext + sizes.galois),
               [&] { (void)e.rotate_many(a, steps, galois); });
  }
}

void ckks_rows(const OperationBench& options, const ckks::Parameters& p, std::vector<Row>& rows) {
  Table table(options, prefix_of("ckks", p.chain), p.chain, rows);
  if (!table.is_wanted()) return;
  const ckks::Context context(p, options.device);
  const Sizes sizes(ckks::explain(p));
  table.observe(context);
  const KeyGenerator keys(context);
  const RelinearizationKey relinearization = keys.create_relinearization_key();
  const GaloisKeys galois = keys.create_galois_keys(plan_keys(context, {{1}, false, 0}));
  const PublicKey open = keys.create_public_key();
  const ckks::Encoder encoder(context);
  const ckks::Encryptor encryptor(context, open);
  const ckks::Decryptor decryptor(context, keys.secret_key());
  std::vector<double> values(context.slots());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(0.37 * static_cast<double>(i));

  ckks::Plaintext plain = encoder.encode(values), shown;
  ckks::EncodeOptions lower;
  lower.scale = context.scale(context.top_level() - 1);
  ckks::Ciphertext a = encryptor.encrypt(plain), b = encryptor.encrypt(plain),
                   c = encryptor.encrypt(encoder.encode(values, lower)), out, third, sum;
  table.mark();
  table.time("encode", 1, 0, [&] { plain = encoder.encode(values); });
  table.time("encrypt", 1, sizes.ciphertext + sizes.open, [&] { encryptor.encrypt_into(out, plain); });
  table.time("decrypt", 1, sizes.ciphertext, [&] { shown = decryptor.decrypt(a); });
  shown = decryptor.decrypt(a);
  table.time("decode", 1, 0, [&] { encoder.decode(shown, std::span<double>(values)); });
  table.time("decrypt_decode", 1, 0, [&] { encoder.decode(decryptor.decrypt(a), std::span<double>(values)); });
  const std::size_t dropped = sizes.ciphertext / p.chain.data.size();
  for (const unsigned threads : thread_counts(options)) {
    const ckks::Evaluator e(context, threads);
    const auto mul_lin = [&] {
      e.multiply_into(out, a, b);
      e.relinearize_into(out, out, relinearization);
    };
    const auto mul_lin_rs = [&] { e.multiply_relinearize_rescale_into(out, a, b, relinearization); };
    table.time("add", threads, 3 * sizes.ciphertext, [&] { e.add_into(out, a, b); });
    table.time("multiply", threads, 7 * sizes.ciphertext / 2, [&] { e.multiply_into(out, a, b); });
    e.multiply_into(sum, a, b);
    table.time("mad", threads, 5 * sizes.ciphertext, [&] { e.multiply_add_into(sum, a, b); });
    table.time("mul_lin", threads, 3 * sizes.ciphertext + sizes.relinearization, mul_lin);
    table.time("mul_lin_rs", threads, 3 * sizes.ciphertext - dropped + sizes.relinearization, mul_lin_rs);
    table.time("sqr_lin_rs", threads, 2 * sizes.ciphertext - dropped + sizes.relinearization,
               [&] { e.multiply_relinearize_rescale_into(out, a, a, relinearization); });
    table.time("mul_lin_rs_modsw_add", threads, 4 * (sizes.ciphertext - dropped) + 2 * dropped + sizes.relinearization,
               [&] {
                 mul_lin_rs();
                 e.mod_switch_into(third, c, out.level());
                 e.add_into(out, out, third);
               });
    table.time("rotate", threads, 2 * sizes.ciphertext + sizes.galois, [&] { e.rotate_into(out, a, 1, galois); });
  }
  // Two plaintexts, of one component each, have the size of one ciphertext.
  const std::size_t plains = sizes.ciphertext + values.size() * sizeof(double);
  table.peak_memory(sizes.keys + plains + a.bytes() + b.bytes() + c.bytes() + out.bytes() + third.bytes() +
                    sum.bytes());
  rotation_rows<ckks::Evaluator>(table, options, context, keys, a, sizes);
  table.state_limits();
}

template <class Scheme>
void integer_rows(const OperationBench& options, const std::string& name, const typename Scheme::Parameters& p,
                  std::vector<Row>& rows) {
  Table table(options, prefix_of(name, p.chain), p.chain, rows);
  if (!table.is_wanted()) return;
  const integers::Context<Scheme> context(p, options.device);
  const Sizes sizes(explain(p));
  table.observe(context);
  const KeyGenerator keys(context);
  const RelinearizationKey relinearization = keys.create_relinearization_key();
  const GaloisKeys galois = keys.create_galois_keys(plan_keys(context, {{1}, false, 0}));
  const PublicKey open = keys.create_public_key();
  const integers::Encoder<Scheme> encoder(context);
  const integers::Encryptor<Scheme> encryptor(context, open);
  const integers::Decryptor<Scheme> decryptor(context, keys.secret_key());
  std::vector<std::int64_t> values(p.chain.n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i % 1000);

  integers::Plaintext<Scheme> plain = encoder.encode(values), shown;
  integers::Ciphertext<Scheme> a = encryptor.encrypt(plain), b = encryptor.encrypt(plain), out, sum;
  table.mark();
  table.time("encode", 1, 0, [&] { encoder.encode_into(plain, values); });
  table.time("encrypt", 1, sizes.ciphertext + sizes.open, [&] { encryptor.encrypt_into(out, plain); });
  table.time("decrypt", 1, sizes.ciphertext, [&] { shown = decryptor.decrypt(a); });
  shown = decryptor.decrypt(a);
  table.time("decode", 1, 0, [&] { encoder.decode(shown, values); });
  table.time("decrypt_decode", 1, 0, [&] { encoder.decode(decryptor.decrypt(a), values); });
  for (const unsigned threads : thread_counts(options)) {
    const integers::Evaluator<Scheme> e(context, threads);
    table.time("add", threads, 3 * sizes.ciphertext, [&] { e.add_into(out, a, b); });
    table.time("multiply", threads, 7 * sizes.ciphertext / 2, [&] { e.multiply_into(out, a, b); });
    e.multiply_into(sum, a, b);
    table.time("mad", threads, 5 * sizes.ciphertext, [&] { e.multiply_add_into(sum, a, b); });
    table.time("mul_lin", threads, 3 * sizes.ciphertext + sizes.relinearization, [&] {
      e.multiply_into(out, a, b);
      e.relinearize_into(out, out, relinearization);
    });
    table.time("rotate", threads, 2 * sizes.ciphertext + sizes.galois, [&] { e.rotate_into(out, a, 1, galois); });
  }
  table.peak_memory(sizes.keys + 3 * values.size() * sizeof(std::int64_t) + a.bytes() + b.bytes() + out.bytes() +
                    sum.bytes());
  rotation_rows<integers::Evaluator<Scheme>>(table, options, context, keys, a, sizes);
  table.state_limits();
}

}  // namespace

std::vector<Row> bench_operations(const OperationBench& options) {
  std::vector<Row> rows;
  try {
    for (const std::string_view name : ckks::preset_names()) {
      if (options.quick && name == "ckks-65536-24") continue;
      ckks_rows(options, ckks::preset(name), rows);
    }
    for (const std::string_view name : bfv::preset_names())
      integer_rows<bfv::Scheme>(options, "bfv", bfv::preset(name), rows);
    for (const std::string_view name : bgv::preset_names())
      integer_rows<bgv::Scheme>(options, "bgv", bgv::preset(name), rows);
  } catch (const Stopped&) {  // returns the rows so far
  }
  return rows;
}

}  // namespace ringfort::bench
