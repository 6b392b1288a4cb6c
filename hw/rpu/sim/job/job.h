// SPDX-License-Identifier: Apache-2.0
// A job: what the controller of the ring processor [Soni23, Section III] does around its kernels. Text, one statement a
// line, `#` begins a comment, numbers are decimal or 0x, and count words of 16 bytes:
//   program NAME FILE                       a .b512 file; its instructions and scalar data are transferred first
//   array   NAME WORDS [FILE]               words in off-chip memory, from a file or zero; 2^24 in all
//   STEP: load  PART -> PLACE, ... [after ...]   off-chip to vector data memory; PROGRAM -> PLACE: its vector data
//   STEP: store PLACE -> PART, ... [after ...]   and back; all of a step's moves are one transfer
//   STEP: run   PROGRAM[.KERNEL] [with SYMBOL = NUMBER, ...] [after STEP, ...]   `with` sets words of its scalar data
//   PART  = ARRAY | ARRAY[NUMBER..NUMBER]   all of an array, or its words from the first number up to the second
//   PLACE = PROGRAM[.SYMBOL] [+ NUMBER]     where the program has the symbol (or its word 0), moved by NUMBER
// Steps are ordered by `after` alone, and only after earlier ones. Files are named relative to the job's folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/image.h"

namespace ringfort::rpu::job {

struct Program {
  std::string name;
  Image image;
};

struct Array {
  std::string name;
  std::vector<u128> words;
};

enum class Kind : u8 { load, load_program, store, run };
inline constexpr std::array<const char*, 4> kKindNames{"load", "load", "store", "run"};

struct Setting {
  u32 address = 0;  // in the scalar data memory
  u64 value = 0;
};

// Words of an array that a transfer moves, and where they stand in the vector data memory.
struct Move {
  u32 array = 0;
  u64 first = 0;
  u64 words = 0;
  u64 address = 0;
};

struct Step {
  std::string name;
  int line = 0;
  Kind kind = Kind::run;
  u32 program = 0;                // of a run, or whose vector data is loaded
  u64 address = 0;                // by how much the vector data of a program is moved
  std::vector<Move> moves;        // of other loads and of stores
  Kernel kernel;                  // of a run
  std::vector<Setting> settings;  // of a run
  std::vector<u32> after;         // indices of earlier steps
};

struct Job {
  std::string file;
  std::vector<Program> programs;
  std::vector<Array> arrays;
  std::vector<Step> steps;

  [[nodiscard]] std::string place(const Step& step) const { return file + ":" + std::to_string(step.line) + ": "; }
};

// Refuses with file, line and the fix.
[[nodiscard]] Job read_job(const std::string& path);
[[nodiscard]] Job parse_job(std::string_view text, const std::string& file);

// The text that parse_job reads back, with programs and what is not zero of the arrays in files beside it.
[[nodiscard]] std::string job_text(const Job& job, const std::string& stem);
[[nodiscard]] bool has_data(const Array& array);
[[nodiscard]] inline std::string file_of(const std::string& stem, const Program& program) {
  return stem + "." + program.name + ".b512";
}
[[nodiscard]] inline std::string file_of(const std::string& stem, const Array& array) {
  return stem + "." + array.name + ".bin";
}

}  // namespace ringfort::rpu::job
