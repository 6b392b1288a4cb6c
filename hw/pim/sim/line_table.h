// SPDX-License-Identifier: Apache-2.0
// Source lines of instructions, from the DWARF 4 line-number program (section .debug_line) that pimcc generates. The
// lines are used only in messages. Therefore unexpected data is not an error: it ends reading, and the table keeps the
// lines that it has.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "words.h"

namespace ringfort::pim {

class LineTable {
 public:
  LineTable() = default;
  explicit LineTable(std::span<const u8> debug_line);

  // Returns "kernel.c:42", or "" if the line is unknown.
  std::string at(u32 address) const;
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    u32 file = 0;  // an index into files_
    u32 line = 0;  // 0: the addresses from here on have no line
  };
  friend class LineProgram;

  std::vector<std::string> files_;
  std::map<u32, Row> rows_;
};

}  // namespace ringfort::pim
