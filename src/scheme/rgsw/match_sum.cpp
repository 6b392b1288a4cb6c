// SPDX-License-Identifier: Apache-2.0
// Engine::row. For each word, it multiplies (scale, 0), an encryption of the count 1 without noise, by one factor for
// each hash bit, in a chain of external products. The sum over all words is one ciphertext. It has the count of each
// document at the document's coefficient. Three savings do not change the noise bound:
// * The first product is one gadget row of the first factor, times a constant. It equals the product with (scale, 0).
// * The products with the last factors are summed in the evaluation domain, without inverse transforms.
// * The matches of one document are summed first. Only their sum is multiplied by x^document.
#include <algorithm>

#include "scheme/rgsw/external_product.h"

namespace ringfort::rgsw {

namespace {

void require_words(const MatchSum::State& t, const WordsToAdd& added) {
  // no bit may occur twice, because the plan's noise bound assumes that the errors of all factors are independent
  std::vector<u32> indices;
  for (const PatternBit& bit : added.pattern) indices.push_back(bit.index);
  std::sort(indices.begin(), indices.end());
  if (std::adjacent_find(indices.begin(), indices.end()) != indices.end())
    throw Error(Code::invalid_argument, "a pattern has one bit twice", "give each bit once");
  for (const EncryptedWord& word : added.words) {
    if (word.bits == nullptr)
      throw Error(Code::invalid_argument, "a word has no ciphertexts", "set EncryptedWord::bits");
    const EncryptedBits::State& bits = word.bits->state();
    require_filled(bits, "the search");
    require_same(t.context, bits.context, "the search");
    if (word.document >= t.context->p.n) {
      throw Error(Code::invalid_argument,
                  "document " + std::to_string(word.document) + " does not fit an answer with " +
                      std::to_string(t.context->p.n) + " counts",
                  "put at most n documents into one answer");
    }
    for (const PatternBit& bit : added.pattern) {
      if (u64{word.first} + bit.index < bits.count) continue;
      throw Error(Code::invalid_argument,
                  "hash bit " + std::to_string(bit.index) + " of a word that begins at bit " +
                      std::to_string(word.first) + " is not among the " + std::to_string(bits.count) +
                      " encrypted bits",
                  "compare bits that the word has");
    }
    if (!bits.fresh || (bits.mode == Mode::public_key && t.plan.mode == Mode::secret_key)) {
      throw Error(Code::noise_bound_exceeded, "the word has more noise than the plan allows for",
                  bits.fresh ? "plan the search for public_key mode" : "search encryptions, not results of operations");
    }
  }
}

// Sets chain.product() to (scale, 0) x bit or to (scale, 0) x (1 - bit), without an external product.
void begin_chain(const MatchSum::State& t, Slice<Eval> bit, bool wanted, const ProductChain& chain) {
  const Ring& ring = chain.ring();
  ring.multiply_scalar(chain.stream(), chain.product(), bit.polynomials(2 * t.first.row, 2), t.first.factor);
  if (!wanted) ring.subtract(chain.stream(), chain.product(), t.trivial.all(), chain.product());
}

void add_chain(MatchSum::State& t, const EncryptedWord& word, std::span<const PatternBit> pattern,
               ProductChain& chain) {
  const Ring& ring = chain.ring();
  const EncryptedBits::State& bits = word.bits->state();
  const auto bit = [&](const PatternBit& compared) { return bits.bit(word.first + compared.index); };
  begin_chain(t, bit(pattern[0]), pattern[0].wanted, chain);
  if (pattern.size() == 1) return ring.add(chain.stream(), t.plus.all(), t.plus.all(), chain.product());
  chain.take_product();
  for (const PatternBit& compared : pattern.subspan(1, pattern.size() - 2))
    chain.select(bit(compared), compared.wanted);
  const PatternBit& last = pattern.back();
  chain.external_product_into((last.wanted ? t.plus : t.minus).all(), true, chain.accumulator(), bit(last));
  if (last.wanted) return;
  ring.add(chain.stream(), t.accumulators.all(), t.accumulators.all(), chain.accumulator());
  t.minus_used = true;
}

}  // namespace

MatchSum::MatchSum(const Context& context, const SearchPlan& plan, Engine engine) : state_(std::make_unique<State>()) {
  const Context::State& c = *context.state();
  if (engine == Engine::literal && !c.p.literal_allowed) {
    throw Error(Code::mode_forbidden, "preset '" + c.p.name + "' does not offer the full matrix product",
                "use paper-gsw, or the row engine");
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
  t.accumulators = c.ring.make<Coeff>(2);
  Staging staging(c.ring.n());
  const std::vector<u64> constant(c.ring.n(), t.scale % c.p.q);  // a constant polynomial in the evaluation domain
  c.ring.upload(Stream{}, t.trivial.polynomials(0, 1), std::span<const u64>(constant), staging);
}

MatchSum::MatchSum(MatchSum&&) noexcept = default;
MatchSum& MatchSum::operator=(MatchSum&&) noexcept = default;
MatchSum::~MatchSum() = default;
const SearchPlan& MatchSum::plan() const noexcept { return state_->plan; }
std::uint64_t MatchSum::words() const noexcept { return state_->words; }

void require_complete(const MatchSum::State& t) {
  if (t.incomplete)
    throw Error(Code::device_lost, "the device failed while a word was added: the sum is incomplete",
                "begin a new MatchSum");
}

void require_allowed(const MatchSum::State& t, const WordsToAdd& added, const Context& context) {
  require_same(t.context, context.state(), "the search");
  require_complete(t);
  if (t.engine != added.engine)
    throw Error(Code::invalid_argument, "the MatchSum is for another engine", "make a MatchSum for this engine");
  if (added.pattern.empty() || added.pattern.size() > t.plan.factors) {
    throw Error(Code::noise_bound_exceeded,
                "a query compares " + std::to_string(added.pattern.size()) + " bits, but the plan allows 1 .. " +
                    std::to_string(t.plan.factors),
                "plan the search with the query's number of bits");
  }
  if (added.words.size() > t.plan.words || t.words > t.plan.words - added.words.size()) {
    throw Error(Code::noise_bound_exceeded,
                "the sum would have more words than the plan's " + std::to_string(t.plan.words),
                "make this answer and begin another");
  }
  require_words(t, added);
}

void add_marks(MatchSum::State& t, const WordsToAdd& added) {
  const std::size_t marks = t.marks.size() + added.words.size() * added.pattern.size();
  // If reserve() throws, no mark is added.
  if (marks > t.marks.capacity()) t.marks.reserve(std::max(marks, 2 * t.marks.capacity()));
  for (const EncryptedWord& word : added.words) {
    const std::vector<BitMark>& marks = word.bits->state().marks;
    for (const PatternBit& bit : added.pattern) t.marks.push_back(marks[word.first + bit.index]);
  }
}

void require_own_encryptions(MatchSum::State& t) {
  std::sort(t.marks.begin(), t.marks.end());
  if (std::adjacent_find(t.marks.begin(), t.marks.end()) == t.marks.end()) return;
  throw Error(Code::noise_bound_exceeded,
              "two words of the sum compare one encrypted bit: the errors of copies add up beyond the noise bound",
              "encrypt each word by itself, and add it once");
}

void add_unrotated(MatchSum::State& t, Workspace& work) {
  if (!t.has_unrotated) return;
  const Ring& ring = t.context->ring;
  const Scratch<Coeff> monomial = work.allocate<Coeff>(1, ring.limbs());
  t.incomplete = true;
  if (t.minus_used) {
    ring.subtract(work.stream, t.plus.all(), t.plus.all(), t.minus.all());
    ring.zero(work.stream, t.minus.all());
    const Slice<Eval> accumulators = ring.forward(work.stream, t.accumulators.all());
    ring.add(work.stream, t.plus.all(), t.plus.all(), accumulators);
    ring.zero(work.stream, accumulators);  // zero is the same in both domains
  }
  ring.upload_monomial(work.stream, monomial.all(), t.document, work.staging);
  const Slice<Eval> rotation = ring.forward(work.stream, monomial.all());
  ring.multiply_add(work.stream, t.sum.all(), t.plus.all(), rotation);
  ring.zero(work.stream, t.plus.all());
  t.minus_used = t.has_unrotated = t.incomplete = false;
}

void SearchEvaluator::add_match(MatchSum& sum, const EncryptedWord& word, std::span<const PatternBit> pattern) const {
  MatchSum::State& t = sum.state();
  const WordsToAdd added{{&word, 1}, pattern, Engine::row};
  require_allowed(t, added, context_);
  const auto work = t.context->workspace(threads_);
  ProductChain chain(*t.context, *work);
  if (t.document != word.document) add_unrotated(t, *work);
  add_marks(t, added);
  t.document = word.document;
  t.has_unrotated = t.incomplete = true;
  add_chain(t, word, pattern, chain);
  ++t.words;
  t.incomplete = false;
}

void SearchEvaluator::merge(MatchSum& into, MatchSum& other) const {
  MatchSum::State &a = into.state(), &b = other.state();
  require_same(a.context, context_.state(), "merge");
  if (a.context->digest != b.context->digest) require_same(a.context, b.context, "merge");
  require_complete(a);
  require_complete(b);
  const bool equal = a.engine == b.engine && a.plan.mode == b.plan.mode && a.plan.words == b.plan.words &&
                     a.plan.max_matches == b.plan.max_matches && a.plan.factors == b.plan.factors &&
                     a.plan.count_range == b.plan.count_range;
  if (!equal)
    throw Error(Code::parameters_mismatch, "sums of two plans cannot be merged",
                "give every thread's MatchSum the plan of the whole search");
  if (&a == &b || b.words > a.plan.words - a.words) {
    throw Error(Code::noise_bound_exceeded,
                "the merged sum would hold more words than the plan's " + std::to_string(a.plan.words),
                "plan the search with the number of all words");
  }
  add_unrotated(b, *b.context->workspace(threads_));
  const bool is_here = a.context == b.context;
  const Poly<Eval> moved = is_here ? Poly<Eval>() : a.context->ring.receive(b.sum);
  // copies the words from the other device now, so that a failure leaves `into` unchanged
  const Slice<Eval> added = is_here ? b.sum.all() : moved.all();
  const auto work = a.context->workspace(threads_);
  a.marks.insert(a.marks.end(), b.marks.begin(), b.marks.end());
  a.incomplete = true;
  a.context->ring.add(work->stream, a.sum.all(), a.sum.all(), added);
  a.words += b.words;
  a.incomplete = false;
  if (is_here) return;
  b.sum = b.context->ring.make<Eval>(b.sum.batch());  // the words of the old sum are shared now, and must not change
  b.words = 0;
  b.marks.clear();
}

}  // namespace ringfort::rgsw
