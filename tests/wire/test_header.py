"""Headers as clients write and read them (spec 2.1). How the server reads them: tests/server/test_frames.py."""

from __future__ import annotations

import pytest

from muster.wire.errors import WireError
from muster.wire.header import decode_response_header, encode_request_header, has_flexible_response_header

API_VERSIONS, HEARTBEAT, OFFSET_DELETE = 18, 12, 47


@pytest.mark.parametrize(
    ("key", "version", "client_id", "raw"),
    [
        (HEARTBEAT, 3, "c1", "000c 0003 00000007 0002 6331"),
        (HEARTBEAT, 4, "c1", "000c 0004 00000007 0002 6331 00"),
        (HEARTBEAT, 4, None, "000c 0004 00000007 ffff 00"),
        (HEARTBEAT, 3, "", "000c 0003 00000007 0000"),
        (HEARTBEAT, 3, "é", "000c 0003 00000007 0002 c3a9"),
        (OFFSET_DELETE, 0, "c1", "002f 0000 00000007 0002 6331"),
        (API_VERSIONS, 3, "c1", "0012 0003 00000007 0002 6331 00"),
    ],
)
def test_a_request_header_has_an_old_style_client_id_and_tags_if_its_version_is_flexible(
    key: int, version: int, client_id: str | None, raw: str
) -> None:
    assert encode_request_header(key, version, 7, client_id) == bytes.fromhex(raw)


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
    assert has_flexible_response_header(key, version) == (len(raw) == 10)
    assert decode_response_header(key, version, bytes.fromhex(raw) + b"body") == (7, len(raw) // 2)


def test_a_response_too_short_for_its_header_is_refused() -> None:
    for frame in (b"", b"\0\0\0", b"\0\0\0\7"):
        with pytest.raises(WireError, match="too short for its header"):
            decode_response_header(HEARTBEAT, 4, frame)
