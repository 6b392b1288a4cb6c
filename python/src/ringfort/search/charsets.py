# SPDX-License-Identifier: Apache-2.0
"""Decodes text whose charset a stranger chose. Uses only the codecs of a fixed list, which take linear time, whatever
charset a message names.

Python's registry has more codecs. Of these, idna and punycode take quadratic time. Others, such as base64, rot13 and
zlib, are not charsets. Others evaluate escape sequences.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from encodings import normalize_encoding
from encodings.aliases import aliases

__all__ = ["CODECS", "codec_of", "decode", "decoded_pieces"]

_LIST = """
    ascii utf_8 utf_8_sig utf_16 utf_16_be utf_16_le utf_32 utf_32_be utf_32_le latin_1
    iso8859_1 iso8859_2 iso8859_3 iso8859_4 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9 iso8859_10 iso8859_11
    iso8859_13 iso8859_14 iso8859_15 iso8859_16 tis_620
    cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp437 cp850 cp852 cp866 cp874 mac_roman
    koi8_r koi8_u koi8_t gb2312 gbk gb18030 big5 big5hkscs cp950 shift_jis shift_jis_2004 shift_jisx0213 cp932
    euc_jp euc_jis_2004 euc_jisx0213 euc_kr cp949 johab
    iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3 iso2022_jp_ext iso2022_kr
"""
CODECS = frozenset(_LIST.split())
_NAME_LIMIT = 40  # characters of the name of a charset
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_MARKS_BEGIN = (b"\xef", b"\xff", b"\xfe", b"\0")
_WITHOUT_MARK = {"utf_16": "utf_16_le", "utf_32": "utf_32_le"}  # these two decode pieces only after a byte order mark
_PIECE = 1 << 14  # bytes of a piece


def codec_of(charset: str) -> str | None:
    """Returns the codec for the name of a charset. Returns None if the list has no such codec. Does not use Python's
    registry."""
    if len(charset) > _NAME_LIMIT or not charset.isascii():
        return None
    name = normalize_encoding(charset.strip().lower())
    name = aliases.get(name) or aliases.get(name.replace(".", "_")) or name
    return name if name in CODECS else None


def decode(raw: bytes, charset: str | None = None) -> str:
    """Decodes bytes. Uses the first of these codecs that accepts the bytes: the codec of the byte order mark, the named
    charset, UTF-8, and Latin-1, which accepts all bytes."""
    for codec, errors in _choices(raw, charset):
        try:
            return raw.decode(codec, errors)
        except ValueError:  # the bytes are not in this charset
            continue
    return raw.decode("latin-1")


def decoded_pieces(raw: bytes | bytearray, charset: str | None = None) -> Iterator[str]:
    """Yields the text of ``decode`` in pieces. Only one piece is in memory at a time. If the input is longer than a
    piece, decodes it twice."""
    if len(raw) <= _PIECE:
        yield decode(bytes(raw), charset)
        return
    for codec, errors in _choices(raw, charset):
        try:
            for _ in _decoded(raw, codec, errors):  # first decodes all pieces: an error may be in the last byte
                pass
        except ValueError:
            continue
        yield from _decoded(raw, codec, errors)
        return
    yield from _decoded(raw, "latin-1", "strict")


def _choices(raw: bytes | bytearray, charset: str | None) -> Iterator[tuple[str, str]]:
    """Yields the codecs to try, in this order, with their handling of errors."""
    for mark, name in _MARKS if raw[:1] in _MARKS_BEGIN else ():
        if raw.startswith(mark):
            yield name, "replace"
            return
    for codec in filter(None, (charset and codec_of(charset), "utf-8")):
        yield _WITHOUT_MARK.get(codec, codec), "strict"


def _decoded(raw: bytes | bytearray, codec: str, errors: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(codec)(errors)
    for begin in range(0, len(raw), _PIECE):
        yield decoder.decode(bytes(raw[begin : begin + _PIECE]), begin + _PIECE >= len(raw))
