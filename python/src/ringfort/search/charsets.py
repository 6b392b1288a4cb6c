# SPDX-License-Identifier: Apache-2.0
"""Text of bytes whose charset somebody else names: a closed list, each of which decodes in time linear in its input.

Python's registry has more: idna and punycode take quadratic time, others are no charsets (base64, rot13, zlib) or run
escapes. So no codec outside the list is looked up, whatever a message calls it.
"""

from __future__ import annotations

from encodings import normalize_encoding
from encodings.aliases import aliases

__all__ = ["CODECS", "codec_of", "decode"]

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
_NAME_LIMIT = 40  # characters
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\0\0", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_MARKS_BEGIN = (b"\xef", b"\xff", b"\xfe")


def codec_of(charset: str) -> str | None:
    """The codec of a charset's name, none where it is not of the list. Looks nothing up in Python's registry."""
    if len(charset) > _NAME_LIMIT or not charset.isascii():
        return None
    name = normalize_encoding(charset.strip().lower())
    name = aliases.get(name) or aliases.get(name.replace(".", "_")) or name
    return name if name in CODECS else None


def decode(raw: bytes, charset: str | None = None) -> str:
    """Text of bytes: by byte order mark, by the named charset, as UTF-8, at last as Latin-1, which takes all bytes."""
    for mark, name in _MARKS if raw[:1] in _MARKS_BEGIN else ():
        if raw.startswith(mark):
            return raw.decode(name, "replace")
    for codec in filter(None, (charset and codec_of(charset), "utf-8")):
        try:
            return raw.decode(codec)
        except ValueError:  # not of this charset
            continue
    return raw.decode("latin-1")
