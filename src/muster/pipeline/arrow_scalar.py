"""A Python value as an Arrow scalar without importing pandas, which `pa.scalar` and `pa.array` do where it is installed.

That import takes as long as an answer from a million rows; the commands that answer questions must not pay for it.
"""

from __future__ import annotations

import struct

import pyarrow as pa


def arrow_scalar(value: float | str) -> pa.Scalar:
    match value:
        case bool():
            kind, buffers = pa.bool_(), [None, bytes([value])]
        case int():
            kind, buffers = pa.int64(), [None, struct.pack("<q", value)]
        case float():
            kind, buffers = pa.float64(), [None, struct.pack("<d", value)]
        case str():
            octets = value.encode("utf-8", "surrogatepass")
            kind, buffers = pa.string(), [None, struct.pack("<ii", 0, len(octets)), octets]
    return pa.Array.from_buffers(kind, 1, [None if each is None else pa.py_buffer(each) for each in buffers])[0]
