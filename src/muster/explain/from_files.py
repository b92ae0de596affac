"""A group's journal, or its records in `__consumer_offsets`, from a data directory: of a stopped server or of a running one.

Only reads. A file that a server is writing may end in the middle of a batch, and retention may take files away meanwhile: what
cannot be read is left out and noted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.core.offsets.tracked_query import TrackedQuery, query_in
from muster.explain.event import Event, event_in
from muster.explain.facts import History
from muster.explain.failure import NothingToExplain
from muster.explain.fold import fold
from muster.explain.inferred import StoredAt, committed_metadata, infer, stored_in, stored_state
from muster.log.contract import StorageError
from muster.log.directory import partition_name, partition_path
from muster.log.disk import Disk
from muster.log.segment_batches import checked_batches
from muster.wire.batch import Record, decode_records
from muster.wire.errors import WireError


@dataclass(slots=True)
class Found:
    """If the journal has nothing about the group, `stored` is what `__consumer_offsets` has."""

    events: list[Event] = field(default_factory=list)
    stored: list[StoredAt] = field(default_factory=list)
    tracked: TrackedQuery | None = None
    """What the newest commit says of a streaming query that is tracked."""
    notes: list[str] = field(default_factory=list)
    """What could not be read, and why."""
    groups: list[str] = field(default_factory=list)
    """The groups that there are, where nothing was found of the one that was asked for."""
    state: str | None = None
    """What the coordinator says, where the journal ends with a move of the group: a load writes no event."""
    topic_names: dict[bytes, str] | None = None
    """By topic id, where a cluster was asked."""


def read_directory(directory: str, group: str) -> Found:
    topics = _partitions(directory)
    found = Found()
    if GROUP_JOURNAL in topics:
        found.events = [
            event
            for record in _records_of(directory, GROUP_JOURNAL, topics[GROUP_JOURNAL], group, found.notes)
            if record.key == group.encode("utf-8", "replace") and (event := event_in(record.value)) is not None
        ]
    is_tracked = any(event.kind == "query_tracked" for event in found.events)
    if (is_tracked or not found.events) and CONSUMER_OFFSETS in topics:
        for record in _records_of(directory, CONSUMER_OFFSETS, topics[CONSUMER_OFFSETS], group, found.notes):
            stored = stored_in(record, group)
            if stored is not None:
                found.stored.append(stored)
            elif metadata := committed_metadata(record, group):
                found.tracked = query_in(metadata) or found.tracked
    if GROUP_JOURNAL not in topics and CONSUMER_OFFSETS not in topics:
        raise NothingToExplain(
            f"{directory} has neither a group journal nor committed offsets: name a server's data directory, the one with"
            f" directories such as {CONSUMER_OFFSETS}-0"
        )
    if not found.events and not found.stored and found.tracked is None:
        found.groups = sorted(_groups_in(directory, topics))
    return found


def _groups_in(directory: str, topics: dict[str, list[int]]) -> set[str]:
    """Every group of which something would be found. What cannot be read was noted where this group was looked for."""
    journal = (record for number in topics.get(GROUP_JOURNAL, ()) for record in _all(directory, GROUP_JOURNAL, number))
    offsets = (
        record for number in topics.get(CONSUMER_OFFSETS, ()) for record in _all(directory, CONSUMER_OFFSETS, number)
    )
    names = {record.key.decode("utf-8", "replace") for record in journal if record.key is not None}
    return names | {stored.group.group_id for record in offsets if (stored := stored_state(record)) is not None}


def _all(directory: str, topic: str, number: int) -> Iterator[Record]:
    return _records_in(partition_path(directory, topic, number), [])


def _partitions(directory: str) -> dict[str, list[int]]:
    try:
        names = [entry.name for entry in os.scandir(directory) if entry.is_dir()]
    except OSError as error:
        raise NothingToExplain(f"{directory} cannot be read: {error.strerror}") from None
    found: dict[str, list[int]] = {}
    for name in names:
        place = partition_name(name)
        if place is not None:
            found.setdefault(place[0], []).append(place[1])
    return found


def _records_of(directory: str, topic: str, numbers: list[int], group: str, notes: list[str]) -> Iterator[Record]:
    """Of the partition that the group lives in. Where partitions are missing, the hash cannot tell: then of all."""
    count = max(numbers) + 1
    wanted = [partition_for(group, count)] if len(numbers) == count else sorted(numbers)
    for partition in wanted:
        yield from _records_in(partition_path(directory, topic, partition), notes)


def _records_in(partition: str, notes: list[str]) -> Iterator[Record]:
    try:
        segments = sorted(name for name in os.listdir(partition) if name.endswith(".log"))
    except OSError as error:
        notes.append(f"{partition}: cannot be read: {error.strerror}")
        return
    for name in segments:
        path = os.path.join(partition, name)
        try:
            for header, batch in checked_batches(Disk(), path, os.stat(path).st_size):
                if not header.is_control:
                    yield from decode_records(batch, header)
        except FileNotFoundError:
            continue  # retention took it while we read
        except (StorageError, WireError, OSError) as error:
            why = "a running server may be writing it" if name == segments[-1] else str(error)
            notes.append(f"{path}: not read to its end: {why}")


def history_of(found: Found, group: str) -> History:
    """From the journal if it knows the group, else inferred. A streaming query that is tracked has no rebalances to tell of."""
    if found.events:
        history = fold(found.events, group)
        history.state = history.state or found.state
    elif found.stored:
        history = infer(found.stored, group, found.topic_names)
    elif found.tracked is not None:
        history = History(group)
    else:
        raise NothingToExplain(_nothing(group))
    history.tracked = found.tracked
    return history


def _nothing(group: str) -> str:
    return (
        f"nothing is known of group {group}: the journal has no event of it (it keeps 7 days) and the offsets log no generation."
        " Check the name; groups that only commit offsets never rebalance"
    )
