"""Which minutes of a commit have a row, when they are known for good, and what is remembered of them."""

from __future__ import annotations

from typing import Any

import polars as pl

from muster.pipeline.now.marks import minutes_of
from muster.pipeline.tables.settings import GoldSettings

MINUTE, HOUR = 60_000, 3_600_000
NOON = 1_700_000_000_000 // HOUR * HOUR
Found = tuple[list[tuple[Any, bool]], list[tuple[Any, Any]]]


def found_of(minute: int, until: int | None, now: int, **more: Any) -> Found:
    """(minutes and whether they are known, what is remembered: until and marked), all in minutes after noon.

    Ends are known, and the log is read, up to now if nothing else is said.
    """
    known, read, marked = more.get("known", now), more.get("read", now), more.get("marked")
    row = {
        "minute_ms": NOON + minute * MINUTE,
        "until_ms": None if until is None else NOON + until * MINUTE,
        "marked_ms": None if marked is None else NOON + marked * MINUTE,
        "known_ms": NOON + known * MINUTE,
        "read_ms": NOON + read * MINUTE,
        "end_row": 0,
    }
    kinds = dict.fromkeys(row, pl.Int64)
    minutes, kept = minutes_of(pl.DataFrame([row], schema=kinds), GoldSettings(now_ms=NOON + now * MINUTE))
    rows = sorted(zip(_after_noon(minutes["minute_ms"]), minutes["is_known"].to_list(), strict=True))
    remembered = zip(_after_noon(kept["until_ms"]), _after_noon(kept["marked_ms"]), strict=True)
    return rows, list(remembered)


def _after_noon(ms: pl.Series) -> list[Any]:
    return [None if value is None else (value - NOON) // MINUTE for value in ms.to_list()]


def test_silence_has_a_row_every_five_minutes_and_after_an_hour_every_hour() -> None:
    rows, kept = found_of(minute=2, until=200, now=300)
    assert [minute for minute, _ in rows] == [2, *range(5, 62, 5), 120, 180]
    assert all(known for _, known in rows)
    assert kept == []


def test_minute_waits_for_a_sample_behind_it() -> None:
    rows, kept = found_of(minute=10, until=12, now=20, known=10)
    assert rows == [(10, False)]
    assert kept == [(12, None)]
    assert found_of(minute=10, until=12, now=20, known=11) == ([(10, True)], [(12, 10)])
    assert found_of(minute=10, until=12, now=20, known=12, marked=10) == ([], [])


def test_current_commit_is_known_as_far_as_the_log_was_read() -> None:
    """Somebody may have committed since: what was not read yet decides."""
    rows, kept = found_of(minute=0, until=None, now=16, read=11)
    assert rows == [(0, True), (5, True), (10, True), (15, False)]
    assert kept == [(None, 10)]


def test_what_has_its_row_has_it_once() -> None:
    rows, kept = found_of(minute=0, until=None, now=26, read=22, marked=10)
    assert rows == [(15, True), (20, True), (25, False)]
    assert kept == [(None, 21)]
    assert found_of(minute=0, until=24, now=40, marked=21) == ([], [])
    assert found_of(minute=0, until=27, now=40, marked=21) == ([(25, True)], [])


def test_what_is_older_than_the_history_is_not_written_down() -> None:
    week = 7 * 24 * 60
    rows, kept = found_of(minute=-2 * week, until=None, now=0)
    assert rows[0] == (-week, True)
    assert len(rows) == 7 * 24
    assert kept == [(None, -1)]
    assert found_of(minute=-2 * week, until=-week - 1, now=0) == ([], [])
