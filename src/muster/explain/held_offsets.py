"""Offsets that a transaction held back: journal events to facts, and facts to a sentence."""

from __future__ import annotations

from collections.abc import Iterable

from muster.explain.event import Event
from muster.explain.facts import HeldOffsets, Partition, Quiet, QuietKind, Who
from muster.explain.names import Names
from muster.explain.words import duration, partitions, plain, times


def held_back(kind: QuietKind, event: Event) -> Quiet:
    """Whoever waited is told of as its request introduced it; it need not be a member."""
    who = Who(event.member or "?", None, event.client, event.host) if event.client or event.member else None
    held = HeldOffsets(
        event.number("producer_id"),
        event.text("transactional_id"),
        event.number("offsets") or 0,
        tuple(_partitions(event)),
        event.number("unstable_ms") or 0,
        event.number("refusals") or 0,
        event.number("waited_ms") or 0,
    )
    return Quiet(kind, event.at_ms, event.generation, event.cause, who, held=held)


def _partitions(event: Event) -> Iterable[Partition]:
    by_topic = event.detail.get("partitions")
    for topic, numbers in by_topic.items() if isinstance(by_topic, dict) else ():
        for number in numbers if isinstance(numbers, list) else ():
            if isinstance(number, int):
                yield topic, number


def without_wait(quiet: Iterable[Quiet], ended: Quiet) -> list[Quiet]:
    """The end of a transaction says all that the beginning of the wait for it did: it is told once."""
    return [each for each in quiet if each.kind != "offsets_awaited" or _producer(each) != _producer(ended)]


def _producer(quiet: Quiet) -> int | None:
    return None if quiet.held is None else quiet.held.producer_id


def tell_held(quiet: Quiet, held: HeldOffsets, names: Names) -> str:
    what = partitions(held.partitions) or "offsets of the group"
    more = held.offsets - len(held.partitions)
    what += f" and {more:,} more" if more > 0 else ""
    name = f" {plain(held.transactional_id)}" if held.transactional_id is not None else ""
    transaction = f"ransaction{name} of producer {held.producer_id}"
    who = names.full(quiet.who) if quiet.who is not None else "a client"
    if quiet.kind == "offsets_awaited":
        return (
            f"T{transaction} held back the offsets of {what} for {duration(held.unstable_ms)}, and has not ended:"
            f" {who} was refused {times(held.refusals)} and waits."
        )
    end = "it was committed" if quiet.cause == "transaction_committed" else "it was aborted"
    waited = (
        f"{who} waited {duration(held.waited_ms)} for it, refused {times(held.refusals)}"
        if held.refusals
        else "nobody waited for it"
    )
    return f"T{transaction} held back the offsets of {what} for {duration(held.unstable_ms)}, until {end}: {waited}."
