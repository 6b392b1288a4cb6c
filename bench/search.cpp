// SPDX-License-Identifier: Apache-2.0
// Measures the word search: makes an index for each set of parameters, and adds the rows that search.h lists.
#include "bench/search.h"

#include <chrono>
#include <map>
#include <memory>

#include "bench/limit.h"
#include "bench/search_limit.h"
#include "bench/sequential_match.h"
#include "ringfort/search.h"

namespace ringfort::bench {

namespace {

using search::Engine;
using search::SearchOptions;
using Params = std::vector<std::pair<std::string, Value>>;

constexpr std::uint32_t kHashBits = 32;
constexpr std::uint32_t kWordsOfADocument = 16;
constexpr std::uint64_t kMemory = std::uint64_t{8} << 30;
constexpr std::uint32_t kPaperWords = 96;  // most words in Table 1 of [MartinsSousa16]

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// An index of synthetic words, its keys, its server, and the speed at which it was written.
struct Bed {
  Bed(const std::string& folder, const search::KeyOptions& options, std::uint32_t words, bool as_sender)
      : keys(search::generate_keys(options)),
        query(search::make_query(keys, "word1")) {
    io::Index::create(folder, keys);
    io::Index index(folder, {.append = true, .allow_insecure = options.allow_insecure});
    std::vector<search::Document> documents((words + kWordsOfADocument - 1) / kWordsOfADocument);
    for (std::uint32_t w = 0; w < words; ++w)
      documents[w / kWordsOfADocument].words.push_back("word" + std::to_string(w));
    const double seconds = seconds_of([&] {
      search::add_documents(index, keys, documents, {.as_sender = as_sender});
      index.seal();
    });
    words_a_second = words / seconds;
    server = std::make_unique<search::Server>(folder, "cpu", options.allow_insecure);
  }
  [[nodiscard]] Params params(const SearchOptions& options, std::uint64_t words, const std::string& state) const {
    return params(options.engine == Engine::row ? "row" : "literal", options.threads, words, state);
  }
  [[nodiscard]] Params params(const std::string& engine, unsigned threads, std::uint64_t words,
                              const std::string& state) const {
    const auto& p = keys.profile().parameters;
    // with the row engine, paper-gsw is the preset paper-row, because the two presets have the same ciphertexts
    const bool one_row = engine == "row" && p.name == "paper-gsw";
    return {{"preset", one_row ? "paper-row" : p.name},
            {"n", std::int64_t{p.n}},
            {"q", static_cast<std::int64_t>(p.q)},
            {"base_bits", std::int64_t{p.base_bits}},
            {"digits", std::int64_t{p.digits}},
            {"hash_bits", std::int64_t{keys.profile().hash_bits}},
            {"constant_weight", keys.profile().constant_weight},
            {"engine", engine},
            {"words", static_cast<std::int64_t>(words)},
            {"threads", std::int64_t{threads}},
            {"state", state}};
  }
  [[nodiscard]] WordShape shape() const {
    return {keys.profile().parameters, static_cast<double>(keys.profile().factors()),
            static_cast<double>(keys.profile().hash_bits)};
  }
  io::Keys keys;
  io::Query query;
  double words_a_second = 0;
  std::unique_ptr<search::Server> server;
};

class Bench {
 public:
  explicit Bench(const SearchBench& options) : options_(options) {}
  std::vector<Row> measure_rows() {
    paper();
    row_b256();
    gsw128();
    constant_weight();
    sender();
    return std::move(rows_);
  }

 private:
  // Tells whether rows that begin with `name` are wanted; always false once stopped.
  bool wanted(const std::string& name) const {
    const auto holds = [&](const std::string& only) { return only.starts_with(name); };  // name is a group of rows
    return !stopped_ &&
           (bench::wanted(options_.only, name) || std::any_of(options_.only.begin(), options_.only.end(), holds));
  }
  bool begin(const std::string& name) {
    if (!wanted(name)) return false;
    if (options_.progress && !options_.progress(name)) stopped_ = true;
    return !stopped_;
  }
  std::string folder(const std::string& name) const { return options_.folder + "/" + name; }
  [[nodiscard]] std::string by_threads(const std::string& name, unsigned threads) const {
    return name + "/t" + std::to_string(threads);
  }

  // Sets limit_share of a row whose unit is ms per word.
  void state_limit(Row& row, const WordWork& work, unsigned threads) {
    if (!bandwidth_.contains(threads)) bandwidth_[threads] = bytes_per_microsecond(threads);
    if (const auto least = least_ms(work, threads, bandwidth_[threads])) row.limit_share = *least / row.median;
    row.params.emplace_back("limit_bytes", work.bytes);
    row.params.emplace_back("limit_vectors", work.vectors);
    row.params.emplace_back("limit_GB_per_s", bandwidth_[threads] / 1e3);
    row.params.emplace_back("limit_GHz", cycles_per_microsecond() / 1e3);
  }

  // Adds a row in ms per word. Each of its `rounds` samples is a whole search.
  void words(const std::string& name, Bed& bed, SearchOptions options, unsigned rounds) {
    if (!begin(name)) return;
    std::vector<double> samples;
    const bool hot = options.memory_bytes != 0;
    if (hot) static_cast<void>(bed.server->search(bed.query, warm_up(options)));
    for (unsigned i = 0; i < rounds; ++i) {
      static_cast<void>(bed.server->search(bed.query, options));
      samples.push_back(1e3 * bed.server->report().seconds / static_cast<double>(bed.server->report().words));
    }
    rows_.push_back(
        make_row(name, "ms/word", samples, bed.params(options, bed.server->report().words, hot ? "hot" : "cold")));
    const WordWork work = options.engine == Engine::row ? row_work(bed.shape(), !hot) : literal_work(bed.shape());
    state_limit(rows_.back(), work, options.threads);
  }
  // Returns options for the row engine, which is fast. A search with this engine brings words into memory. The literal
  // engine also reads the words that are in memory.
  static SearchOptions warm_up(SearchOptions options) {
    options.engine = Engine::row;
    return options;
  }
  void row_engine(const std::string& name, Bed& bed, unsigned rounds) {
    SearchOptions cold;
    words(name + "/cold/t1", bed, cold, 3);
    SearchOptions hot;
    hot.memory_bytes = kMemory;
    words(by_threads(name, 1), bed, hot, rounds);
    hot.threads = options_.threads;
    words(by_threads(name, hot.threads), bed, hot, rounds);
  }

  void paper() {
    const bool literal = wanted("search/literal"), baseline = wanted("search/sequential");
    if (!literal && !baseline && !wanted("search/row-b2/")) return;
    const std::uint32_t count = options_.quick ? 24 : kPaperWords;
    Bed bed(folder("paper"), {.preset = "paper-gsw", .allow_insecure = true, .hash_bits = kHashBits}, count, false);
    row_engine("search/row-b2", bed, 5);
    SearchOptions options;
    options.engine = Engine::literal;
    options.memory_bytes = kMemory;
    for (const unsigned threads : {1U, options_.threads}) {
      options.threads = threads;
      words(by_threads("search/literal", threads), bed, options, options_.quick && threads == 1 ? 1 : 3);
      product(bed, threads);
      table_1(bed, threads);
    }
    figure_1(bed);
    sequential(bed);
  }
  // Adds the times of the row search/literal again, per product. A word takes one matrix product for each compared bit,
  // because the first product multiplies Encrypt(1).
  void product(const Bed& bed, unsigned threads) {
    if (rows_.empty() || rows_.back().name != by_threads("search/literal", threads)) return;
    Row row = rows_.back();
    const double products = bed.keys.profile().factors();
    row.name = by_threads("search/literal/product", threads);
    row.unit = "ms/product";
    row.min /= products;
    row.median /= products;
    row.max /= products;
    rows_.push_back(row);
  }
  void table_1(Bed& bed, unsigned threads) {
    const auto per_word = std::find_if(
        rows_.begin(), rows_.end(), [&](const Row& row) { return row.name == by_threads("search/literal", threads); });
    if (per_word == rows_.end()) return;
    const Row base = *per_word;
    for (const unsigned count : {24U, 48U, 72U, 96U}) {
      const std::string name = by_threads("search/literal/w" + std::to_string(count), threads);
      if (!wanted(name)) continue;
      const bool whole = count == bed.server->index().words();
      Params params = base.params;
      params.emplace_back(whole ? "measured_words" : "scaled_from_words",
                          static_cast<std::int64_t>(bed.server->index().words()));
      rows_.push_back({name, "cpu", params, "s", base.min * count / 1e3, base.median * count / 1e3,
                       base.max * count / 1e3, base.limit_share});
    }
  }
  void figure_1(Bed& bed) {
    SearchOptions options;
    options.engine = Engine::literal;
    options.memory_bytes = kMemory;
    options.threads = options_.threads;
    for (std::uint32_t s = 2; s <= 12; s += options_.quick ? 4 : 2) {
      options.words_at_once = s;
      words(by_threads("search/literal/s" + std::to_string(s), options.threads), bed, options, 1);
      if (!rows_.empty() && rows_.back().name.starts_with("search/literal/s"))
        rows_.back().params.emplace_back("words_at_once", std::int64_t{s});
    }
  }
  // Measures one word of the sequential baseline. If `quick`, measures only one of the word's products. Computes all
  // other rows of the baseline from this time.
  void sequential(Bed& bed) {
    if (!begin("search/sequential/product")) return;
    const auto& keys = bed.keys;
    const std::uint32_t factors = keys.profile().factors(), products = options_.quick ? 1 : factors;
    const std::vector<std::uint8_t> bits(factors, 1);
    const auto word = rgsw::Encryptor(keys.context(), *keys.secret_key()).encrypt(bits);
    std::vector<rgsw::PatternBit> pattern;
    for (std::uint32_t i = 0; i < factors; ++i) pattern.push_back({i, true});
    const double seconds = match_sequentially(keys.context(), {&word, 0, 0}, pattern, products).seconds / products;
    const double share = least_sequential_ms(bed.shape()) / factors / (1e3 * seconds);
    const auto add = [&](const std::string& name, const std::string& unit, double value, std::uint64_t words) {
      rows_.push_back(make_row(name, unit, {value}, bed.params("sequential", 1, words, "hot")));
      rows_.back().limit_share = share;
      if (words > 1 || products < factors)
        rows_.back().params.emplace_back("scaled_from_products", std::int64_t{products});
    };
    rows_.push_back(
        make_row("search/sequential/product", "ms/product", {1e3 * seconds}, bed.params("sequential", 1, 1, "hot")));
    rows_.back().limit_share = share;
    add("search/sequential/t1", "ms/word", 1e3 * seconds * factors, 1);
    for (const unsigned count : {24U, 48U, 72U, 96U})
      add("search/sequential/w" + std::to_string(count) + "/t1", "s", seconds * factors * count, count);
  }
  void row_b256() {
    if (!wanted("search/row-b256")) return;
    Bed bed(folder("b256"), {.preset = "paper-row-b256", .allow_insecure = true, .hash_bits = kHashBits}, 128, false);
    row_engine("search/row-b256", bed, 7);
  }
  void gsw128() {
    if (!wanted("search/gsw128/") && !wanted("index/gsw128/secret")) return;
    Bed bed(folder("gsw128"), {.preset = "gsw128", .hash_bits = kHashBits}, options_.quick ? 128 : 256, false);
    indexing("index/gsw128/secret", bed);
    row_engine("search/gsw128", bed, 7);
  }
  void constant_weight() {
    if (!wanted("search/gsw128-cw")) return;
    Bed bed(folder("weighted"), {.preset = "gsw128", .hash_bits = kHashBits, .constant_weight = true}, 64, false);
    row_engine("search/gsw128-cw", bed, 15);
  }
  void sender() {
    if (!begin("index/gsw128/public")) return;
    Bed bed(folder("sender"), {.preset = "gsw128", .hash_bits = kHashBits}, 64, true);
    indexing("index/gsw128/public", bed);
  }
  void indexing(const std::string& name, const Bed& bed) {
    if (!wanted(name)) return;
    rows_.push_back(
        make_row(name, "words/s", {bed.words_a_second}, bed.params({}, bed.server->index().words(), "written")));
    const auto work = index_work(bed.shape(), bed.server->index().mode());
    if (const auto least = least_ms(work, 1, 1)) rows_.back().limit_share = *least * bed.words_a_second / 1e3;
    rows_.back().params.emplace_back(
        "word_bytes", static_cast<std::int64_t>(bed.server->index().word_bytes(bed.server->index().mode())));
  }

  const SearchBench& options_;
  std::map<unsigned, double> bandwidth_;  // bandwidth in bytes per microsecond, by number of threads
  std::vector<Row> rows_;
  bool stopped_ = false;
};

}  // namespace

std::vector<Row> search_rows(const SearchBench& options) { return Bench(options).measure_rows(); }

}  // namespace ringfort::bench
