// SPDX-License-Identifier: Apache-2.0
// Benchmarks of the word search as users run it, with an index on disk and a server that reads it. A word has 32 hash
// bits, or 64 bits of which eight are set (gsw128-cw). An encrypted bit is a matrix. The rows `literal` and
// `sequential` compute whole matrix products, as [MartinsSousa16] does. The other searches compute one row of each
// product.
// b2 and b256 name the base of the digits in a product. gsw128 is the preset with 128 bits of security. The rows are:
//   search/{literal,row-b2,row-b256,gsw128,gsw128-cw}/t1, /t2  ms per word, if the words are expanded in memory
//   search/{row-b2,row-b256,gsw128,gsw128-cw}/cold/t1          ms per word, if the server reads, checks and expands
//                                                              mapped files
//   search/literal/product/t1, /t2                             ms per product; a word takes a matrix product for each
//                                                              hash bit
//   search/literal/s{2,4,..12}/t2                              ms per word, s words at once [MartinsSousa16, Fig. 1];
//                                                              if `quick`, only 2, 6 and 10
//   search/{literal,sequential}/w{24,48,72,96}/...             seconds for all words [MartinsSousa16, Table 1]
//   search/sequential/t1                                       ms per word
//   search/sequential/product                                  ms per product
//   index/gsw128/{secret,public}                               words per second on one thread, with writing
// The sequential rows are computed from the measured time of one word or, if `quick`, of one product.
// Each row has parameters such as n, q, base_bits, digits, hash_bits, engine, words, threads and state. If a row is
// computed from the measured time of another number of words or products, its parameter scaled_from_* is this number.
// Rows search/* except sequential also have limit_*, the resources of the machine and the needs of a word, from which
// limit_share follows (search_limit.h).
#pragma once

#include <functional>

#include "bench/row.h"

namespace ringfort::bench {

struct SearchBench {
  std::string folder;    // an empty or new folder for the indexes: 0.5 GB
  bool quick = true;     // under three minutes; otherwise more words, all of Figure 1, and a whole sequential word
  unsigned threads = 2;  // threads of the /t2 rows; their names have this number
  std::vector<std::string> only;  // first parts of names; empty: all
  // Called before each measurement, with the name of the row, or of the first of several rows that follow from the
  // measurement. If it returns false, search_rows() stops, and returns the rows so far.
  std::function<bool(const std::string& name)> progress;
};

[[nodiscard]] std::vector<Row> search_rows(const SearchBench& options);

}  // namespace ringfort::bench
