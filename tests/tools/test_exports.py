# SPDX-License-Identifier: Apache-2.0
"""Tests tools/gen_exports, which compares the names that the shared library exports with the public headers.

From a declaration, gen_exports derives a *pattern*: it matches the mangled names of a function with all its overloads,
or the names of a class's type information. HEADER has each kind of declaration. LIBRARY has the names that a library
with this header must export. The faults are missing names and names that no pattern matches.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import types
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
HEADER = """
namespace a::b {
class Inner;
extern template class Box<int>;
enum class Kind : int { one, two };
struct Fields { int x = 0; std::string text() const; };
class Public {
 public:
  explicit Public(const Options& options = {}, int more = 1);
  ~Public();
  Public& operator=(Public&&) noexcept;
  operator const Inner&() const noexcept { return inner_; }
  struct State;
  void into(int out) const;
  [[nodiscard]] static Public of(int x) { return Public(x); }
 private:
  const Inner& inner_;
};
template <class T>
class Box {
 public:
  T get();
};
[[nodiscard]] std::vector<int> all(const std::function<bool(int)>& f = {}, int n = 0);
inline constexpr int kNumber = 3;
}
"""
LIBRARY = [
    "_ZN1a1b3allERKSt8functionIFbiEEi",
    "_ZN1a1b6PublicC1ERKNS0_7OptionsEi",
    "_ZN1a1b6PublicD1Ev",
    "_ZN1a1b6PublicaSEOS1_",
    "_ZNK1a1b6Public4intoEi",
    "_ZNK1a1b6Fields4textB5cxx11Ev",
    "_ZN1a1b3BoxIiE3getEv",
]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> types.ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = importlib.machinery.SourceFileLoader("gen_exports", str(TOOLS / "gen_exports"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gen_exports", loader))
    monkeypatch.setitem(sys.modules, "gen_exports", module)
    loader.exec_module(module)
    (tmp_path / "include/ringfort").mkdir(parents=True)
    (tmp_path / "include/ringfort/a.h").write_text(HEADER, "utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "COMPATIBLE", [])  # names of compat/hexl, which do not come from HEADER
    return module


def test_a_function_has_a_pattern_and_a_name_without_code_has_none(tool: types.ModuleType) -> None:
    """The library must export a name for each pattern in ``required``: a function without a body in HEADER. It need not
    export the other functions. It need not have type information, because not every class has some. There is no pattern
    for a class that is only declared, an enumeration or a constant."""
    required = {pattern for pattern, is_defined_here in tool.declared().items() if not is_defined_here}
    assert required == {
        "_ZN1a1b3all[BEI]*",
        "_ZN1a1b6PublicC[12][BEI]*",
        "_ZN1a1b6PublicD[012][BEI]*",
        "_ZN1a1b6PublicaS[BEI]*",
        "_ZNK1a1b6Public4into[BEI]*",
        "_ZNK1a1b6Fields4text[BEI]*",
        "_ZN1a1b3BoxI*E3get[BEI]*",
    }
    assert set(tool.declared()) - required == {
        "_ZNK1a1b6Publiccv*",
        "_ZN1a1b6Public2of[BEI]*",
        "_ZT[ISV]N1a1b6FieldsE",
        "_ZT[ISV]N1a1b6PublicE",
        "_ZT[ISV]N1a1b3BoxI*EE",
    }


@pytest.mark.parametrize(
    ("library", "user", "fault"),
    [
        (LIBRARY, [], None),
        ([*LIBRARY, "_ZN1a1b5Inner4workEv"], [], "_ZN1a1b5Inner4workEv is exported"),
        ([*LIBRARY, "_ZN1a1b6Public5StateC1Ev"], [], "_ZN1a1b6Public5StateC1Ev is exported"),
        ([*LIBRARY, "sodium_init"], [], "sodium_init is exported"),
        (LIBRARY[1:], [], "_ZN1a1b3all[BEI]* is declared in a public header, but not exported"),
        (LIBRARY, ["_ZNK8ringfort3KeyeqEi"], "user.o needs _ZNK8ringfort3KeyeqEi"),
        (LIBRARY, ["_ZNSt6thread4joinEv"], None),
    ],
)
def test_a_fault_of_the_library_is_found(
    tool: types.ModuleType, monkeypatch: pytest.MonkeyPatch, library: list[str], user: list[str], fault: str | None
) -> None:
    """library: the names that the library exports. user: the names that an object of a program needs. fault: the
    beginning of the message, or None."""
    names = {("library.so", "-D"): set(library), ("user.o", "-u"): set(user), ("user.o", "--defined-only"): set()}
    monkeypatch.setattr(tool, "_names", lambda nm, file, *options: names[file, options[0]])
    found = list(tool.faults("library.so", "nm", ["user.o"]))
    assert found == [] if fault is None else len(found) == 1 and found[0].startswith(fault)
