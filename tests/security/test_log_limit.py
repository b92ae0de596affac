"""Strangers cannot fill the log: what is told one by one, and what is only counted."""

from __future__ import annotations

import logging

import pytest

from muster.log_limit import LINES, SECONDS, LogLimit, tell_what_is_over


def test_lines_beyond_the_limit_are_counted_and_told_in_the_next_interval(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    limit = LogLimit(logging.getLogger("test"), "failures", lambda: now[0])
    for number in range(LINES + 7):
        limit.warning("failure %d", number)
    assert len(caplog.records) == LINES
    now[0] = SECONDS
    limit.warning("failure again")
    assert [record.getMessage() for record in caplog.records[LINES:]] == [
        "and 7 more failures, not told one by one",
        "failure again",
    ]


def test_after_a_flood_the_count_is_told_though_nothing_more_comes(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    limit = LogLimit(logging.getLogger("test"), "failures", lambda: now[0])
    for _ in range(LINES + 6):
        limit.error("failure")
    limit.warning("no failure")
    now[0] = SECONDS - 1
    tell_what_is_over()
    assert len(caplog.records) == LINES
    now[0] = SECONDS
    tell_what_is_over()
    tell_what_is_over()
    (told,) = caplog.records[LINES:]
    assert (told.levelname, told.getMessage()) == ("ERROR", "and 7 more failures, not told one by one")
    limit.warning("failure again")
    assert caplog.records[-1].getMessage() == "failure again"
