// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of parameters of CKKS, BFV and BGV. Their fields are, in order:
//   name of the scheme: 8 bytes
//   n, limbs of a level, limbs of a digit: u32 each
//   number of data primes, number of special primes, number of the scheme's numbers: u32 each
//   security in bits, year of the standard, 1 for attacks by quantum computers (SecurityGoal): u32 each
//   the primes, data primes first: u64 each
//   the numbers of the scheme: u64 each
//   text that states why the security is below 128 bits: 256 bytes
// The digest of a Scope is a BLAKE2b-256 digest. It covers "ringfort scope 1", the scheme, n, the numbers of limbs, all
// primes in the order of the limbs, and the numbers of the scheme; for an unguarded context also "unguarded".
#include "io/leveled.h"

#include <algorithm>
#include <limits>

#include "io/text.h"
#include "scheme/bfv/wire.h"
#include "scheme/bgv/wire.h"
#include "scheme/ckks/wire.h"

namespace ringfort::io {

namespace {

constexpr std::size_t kSchemeBytes = 8;
constexpr std::size_t kReasonBytes = 256;
constexpr u64 kFixedBytes = kSchemeBytes + 6 * 4 + 3 * 4 + kReasonBytes;
constexpr u32 kMostNumbers = 16;

void put_words(ByteWriter& out, const std::vector<u64>& words) {
  for (const u64 word : words) out.put_u64(word);
}

Digest digest_of(const wire::ParameterFacts& facts, const KeyContext::State& context) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.put_text("ringfort scope 1", 16);
  out.put_text(facts.scheme, kSchemeBytes);
  const Chain& chain = context.chain;
  for (const u32 value : {context.p.n, chain.auxiliary_limbs, chain.special_limbs, chain.data_limbs,
                          chain.limbs_per_level, chain.digit_limbs})
    out.put_u32(value);
  put_words(out, wire::moduli(context, context.ring.limbs()));
  put_words(out, facts.numbers);
  if (context.unguarded()) out.put_text("unguarded", 16);
  return blake2b_256(bytes);
}

template <class Parameters>
Result<AnyParameters> any(Result<Parameters> parameters) {
  if (!parameters.ok()) return parameters.failure();
  return AnyParameters(std::move(parameters).take());
}

std::size_t none(const wire::ParameterFacts&) { return 0; }

struct KnownScheme {
  std::string_view name;
  Result<AnyParameters> (*import)(const wire::ParameterFacts&);
  std::size_t (*auxiliary_primes)(const wire::ParameterFacts&) = &none;  // number of primes that a file omits
};
constexpr std::array<KnownScheme, 3> kSchemes = {
    {{"ckks", [](const wire::ParameterFacts& f) { return any(ckks::import_parameters(f)); }},
     {"bfv", [](const wire::ParameterFacts& f) { return any(bfv::import_parameters(f)); }, &bfv::auxiliary_primes},
     {"bgv", [](const wire::ParameterFacts& f) { return any(bgv::import_parameters(f)); }}}};

const KnownScheme* known_scheme(std::string_view name) {
  const auto found =
      std::find_if(kSchemes.begin(), kSchemes.end(), [&](const KnownScheme& scheme) { return scheme.name == name; });
  return found == kSchemes.end() ? nullptr : &*found;
}

// Returns the digest of stored parameters. It covers all fields except the reason, and needs no context.
Digest digest_of_file(std::span<const u8> fields) { return blake2b_256(fields.first(fields.size() - kReasonBytes)); }

}  // namespace

Scope::State::State(const KeyContext& keys, const wire::ParameterFacts& of_scheme)
    : context(keys.state()),
      facts(of_scheme),
      digest(digest_of(facts, *context)) {}
Scope::Scope(const ckks::Context& context)
    : state_(std::make_shared<const State>(context.keys(), ckks::facts(context.parameters()))) {}
Scope::Scope(const bfv::Context& context)
    : state_(std::make_shared<const State>(context.keys(), bfv::facts(context.parameters()))) {}
Scope::Scope(const bgv::Context& context)
    : state_(std::make_shared<const State>(context.keys(), bgv::facts(context.parameters()))) {}
const std::array<std::uint8_t, 32>& Scope::digest() const noexcept { return state_->digest; }

Result<Header> open_header(const Scope& scope, std::span<const u8> bytes, FileType type) {
  auto header = decode_header(bytes);
  if (!header.ok()) return header;
  if (header.value().type != type) return wrong_type(header.value().type, type);
  if (header.value().parameters != scope.digest()) {
    return Failure{Code::io_digest, "the parameters of the file are not those of this context",
                   "use the context that the file was made with; save its parameters with the file"};
  }
  if ((header.value().flags & kFlagInsecure) != scope.state().insecure()) {
    return Failure{Code::io_flags, "the header's mark for parameters below 128 bits is not that of this context",
                   "the file is damaged"};
  }
  return header;
}

Result<ByteReader> open_fields(std::span<const u8> bytes, const Header& header, u64 computed) {
  auto framed = check_frame(bytes, header, computed);
  if (!framed.ok()) return framed.failure();
  return ByteReader(bytes.subspan(kHeaderBytes, static_cast<std::size_t>(computed)));
}

u64 polynomial_bytes(const KeyContext::State& context, Limbs limbs) {
  u64 bytes = 0;
  for (const u64 q : wire::moduli(context, limbs)) bytes += packed_bytes(context.p.n, residue_width(q));
  return bytes;
}

wire::LimbSink pack_into(Bytes& out) {
  return [&out](u64 q, std::span<const u64> residues) {
    const unsigned width = residue_width(q);
    const std::size_t at = out.size();
    out.resize(at + packed_bytes(residues.size(), width));
    pack_residues(residues, width, std::span(out).subspan(at));
  };
}

wire::LimbSource unpack_from(ByteReader& in) {
  return [&in](u64 q, std::span<u64> residues) {
    const unsigned width = residue_width(q);
    return unpack_residues(in.view(packed_bytes(residues.size(), width)), width, q, residues);
  };
}

FileType type_of(ByteView bytes) { return decode_header(bytes).take().type; }

namespace {

// Throws for parameters that readers reject. Data that is encrypted under them would be lost.
void require_readable(ByteView bytes) {
  const auto read = open_parameters(bytes, true, {std::numeric_limits<u32>::max(), std::numeric_limits<u32>::max(), 0});
  if (read.ok()) return;
  throw Error(Code::invalid_argument, "a reader would reject these parameters: " + read.failure().problem,
              "choose parameters in their ranges, and a reason of printable text");
}

}  // namespace

Bytes encode_parameters(const Scope& scope) {
  const wire::ParameterFacts& facts = scope.state().facts;
  const ChainParameters& chain = facts.chain;
  if (!chain.unguarded_reason.empty())
    throw Error(Code::unsupported,
                "the parameters of an unguarded context were to be stored, but files have no mark for it",
                "store the numbers from which the program makes its parameters");
  Bytes fields;
  ByteWriter out(fields);
  out.put_text(facts.scheme, kSchemeBytes);
  for (const u32 value : {chain.n, chain.limbs_per_level, chain.digit_limbs}) out.put_u32(value);
  for (const std::size_t count : {chain.data.size(), chain.special.size(), facts.numbers.size()})
    out.put_u32(static_cast<u32>(count));
  for (const u32 value : {chain.security.bits, chain.security.standard, chain.security.quantum ? 1U : 0U})
    out.put_u32(value);
  put_words(out, chain.data);
  put_words(out, chain.special);
  put_words(out, facts.numbers);
  out.put_text(chain.insecure_reason, kReasonBytes);
  Bytes bytes = make_frame({FileType::leveled_parameters, scope.state().insecure(), digest_of_file(fields), 0}, fields);
  require_readable(bytes);
  return bytes;
}

namespace {

struct Counts {
  u32 data = 0, special = 0, numbers = 0;
  [[nodiscard]] u64 bytes() const noexcept { return kFixedBytes + 8 * (u64{data} + special + numbers); }
};

std::vector<u64> take_words(ByteReader& in, u32 count) {
  std::vector<u64> words(count);
  for (u64& word : words) word = in.take_u64();
  return words;
}

// Reads the fields before the primes, and checks the counts against bounds.
Result<Counts> take_start(ByteReader& in, wire::ParameterFacts& facts) {
  ChainParameters& chain = facts.chain;
  facts.scheme = in.take_text(kSchemeBytes);
  chain.n = in.take_u32();
  chain.limbs_per_level = in.take_u32();
  chain.digit_limbs = in.take_u32();
  const Counts counts{in.take_u32(), in.take_u32(), in.take_u32()};
  chain.security.bits = in.take_u32();
  chain.security.standard = in.take_u32();
  const u32 quantum = in.take_u32();
  chain.security.quantum = quantum == 1;
  if (!in.ok())
    return Failure{Code::io_truncated, "the file ends before its parameters do", "copy the whole file again"};
  if (counts.data > kMostLimbs || counts.special > kMostLimbs || counts.numbers > kMostNumbers || quantum > 1) {
    return wire::damaged(Code::io_range,
                         "parameters: they have more primes than a ring can have, or a field is outside its range");
  }
  return counts;
}

Failure above(const std::string& what, u64 found, u32 limit, const std::string& option) {
  return {Code::io_limit,
          "parameters: " + what + " is " + std::to_string(found) + ", but the limit is " + std::to_string(limit),
          "if this file is expected, allow it: Limits::" + option + ", most_" + option + " in Python"};
}

// Fails if the ring has too many primes, including primes that are not in the file. The caller must first have checked
// the chain (the primes of the file).
Result<Done> within_with_auxiliary(const wire::ParameterFacts& facts, const Limits& limits) {
  const KnownScheme* scheme = known_scheme(facts.scheme);
  const u64 primes =
      facts.chain.data.size() + facts.chain.special.size() + (scheme == nullptr ? 0 : scheme->auxiliary_primes(facts));
  if (primes > limits.primes)
    return above("the number of primes, with the auxiliary primes of products,", primes, limits.primes, "primes");
  return Done{};
}

// Fails if the degree or the number of primes is too large. Even a small file can describe a context that takes much
// memory.
Result<Counts> within(Result<Counts> counts, const ChainParameters& chain, const Limits& limits) {
  if (!counts.ok()) return counts;
  const u64 primes = u64{counts.value().data} + counts.value().special;
  if (chain.n > limits.degree) return above("the ring degree", chain.n, limits.degree, "degree");
  if (primes > limits.primes) return above("the number of primes", primes, limits.primes, "primes");
  return counts;
}

}  // namespace

Result<wire::ParameterFacts> open_facts(std::span<const u8> bytes, const Limits& limits) {
  auto header = decode_header(bytes);
  if (!header.ok()) return header.failure();
  if (header.value().type != FileType::leveled_parameters)
    return wrong_type(header.value().type, FileType::leveled_parameters);
  wire::ParameterFacts facts;
  ByteReader start(bytes.subspan(kHeaderBytes));
  auto counts = within(take_start(start, facts), facts.chain, limits);
  if (!counts.ok()) return counts.failure();
  auto in = open_fields(bytes, header.value(), counts.value().bytes());
  if (!in.ok()) return in.failure();
  (void)in.value().view(kFixedBytes - kReasonBytes);
  facts.chain.data = take_words(in.value(), counts.value().data);
  facts.chain.special = take_words(in.value(), counts.value().special);
  facts.numbers = take_words(in.value(), counts.value().numbers);
  facts.chain.insecure_reason = in.value().take_text(kReasonBytes);
  if (!in.value().at_end() || !is_text(facts.chain.insecure_reason))
    return wire::damaged(Code::io_range, "parameters: the reason is not printable text");
  if (header.value().parameters !=
      digest_of_file(bytes.subspan(kHeaderBytes, static_cast<std::size_t>(counts.value().bytes())))) {
    return wire::damaged(Code::io_digest, "the parameters in the header are not those in the file");
  }
  if (facts.chain.insecure_reason.empty() != ((header.value().flags & kFlagInsecure) == 0)) {
    return wire::damaged(Code::io_flags, "the header's mark for parameters below 128 bits is wrong");
  }
  auto checked = wire::check_chain(facts.chain);
  if (checked.ok()) checked = within_with_auxiliary(facts, limits);
  if (!checked.ok()) return checked.failure();
  return facts;
}

Result<AnyParameters> open_parameters(std::span<const u8> bytes, bool allow_insecure, const Limits& limits) {
  auto facts = open_facts(bytes, limits);
  if (!facts.ok()) return facts.failure();
  const std::string& reason = facts.value().chain.insecure_reason;
  if (!reason.empty() && !allow_insecure) {
    return Failure{Code::insecure_parameters, "the stored parameters are below 128 bits (\"" + reason + "\")",
                   "allow them explicitly, or make others"};
  }
  if (const KnownScheme* scheme = known_scheme(facts.value().scheme)) return scheme->import(facts.value());
  return wire::damaged(Code::io_range, "the parameters are of an unknown scheme");
}

AnyParameters decode_parameters(ByteView bytes, bool allow_insecure, const Limits& limits) {
  return open_parameters(bytes, allow_insecure, limits).take();
}

}  // namespace ringfort::io
