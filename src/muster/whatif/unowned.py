"""When partitions had no owner: not only between two owners, as a rebalance tells, but also before the first one, and while nobody
is in the group. Pure.

Settings under which a group never gets to work must not look as if nothing was without an owner. So what the recording assigns to
somebody counts from the beginning of the rebalance that did so, under all variants.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from muster.explain.assignments import owners_in, raw_assignments
from muster.explain.epochs import partitions_of
from muster.explain.event import Event
from muster.explain.facts import Gap, History, Partition
from muster.whatif.partition_counts import count_partitions, multiply


def times_given(events: Iterable[Event]) -> dict[Partition, list[int]]:
    """By partition: when it was given to somebody, or given again."""
    found: dict[Partition, list[int]] = {}
    for event in events:
        given: Iterable[Partition] = ()
        if event.kind == "rebalance_ended":
            given = owners_in(raw_assignments(event.detail.get("assignments")) or {}) or ()
        elif event.kind in ("member_reconciled", "partitions_awaited"):
            given = partitions_of(event.detail.get("given"))
        for partition in given:
            found.setdefault(partition, []).append(event.at_ms)
    return found


def wanted_since(events: Iterable[Event], history: History) -> dict[Partition, int]:
    """By partition: the beginning of the rebalance that gave it to somebody first. `history`: of these events."""
    began = sorted(each.began_ms for each in history.rebalances)
    found = {}
    for partition, times in times_given(events).items():
        place = bisect_right(began, times[0])
        found[partition] = began[place - 1] if place else times[0]
    return found


def spread(wanted: Mapping[Partition, int], times: int) -> Mapping[Partition, int]:
    """With so many times as many partitions: the new ones of a topic as its first. CannotReplay if these are too many."""
    if times == 1:
        return wanted
    first: dict[str, int] = {}
    for (topic, _), since_ms in wanted.items():
        first[topic] = min(since_ms, first.get(topic, since_ms))
    return {
        (topic, number): wanted.get((topic, number), first[topic])
        for topic, count in multiply(count_partitions(wanted), times).items()
        for number in range(count)
    }


def all_gaps(
    told: Iterable[Gap],
    given: Mapping[Partition, Sequence[int]],
    wanted: Mapping[Partition, int],
    when_emptied: Iterable[tuple[Partition, int]],
    end_ms: int,
) -> list[Gap]:
    """Of the partitions that are wanted: none overlaps another of the same. `told`: by rebalances, and those that last."""
    found: dict[Partition, list[tuple[int, int]]] = {each: [] for each in wanted}
    for partition, since_ms in wanted.items():
        times = given.get(partition)
        found[partition].append((since_ms, times[0] if times else end_ms))
    for partition, since_ms in when_emptied:
        times = given.get(partition, ())
        place = bisect_right(times, since_ms)
        if partition in found:
            until_ms = times[place] if place < len(times) else end_ms
            found[partition].append((max(since_ms, wanted[partition]), until_ms))
    for gap in told:
        if gap.partition in found:
            found[gap.partition].append((max(gap.from_ms, wanted[gap.partition]), gap.to_ms))
    return [Gap(partition, *span) for partition, spans in found.items() for span in _merged(spans)]


def _merged(spans: list[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for from_ms, to_ms in sorted(spans):
        if merged and from_ms <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(to_ms, merged[-1][1])
        elif from_ms < to_ms:
            merged.append((from_ms, to_ms))
    return merged
