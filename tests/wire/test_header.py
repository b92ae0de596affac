"""Headers of requests and responses (spec 2.1)."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.wire.apis import APIS
from muster.wire.errors import WireError
from muster.wire.header import (
    RequestHeader,
    decode_request_header,
    decode_response_header,
    encode_request_header,
    encode_response_header,
    has_flexible_response_header,
)

API_VERSIONS, HEARTBEAT, OFFSET_DELETE = 18, 12, 47


def parts(header: RequestHeader) -> tuple[int, int, int, str | None, int]:
    return header.api_key, header.api_version, header.correlation_id, header.client_id, header.body


def test_an_old_version_has_the_short_header() -> None:
    frame = bytes.fromhex("000c 0003 00000007 0002 6331 aabb".replace(" ", ""))
    assert parts(decode_request_header(frame)) == (HEARTBEAT, 3, 7, "c1", 12)


def test_a_flexible_version_has_a_tagged_section_behind_an_old_style_client_id() -> None:
    frame = bytes.fromhex("000c 0004 00000007 0002 6331 00 aabb".replace(" ", ""))
    assert parts(decode_request_header(frame)) == (HEARTBEAT, 4, 7, "c1", 13)


def test_unknown_tags_in_the_header_are_skipped() -> None:
    frame = bytes.fromhex("000c 0004 00000007 0002 6331 02 0901aa 0000 aabb".replace(" ", ""))
    assert decode_request_header(frame).body == len(frame) - 2


@pytest.mark.parametrize("length", ["ffff", "fffe", "8000"])
def test_a_negative_length_is_a_null_client_id(length: str) -> None:
    frame = bytes.fromhex("000c000300000007" + length)
    assert parts(decode_request_header(frame)) == (HEARTBEAT, 3, 7, None, 10)


def test_an_empty_client_id_is_not_null() -> None:
    assert decode_request_header(bytes.fromhex("000c0003ffffffff0000")).client_id == ""


def test_a_client_id_that_is_not_utf8_is_replaced() -> None:
    assert decode_request_header(bytes.fromhex("000c0003000000000001ff")).client_id == "\ufffd"


def test_a_header_is_read_where_it_stands_in_a_larger_buffer() -> None:
    frame = b"\0\0\0\x0c" + bytes.fromhex("000c0003000000070002") + b"c1"
    assert parts(decode_request_header(frame, 4)) == (HEARTBEAT, 3, 7, "c1", 16)


def test_an_unsupported_version_of_api_versions_is_read_with_the_flexible_header() -> None:
    """It has to be answered, in the layout of version 0, so its correlation id must be known."""
    frame = bytes.fromhex("0012 0063 00000009 0002 6331 00 0101".replace(" ", ""))
    assert parts(decode_request_header(frame)) == (API_VERSIONS, 99, 9, "c1", 13)


@pytest.mark.parametrize("size", range(13))
def test_a_frame_too_short_for_its_header_is_refused(size: int) -> None:
    frame = bytes.fromhex("000c 0004 00000007 0002 6331 00".replace(" ", ""))
    with pytest.raises(WireError):
        decode_request_header(frame[:size])


def test_a_client_id_longer_than_the_frame_is_refused() -> None:
    with pytest.raises(WireError, match="client id of 32767 bytes"):
        decode_request_header(bytes.fromhex("000c0003000000077fff6331"))


@pytest.mark.parametrize("key", [4, -1, 32767])
def test_an_unknown_api_key_is_refused(key: int) -> None:
    with pytest.raises(WireError, match=f"api key {key} is unknown"):
        decode_request_header(key.to_bytes(2, "big", signed=True) + bytes(20))


@given(
    key=st.sampled_from(sorted(APIS)),
    version=st.integers(0, 20),
    correlation_id=st.integers(-(2**31), 2**31 - 1),
    client_id=st.none() | st.text(max_size=20),
)
def test_a_request_header_comes_back_as_it_went(
    key: int, version: int, correlation_id: int, client_id: str | None
) -> None:
    raw = encode_request_header(key, version, correlation_id, client_id)
    assert parts(decode_request_header(raw + b"body")) == (key, version, correlation_id, client_id, len(raw))


@given(frame=st.binary(max_size=30))
def test_random_bytes_are_a_header_or_refused(frame: bytes) -> None:
    for key in (b"", b"\0\x0c\0\x04", b"\0\x12\0\x03"):
        with suppress(WireError):
            assert decode_request_header(key + frame).body <= len(key + frame)


@pytest.mark.parametrize(
    ("key", "version", "raw"),
    [
        (HEARTBEAT, 3, "00000007"),
        (HEARTBEAT, 4, "0000000700"),
        (OFFSET_DELETE, 0, "00000007"),
        (API_VERSIONS, 3, "00000007"),
        (API_VERSIONS, 4, "00000007"),
        (API_VERSIONS, 99, "00000007"),
    ],
)
def test_a_response_header_is_flexible_with_its_version_but_never_for_api_versions(
    key: int, version: int, raw: str
) -> None:
    assert encode_response_header(key, version, 7).hex() == raw
    assert has_flexible_response_header(key, version) == (len(raw) == 10)
    assert decode_response_header(key, version, bytes.fromhex(raw) + b"body") == (7, len(raw) // 2)


def test_a_response_too_short_for_its_header_is_refused() -> None:
    for frame in (b"", b"\0\0\0", b"\0\0\0\7"):
        with pytest.raises(WireError, match="too short for its header"):
            decode_response_header(HEARTBEAT, 4, frame)
