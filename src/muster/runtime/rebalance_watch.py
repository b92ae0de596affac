"""Hears the journal's events to count rebalances by cause and to log one line for each.

A classic group rebalances from the first JoinGroup to the last SyncGroup: its line comes when that has ended. A consumer group
(KIP-848) has a higher epoch and goes on working: its line comes at once. Costs nothing between rebalances. The lines have a
limit: clients can make groups rebalance as often as they like.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from muster.log_limit import LogLimit

if TYPE_CHECKING:
    from muster.core.journal import JournalEvent
    from muster.runtime.metrics import Metric

_log = logging.getLogger("muster.rebalances")


class RebalanceWatch:
    """A listener of the journal (`JournalWriter.listeners`)."""

    def __init__(self, clock: Callable[[], float], *, with_lines: bool) -> None:
        self.by_cause: Counter[str] = Counter()
        self._limit = LogLimit(_log, "rebalances", clock) if with_lines else None

    def __call__(self, event: JournalEvent) -> None:
        if event.kind == "rebalance_started":
            self.by_cause[event.cause] += 1
        elif event.kind == "epoch_raised":
            self.by_cause[event.cause] += 1
            if self._limit is not None:
                cause = event.cause.replace("_", " ")
                self._limit.info("group %a has epoch %d because of %s", event.group_id, event.generation, cause)
        elif event.kind == "rebalance_ended" and self._limit is not None:
            self._limit.info("%s", rebalance_line(event))


def rebalance_line(event: JournalEvent) -> str:
    """One line about a rebalance that has ended: names of clients in it cannot break the line."""
    detail: dict[str, Any] = dict(event.detail or {})
    started_by = str(detail.get("started_by") or event.cause).replace("_", " ")
    members = int(detail.get("members") or 0)
    took_ms = sum(int(detail.get(name) or 0) for name in ("join_phase_ms", "sync_phase_ms"))
    parts = [
        f"group {event.group_id!a} rebalanced because of {started_by}",
        f"generation {event.generation}",
        "1 member" if members == 1 else f"{members} members",
        f"took {took_ms} ms",
        str(detail.get("result") or event.cause).replace("_", " "),
    ]
    dropped = detail.get("dropped")
    if isinstance(dropped, list) and dropped:
        parts.append(f"dropped {len(dropped)}")
    return ", ".join(parts)


def rebalance_metrics(watch: RebalanceWatch) -> Iterator[Metric]:
    from muster.runtime.metrics import labelled  # when somebody asks: a start does without it

    meaning = "Rebalances that began, by what caused them (docs/journal.md)."
    yield labelled("rebalances_total", "counter", meaning, dict(sorted(watch.by_cause.items())), label="cause")
