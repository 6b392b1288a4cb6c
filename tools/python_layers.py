# SPDX-License-Identifier: Apache-2.0
"""Checks every import of the Python package, including imports for types, against a table of floors (layers).

An import goes to its own room or to a lower floor, and imports must not form a circle. An import inside a function
needs a reason in the list below.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from repository import Report, Source

PACKAGE = "python/src/ringfort/"
# The floors, beginning with the lowest. A room is a module, or a folder with all its modules. If several names match,
# the longest name counts. A module may import modules of its own room and of every lower floor. It must not import
# another room of its own floor. "" is __init__.py of the package.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("_core", "_rpu", "distinct", "early", "errors", "units", "warned", "whole_files"),
    ("key_folders", "locks", "plot", "progress", "secret_memory", "values"),
    ("cores", "logs", "report", "workers"),
    ("encrypted.packing", "functions", "ring"),
    ("encrypted.residues",),
    ("encrypted.array",),
    ("encrypted.verbs",),
    ("encrypted.context",),
    ("encrypted",),
    ("logreg", "ml", "planning", "search", "statistics"),
    ("",),
    ("bench",),
    ("rpu", "search.demo_page"),
    ("cli",),
    ("__main__", "search.demo"),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# Files that may import inside a function, each with the reason.
LATE = {
    "bench/cancer.py": "scikit-learn is an optional dependency",
    "bench/peer_concrete.py": "most interpreters do not have the other library",
    "bench/peer_concrete_ml.py": "most interpreters do not have the other library",
    "bench/peer_openfhe.py": "most interpreters do not have the other library",
    "bench/peer_seal.py": "most interpreters do not have the other library",
    "bench/peer_tenseal.py": "most interpreters do not have the other library",
    "bench/peer_tenseal_arrays.py": "most interpreters do not have the other library",
    "bench/peer_tenseal_linear.py": "most interpreters do not have the other library",
    "cli/__init__.py": "a command imports typer and rich, the package does not",
    "encrypted/context/announcement.py": "a bar imports rich, the package does not",
    "encrypted/context/profiles.py": "pandas is an optional dependency",
    "encrypted/verbs/labels.py": "pandas is an optional dependency",
    "report.py": "matplotlib is an optional dependency",
}


@dataclass(frozen=True)
class Import:
    """An import. `what` is a module, followed by the imported name if there is one. Our modules are relative to the
    package."""

    line: int
    what: str
    is_late: bool
    is_ours: bool


def module_of(path: str) -> str:
    """Returns the module of a file. For encrypted/array/array.py it is encrypted.array.array. The package itself has
    the empty name."""
    names = path.removeprefix(PACKAGE).removesuffix(".py").split("/")
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def room_of(module: str) -> str | None:
    found = [room for room in FLOOR_OF if room and (module == room or module.startswith(room + "."))]
    return max(found, key=len) if found else "" if module == "" else None


def imports(source: Source) -> Iterator[Import]:
    folder = source.path.removeprefix(PACKAGE).split("/")[:-1]

    def visit(node: ast.AST, is_late: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                for name in _names(child, folder):
                    ours = name == "ringfort" or name.startswith("ringfort.")
                    yield Import(child.lineno, name.removeprefix("ringfort").removeprefix("."), is_late, ours)
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from visit(child, is_late or inside)

    yield from visit(ast.parse(source.text), False)


def _names(statement: ast.Import | ast.ImportFrom, folder: list[str]) -> list[str]:
    """Returns absolute names. For ``from a import b``, it returns a.b, which may be a module or not."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    above = ["ringfort", *folder][: len(folder) + 2 - statement.level] if statement.level else []
    base = ".".join([*above, *([statement.module] if statement.module else [])])
    return [f"{base}.{alias.name}" for alias in statement.names]


def target_of(what: str, modules: set[str]) -> str:
    """Returns the module that an import names. For ``array.array.EncryptedArray`` it is ``array.array``."""
    while what and what not in modules:
        what = what.rpartition(".")[0]
    return what


def check_python(sources: list[Source], report: Report) -> None:
    """Checks the imports of the package. `sources` has all files of the repository."""
    ours = [s for s in sources if s.path.startswith(PACKAGE) and s.suffix == ".py"]
    modules = {module_of(source.path) for source in ours} | set(FLOOR_OF)
    graph: dict[str, dict[str, tuple[str, int]]] = {}
    for source in ours:
        module = module_of(source.path)
        known = graph.setdefault(module, {})
        if room_of(module) is None:
            report.add(source.path, 1, f"{module} is in no room: give it one in tools/python_layers.py")
            continue
        found = list(imports(source))
        _check_late(source, found, report)
        for each in found:
            if each.is_ours and (target := target_of(each.what, modules)) != module:
                known.setdefault(target, (source.path, each.line))
    _check_floors(graph, report)
    _check_circles(graph, report)


def _check_late(source: Source, found: list[Import], report: Report) -> None:
    late, is_listed = [each for each in found if each.is_late], source.path.removeprefix(PACKAGE) in LATE
    if is_listed and not late:
        report.add(source.path, 1, "imports nothing inside a function any more: take it off the list")
    for each in late if not is_listed else ():
        report.add(source.path, each.line, "an import inside a function: put it at the top, or its reason on the list")


def _check_floors(graph: dict[str, dict[str, tuple[str, int]]], report: Report) -> None:
    for module, known in graph.items():
        room = room_of(module)
        for target, (path, line) in known.items():
            other = room_of(target)
            if room is None or other is None or other == room or FLOOR_OF[other] < FLOOR_OF[room]:
                continue
            report.add(path, line, f"{_shown(room)} may not know {_shown(other)}")


def _shown(room: str) -> str:
    return f"ringfort.{room}" if room else "ringfort"


def _check_circles(graph: dict[str, dict[str, tuple[str, int]]], report: Report) -> None:
    """Reports each circle once. A module is in a circle if its imports lead back to it."""
    reached = {module: _reached(module, graph) for module in graph}
    told: set[str] = set()
    for module in sorted(graph):
        circle = sorted(other for other in reached[module] if module in reached.get(other, ()))
        if circle and module not in told:
            told.update(circle)
            path, line = next(graph[module][other] for other in graph[module] if other in circle)
            report.add(path, line, f"{len(circle)} modules import each other: {', '.join(circle)}")


def _reached(module: str, graph: dict[str, dict[str, tuple[str, int]]]) -> set[str]:
    found: set[str] = set()
    ahead = list(graph[module])
    while ahead:
        if (other := ahead.pop()) not in found:
            found.add(other)
            ahead += graph.get(other, {})
    return found
