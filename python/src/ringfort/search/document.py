# SPDX-License-Identifier: Apache-2.0
"""What the readers yield: documents, and lines that say why something is not one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .text import tagged

__all__ = ["Document", "Skipped"]


@dataclass(frozen=True)
class Document:
    """One message: its name, its words in order, and (where asked for) its bytes."""

    id: str
    subject: str
    words: tuple[str, ...]
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    body: bytes = b""

    def tokens(self, *, distinct: bool = False, fields: bool = False) -> list[str]:
        """The words to index: every occurrence, or each word once; with ``fields``, the tagged ones as well."""
        found = list(self.words)
        if fields:
            for field, words in self.fields:
                found += tagged(field, words)
        return list(dict.fromkeys(found)) if distinct else found

    def count(self, word: str, *, distinct: bool = False, fields: bool = False) -> int:
        """Plain counting, for comparison with what a decrypted answer says."""
        return Counter(self.tokens(distinct=distinct, fields=fields))[word]


@dataclass(frozen=True)
class Skipped:
    """Something that a reader met and did not index, and why."""

    source: str
    reason: str

    def __str__(self) -> str:
        return f"skipped {self.source}: {self.reason}"
