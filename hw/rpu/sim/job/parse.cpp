// SPDX-License-Identifier: Apache-2.0
// Reads a job line by line. job.h describes the grammar.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "sim/isa_tables.h"
#include "sim/job/job.h"
#include "sim/refusal.h"

namespace ringfort::rpu::job {
namespace {

constexpr u64 kMostArrayWords = u64{1} << 24;  // for all arrays together: 256 MiB
constexpr std::size_t kMostPrograms = 256;     // a program takes about 5 MB when it runs
constexpr std::size_t kMostSteps = 4096;       // the search for races compares all pairs of steps

using Words = std::vector<std::string>;

// Splits a line at blanks. A sign of the grammar is a word of its own, with or without blanks around it.
Words split(const std::string& line) {
  std::string spaced;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool pair = line.compare(i, 2, "->") == 0 || line.compare(i, 2, "..") == 0;
    const bool sign = pair || std::string_view(",=+:[]").find(line[i]) != std::string_view::npos;
    if (sign) spaced += ' ';
    spaced += line[i];
    if (pair) spaced += line[++i];
    if (sign) spaced += ' ';
  }
  std::istringstream stream(spaced);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

u64 parse_number(const std::string& text, u64 limit) {
  u64 value = 0;
  const bool hexadecimal = text.starts_with("0x");
  const std::string digits = hexadecimal ? text.substr(2) : text;
  const u64 base = hexadecimal ? 16 : 10;
  bool valid = !digits.empty(), fits = true;
  for (const char c : digits) {
    const u64 digit = std::string_view("0123456789abcdef").find(c);
    valid = valid && digit < base;
    if (!valid) break;
    fits = fits && value <= (~u64{0} - digit) / base;
    value = value * base + digit;
  }
  if (!valid)
    throw Refusal("'" + text + "' is not a number",
                  "write decimal digits, or hexadecimal digits (0 to 9, a to f) after 0x");
  if (!fits || value > limit)
    throw Refusal(text + " is too large", "write a number of at most " + std::to_string(limit));
  return value;
}

// The names of all programs, arrays or steps that have been declared.
class Names {
 public:
  void add(const std::string& name) { indices_.emplace(name, static_cast<u32>(indices_.size())); }
  [[nodiscard]] std::optional<u32> find(const std::string& name) const {
    const auto found = indices_.find(name);
    return found == indices_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] u32 index_of(const std::string& name, const std::string& kind) const {
    if (const auto found = find(name)) return *found;
    std::string known;
    for (const auto& [other, index] : indices_) known += (known.empty() ? "" : ", ") + other;
    throw Refusal("there is no " + kind + " '" + name + "' above",
                  known.empty() ? "declare it first" : "declare it, or use " + known);
  }

 private:
  std::map<std::string, u32> indices_;
};

class Parser {
 public:
  Parser(Job& job, std::filesystem::path folder) : job_(job), folder_(std::move(folder)) {}

  void line(const std::string& text, int number) {
    words_ = split(text);
    at_ = 0;
    if (words_.empty()) return;
    if (words_.size() > 1 && words_[1] == ":") parse_step(number);
    else if (words_[0] == "program" || words_[0] == "array") declaration(text);
    else
      throw Refusal("'" + words_[0] + "' is not the beginning of a statement",
                    "write program, array, or the name of a step and a colon");
  }

 private:
  // Splits `text` at blanks only, because a file name may contain any sign.
  void declaration(const std::string& text) {
    std::istringstream stream(text);
    std::string kind, name, first, second, rest;
    stream >> kind >> name >> first >> second >> rest;
    const bool program = kind == "program";
    if (first.empty() || !rest.empty() || (program && !second.empty()))
      throw Refusal("the declaration is malformed",
                    program ? "write: program NAME FILE" : "write: array NAME WORDS [FILE]");
    unused(name);
    if (program && job_.programs.size() == kMostPrograms)
      throw Refusal("the job has more than " + std::to_string(kMostPrograms) + " programs", "write several jobs");
    if (program) job_.programs.push_back({name, read_image(regular(first))});
    else job_.arrays.push_back({name, array_words(parse_number(first, kMostArrayWords - array_words_), second)});
    (program ? programs_ : arrays_).add(name);
  }

  // Returns the path of a file that the job names. Refuses a pipe, which could block for ever, and a device, which may
  // have no end.
  [[nodiscard]] std::string regular(const std::string& file) const {
    std::error_code failed;
    const std::filesystem::path path = folder_ / file;
    if (std::filesystem::exists(path, failed) && !std::filesystem::is_regular_file(path, failed))
      throw Refusal(path.string() + " is not a regular file", "name a file");
    return path.string();
  }

  void unused(const std::string& name) const {
    const bool valid =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (!valid || name.empty()) throw Refusal("'" + name + "' is not a name", "use letters, digits and underscores");
    if (programs_.find(name) || arrays_.find(name) || steps_.find(name))
      throw Refusal("the name '" + name + "' is taken", "choose another");
  }

  [[nodiscard]] std::vector<u128> array_words(u64 count, const std::string& file) {
    array_words_ += count;
    std::vector<u128> words(count);
    if (file.empty()) return words;
    const std::vector<u8> bytes = read_file(regular(file));
    if (bytes.size() != 16 * count)
      throw Refusal(
          file + " has " + std::to_string(bytes.size()) + " bytes, the array takes " + std::to_string(16 * count),
          "give 16 bytes for each word");
    for (std::size_t i = 0; i < count; ++i) words[i] = load_word(&bytes[16 * i]);
    return words;
  }

  void parse_step(int number) {
    Step step;
    step.name = words_[0];
    step.line = number;
    unused(step.name);
    at_ = 2;
    const std::string verb = take("load, store or run");
    if (verb == "load") load(step);
    else if (verb == "store") store(step);
    else if (verb == "run") parse_run(step);
    else throw Refusal("'" + verb + "' is not a kind of step", "write load, store or run");
    if (accept("after")) parse_after(step);
    if (at_ != words_.size())
      throw Refusal("unexpected '" + words_[at_] + "' after the statement", "write one statement per line");
    if (job_.steps.size() == kMostSteps)
      throw Refusal("the job has more than " + std::to_string(kMostSteps) + " steps", "write several jobs");
    steps_.add(step.name);
    job_.steps.push_back(std::move(step));
  }

  void parse_after(Step& step) {
    std::vector<bool> listed(job_.steps.size());
    do {
      const std::string named = take("a step");
      const u32 earlier = steps_.index_of(named, "step");
      if (listed[earlier]) throw Refusal("`after` lists '" + named + "' twice", "list it once");
      listed[earlier] = true;
      step.after.push_back(earlier);
    } while (accept(","));
  }

  void load(Step& step) {
    if (at_ < words_.size())
      if (const auto program = programs_.find(words_[at_])) {
        ++at_;
        step.kind = Kind::load_program;
        step.program = *program;
        expect("->");
        step.address = parse_address({}).address;
        return;
      }
    step.kind = Kind::load;
    do {
      const Move move = parse_range("array or program");
      expect("->");
      step.moves.push_back(parse_address(move));
    } while (accept(","));
  }

  // In the text of a store, PLACE comes before PART (job.h). This function reads PART first, because the check of PLACE
  // needs it.
  void store(Step& step) {
    step.kind = Kind::store;
    do {
      const std::size_t begin = at_;
      while (at_ < words_.size() && words_[at_] != "->") ++at_;
      expect("->");
      const Move move = parse_range("array");
      const std::size_t end = at_;
      at_ = begin;
      step.moves.push_back(parse_address(move));
      at_ = end;
    } while (accept(","));
  }

  Move parse_range(const std::string& kind) {
    const std::string named = take(kind == "array" ? "an array" : "an array or a program");
    Move move{arrays_.index_of(named, kind)};
    const u64 all = job_.arrays[move.array].words.size();
    move.words = all;
    if (!accept("[")) return move;
    move.first = parse_number(take("a number"), all);
    expect("..");
    const u64 end = parse_number(take("a number"), all);
    expect("]");
    if (end <= move.first)
      throw Refusal(named + "[" + std::to_string(move.first) + ".." + std::to_string(end) + "] is empty",
                    "write the first word, and the one after the last");
    move.words = end - move.first;
    return move;
  }

  void parse_run(Step& step) {
    const std::string named = take("a program");
    const auto dot = named.find('.');
    step.program = programs_.index_of(named.substr(0, dot), "program");
    const Image& image = job_.programs[step.program].image;
    step.kernel = image.kernel(dot == std::string::npos ? "" : named.substr(dot + 1));
    if (!accept("with")) return;
    do step.settings.push_back(setting(image));
    while (accept(","));
  }

  Setting setting(const Image& image) {
    const Symbol& symbol = image.symbol(take("a symbol"));
    if (symbol.space != Space::sdm)
      throw Refusal("'" + symbol.name + "' is in vdm, but `with` sets words of sdm",
                    "load vectors by a step of their own");
    expect("=");
    return {symbol.address, parse_number(take("a number"), ~u64{0})};
  }

  // Returns `move` with its address in the vector data memory. A whole array and a whole symbol must have the same
  // size. A range of an array may have any address.
  Move parse_address(Move move) {
    const std::string named = take("a place");
    const auto dot = named.find('.');
    const Image& image = job_.programs[programs_.index_of(named.substr(0, dot), "program")].image;
    u64 words = 0;
    if (dot != std::string::npos) {
      const Symbol& symbol = image.symbol(named.substr(dot + 1));
      if (symbol.space != Space::vdm)
        throw Refusal("'" + symbol.name + "' is in sdm, but transfers access only vdm", "name a symbol of vdm");
      move.address = symbol.address;
      words = symbol.words;
    }
    if (accept("+")) move.address += parse_number(take("a number"), kMaximumVdmWords);
    if (move.words == 0 || words == 0) return move;
    const Array& array = job_.arrays[move.array];
    if (move.words == array.words.size() && move.words != words)
      throw Refusal(named + " has " + std::to_string(words) + " words, " + array.name + " has " +
                        std::to_string(array.words.size()),
                    "make them equal");
    return move;
  }

  std::string take(const char* what) {
    if (at_ == words_.size()) throw Refusal(std::string("the line ends where ") + what + " is expected", "complete it");
    return words_[at_++];
  }
  bool accept(const char* word) {
    const bool here = at_ < words_.size() && words_[at_] == word;
    if (here) ++at_;
    return here;
  }
  void expect(const char* word) {
    if (!accept(word))
      throw Refusal("expected '" + std::string(word) + "', found " +
                        (at_ < words_.size() ? "'" + words_[at_] + "'" : "the end of the line"),
                    "write it as in docs/rpu.md");
  }

  Job& job_;
  std::filesystem::path folder_;
  Names programs_, arrays_, steps_;
  Words words_;
  std::size_t at_ = 0;
  u64 array_words_ = 0;  // words of the arrays that have been declared so far
};

}  // namespace

Job parse_job(std::string_view text, const std::string& file) {
  Job job;
  job.file = file;
  Parser parser(job, std::filesystem::path(file).parent_path());
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      parser.line(line.substr(0, line.find('#')), number);
    } catch (const std::runtime_error& refusal) {
      throw std::runtime_error(file + ":" + std::to_string(number) + ": " + refusal.what());
    }
  }
  if (job.steps.empty()) throw Refusal(file + " has no step", "write at least one, for example `k: run NAME`");
  return job;
}

Job read_job(const std::string& path) {
  const std::vector<u8> bytes = read_regular(path);
  return parse_job({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace ringfort::rpu::job
