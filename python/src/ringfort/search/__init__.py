# SPDX-License-Identifier: Apache-2.0
"""Counts the words of an encrypted mailbox that match a query. The server that counts them cannot read them.

keys = rf.search.keygen("keys", passphrase="correct horse battery staple")
with rf.search.Index.create("idx", keys) as index:
    index.add(rf.search.read_documents("mail.mbox"), keys)
answer = rf.search.search("idx", rf.search.query("invoice", keys))        # the search itself needs no secret
counts = rf.search.decrypt(answer, keys)                                  # one count for each message
"""

from __future__ import annotations

import os

from .answer import (
    Answer,
    EngineName,
    Estimate,
    Query,
    SearchPlan,
    SearchReport,
    Server,
    decrypt,
    estimate,
    query,
    search,
)
from .document import Document, Skipped
from .index import Index, IndexReport, Padding, StoredDocument, VerifyReport
from .keys import Keys, keygen, load_keys, preset_names
from .readers import FORMATS, read
from .text import normalise, query_word, split_words

__all__ = [
    "FORMATS",
    "Answer",
    "Document",
    "EngineName",
    "Estimate",
    "Index",
    "IndexReport",
    "Padding",
    "Keys",
    "Query",
    "SearchPlan",
    "SearchReport",
    "Server",
    "Skipped",
    "StoredDocument",
    "VerifyReport",
    "decrypt",
    "estimate",
    "keygen",
    "load_keys",
    "normalise",
    "preset_names",
    "query",
    "query_word",
    "read",
    "read_documents",
    "search",
    "split_words",
]


def read_documents(source: str | os.PathLike[str], format: str = "auto") -> list[Document]:
    """Returns the documents of a source, without the ``Skipped`` items that ``read`` also yields. Errors: those of
    ``read``."""
    return [item for item in read(source, format) if isinstance(item, Document)]
