# SPDX-License-Identifier: Apache-2.0
"""Makes the reference of the C++ headers with Doxygen. Finds the names that have no page or no comment.

Headers have plain comments. `marked` turns them into Doxygen's comments. A comment above a declaration belongs to this
declaration, and also to declarations below it, up to the first blank line or comment. In a namespace, it belongs to all
these declarations. In a class, it belongs only to the overloads of one function. A comment at the end of a line belongs
to the declaration in this line.
"""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

_SETTINGS = """
PROJECT_NAME = Ringfort
INPUT = {headers}
STRIP_FROM_PATH = {headers}
OUTPUT_DIRECTORY = {out}
HTML_OUTPUT = cpp
GENERATE_XML = YES
GENERATE_LATEX = NO
RECURSIVE = YES
EXTRACT_ALL = YES
DISTRIBUTE_GROUP_DOC = YES
HIDE_FRIEND_COMPOUNDS = YES
VERBATIM_HEADERS = NO
MARKDOWN_SUPPORT = NO
SORT_MEMBER_DOCS = NO
DISABLE_INDEX = NO
GENERATE_TREEVIEW = YES
HTML_TIMESTAMP = NO
HAVE_DOT = NO
CLASS_GRAPH = NO
QUIET = YES
WARNINGS = NO
"""
_NOTE = re.compile(r"\s*// NOLINT\S*.*$")
_NAME = re.compile(r"(operator\s*\S+?|~?\w+)\s*\(")
_OPENS_TYPE = re.compile(r"\s*(?:class|struct|enum class) .*\{\s*$|enum class .*;\s*$")


def _escaped(comment: str) -> str:
    """Escapes the characters that are markup for Doxygen: < > # @ & % and backslashes."""
    return re.sub(r"([<>#@\\&%])", r"\\\1", comment)


def _declaration(lines: list[str], at: int) -> tuple[int, str]:
    """Returns the line after the declaration at `at`, and the name of its function (empty if there is no function)."""
    text, end = "", at
    while end < len(lines):
        text += lines[end].split("//")[0] + "\n"
        end += 1
        if text.count("{") <= text.count("}") and re.search(r"[;}]\s*$", text):
            break
    head = re.sub(r"template\s*<[^;{]*?>\s*\n|\[\[\w+\]\]", "", text)
    found = _NAME.search(head)
    return end, found.group(1) if found else ""


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("//", "#", "}", "public:", "private:"))


def _group(lines: list[str], at: int) -> int:
    """Returns the line after the declarations that share the comment above `at`. If only one declaration has this
    comment, returns `at`."""
    end, name = _declaration(lines, at)
    last = end
    while last < len(lines) and _is_code(lines[last]):
        end, other = _declaration(lines, last)
        if lines[at].startswith(" ") and (not name or other != name):
            break
        last = end
    return last if last > _declaration(lines, at)[0] else at


def _marked_line(line: str) -> str:
    code, slashes, comment = line.partition("//")
    if not slashes:
        return line
    text = _escaped(comment.strip())
    if not code.strip():
        return f"{code}/// {text}"
    if _OPENS_TYPE.match(code):
        return f"/// {text}\n{code}"
    return f"{code}///< {text}"


def marked(text: str) -> str:
    """Returns the header with its comments in the form that Doxygen understands."""
    lines = [_NOTE.sub("", line) for line in text.splitlines()[1:]]
    start = lines.index("#pragma once")
    out = ["/// @file", *(_marked_line(line) for line in lines[:start]), ""]
    ends: set[int] = set()
    for number, line in enumerate(lines[start + 1 :], start + 1):
        if number in ends:
            out.append("///@}")
        previous = lines[number - 1].lstrip()
        if previous.startswith("//") and _is_code(line) and (end := _group(lines, number)) > number:
            first = len(out)
            while out[first - 1].lstrip().startswith("/// "):
                first -= 1
            out.insert(first, "///@{")
            ends.add(end)
        out.append(_marked_line(line))
    return "\n".join(out) + "\n"


def _described(node: ElementTree.Element) -> bool:
    texts = (node.find("briefdescription"), node.find("detaileddescription"))
    return any(text is not None and "".join(text.itertext()).strip() for text in texts)


def undescribed(xml: Path) -> list[str]:
    """Returns the names in namespaces that have no comment.

    For overloads, one comment is enough. An alias needs no comment if its type is in the reference.
    """
    compounds = [c for path in xml.glob("*.xml") for c in ElementTree.parse(path).getroot().iter("compounddef")]
    types = {c.get("id"): c for c in compounds if c.get("kind") in ("class", "struct")}
    described: dict[str, bool] = {}
    for space in (c for c in compounds if c.get("kind") == "namespace"):
        for inner in space.iter("innerclass"):
            described[inner.text or ""] = _described(types[inner.get("refid")])
        for member in space.iter("memberdef"):
            name = f"{space.findtext('compoundname')}::{member.findtext('name')}"
            is_alias = member.get("kind") == "typedef" and member.find("type/ref") is not None
            described[name] = described.get(name, False) or is_alias or _described(member)
    nested = {name for name in described if name.rpartition("::")[0] in described}
    return sorted(name for name in described.keys() - nested if not described[name])


def write(headers: Path, out: Path, scratch: Path) -> list[str]:
    """Writes the pages to out/cpp. Returns the headers that have no page, and the names that have no comment."""
    copies = scratch / "include"
    for header in sorted(headers.rglob("*.h")):
        target = copies / header.relative_to(headers)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(marked(header.read_text("utf-8")), "utf-8")
    settings = _SETTINGS.format(headers=copies, out=out) + f"XML_OUTPUT = {scratch}/xml\n"
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    pages = "".join(path.read_text("utf-8") for path in (out / "cpp").glob("*_8h.html"))
    missing = [f"{h.name} has no page" for h in sorted(headers.rglob("*.h")) if f">{h.name}" not in pages]
    return missing + [f"{name} has no comment" for name in undescribed(scratch / "xml")]
