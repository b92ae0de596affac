"""A client's address in Java's words, which is what DescribeGroups shows (spec 3.1)."""

from __future__ import annotations

import pytest

from muster.server.peer import address_text, java_host


@pytest.mark.parametrize(
    ("peername", "expected"),
    [
        (("127.0.0.1", 5), "/127.0.0.1"),
        (("::1", 5, 0, 0), "/0:0:0:0:0:0:0:1"),
        (("2001:db8::ff00:42:8329", 5, 0, 0), "/2001:db8:0:0:0:ff00:42:8329"),
        (("::ffff:10.0.0.7", 5, 0, 0), "/10.0.0.7"),
        (("fe80::1%eth0", 5, 0, 2), "/fe80:0:0:0:0:0:0:1%eth0"),
        (None, "/unknown"),
        ("", "/unknown"),
    ],
)
def test_host_is_a_slash_and_javas_literal_address(peername: object, expected: str) -> None:
    assert java_host(peername) == expected


def test_log_lines_show_host_and_port() -> None:
    assert address_text(("127.0.0.1", 5)) == "127.0.0.1:5"
    assert address_text(("::1", 5, 0, 0)) == "[::1]:5"
    assert address_text(None) == "an unknown address"
