// SPDX-License-Identifier: Apache-2.0
// Decryption of the counts in an answer (ringfort/search.h). Checks that the answer belongs to the keys and, if the
// caller gives an index, to the index.
#include "ringfort/error.h"
#include "ringfort/search.h"

namespace ringfort::search {

std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer) {
  if (keys.secret_key() == nullptr)
    throw Error(Code::key_missing, "decrypting needs the secret keys", "load the secret key file");
  if (!io::is_same(keys.profile(), answer.profile)) {
    throw Error(Code::parameters_mismatch, "the answer belongs to other keys",
                "use the keys that the index was made with");
  }
  std::vector<std::uint32_t> counts;
  const rgsw::Decryptor decryptor(keys.context(), *keys.secret_key());
  for (const auto& word_range : answer.answers) {
    const auto some = decryptor.decrypt_counts(word_range);
    counts.insert(counts.end(), some.begin(), some.end());
  }
  const std::uint64_t wanted = answer.total ? 1 : answer.documents;
  if (counts.size() < wanted)
    throw Error(Code::io_length, "the answer has fewer counts than documents", "search again");
  counts.resize(wanted);
  return counts;
}

std::vector<std::uint32_t> decrypt(const io::Keys& keys, const io::AnswerFile& answer, const io::Index& index) {
  index.require(answer);
  return decrypt(keys, answer);
}

}  // namespace ringfort::search
