"""A writer of R's binary data files, for tests of the reader: objects as R would save them, uncompressed."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

NIL = struct.pack(">i", 254)
_HAS_ATTRIBUTES, _HAS_TAG = 0x200, 0x400
_WROTE, _READS = 0x00040301, 0x00020300  # versions of R


class Attributed:
    """A value with attributes, such as the `dim` of a matrix."""

    def __init__(self, value: Any, **attributes: Any) -> None:
        self.value, self.attributes = value, attributes


def matrix(table: Any, **attributes: Any) -> Attributed:
    """A matrix: its numbers column by column, and `dim`."""
    table = np.asarray(table)
    return Attributed(table.ravel(order="F"), dim=np.array(table.shape), **attributes)


def named_list(**members: Any) -> Attributed:
    return Attributed(list(members.values()), names=list(members))


def save(version: int = 2, **objects: Any) -> bytes:
    """The bytes of a file that holds `objects` by name: arrays, lists of str, lists and `Attributed`."""
    header = struct.pack(">iii", version, _WROTE, _READS)
    if version == 3:
        header += struct.pack(">i", 5) + b"UTF-8"
    return f"RDX{version}\nX\n".encode() + header + _Writer().pairs(objects)


class _Writer:
    def __init__(self) -> None:
        self.symbols: list[str] = []

    def pairs(self, members: dict[str, Any]) -> bytes:
        tag = struct.pack(">i", 2 | _HAS_TAG)
        return b"".join(tag + self.symbol(name) + self.item(value) for name, value in members.items()) + NIL

    def symbol(self, name: str) -> bytes:
        """A name in full the first time, then a reference to it."""
        if name in self.symbols:
            return struct.pack(">i", (self.symbols.index(name) + 1) << 8 | 255)
        self.symbols.append(name)
        return struct.pack(">i", 1) + _chars(name)

    def item(self, value: Any) -> bytes:
        attributes = {}
        if isinstance(value, Attributed):
            value, attributes = value.value, value.attributes
        if value is None:
            return NIL
        flags = _HAS_ATTRIBUTES if attributes else 0
        return self.vector(value, flags) + (self.pairs(attributes) if attributes else b"")

    def vector(self, value: Any, flags: int) -> bytes:
        if isinstance(value, np.ndarray):
            kind, form = (13, ">i4") if value.dtype.kind == "i" else (14, ">f8")
            return struct.pack(">ii", kind | flags, value.size) + value.astype(form).tobytes()
        if all(isinstance(part, str) for part in value):
            return struct.pack(">ii", 16 | flags, len(value)) + b"".join(map(_chars, value))
        return struct.pack(">ii", 19 | flags, len(value)) + b"".join(map(self.item, value))


def _chars(text: str) -> bytes:
    return struct.pack(">ii", 9, len(text.encode())) + text.encode()
