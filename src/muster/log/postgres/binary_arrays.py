"""One-dimensional arrays in PostgreSQL's binary form, for statements that are sent often.

psycopg finds out the type of every element of every array each time: for the twelve parameters of an append that was most
of what a node spent on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Final

_DIMENSIONS: Final = 1
_NO_NULLS: Final = 0
_FIRST_INDEX: Final = 1
_BYTEA, _BIGINT, _INTEGER = 17, 20, 23
"""The types' numbers in every PostgreSQL (pg_type.oid)."""

_HEAD: Final = Struct(">iiiii")
_SIZED_BIGINT: Final = Struct(">iq")
_SIZED_INTEGER: Final = Struct(">ii")
_SIZE: Final = Struct(">i")


def bigints(values: Sequence[int]) -> bytes:
    return _head(_BIGINT, len(values)) + b"".join([_SIZED_BIGINT.pack(8, value) for value in values])


def integers(values: Sequence[int]) -> bytes:
    return _head(_INTEGER, len(values)) + b"".join([_SIZED_INTEGER.pack(4, value) for value in values])


def byteas(values: Sequence[bytes]) -> bytes:
    parts = [_head(_BYTEA, len(values))]
    for value in values:
        parts += (_SIZE.pack(len(value)), value)
    return b"".join(parts)


def _head(element_type: int, count: int) -> bytes:
    return _HEAD.pack(_DIMENSIONS, _NO_NULLS, element_type, count, _FIRST_INDEX)
