// SPDX-License-Identifier: Apache-2.0
// Checks that exceptions keep their type when they pass between an installed library and a program. It checks errors of
// the library in the program. It also checks exceptions that a function of the program throws while the library runs.
#include <ringfort/ckks.h>
#include <ringfort/error.h>

#include <iostream>
#include <typeinfo>

using namespace ringfort;

namespace {

struct OwnError : Error {
  OwnError() : Error(Code::stopped, "the program's own error") {}
};

ckks::Requirements depth(std::uint32_t depth) {
  ckks::Requirements wanted;
  wanted.depth = depth;
  return wanted;
}

bool is_caught_by_type() {
  try {
    (void)ckks::choose(depth(100000));
  } catch (const Error& error) { return error.code() != Code::internal; } catch (...) {
  }
  return false;
}

bool is_cast_from_its_base() {
  try {
    (void)ckks::choose(depth(100000));
  } catch (const std::exception& error) {
    return dynamic_cast<const Error*>(&error) != nullptr && typeid(error) == typeid(Error);
  }
  return false;
}

// The library calls the given function after each key.
bool passes_through_the_library() {
  const ckks::Context context(ckks::choose(depth(1)));
  const KeyGenerator keys(context);
  const Progress throws = [](std::uint64_t, std::uint64_t) -> bool { throw OwnError(); };
  try {
    (void)keys.create_galois_keys(plan_keys(context, {{1}, false, 0}), throws);
  } catch (const OwnError&) { return true; } catch (...) {
  }
  return false;
}

bool report(const char* what, bool holds) {
  std::cout << what << ": " << (holds ? "yes" : "NO") << '\n';
  return holds;
}

}  // namespace

int main() {
  const bool all[] = {report("an error is caught by its type", is_caught_by_type()),
                      report("an error is cast from its base", is_cast_from_its_base()),
                      report("an exception passes through the library", passes_through_the_library())};
  return all[0] && all[1] && all[2] ? 0 : 1;
}
