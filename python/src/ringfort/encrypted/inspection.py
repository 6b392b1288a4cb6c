# SPDX-License-Identifier: Apache-2.0
"""``ringfort.inspect`` shows the content of a file without any key, and tells whether the file contains a secret.

All facts are claims of the file's writer. ``inspect`` checks digests, but a writer can compute correct digests of false
claims. ``inspect`` makes no context, decodes no secret key and decrypts nothing. It reads an open file once, to its
end. If the source is a path, it reads only a part of two kinds of files: files of one secret key, and most files of the
word search. This part has the fields that describe the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from .._core import search
from ..units import size
from ..values import whole
from ..whole_files import read_whole
from . import members
from .array import show
from .context.fingerprints import fingerprint_of
from .members import Container
from .reading import promise_of
from .residues.parameters import explained, joined_parameters
from .residues.per_modulus import per_modulus
from .sources import LIMIT_BYTES, BinaryFile, Path, bytes_of, file_name, is_file, limited, read_file

__all__ = ["Entry", "Inspection", "inspect"]

_WHOLE = {
    *("format_version", "bytes", "n", "q", "digits", "digit_bits", "security_bits", "hash_bits", "segment_bytes"),
    *("most_repeats", "documents", "first_document", "last_document", "blocks", "count_range", "max_matches"),
    *("word_bytes", "words"),
}
_DTYPES = {"@f": "float64", "@c": "complex128", "@i": "int64"}
_OF_ROTATIONS = ("rotations", "conjugation")
_SHOWN_STEPS = 16
_SECRET_TYPES = ("secret key", "secret keys")
_KEY_ID = slice(64, 72)  # bytes after the header of a key or a ciphertext; they name the secret key

Facts = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """An object in a file. A key set is one entry. Its parts are in ``facts``."""

    kind: str
    """"array", "public keys" or "secret keys". Files of other programs may also have "ciphertext", "secret key" and so
    on."""
    bytes: int
    holds_secret: bool = False
    key_id: str = ""
    """The id of the key set: see ``PublicKeys.id``. "several" if the parts of the object have different ids."""
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class Inspection:
    """The public facts of a file. facts: about the whole file. entries: the objects by name. str() makes a table."""

    facts: Facts
    holds_secret: bool
    entries: dict[str, Entry] = field(default_factory=dict)

    def as_dict(self) -> Facts:
        """Returns the facts for JSON."""
        entries = {"entries": {name: asdict(entry) for name, entry in self.entries.items()}} if self.entries else {}
        return self.facts | {"holds_secret": self.holds_secret} | entries

    def rows(self) -> list[tuple[str, str]]:
        """Returns a row of text for each fact. The first row states whether there is a secret.

        Names of objects are in quotation marks.
        """
        rows = [("secret inside", "YES" if self.holds_secret else "no")]
        rows += [(name, _shown(value)) for name, value in self.facts.items()]
        for name, entry in self.entries.items():
            about = ", ".join(f"{fact} {_shown(value)}" for fact, value in entry.facts.items())
            named = f", key id {entry.key_id}" if entry.key_id else ""
            secret = ", SECRET" if entry.holds_secret else ""
            rows.append(
                (f'"{name}"', f"{entry.kind}{secret}, {size(entry.bytes)}{named}{', ' + about if about else ''}")
            )
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(name) for name, _ in rows) + 2
        return "\n".join(f"{name:<{width}}{value}" for name, value in rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return show.table("File", dict(self.rows()))


def inspect(source: Path | BinaryFile | bytes | bytearray | memoryview, *, max_bytes: int = LIMIT_BYTES) -> Inspection:
    """Returns the facts that a file shows without any key. source: a path, a file that is open for bytes, or bytes.

    max_bytes: the largest number of bytes to read. All facts are claims of the file's writer. ``load`` and ``loads``
    check more than this function. Errors: InvalidArgument, and the Io errors of ``load``.
    """
    limit = whole("max_bytes", max_bytes, 2**63)
    if is_file(source, "read"):
        return _of_bytes(bytes_of(bytes(read_file(source, limit)), limit))
    if isinstance(source, (bytes, bytearray, memoryview, np.ndarray)):
        return _of_bytes(bytes_of(source, limit))
    name = file_name(source)
    facts = _typed(search.inspect(name))
    if facts["type"] == "container":
        return _of_members(facts, dict(core.load(name, limit)))
    # nothing more is read of a secret key, or of a file of the word search
    if "parameters" not in facts or facts["type"] in _SECRET_TYPES:
        return Inspection(facts | _sealed(facts), facts["type"] in _SECRET_TYPES)
    found = read_whole(name, limit)
    limited(len(found), limit)
    return _of_bytes(bytes_of(found, limit))


def _of_bytes(data: NDArray[np.uint8]) -> Inspection:
    facts = _typed(core.inspect(data))
    if facts["type"] == "container":
        return _of_members(facts, dict(core.unpack(data)))
    entry = _entry(facts, [data])
    named = {"key_id": entry.key_id} if entry.key_id else {}
    return Inspection(facts | named | entry.facts, entry.holds_secret)


def _of_members(facts: Facts, container: Container) -> Inspection:
    entries: dict[str, Entry] = {}
    kinds = [name for name in container if name in _DTYPES]
    first = members.of_first_modulus(container)
    for name in first:
        owner, _, suffix = name.partition(".")
        if name in _DTYPES:
            facts |= {"dtype": _DTYPES[name]} | _parameters(members.of_moduli(container, name), container)
        elif name == members.RANGE or (suffix == members.AXES and owner in container):
            continue
        elif not suffix or suffix not in members.KEY_SET_MEMBERS:
            entries[name] = _entry(_typed(core.inspect(container[name])), members.of_moduli(container, name))
            if (axes := container.get(f"{name}.{members.AXES}")) is not None:
                entries[name] = _transposed(entries[name], axes)
    for name in container.keys() - set(first):
        if name.rpartition(".")[0] not in container:
            entries[name] = _entry(_typed(core.inspect(container[name])), [container[name]])
    for owner in members.key_sets(container):
        by_suffix = {each: members.of_moduli(container, f"{owner}.{each}") for each in members.KEY_SET_MEMBERS}
        if any(by_suffix.values()):
            keys = (by_suffix[each] for each in members.PUBLIC_KEYS)
            shown = fingerprint_of(kinds[0][1:], facts.get("range"), keys) if kinds else ""
            entries[owner] = _key_set([data for files in by_suffix.values() for data in files], shown)
    return Inspection(facts, any(entry.holds_secret for entry in entries.values()), entries)


def _entry(facts: Facts, files: list[NDArray[np.uint8]]) -> Entry:
    """Returns the entry of an object. files: the files of the object, one for each plaintext modulus. facts: the facts
    of the first file."""
    kind, details = facts["type"], {}
    key_id = facts.get("key_id", "")
    if kind == "array":
        found = list(map(core.decode_array, files))
        details = {"shape": list(found[0].shape), "ciphertexts": sum(len(record.ciphertexts) for record in found)}
        key_id = _one({bytes(each[_KEY_ID]).hex() for record in found for each in record.ciphertexts})
    elif kind == "leveled parameters":
        details = _parameters(files, {})
    return Entry(
        kind, sum(data.size for data in files), any(map(core.is_secret, files)), key_id, details | _sealed(facts)
    )


def _transposed(entry: Entry, axes: NDArray[np.uint8]) -> Entry:
    """Returns the entry of a transposed matrix. entry: the entry of the matrix that the file contains. axes: the member
    that states the order of axes."""
    shape = {"shape": entry.facts["shape"][::-1]} if "shape" in entry.facts else {}
    return replace(entry, bytes=entry.bytes + axes.size, facts=entry.facts | shape)


def _sealed(facts: Facts) -> Facts:
    """Tells whether a passphrase seals the secret key."""
    return {"sealed": facts["passphrase"] == "yes"} if "passphrase" in facts else {}


def _key_set(files: list[NDArray[np.uint8]], fingerprint: str) -> Entry:
    """Returns the entry of a key set. The entry shows the types of the members, which may differ from what their names
    state."""
    found = [_typed(core.inspect(data)) for data in files]
    has_secret = any(map(core.is_secret, files))
    facts: Facts = {"fingerprint": fingerprint, "parts": ", ".join(dict.fromkeys(each["type"] for each in found))}
    for each in found:
        facts |= {name: each[name] for name in _OF_ROTATIONS if name in each}
    if has_secret:
        facts["sealed"] = all(each["passphrase"] == "yes" for each in found if "passphrase" in each)
    return Entry(
        "secret keys" if has_secret else "public keys",
        sum(data.size for data in files),
        has_secret,
        _one({each["key_id"] for each in found if "key_id" in each}),
        facts,
    )


def _one(ids: Iterable[str]) -> str:
    """Returns the id if all ids are equal. Returns "several" if they differ, and an empty text if there is no id."""
    found = sorted(ids)
    return found[0] if len(found) == 1 else "" if not found else "several"


def _parameters(files: list[NDArray[np.uint8]], container: Container) -> Facts:
    """Returns the facts about parameters. files: the parameters, one file for each plaintext modulus. container: all
    members, of which one may declare a range."""
    parameters = joined_parameters(core.decode_parameters(data, True, 2**17, 128) for data in files)
    facts, chain = explained(parameters), parameters.chain
    scheme = type(per_modulus(parameters)[0]).__name__.removesuffix("Parameters").lower()
    known = {"scheme": scheme, "n": facts.n, "depth": facts.depth, "security": facts.security}
    known |= {"below_128_bits": "yes" if chain.insecure_reason else "no"}
    if len(files) > 1:
        known["plain_moduli"] = len(files)
    promise = promise_of(container, parameters)
    return known if promise is None else known | {"range": promise}


def _shown(value: object) -> str:
    """Returns a fact as text. The text of a long list of steps has only the first steps."""
    if not isinstance(value, list):
        return str(value)
    more = f" and {len(value) - _SHOWN_STEPS} more" if len(value) > _SHOWN_STEPS else ""
    return f"[{', '.join(map(str, value[:_SHOWN_STEPS]))}{more}]"


def _typed(facts: Iterable[tuple[str, str]]) -> Facts:
    """Converts the text of a fact to a number or a list of steps. Names and hexadecimal digits stay text."""
    found: Facts = {}
    for name, value in facts:
        if name == "rotations":
            found[name] = [int(step) for step in value.split(", ") if step]
        else:
            found[name] = int(value) if name in _WHOLE else float(value) if name == "failure_log2" else value
    return found
