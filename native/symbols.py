"""The symbols that an object file needs from elsewhere."""

from __future__ import annotations

import struct

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
_SYMBOL_TABLE = 2
_HEADER = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")


def undefined_symbols(code: bytes) -> frozenset[str]:
    """Names of the symbols that an ELF object uses and does not define; none for another format."""
    if not code.startswith(_MAGIC):
        return frozenset()
    (start,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    headers = [_HEADER.unpack_from(code, start + k * size) for k in range(count)]
    found: set[str] = set()
    for _, kind, _, _, offset, length, link, *_ in headers:
        if kind == _SYMBOL_TABLE:
            names = headers[link][4]
            for name, _, _, section, _, _ in _SYMBOL.iter_unpack(code[offset : offset + length]):
                if section == 0 and name:
                    found.add(_string(code, names + name))
    return frozenset(found)


def _string(code: bytes, offset: int) -> str:
    return code[offset : code.index(b"\0", offset)].decode()
