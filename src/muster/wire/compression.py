"""The codecs of record batches: none, gzip, snappy, lz4, zstd, as Kafka's clients write them.

Knows the framings and a limit on what comes out, so that a few bytes cannot fill the memory. Does not know batches.
`cramjam` is imported at the first compressed batch, not at start-up. Callers: `batch_encode` and `batch_records`.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any, Final

from muster.wire.errors import WireError

NONE: Final = 0
GZIP: Final = 1
SNAPPY: Final = 2
LZ4: Final = 3
ZSTD: Final = 4

NAMES: Final = {"none": NONE, "gzip": GZIP, "snappy": SNAPPY, "lz4": LZ4, "zstd": ZSTD}
"""Kafka's names, as in `compression.type`."""

MAX_DECOMPRESSED_BYTES: Final = 128 * 1024 * 1024
"""What one batch may unpack to. Kafka has no such limit; its default for a packed batch is 1 MiB.

Deviates: a batch that unpacks to more is refused as corrupt.
"""

_XERIAL_MAGIC: Final = b"\x82SNAPPY\x00"
_XERIAL_HEADER: Final = _XERIAL_MAGIC + struct.pack(">ii", 1, 1)
_XERIAL_BLOCK_BYTES: Final = 32 * 1024
_ZSTD_LEVEL: Final = 3
_GZIP_WINDOW: Final = 31
"""zlib's way of asking for a gzip header around a 32 KiB window."""
_FIRST_BUFFER_BYTES: Final = 64 * 1024
_BUFFER_TOO_SMALL: Final = "write whole buffer"
"""How Rust's standard library, hence cramjam, says that the output did not fit."""
_I32 = struct.Struct(">i")


class CompressionError(WireError):
    """Compressed bytes that cannot be unpacked, or unpack to more than allowed."""


class UnpacksTooLarge(CompressionError):
    """More comes out than the caller allows."""


class UnknownCompression(CompressionError):
    """A codec number that Kafka has not given out."""


def compress(codec: int, payload: bytes) -> bytes:
    match codec:
        case 0:
            return payload
        case 1:
            return _gzip(payload)
        case 2:
            return _xerial_snappy(payload)
        case 3:
            return _lz4_frame(payload)
        case 4:
            import cramjam

            return bytes(cramjam.zstd.compress(payload, _ZSTD_LEVEL))
    raise UnknownCompression(f"compression codec {codec} is unknown; 0 to 4 are known")


def decompress(codec: int, payload: bytes, limit: int = MAX_DECOMPRESSED_BYTES) -> bytes:
    """What `payload` unpacks to, at most `limit` bytes."""
    match codec:
        case 0:
            return payload
        case 1:
            return _gunzip(payload, limit)
        case 2:
            return _unsnappy(payload, limit)
        case 3:
            import cramjam

            return _unpack(cramjam.lz4, "lz4", payload, limit)
        case 4:
            import cramjam

            return _unpack(cramjam.zstd, "zstd", payload, limit)
    raise UnknownCompression(f"compression codec {codec} is unknown; 0 to 4 are known")


def _gzip(payload: bytes) -> bytes:
    packer = zlib.compressobj(wbits=_GZIP_WINDOW)
    return packer.compress(payload) + packer.flush()


def _gunzip(payload: bytes, limit: int) -> bytes:
    unpacked = bytearray()
    while payload:
        member = zlib.decompressobj(wbits=_GZIP_WINDOW)
        try:
            unpacked += member.decompress(payload, limit + 1 - len(unpacked))
        except zlib.error as error:
            raise CompressionError(f"gzip: {error}") from None
        if len(unpacked) > limit:
            raise _too_large("gzip", limit)
        if not member.eof:
            raise CompressionError("gzip: the stream is cut off")
        payload = member.unused_data
    return bytes(unpacked)


def _lz4_frame(payload: bytes) -> bytes:
    """Kafka's Java reader refuses frames whose blocks depend on each other, which is what cramjam writes unasked."""
    import cramjam

    packer = cramjam.lz4.Compressor(block_linked=False)
    packer.compress(payload)
    return bytes(packer.finish())


def _unpack(library: Any, name: str, payload: bytes, limit: int) -> bytes:
    """Unpack into a buffer of known size, and into a larger one as long as it was too small and the limit allows it."""
    import cramjam

    room = min(limit, max(_FIRST_BUFFER_BYTES, 4 * len(payload)))
    while True:
        unpacked = bytearray(room)
        try:
            size = library.decompress_into(payload, unpacked)
        except cramjam.DecompressionError as error:
            if _BUFFER_TOO_SMALL not in str(error):
                raise CompressionError(f"{name}: {error}") from None
            if room >= limit:
                raise _too_large(name, limit) from None
            room = min(limit, room * 16)
            continue
        return bytes(memoryview(unpacked)[:size])


def _xerial_snappy(payload: bytes) -> bytes:
    import cramjam

    parts = [_XERIAL_HEADER]
    for start in range(0, len(payload), _XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(payload[start : start + _XERIAL_BLOCK_BYTES]))
        parts.append(_I32.pack(len(block)))
        parts.append(block)
    return b"".join(parts)


def _unsnappy(payload: bytes, limit: int) -> bytes:
    """Java clients frame snappy as the xerial library does; librdkafka writes one raw block."""
    if not payload.startswith(_XERIAL_MAGIC):
        return _unsnappy_block(payload, limit)
    parts: list[bytes] = []
    unpacked_bytes = 0
    pos = 0
    while pos < len(payload):
        if payload.startswith(_XERIAL_MAGIC, pos):
            pos += len(_XERIAL_HEADER)
            continue
        if pos + 4 > len(payload):
            raise CompressionError(f"snappy: block length is cut off at byte {pos}")
        (size,) = _I32.unpack_from(payload, pos)
        pos += 4
        if size < 0 or pos + size > len(payload):
            raise CompressionError(f"snappy: block of {size} bytes at byte {pos} does not fit")
        part = _unsnappy_block(payload[pos : pos + size], limit, unpacked_bytes)
        parts.append(part)
        unpacked_bytes += len(part)
        pos += size
    return b"".join(parts)


def _unsnappy_block(block: bytes, limit: int, unpacked_before: int = 0) -> bytes:
    import cramjam

    try:
        if unpacked_before + cramjam.snappy.decompress_raw_len(block) > limit:
            raise _too_large("snappy", limit)
        return bytes(cramjam.snappy.decompress_raw(block))
    except cramjam.DecompressionError as error:
        raise CompressionError(f"snappy: {error}") from None


def _too_large(name: str, limit: int) -> UnpacksTooLarge:
    return UnpacksTooLarge(f"{name}: unpacks to more than the {limit} bytes that are allowed")
