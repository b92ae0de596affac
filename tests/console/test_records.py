"""Records of a topic by time, by offset and alone, and that the page says of what it shows only a part."""

from __future__ import annotations

import html
import re

import pytest

from muster.client import admin
from muster.client.cluster import Cluster
from muster.testing import Broker
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import run

NOON = 1_763_208_000_000
"""2025-11-15 12:00 UTC"""
MINUTE = 60_000
LONG = b"long " + b"x" * 4_000 + b" and its end"
_OFFSET = re.compile(r'id="offset-(\d+)"')


@pytest.fixture(scope="module")
def topic(broker: Broker) -> str:
    broker.create_topic("timed", 1)
    headers = [(f"h{number}", b"1") for number in range(53)]
    records = [
        admin.NewRecord(b"first", key=b"k" * 2_001, timestamp_ms=NOON),
        admin.NewRecord(LONG, timestamp_ms=NOON + MINUTE),
        admin.NewRecord(b"third", timestamp_ms=NOON + 2 * MINUTE, headers=(("long", b"y" * 121), ("fits", b"z" * 120))),
        admin.NewRecord(b"fourth", timestamp_ms=NOON + 3 * MINUTE, headers=tuple(headers)),
    ]

    async def produce() -> None:
        async with Cluster(broker.bootstrap_servers) as cluster:
            await admin.Producer(cluster).send("timed", records)

    run(produce())
    return "timed"


def _page(console: ConsoleProcess, query: str) -> tuple[list[int], str]:
    """Offsets of the records on a page, and its text."""
    text = html.unescape(console.ask(f"/messages?{query}").text)
    return list(map(int, _OFFSET.findall(text))), text


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        ("2025-11-15T12:01", [1, 2, 3]),
        ("2025-11-15T12:01:00.001", [2, 3]),
        (str(NOON), [0, 1, 2, 3]),
        ("2025-11-15T13:00%2B01:00", [0, 1, 2, 3]),
    ],
)
def test_records_from_a_time_begin_with_the_first_that_is_not_older(
    console: ConsoleProcess, topic: str, at: str, shown: list[int]
) -> None:
    assert _page(console, f"topic={topic}&at={at}")[0] == shown


def test_of_a_time_after_the_last_record_the_last_ones_are_shown_with_a_note(
    console: ConsoleProcess, topic: str
) -> None:
    offsets, text = _page(console, f"topic={topic}&at=2100-01-01T00:00")
    assert offsets == [0, 1, 2, 3]
    assert "No record is that new: these are the last." in text


def test_a_record_alone_is_shown_whole(console: ConsoleProcess, topic: str) -> None:
    offsets, text = _page(console, f"topic={topic}&offset=1")
    assert offsets == [1, 2, 3]
    assert "Cut here." in text
    assert "and its end" not in text
    assert "/messages?topic=timed&partition=0&offset=1&whole=1" in text
    offsets, text = _page(console, f"topic={topic}&offset=1&whole=1")
    assert offsets == [1]
    assert LONG.decode() in text
    assert "Cut here." not in text


def test_what_is_not_shown_of_keys_and_headers_is_said(console: ConsoleProcess, topic: str) -> None:
    assert f"{'k' * 2_000}</span> (cut here)" in _page(console, f"topic={topic}&offset=0")[1]
    _, third = _page(console, f"topic={topic}&offset=2&whole=1")
    assert f"{'y' * 119}…</span> (cut here: the value has 121 B), " in third
    assert f"{'z' * 120}</span></div>" in third
    _, fourth = _page(console, f"topic={topic}&offset=3")
    assert "h49=1</span> and 3 more that are not shown" in fourth
    assert "h50" not in fourth
