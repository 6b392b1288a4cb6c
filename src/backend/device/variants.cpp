// SPDX-License-Identifier: Apache-2.0
// Tables of the schedules and of the reductions that publications compare (variants.h). Computes the launches of each
// schedule and the constants of each reduction. The schedules of [Shivdikar22] are LOS (one block), LOM (several
// blocks), TOM (interleaved polynomials) and 2D (columns and rows of a matrix). SIMD(..) is a schedule of
// [Lyashevsky23].
#include "backend/device/variants.h"

#include <algorithm>
#include <array>

#include "backend/device/kernels/cluster.h"
#include "backend/device/ntt_plan.h"
#include "math/word.h"

namespace ringfort::device {
namespace {

using Kind = Schedule::Kind;

constexpr u32 kMostLog = 17;                                            // log2 of the points of the largest transform
constexpr u32 kGlobalLanesLog = 8, kShuffleLanesLog = 5, kSetsLog = 3;  // kSetsLog: a block has up to 8 columns or rows

constexpr std::array<ReductionFacts, 7> kReductions{{
    {Reduction::builtin, "builtin", 2, true, false, "the % of the language"},
    {Reduction::classical, "classical", 2, true, false, "[Shivdikar22, Alg. 2]"},
    {Reduction::dhem, "dhem", 4, true, false, "[Shivdikar22, Alg. 3]"},
    {Reduction::proposed, "proposed", 2, true, true, "[Shivdikar22, Alg. 4]"},
    {Reduction::montgomery, "montgomery", 1, false, false, "[Montgomery85]"},
    {Reduction::shoup, "shoup", 1, false, false, "[Harvey14], canonical"},
    {Reduction::harvey, "harvey", 2, false, true, "[Harvey14], lazy; [Lyashevsky23, Fig. 9]"},
}};

constexpr std::array<Schedule, 18> kSchedules{{
    {"naive", Kind::line, 1, 0, 0, 0, "[Lyashevsky23, Listing 14]; global memory of [Shivdikar22, Fig. 8]"},
    {"staged", Kind::line, 1, 1, 12, 0, "[Lyashevsky23, Listing 15]"},
    {"simd8", Kind::shuffle, 1, 1, 12, 0, "[Lyashevsky23], SIMD(8,8)"},
    {"simd16", Kind::shuffle, 1, 1, 12, 1, "[Lyashevsky23], SIMD(16,8)"},
    {"simd32", Kind::shuffle, 1, 1, 12, 2, "[Lyashevsky23], SIMD(32,8)"},
    {"radix4", Kind::line, 2, 2, 12, 0, "[Lyashevsky23, Fig. 17]"},
    {"radix8", Kind::line, 3, 3, 12, 0, "[Lyashevsky23, Listing 17, Fig. 17]"},
    {"radix16", Kind::line, 4, 4, 12, 0, "[Lyashevsky23, Fig. 17]"},
    {"los", Kind::line, 1, 1, 11, 0, "[Shivdikar22, Section V-A]: one block; LOM above 2^11"},
    {"lom4", Kind::line, 2, 2, 11, 0, "[Shivdikar22, Fig. 9], radix 4"},
    {"lom4-16", Kind::line, 4, 2, 11, 0, "[Shivdikar22, Fig. 9], radix 4/16"},
    {"lom8-16", Kind::line, 4, 3, 11, 0, "[Shivdikar22, Fig. 9], radix 8/16"},
    {"2d", Kind::matrix, 1, 1, 0, 0, "[Shivdikar22, Fig. 9], 2D serial"},
    {"2d-radix16", Kind::matrix, 1, 4, 0, 0, "2D serial with 16 points in a lane"},
    {"2d-pipelined", Kind::pipeline, 1, 1, 0, 0, "[Shivdikar22, Fig. 9], 2D pipelined"},
    {"tom", Kind::interleaved, 1, 0, 0, 0, "[Shivdikar22, Section V-C]"},
    {"tom16", Kind::interleaved, 4, 0, 0, 0, "TOM with 16 points in a lane"},
    {"cluster", Kind::cluster, 0, 4, 0, 0, "one launch over clusters of blocks, with 16 points in a lane"},
}};

// Returns log2 of the number of lanes of a block, for passes of 2^radix_log points through global memory. A block works
// on one polynomial.
u32 global_lanes_log(u32 log_n, u32 radix_log) { return std::min(kGlobalLanesLog, log_n - radix_log); }

// Returns the number of lanes of a block that has 2^words_log words in shared memory.
u32 tile_lanes(u32 words_log, u32 radix_log) {
  const u32 most = radix_log > 2 ? 256 : 512;  // kernels/catalog.cmake has the same numbers
  return std::min(most, 1u << (words_log - radix_log));
}

std::string with_radix(const char* stem, u32 radix_log) { return stem + std::to_string(1u << radix_log); }

class Launches {
 public:
  Launches(const Schedule& schedule, u32 log_n, u32 polynomials, u32 word_bytes)
      : schedule_(schedule),
        log_n_(log_n),
        polynomials_(polynomials),
        word_bytes_(word_bytes) {}

  std::vector<StageLaunch> forward() {
    if (schedule_.kind == Kind::matrix) matrix();
    else if (schedule_.kind == Kind::pipeline) pipeline();
    else if (schedule_.kind == Kind::cluster) cluster();
    else line();
    return std::move(launches_);
  }

 private:
  // Adds passes through global memory for the stages [0, end). All passes except the first have the full radix. The
  // first pass has the remaining stages.
  void global(u32 end) {
    for (u32 first = 0; first < end;) {
      const u32 log = (end - first - 1) % schedule_.global_log + 1;
      if (schedule_.kind == Kind::interleaved) interleaved(first, log);
      else blocks_of_units(with_radix("global", log), {first, log, 0}, log_n_ - log, global_lanes_log(log_n_, log));
      first += log;
    }
  }
  // Adds a launch whose blocks have 2^lanes_log lanes. A unit, which is a limb of a polynomial, needs 2^all_log lanes.
  // Several blocks provide these lanes.
  void blocks_of_units(const std::string& stem, StageRange range, u32 all_log, u32 lanes_log) {
    range.sets_log = all_log - lanes_log;
    launches_.push_back({stem, {polynomials_ << range.sets_log, 1u << lanes_log, 0}, range});
  }
  void interleaved(u32 first, u32 log) {
    const u64 lanes = u64{polynomials_} << (log_n_ - log), of_block = 1u << kGlobalLanesLog;
    launches_.push_back({with_radix("interleaved", log),
                         {static_cast<u32>((lanes + of_block - 1) / of_block), static_cast<u32>(of_block), 0},
                         {first, log, 0}});
  }
  void tile(const StageRange& range) {
    const u32 words_log = range.log + range.sets_log;
    launches_.push_back(
        {with_radix("tile", schedule_.tile_log),
         {polynomials_ << (log_n_ - words_log), tile_lanes(words_log, schedule_.tile_log), word_bytes_ << words_log},
         range});
  }
  void line() {
    const u32 in_block = schedule_.tile_log == 0 ? 0 : std::min(log_n_, schedule_.points_log);
    const u32 shuffled = schedule_.kind == Kind::shuffle ? 4 + schedule_.slots_log : 0;
    global(log_n_ - in_block);
    if (in_block > shuffled) tile({log_n_ - in_block, in_block - shuffled, shuffled});
    if (shuffled == 0) return;
    const u32 all_log = log_n_ - shuffled + 3;  // 8 lanes for each sub-group
    blocks_of_units("shuffle" + std::to_string(8u << schedule_.slots_log), {log_n_ - shuffled, shuffled, 0}, all_log,
                    std::min(kShuffleLanesLog, all_log));
  }
  // The columns have the first half of the stages. The rows have the second half.
  [[nodiscard]] StageRange columns() const { return {0, log_n_ / 2, std::min(kSetsLog, log_n_ - log_n_ / 2)}; }
  [[nodiscard]] StageRange rows() const { return {log_n_ / 2, log_n_ - log_n_ / 2, std::min(kSetsLog, log_n_ / 2)}; }
  void matrix() {
    tile(columns());
    tile(rows());
  }
  void cluster() {
    launches_.push_back(
        {"cluster" + std::to_string(log_n_), cluster_grid(log_n_, polynomials_, word_bytes_), {0, log_n_, 0}});
  }
  // Launch t transforms the columns of polynomial t and the rows of polynomial t - 1.
  void pipeline() {
    const StageRange of_columns = columns(), of_rows = rows();
    const u32 columns_log = of_columns.log + of_columns.sets_log, rows_log = of_rows.log + of_rows.sets_log;
    const u32 words_log = std::max(columns_log, rows_log);
    for (u32 t = 0; t <= polynomials_; ++t) {
      StageLaunch launch{"pipeline", {0, tile_lanes(words_log, 1), word_bytes_ << words_log}, of_columns, of_rows};
      launch.columns_begin = t;
      launch.columns_end = std::min(t + 1, polynomials_);
      launch.rows_begin = t == 0 ? 0 : t - 1;
      launch.rows_end = t;
      launch.grid.blocks = ((launch.columns_end - launch.columns_begin) << (log_n_ - columns_log)) +
                           ((launch.rows_end - launch.rows_begin) << (log_n_ - rows_log));
      launches_.push_back(std::move(launch));
    }
  }

  const Schedule& schedule_;
  u32 log_n_, polynomials_, word_bytes_;
  std::vector<StageLaunch> launches_;
};

template <class Word>
u32 length_of(Word q) {
  u32 length = 0;
  for (; q != 0; q /= 2) ++length;
  return length;
}

// Returns floor(2^power / q). 2^power / q must be below 2^bits, where `bits` is the length of a word.
template <class Word>
Word quotient_of_power(u32 power, Word q) {
  Word quotient = 0, rest = 1;
  for (u32 i = 0; i < power; ++i) {  // long division, because 2^power can exceed two words
    const bool fits = rest >= q - rest;
    rest = static_cast<Word>(fits ? rest - (q - rest) : rest + rest);
    quotient = static_cast<Word>(quotient << 1 | static_cast<Word>(fits));
  }
  return quotient;
}

template <class Word, class R>
Modulus<Word> barrett_of(Word q) {
  const u32 low = length_of(q) - R::kLessLow, high = length_of(q) + R::kMoreHigh;
  return {q, quotient_of_power<Word>(low + high, q), low, high};
}

}  // namespace

std::span<const ReductionFacts> reductions() noexcept { return kReductions; }
std::span<const Schedule> schedules() noexcept { return kSchedules; }

const ReductionFacts* find_reduction(std::string_view name) noexcept {
  const auto at =
      std::find_if(kReductions.begin(), kReductions.end(), [&](const auto& one) { return one.name == name; });
  return at == kReductions.end() ? nullptr : &*at;
}
const Schedule* find_schedule(std::string_view name) noexcept {
  const auto at = std::find_if(kSchedules.begin(), kSchedules.end(), [&](const auto& one) { return one.name == name; });
  return at == kSchedules.end() ? nullptr : &*at;
}

// Returns a text that lists the schedules and the reductions of variants.
static std::string values_of_variant() {
  std::string all = "SCHEDULE or SCHEDULE/REDUCTION. The schedules are ";
  for (const Schedule& schedule : schedules()) {
    if (schedule.kind == Schedule::Kind::interleaved) continue;
    all.append(all.ends_with(' ') ? "" : ", ").append(schedule.name);
  }
  all += "; the reductions are ";
  for (const ReductionFacts& reduction : reductions())
    all.append(all.ends_with(' ') ? "" : ", ").append(reduction.name);
  return all;
}

std::string read_variant(std::string_view text, Variant& out) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const Schedule* const schedule = find_schedule(text.substr(0, slash));
  const ReductionFacts* const reduction =
      find_reduction(slash == text.size() ? std::string_view("harvey") : text.substr(slash + 1));
  // Kernels of interleaved schedules need polynomials whose coefficients alternate in memory. Verbs have no such
  // polynomials.
  if (schedule == nullptr || reduction == nullptr || schedule->kind == Schedule::Kind::interleaved)
    return values_of_variant();
  if (!schedule->takes(*reduction))
    return "the schedule " + std::string(schedule->name) + " has no kernels with the reduction " +
           std::string(reduction->name) +
           "; radix 2 has all reductions, other radices and 2d-pipelined have proposed and harvey, simd schedules and "
           "cluster have harvey";
  out = {schedule, reduction};
  return {};
}

bool is_variant_kernel(std::string_view kernel) noexcept {
  constexpr std::array<std::string_view, 9> kStems{"global",  "tile",      "pipeline",       "interleaved", "shuffle",
                                                   "cluster", "hadamard_", "fused_hadamard", "reduce_"};
  return std::any_of(kStems.begin(), kStems.end(), [&](std::string_view stem) { return kernel.starts_with(stem); });
}

u32 Schedule::least_log() const noexcept {
  if (kind == Kind::cluster) return kLeastClusterLog;
  if (kind == Kind::shuffle) return 4 + slots_log;
  if (kind == Kind::matrix || kind == Kind::pipeline) return 2 * tile_log;
  return std::max(1u, tile_log);
}

u32 Schedule::most_log() const noexcept { return kind == Kind::cluster ? kMostClusterLog : kMostLog; }

bool Schedule::takes(const ReductionFacts& reduction) const noexcept {
  if (kind == Kind::shuffle || kind == Kind::cluster) return reduction.reduction == Reduction::harvey;
  if (kind == Kind::pipeline || kind == Kind::interleaved) return reduction.has_radices;
  return (global_log == 1 && tile_log <= 1) || reduction.has_radices;
}

std::string StageLaunch::kernel(const ReductionFacts& reduction, bool forward, u32 word_bytes) const {
  return stem + "_" + std::string(reduction.name) + (forward ? "_forward" : "_inverse") +
         (word_bytes == 4 ? "_u32" : "_u64");
}

std::vector<StageLaunch> launches_of(const Schedule& schedule, u32 log_n, u32 polynomials, u32 word_bytes,
                                     bool forward) {
  std::vector<StageLaunch> launches = Launches(schedule, log_n, polynomials, word_bytes).forward();
  if (forward) return launches;
  std::reverse(launches.begin(), launches.end());
  if (schedule.kind != Kind::pipeline) return launches;
  for (StageLaunch& launch : launches) {  // an inverse transform has the rows of a polynomial before its columns
    const u32 begin = polynomials - launch.rows_end, end = polynomials - launch.rows_begin;
    launch.rows_begin = begin, launch.rows_end = end;
    const u32 columns_begin = polynomials - launch.columns_end, columns_end = polynomials - launch.columns_begin;
    launch.columns_begin = columns_begin, launch.columns_end = columns_end;
  }
  return launches;
}

template <class Word>
Modulus<Word> modulus_of(Reduction reduction, Word q) noexcept {
  switch (reduction) {
    case Reduction::classical: return barrett_of<Word, ClassicalBarrett<Word>>(q);
    case Reduction::dhem: return barrett_of<Word, DhemQuisquater<Word>>(q);
    case Reduction::proposed: return barrett_of<Word, ProposedBarrett<Word>>(q);
    case Reduction::builtin: return {q, 0, kBits<Word> - 2 - std::min(length_of(q), kBits<Word> - 2), 0};
    case Reduction::montgomery: {
      Word inverse = q;  // 3 bits are correct; each step doubles their number
      for (u32 bits = 3; bits < kBits<Word>; bits *= 2) inverse = static_cast<Word>(inverse * (2 - q * inverse));
      return {q, static_cast<Word>(Word{0} - inverse), 0, 0};
    }
    case Reduction::harvey: return {q, static_cast<Word>(Word{0} - 2 * q), 0, 0};
    case Reduction::shoup: break;
  }
  return {q, 0, 0, 0};
}

template <class Word>
std::vector<Word> prepared(Reduction reduction, Word factor, Word q) {
  if (reduction == Reduction::montgomery) {
    const Word power = static_cast<Word>((~Word{0} % q + 1) % q);  // 2^bits mod q
    return {mul_mod<Word>(factor, power, q)};
  }
  if (reduction == Reduction::shoup || reduction == Reduction::harvey) {
    const Factor<Word> operand = factor_of<Word>(factor, q);
    return {operand.value, operand.quotient};
  }
  return {factor};
}

template <class Word>
std::vector<Word> factors_of(Reduction reduction, Word q, Word psi, u32 log_n, bool forward) {
  const u32 n = 1u << log_n;
  const Word root = forward ? psi : pow_mod<Word>(psi, (Word{2} << log_n) - 1, q);
  Word power = forward ? 1 : static_cast<Word>(q / 2 + 1);  // 1 or 1/2
  std::vector<Word> in_order(n), words;
  for (u32 i = 0; i < n; ++i, power = mul_mod<Word>(power, root, q)) in_order[reverse_bits(i, log_n)] = power;
  for (const Word each : in_order) {
    const std::vector<Word> one = prepared<Word>(reduction, each, q);
    words.insert(words.end(), one.begin(), one.end());
  }
  return words;
}

template <class Word>
std::vector<Word> factors_of(const Variant& variant, Word q, Word psi, u32 log_n, bool forward) {
  if (variant.schedule->kind != Kind::cluster) return factors_of(variant.reduction->reduction, q, psi, log_n, forward);
  const std::vector<NttPart> parts{cluster_columns(log_n), cluster_rows(log_n)};
  auto table = forward ? forward_table(q, psi, parts) : inverse_table(q, psi, parts);
  table[0] = limb_of(q, log_n).scale;
  std::vector<Word> words;
  for (const Factor<Word>& each : table) words.insert(words.end(), {each.value, each.quotient});
  return words;
}

template Modulus<u32> modulus_of<u32>(Reduction, u32) noexcept;
template Modulus<u64> modulus_of<u64>(Reduction, u64) noexcept;
template std::vector<u32> prepared<u32>(Reduction, u32, u32);
template std::vector<u64> prepared<u64>(Reduction, u64, u64);
template std::vector<u32> factors_of<u32>(Reduction, u32, u32, u32, bool);
template std::vector<u64> factors_of<u64>(Reduction, u64, u64, u32, bool);
template std::vector<u32> factors_of<u32>(const Variant&, u32, u32, u32, bool);
template std::vector<u64> factors_of<u64>(const Variant&, u64, u64, u32, bool);

}  // namespace ringfort::device
