# SPDX-License-Identifier: Apache-2.0
"""Finds the public names of the Python API that have no page in the reference, or no docstring.

Two kinds of names are public. One is the names in `__all__` of ringfort and of its public modules. The other is the
methods and properties that the classes of the package define.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

MODULES = ("ringfort", *(f"ringfort.{name}" for name in ("errors", "logreg", "ml", "ring", "search", "statistics")))


def _members(name: str, value: type) -> list[tuple[str, object]]:
    return [(f"{name}.{key}", member) for key, member in vars(value).items() if not key.startswith("_")]


def public(module: ModuleType) -> list[tuple[str, object]]:
    """Returns the public names of a module with their values: `__all__`, and the members of our classes."""
    found: list[tuple[str, object]] = []
    for key in module.__all__:
        value = getattr(module, key)
        found.append((f"{module.__name__}.{key}", value))
        if inspect.isclass(value) and value.__module__.startswith(module.__name__.partition(".")[0]):
            found += _members(f"{module.__name__}.{key}", value)
    return found


def undescribed(module: ModuleType) -> list[str]:
    """Returns the modules, classes, functions and properties without a docstring."""
    kinds = (ModuleType, type, property, classmethod, staticmethod)
    named = [(name, value) for name, value in public(module) if isinstance(value, kinds) or inspect.isroutine(value)]
    return [name for name, value in named if not inspect.getdoc(value)]


def without_page(module: ModuleType, out: Path) -> list[str]:
    """Returns the names that the page of the module does not have."""
    page = out / (module.__name__.replace(".", "/") + ".html")
    text = page.read_text("utf-8") if page.exists() else ""
    return [
        name
        for name, value in public(module)
        if f'id="{name.removeprefix(module.__name__ + ".")}"' not in text and not isinstance(value, ModuleType)
    ]


def missing(out: Path) -> list[str]:
    """Returns a line for each public name that has no page in the folder, or no docstring."""
    modules = [importlib.import_module(name) for name in MODULES]
    lines = [f"{name} has no page" for module in modules for name in without_page(module, out)]
    return lines + [f"{name} has no docstring" for module in modules for name in undescribed(module)]


_PART = re.compile(r"(?:^|(?<=[.)]) )([a-z_][a-z0-9_]*(?:, [a-z_][a-z0-9_]*)*|Errors): ")
_ROW = re.compile(r"(\s*)(``[^`]+``|[a-z_]\w* \([^)]*\):)\s+(?=\S)")


def markdown(text: str) -> str:
    """Turns a docstring into Markdown. Parameters, errors and rows of a table become items of a list."""
    return "\n\n".join(_paragraph(paragraph) for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)))


def _paragraph(text: str) -> str:
    lines = text.split("\n")
    begins = [bool(_ROW.match(line)) for line in lines]
    if all(begins) or (lines[0].endswith(":") and len(lines) > 1 and begins[1]):
        shown = [_ROW.sub(r"* \2 ", line) if row else line.strip() for line, row in zip(lines, begins, strict=True)]
        return "\n".join(shown if begins[0] else [shown[0], "", *shown[1:]])
    items = _PART.split(" ".join(line.strip() for line in lines))
    if len(items) == 1:
        return text
    named = [f"* **{name}**: {what.strip()}" for name, what in zip(items[1::2], items[2::2], strict=True)]
    return "\n".join([items[0].strip(), "", *named] if items[0].strip() else named)
