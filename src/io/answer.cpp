// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of answers, the results of the word search. The fields of such a file are, in order (a number
// without a type is a length in bytes):
//   index id 16 | documents u64 | blocks u32 | total u8 | mode u8 | zero u16 | factors u32 | count_range u32 |
//   words u64 | max_matches u64
//   for each block: words summed u64 | n values of c0_bits | n values of c1_bits
// A block is one ciphertext (c0, c1), which has the counts of n documents, where n is the ring degree. If total is 1,
// the only block has the sum of all counts. `words` is the number of words that the plan allows. `words summed` is the
// number of words whose matches the block sums. `factors` is the number of compared bits of a word. The fields before
// the blocks determine the search plan (ringfort/rgsw_search.h), with the moduli 2^c0_bits and 2^c1_bits. A reader
// computes the plan again from them. It trusts no modulus and no bound in a file.
#include <limits>

#include "io/object.h"
#include "scheme/rgsw/wire.h"

namespace ringfort::io {

namespace {

constexpr u64 kAnswerFieldBytes = 16 + 8 + 4 + 1 + 1 + 2 + 4 + 4 + 8 + 8;
constexpr u64 kBlockHeadBytes = 8;

u64 block_bytes(const Profile& profile, const rgsw::SearchPlan& plan) {
  const u32 n = profile.parameters.n;
  return kBlockHeadBytes + packed_bytes(n, plan.c0_bits) + packed_bytes(n, plan.c1_bits);
}

Failure out_of_range(const std::string& what) { return {Code::io_range, "answer: " + what, "the file is damaged"}; }

// The fields before the first block. `blocks` is the number of blocks that the other fields require; it is at least
// one.
struct Head {
  rgsw::SearchPlan plan;
  IndexId index_id{};
  u64 documents = 0;
  u32 blocks = 0;
  bool total = false;
};

Result<Head> read_head(const Profile& profile, ByteReader& in) {
  Head head;
  in.take_bytes(head.index_id);
  head.documents = in.take_u64();
  head.blocks = in.take_u32();
  const u8 total = in.take_u8();
  const u8 mode = in.take_u8();
  const u16 zero = in.take_u16();
  const u32 factors = in.take_u32();
  const u32 count_range = in.take_u32();
  const u64 words = in.take_u64();
  const u64 max_matches = in.take_u64();
  if (!in.ok())
    return Failure{Code::io_truncated, "the answer ends before its first block", "copy the whole file again"};
  if (total > 1 || mode < 1 || mode > 2 || zero != 0) return out_of_range("a field is outside its range");
  head.total = total == 1;
  const u64 n = profile.parameters.n;
  if (head.documents == 0) return out_of_range("it counts no documents");
  if (head.documents > std::numeric_limits<u32>::max())
    return out_of_range("it counts more documents than an index can hold");
  const u64 expected = head.total ? 1 : (head.documents + n - 1) / n;
  if (head.blocks != expected)
    return out_of_range("it has " + std::to_string(head.blocks) + " blocks for " + std::to_string(head.documents) +
                        " documents");
  if (factors != profile.factors())
    return out_of_range("the server compared " + std::to_string(factors) +
                        " bits of each word, but the index's code of words needs " + std::to_string(profile.factors()));
  auto plan = caught([&] {
    return rgsw::plan_search(profile.parameters, static_cast<rgsw::Mode>(mode), words, max_matches, factors,
                             count_range);
  });
  if (!plan.ok())
    return plan.failure().code == Code::invalid_argument ? out_of_range(plan.failure().problem) : plan.failure();
  head.plan = plan.value();
  return head;
}

bool unpack_small(std::span<const u8> packed, u32 bits, std::span<u64> wide, std::vector<u32>& out) {
  if (!unpack_residues(packed, bits, u64{1} << bits, wide)) return false;
  out.assign(wide.begin(), wide.end());
  return true;
}

void put_small(ByteWriter& out, const std::vector<u32>& values, u32 bits) {
  const std::vector<u64> wide(values.begin(), values.end());
  std::vector<u8> packed(packed_bytes(wide.size(), bits));
  pack_residues(wide, bits, packed);
  out.put_bytes(packed);
}

Result<rgsw::Answer> read_block(const Profile& profile, const rgsw::SearchPlan& plan, ByteReader& in) {
  const u32 n = profile.parameters.n;
  rgsw::Answer answer;
  answer.digest = rgsw::digest(profile.parameters);
  answer.plan = plan;
  answer.words = in.take_u64();
  const auto c0 = in.view(packed_bytes(n, plan.c0_bits));
  const auto c1 = in.view(packed_bytes(n, plan.c1_bits));
  if (!in.ok()) return Failure{Code::io_truncated, "the answer ends inside a block", "copy the whole file again"};
  std::vector<u64> wide(n);
  if (!unpack_small(c0, plan.c0_bits, wide, answer.c0) || !unpack_small(c1, plan.c1_bits, wide, answer.c1)) {
    return out_of_range("a padding bit is set");
  }
  auto checked = rgsw::check_answer(profile.parameters, answer);
  if (!checked.ok()) return checked.failure();
  return answer;
}

}  // namespace

namespace {

// Throws for an answer that readers would reject. All blocks must have the plan that plan_search() computes from the
// profile, and from the mode, words, max_matches and count_range in the plan of the first block.
void check_answers(const AnswerFile& answer) {
  const auto refuse = [](const std::string& what) {
    throw Error(Code::invalid_argument, "answer: " + what, "save answers as a search gave them");
  };
  if (answer.answers.empty())
    throw Error(Code::invalid_argument, "the answer has no block", "search an index that has documents");
  check_profile(answer.profile).take();
  const auto& plan = answer.answers.front().plan;
  const u64 n = answer.profile.parameters.n;
  if (answer.documents == 0 || answer.documents > std::numeric_limits<u32>::max())
    refuse("it counts " + std::to_string(answer.documents) + " documents");
  if (answer.answers.size() != (answer.total ? 1 : (answer.documents + n - 1) / n))
    refuse("it has " + std::to_string(answer.answers.size()) + " blocks for " + std::to_string(answer.documents) +
           " documents");
  const auto recomputed = rgsw::plan_search(answer.profile.parameters, plan.mode, plan.words, plan.max_matches,
                                            answer.profile.factors(), plan.count_range);
  for (const auto& each : answer.answers) {
    const auto& p = each.plan;
    const bool same = p.mode == recomputed.mode && p.words == recomputed.words &&
                      p.max_matches == recomputed.max_matches && p.factors == recomputed.factors &&
                      p.count_range == recomputed.count_range && p.c0_bits == recomputed.c0_bits &&
                      p.c1_bits == recomputed.c1_bits;
    if (!same) refuse("a block belongs to another plan");
    rgsw::check_answer(answer.profile.parameters, each).take();
  }
}

}  // namespace

std::vector<u8> encode_answer(const AnswerFile& answer) {
  check_answers(answer);
  return make_object(FileType::answer, answer.profile, [&](ByteWriter& out) {
    const auto& plan = answer.answers.front().plan;
    out.put_bytes(answer.index_id);
    out.put_u64(answer.documents);
    out.put_u32(static_cast<u32>(answer.answers.size()));
    out.put_u8(answer.total ? 1 : 0);
    out.put_u8(static_cast<u8>(plan.mode));
    out.put_u16(0);
    out.put_u32(plan.factors);
    out.put_u32(plan.count_range);
    out.put_u64(plan.words);
    out.put_u64(plan.max_matches);
    for (const auto& each : answer.answers) {
      out.put_u64(each.words);
      put_small(out, each.c0, plan.c0_bits);
      put_small(out, each.c1, plan.c1_bits);
    }
  });
}

Result<AnswerFile> decode_answer(std::span<const u8> bytes) {
  // The length of the fields depends on the fields themselves. It is checked below, before any block is read.
  auto object = open_object(bytes, FileType::answer, [&](const Header&, const Profile&) {
    return u64{bytes.size() - kHeaderBytes - kTrailerBytes - kProfileBytes};
  });
  if (!object.ok()) return object.failure();
  AnswerFile answer;
  answer.profile = std::move(object.value().profile);
  ByteReader in(object.value().fields);
  auto head = read_head(answer.profile, in);
  if (!head.ok()) return head.failure();
  answer.index_id = head.value().index_id;
  answer.total = head.value().total;
  answer.documents = head.value().documents;
  const u64 each = block_bytes(answer.profile, head.value().plan);
  const u64 computed = kAnswerFieldBytes + head.value().blocks * each;
  if (object.value().fields.size() != computed) {
    return Failure{Code::io_length,
                   "the answer has " + std::to_string(object.value().fields.size()) +
                       " bytes of fields, but its head needs " + std::to_string(computed),
                   "the file is damaged: copy it again"};
  }
  for (u32 i = 0; i < head.value().blocks; ++i) {
    auto block = read_block(answer.profile, head.value().plan, in);
    if (!block.ok()) return block.failure();
    answer.answers.push_back(std::move(block.value()));
  }
  return answer;
}

u64 answer_bytes(const Profile& profile, const rgsw::SearchPlan& plan, u64 answers) {
  return kHeaderBytes + kProfileBytes + kAnswerFieldBytes + answers * block_bytes(profile, plan) + kTrailerBytes;
}

void save_answer(const std::string& path, const AnswerFile& answer) { write_file(path, encode_answer(answer)).take(); }

AnswerFile load_answer(const std::string& path, std::uint64_t limit_bytes) {
  return decode_answer(read_typed(path, FileType::answer, limit_bytes).take()).take();
}

}  // namespace ringfort::io
