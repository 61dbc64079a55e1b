"""R's binary data files (``.rda``): just enough of the format for tables, lists and series of numbers.

The format is described in the R Internals manual, section "Serialization Formats": a compressed stream of big-endian
items, each a word of flags followed by its content; a saved file holds one pairlist of named objects.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from pathlib import Path
from typing import Any

import numpy as np

from arrow_cd.errors import InvalidDataError

_OPENERS = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ": lzma.decompress}

_NULL, _REFERENCE = {254, 242, 253, 251}, 255  # NULL and the environments that stand for nothing here
_SYMBOL, _PAIRS, _CHARS = 1, 2, 9
_LOGICALS, _INTEGERS, _REALS, _STRINGS, _LIST = 10, 13, 14, 16, 19
_NUMBERS = {_LOGICALS: ">i4", _INTEGERS: ">i4", _REALS: ">f8"}
_MISSING_INTEGER = -(2**31)


class RObject:
    """A vector of R with its attributes: `value` is an array of numbers, a list of str or a list of RObject."""

    def __init__(self, value: Any, attributes: dict[str, RObject] | None = None) -> None:
        self.value = value
        self.attributes = attributes or {}

    def array(self) -> np.ndarray[Any, Any]:
        """Numbers in the shape that R gives them (its order is column by column); missing integers are NaN."""
        values = np.asarray(self.value)
        if values.dtype.kind == "i":
            values = np.where(values == _MISSING_INTEGER, np.nan, values.astype(np.float64))
        shape = self.attributes.get("dim")
        return values if shape is None else values.reshape(np.asarray(shape.value), order="F")

    def items(self) -> dict[str, RObject]:
        """The members of a list by name."""
        return dict(zip(self.attributes["names"].value, self.value, strict=True))


def read_rda(path: Path) -> dict[str, RObject]:
    """The objects in a file by name.

    Raises
    ------
    InvalidDataError
        If the file is not a binary R data file, or holds kinds of objects other than numbers, text and lists.
    """
    packed = path.read_bytes()
    opener = next((open_ for magic, open_ in _OPENERS.items() if packed.startswith(magic)), bytes)
    data = opener(packed)
    if data[:7] not in (b"RDX2\nX\n", b"RDX3\nX\n"):
        raise InvalidDataError(f"{path.name}: not a binary R data file of version 2 or 3")
    reader = _Reader(data, path.name, at=7)
    version = reader.integer()
    reader.at += 8  # the versions of R that wrote and that can read it
    if version == 3:
        length = reader.integer()
        reader.at += length  # the name of the encoding, which is UTF-8 or ASCII
    return reader.pairs_from_item()


class _Reader:
    def __init__(self, data: bytes, name: str, at: int) -> None:
        self.data, self.name, self.at = data, name, at
        self.symbols: list[str] = []

    def integer(self) -> int:
        (value,) = struct.unpack_from(">i", self.data, self.at)
        self.at += 4
        return int(value)

    def pairs_from_item(self) -> dict[str, RObject]:
        """A pairlist as a dict; NULL is the empty one."""
        pairs = {}
        while (flags := self.integer()) & 0xFF == _PAIRS:
            if flags & 0x200:
                self.item()  # attributes of the list itself
            tag = self.item().value if flags & 0x400 else ""
            pairs[tag] = self.item()
        if flags & 0xFF not in _NULL:
            raise InvalidDataError(f"{self.name}: a pairlist that does not end at byte {self.at}")
        return pairs

    def item(self) -> RObject:
        flags = self.integer()
        kind = flags & 0xFF
        if kind in _NULL:
            return RObject([])
        if kind == _SYMBOL:
            self.symbols.append(self.item().value)
            return RObject(self.symbols[-1])
        if kind == _REFERENCE:
            return RObject(self.symbols[(flags >> 8) - 1])
        if kind == _PAIRS:
            self.at -= 4
            return RObject(self.pairs_from_item())
        value = self.vector(kind, self.integer())
        return RObject(value, self.pairs_from_item() if flags & 0x200 and kind != _CHARS else None)

    def vector(self, kind: int, length: int) -> Any:
        if kind == _CHARS:
            text = self.data[self.at : self.at + max(length, 0)].decode()  # length -1 is a missing text
            self.at += max(length, 0)
            return text
        if kind in _NUMBERS:
            values = np.frombuffer(self.data, _NUMBERS[kind], length, self.at)
            self.at += values.nbytes
            return values.astype(values.dtype.newbyteorder("="))
        if kind == _STRINGS:
            return [self.item().value for _ in range(length)]
        if kind == _LIST:
            return [self.item() for _ in range(length)]
        raise InvalidDataError(f"{self.name}: an object of kind {kind} at byte {self.at}, which is not read here")
