// SPDX-License-Identifier: Apache-2.0
// Engine::row: for each word a chain of external products on (scale, 0), one factor a hash bit; the sum of all words is one
// ciphertext with a count at each document's coefficient. Three savings, none changes the noise bound:
//   the first factor is the gadget row that divides the scale (what the product with a trivial ciphertext would give);
//   the last factor's product is summed in the evaluation domain, without inverse transforms;
//   words of one document are summed first and rotated to x^document once.
#include <algorithm>

#include "scheme/rgsw/external_product.h"

namespace ringfort::rgsw {

namespace {

void require_words(const Total::State& t, std::span<const EncryptedWord> words, std::span<const PatternBit> pattern) {
  for (const EncryptedWord& word : words) {
    if (word.bits == nullptr) throw Error(Code::invalid_argument, "a word without ciphertexts", "set EncryptedWord::bits");
    const Bits::State& bits = word.bits->state();
    require_same(t.context, bits.context, "the search");
    if (word.document >= t.context->p.n) {
      throw Error(Code::invalid_argument, "document " + std::to_string(word.document) + " of an answer with " +
                  std::to_string(t.context->p.n) + " counts", "put at most n documents into one answer");
    }
    for (const PatternBit& bit : pattern) {
      if (u64{word.first} + bit.index < bits.count) continue;
      throw Error(Code::invalid_argument, "hash bit " + std::to_string(bit.index) + " of a word that begins at " + std::to_string(word.first) +
                  " of " + std::to_string(bits.count) + " bits", "compare bits that the word has");
    }
    if (!bits.fresh || (bits.mode == Mode::public_key && t.plan.mode == Mode::secret_key)) {
      throw Error(Code::noise_bound_exceeded, "the word has more noise than the plan allows for",
                  bits.fresh ? "plan the search for public_key mode" : "search encryptions, not results of operations");
    }
  }
}

// w.product <- (scale, 0) x bit or (scale, 0) x (1 - bit), without a product.
void begin_chain(const Total::State& t, Slice<Eval> bit, bool wanted, Worker::State& w) {
  const Ring& ring = w.context->ring;
  ring.multiply_scalar(w.stream, w.product.all(), bit.part(2 * t.first.row, 2), t.first.factor);
  if (!wanted) ring.sub(w.stream, w.product.all(), t.trivial.all(), w.product.all());
}

void chain(Total::State& t, const Bits::State& bits, u32 first, std::span<const PatternBit> pattern, Worker::State& w) {
  const Ring& ring = w.context->ring;
  begin_chain(t, bits.bit(first + pattern[0].index), pattern[0].wanted, w);
  if (pattern.size() == 1) return ring.add(w.stream, t.plus.all(), t.plus.all(), w.product.all());
  Poly<Coeff> begun = ring.inverse(w.stream, std::move(w.product));
  std::swap(begun, w.accumulator);
  w.product = Ring::reuse<Eval>(std::move(begun));
  for (const PatternBit& b : pattern.subspan(1, pattern.size() - 2)) select(bits.bit(first + b.index), b.wanted, w);
  const PatternBit& last = pattern.back();
  product_into((last.wanted ? t.plus : t.minus).all(), true, w.accumulator.all(), bits.bit(first + last.index), w);
  if (last.wanted) return;
  ring.add(w.stream, t.rest.all(), t.rest.all(), w.accumulator.all());
  t.minus_used = true;
}

}  // namespace

Total::Total(const Context& context, const SearchPlan& plan, Engine engine) : state_(std::make_unique<State>()) {
  const Context::State& c = *context.state();
  if (engine == Engine::literal && !c.p.literal_allowed) {
    throw Error(Code::mode_forbidden, "preset '" + c.p.name + "' does not offer the full matrix product", "use paper-gsw, or the row engine");
  }
  State& t = *state_;
  t.context = context.state();
  t.plan = plan_search(c.p, plan.mode, plan.words, plan.max_matches, plan.factors, plan.count_range);
  t.engine = engine;
  t.scale = count_scale(c.p, plan.count_range);
  t.first = first_row(c.p, t.scale);
  t.sum = c.ring.make<Eval>(engine == Engine::row ? 2 : 2 * c.rows);
  if (engine == Engine::literal) return;
  t.trivial = c.ring.make<Eval>(2);
  t.plus = c.ring.make<Eval>(2);
  t.minus = c.ring.make<Eval>(2);
  t.rest = c.ring.make<Coeff>(2);
  Staging staging(c.ring.n());
  const std::vector<u64> constant(c.ring.n(), t.scale % c.p.q);       // a constant polynomial, evaluated
  c.ring.upload(Stream{}, t.trivial.part(0, 1), std::span<const u64>(constant), staging);
}

Total::Total(Total&&) noexcept = default;
Total& Total::operator=(Total&&) noexcept = default;
Total::~Total() = default;
const SearchPlan& Total::plan() const noexcept { return state_->plan; }
std::uint64_t Total::words() const noexcept { return state_->words; }

void require_whole(const Total::State& t) {
  if (t.torn) throw Error(Code::device_lost, "the device failed while a word was added: the sum is not whole", "begin a new Total");
}

void admit(const Total::State& t, std::span<const EncryptedWord> words, std::span<const PatternBit> pattern, Engine engine,
           const Worker::State& worker) {
  require_same(t.context, worker.context, "the search");
  require_whole(t);
  if (t.engine != engine) throw Error(Code::invalid_argument, "a total of one engine was given to the other", "make the Total for this engine");
  if (pattern.empty() || pattern.size() > t.plan.factors) {
    throw Error(Code::noise_bound_exceeded, "a query compares " + std::to_string(pattern.size()) + " bits, planned are 1 .. " +
                std::to_string(t.plan.factors), "plan the search with the query's number of bits");
  }
  if (words.size() > t.plan.words || t.words > t.plan.words - words.size()) {
    throw Error(Code::noise_bound_exceeded, "more words than the plan's " + std::to_string(t.plan.words), "finish this answer and begin another");
  }
  require_words(t, words, pattern);
}

void flush(Total::State& t, Worker::State& w) {
  if (!t.waiting) return;
  const Ring& ring = w.context->ring;
  t.torn = true;
  const auto clear = [&](auto slice) { ring.zero(w.stream, slice); };
  if (t.minus_used) {
    ring.sub(w.stream, t.plus.all(), t.plus.all(), t.minus.all());
    clear(t.minus.all());
    const Slice<Eval> rest = ring.forward(w.stream, t.rest.all());
    ring.add(w.stream, t.plus.all(), t.plus.all(), rest);
    clear(rest);                                                       // zero is zero in both domains
  }
  ring.upload_monomial(w.stream, w.accumulator.part(0, 1), t.document, w.scratch.staging);
  const Slice<Eval> rotation = ring.forward(w.stream, w.accumulator.part(0, 1));
  ring.multiply_add(w.stream, t.sum.all(), t.plus.all(), rotation);
  clear(t.plus.all());
  t.minus_used = t.waiting = t.torn = false;
}

void add_match(Total& total, const EncryptedWord& word, std::span<const PatternBit> pattern, Worker& worker) {
  Total::State& t = total.state();
  admit(t, {&word, 1}, pattern, Engine::row, worker.state());
  if (t.waiting && t.document != word.document) flush(t, worker.state());
  t.document = word.document;
  t.waiting = t.torn = true;
  chain(t, word.bits->state(), word.first, pattern, worker.state());
  ++t.words;
  t.torn = false;
}

void merge(Total& into, Total& other, Worker& worker) {
  Total::State &a = into.state(), &b = other.state();
  require_same(a.context, b.context, "merge");
  require_same(a.context, worker.state().context, "merge");
  require_whole(a);
  require_whole(b);
  const bool equal = a.engine == b.engine && a.plan.mode == b.plan.mode && a.plan.words == b.plan.words && a.plan.max_matches == b.plan.max_matches &&
                     a.plan.factors == b.plan.factors && a.plan.count_range == b.plan.count_range;
  if (!equal) throw Error(Code::parameters_mismatch, "totals of two plans cannot be merged", "give every thread's Total the plan of the whole search");
  if (&a == &b || b.words > a.plan.words - a.words) {
    throw Error(Code::noise_bound_exceeded, "the merged total would hold more words than the plan's " + std::to_string(a.plan.words),
                "plan the search with the number of all words");
  }
  flush(b, worker.state());
  a.torn = true;
  a.context->ring.add(worker.state().stream, a.sum.all(), a.sum.all(), b.sum.all());
  a.words += b.words;
  a.torn = false;
}

}  // namespace ringfort::rgsw
