"""The codecs: there and back, other framings, and limits on what comes out."""

from __future__ import annotations

import gzip
import struct
import subprocess
import sys
import zlib

import cramjam
import pytest
from aiokafka import codec as aiokafka_codec
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.wire.compression import (
    GZIP,
    LZ4,
    NAMES,
    NONE,
    SNAPPY,
    ZSTD,
    CompressionError,
    UnknownCompression,
    compress,
    decompress,
)

CODECS = [NONE, GZIP, SNAPPY, LZ4, ZSTD]
TEXT = b"the quick brown fox " * 10_000


def test_codec_numbers_are_kafkas() -> None:
    assert NAMES == {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


@given(st.binary(max_size=100_000), st.sampled_from(CODECS))
@settings(max_examples=60, deadline=None)
def test_there_and_back(payload: bytes, codec: int) -> None:
    assert decompress(codec, compress(codec, payload)) == payload


@pytest.mark.parametrize("codec", CODECS[1:])
def test_compressible_bytes_get_smaller(codec: int) -> None:
    assert len(compress(codec, TEXT)) < len(TEXT) / 5


@pytest.mark.parametrize("codec", CODECS[1:])
def test_what_unpacks_to_more_than_the_limit_is_refused(codec: int) -> None:
    """A few bytes must not fill the memory."""
    bomb = compress(codec, bytes(3_000_000))
    with pytest.raises(CompressionError, match="2999999"):
        decompress(codec, bomb, limit=2_999_999)
    assert len(decompress(codec, bomb, limit=3_000_000)) == 3_000_000


@pytest.mark.parametrize("codec", CODECS[1:])
def test_cut_off_or_damaged_bytes_are_an_error(codec: int) -> None:
    packed = compress(codec, TEXT)
    for damaged in (packed[:-5], packed[: len(packed) // 2], b"junk" + packed, packed[:2]):
        with pytest.raises(CompressionError):
            decompress(codec, damaged)


@pytest.mark.parametrize("codec", [-1, 5, 7])
def test_unknown_codecs_are_named(codec: int) -> None:
    with pytest.raises(UnknownCompression, match=str(codec)):
        compress(codec, b"")
    with pytest.raises(UnknownCompression, match=str(codec)):
        decompress(codec, b"")


def test_snappy_is_framed_as_java_clients_do_it() -> None:
    packed = compress(SNAPPY, TEXT)
    assert packed[:16] == b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
    (first_block,) = struct.unpack_from(">i", packed, 16)
    assert len(cramjam.snappy.decompress_raw(packed[20 : 20 + first_block])) == 32 * 1024
    assert aiokafka_codec.snappy_decode(packed) == TEXT


def test_a_raw_snappy_block_is_read_as_librdkafka_writes_it() -> None:
    assert decompress(SNAPPY, bytes(cramjam.snappy.compress_raw(TEXT))) == TEXT


def test_snappy_streams_written_behind_each_other_are_one() -> None:
    assert decompress(SNAPPY, compress(SNAPPY, b"one ") + compress(SNAPPY, b"two")) == b"one two"


@pytest.mark.parametrize("tail", [b"\0\0", b"\0\0\0\x09abc", b"\xff\xff\xff\xff"])
def test_snappy_blocks_that_do_not_fit_are_refused(tail: bytes) -> None:
    with pytest.raises(CompressionError, match="snappy"):
        decompress(SNAPPY, compress(SNAPPY, b"x") + tail)


def test_lz4_blocks_do_not_depend_on_each_other() -> None:
    """Kafka's Java reader refuses frames with dependent blocks: version 01, block independence bit set."""
    packed = compress(LZ4, TEXT)
    assert packed[:4] == b"\x04\x22\x4d\x18"
    assert packed[4] >> 5 == 0b011
    assert aiokafka_codec.lz4_decode(packed) == TEXT


def test_lz4_with_dependent_blocks_is_read_all_the_same() -> None:
    assert decompress(LZ4, bytes(cramjam.lz4.compress(TEXT))) == TEXT


def test_gzip_is_what_pythons_own_reader_reads() -> None:
    assert gzip.decompress(compress(GZIP, TEXT)) == TEXT
    assert zlib.crc32(gzip.decompress(compress(GZIP, b""))) == 0
    assert decompress(GZIP, gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"


def test_zstd_is_read_without_a_content_size_in_the_frame() -> None:
    """librdkafka and Java write streams whose frame does not say how long it is."""
    packer = cramjam.zstd.Compressor()
    packer.compress(TEXT)
    assert decompress(ZSTD, bytes(packer.finish())) == TEXT


def test_the_codec_library_is_not_loaded_before_it_is_needed() -> None:
    """Start-up time: most logs hold no compressed batch."""
    program = "import sys, muster.wire.batch; sys.exit('cramjam' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
