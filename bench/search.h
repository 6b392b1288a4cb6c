// SPDX-License-Identifier: Apache-2.0
// The word search measured as it is used: an index on disk, a server that reads it, 32 hash bits. Names:
//   search/{literal,row-b2,row-b256,gsw128,gsw128-cw}/t1, /t2  ms/word, words prepared in memory ("hot")
//   search/{...}/cold/t1                                   ms/word, words read, checked and expanded from the mapped
//     files
//   search/literal/product/t1                              ms/product: one word and bit
//   search/literal/s{2..12}/t2                             ms/word by words side by side [MartinsSousa16, Fig. 1]
//   search/{literal,sequential}/w{24,48,72,96}/...         s in all [MartinsSousa16, Table 1]; sequential is scaled
//   search/sequential/t1, /product                         ms/word, ms/product: of one word, quick: of one product
//   index/{gsw128}/{secret,public}                         words/s, one thread, writing included
// limit_share: search_limit.h; params with limit_: the machine's numbers in it.
// params: n, q, base_bits, digits, hash_bits, engine, words, threads, state, and scaled_from where a number was not
// measured whole.
#pragma once

#include <functional>

#include "bench/row.h"

namespace ringfort::bench {

struct SearchBench {
  std::string folder;             // an empty or new folder for the indexes: 0.5 GB
  bool quick = true;              // under three minutes; else every row of Table 1 and Figure 1 measured whole
  unsigned threads = 2;           // of the /t2 rows ("t" + this)
  std::vector<std::string> only;  // first parts of names; empty: all
  // Called before each measurement with its name; false stops and gives the rows so far.
  std::function<bool(const std::string& name)> progress;
};

[[nodiscard]] std::vector<Row> search_rows(const SearchBench& options);

}  // namespace ringfort::bench
