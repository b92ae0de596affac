"""Strangers cannot fill the log: what is told one by one, and what is only counted."""

from __future__ import annotations

import logging

import pytest

from muster.runtime.log_limit import LINES, SECONDS, LogLimit


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
