"""Where the ledger of a partition's producers begins to read."""

from __future__ import annotations

from typing import Any

from muster.core.time_units import DAY_MS, HOUR_MS
from muster.topics.producer_replay import begin_ledger


class AskedLog:
    """A log that remembers which timestamps it was asked for."""

    start_offset, durable_offset, has_transactions = 0, 10, False

    def __init__(self) -> None:
        self.asked: list[int] = []

    def offset_for_timestamp(self, timestamp_ms: int) -> None:
        self.asked.append(timestamp_ms)


def test_question_for_young_batches_is_the_same_when_it_is_put_again_a_moment_later() -> None:
    """A database that takes longer than a millisecond is asked again and again until its answer is there."""
    log: Any = AskedLog()
    now_ms = 1_700_000_000_000
    for later_ms in range(0, 3_000, 7):
        begin_ledger("orders-0", log, now_ms + later_ms, DAY_MS, None)
    (asked,) = set(log.asked)
    assert now_ms - DAY_MS - HOUR_MS < asked <= now_ms - DAY_MS
