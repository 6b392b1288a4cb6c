# SPDX-License-Identifier: Apache-2.0
"""Count, without being able to read them, how many words of an encrypted mailbox match a query."""

from __future__ import annotations

from .document import Document, Skipped
from .readers import FORMATS, read
from .text import normalise, query_word, split_words

__all__ = ["FORMATS", "Document", "Skipped", "normalise", "query_word", "read", "split_words"]
