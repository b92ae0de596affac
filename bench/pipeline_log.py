"""Coordinator logs for the pipeline's measurements, as Kafka would lay them out, with the users' topics beside them.

`write_log` makes commits of 1 to 20 partitions as clients send them, most in the layout that Kafka writes now, some with metadata,
some tombstones, a group record now and then. `write_wide_log` makes few commits of many keys. Both take the same bytes every time.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from struct import Struct

from muster.core.hashing import partition_for
from muster.core.records import GroupStored, OffsetCommitted, OffsetErased, StoredMember
from muster.core.time_units import MINUTE_MS
from muster.log.record_codec import encode_record
from muster.pipeline.sources.log_directories import LogFolder
from muster.pipeline.sources.log_end import log_end
from muster.wire.batch import encode_pairs, with_offset_and_epoch
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription
from tests.coordinator_records import encode_records

LOG_PARTITIONS = 4
"""Where nobody says otherwise; Kafka has 50."""
GROUPS = 2_000
TOPICS, PARTITIONS = 100, 20
NOW_MS = 1_700_000_000_000
CONSUMER_OFFSETS = "__consumer_offsets"
_SEGMENT_BYTES = 100 << 20
_INDEX_INTERVAL_BYTES = 4_096
_INDEX_ENTRY = Struct(">ii")
_BATCHES_A_PARTITION = 10

Pair = tuple[bytes | None, bytes | None]


@dataclass(frozen=True)
class _Place:
    """A log partition, and of how many it is one."""

    number: int
    count: int


def write_log(directory: Path, records: int, log_partitions: int = LOG_PARTITIONS, followed_minutes: int = 0) -> int:
    """Segments of every log partition with about this many records in all, and the topics that they speak of.

    `followed_minutes`: each topic partition has a batch for each of so many minutes, so that the lake knows as much of its end as
    if it had followed a growing topic. 0: ten batches.
    """
    total = 0
    for number in range(log_partitions):
        chance = random.Random(number)
        total += _write_partition(directory, _Place(number, log_partitions), records // log_partitions, chance)
    batches = followed_minutes or _BATCHES_A_PARTITION
    step = max(1, total // batches)
    began_ms, step_ms = (NOW_MS - followed_minutes * MINUTE_MS, MINUTE_MS) if followed_minutes else (NOW_MS, step)
    write_topics(directory, TOPICS, PARTITIONS, [(n * step, began_ms + n * step_ms) for n in range(batches)])
    return total


def append_log(directory: Path, records: int, seed: int) -> int:
    """About so many records more, behind what is there, as if the groups had gone on. Few do not come to every log partition."""
    total, count = 0, len(list(directory.glob(f"{CONSUMER_OFFSETS}-*")))
    touched = min(count, max(1, records // PARTITIONS))
    for number in range(touched):
        folder = directory / f"{CONSUMER_OFFSETS}-{number}"
        chance = random.Random(seed * 1_000 + number)
        end = log_end(LogFolder(CONSUMER_OFFSETS, number, str(folder)))
        offset = end
        segment = _Segment(max(folder.glob("*.log")))
        while offset < end + records // touched:
            pairs = _commit(chance, _Place(number, count), offset)
            segment.add(pairs, offset, NOW_MS + offset)
            offset += len(pairs)
        segment.close()
        total += offset - end
    return total


def write_wide_log(directory: Path, groups: int, topics: int, partitions: int, rounds: int) -> int:
    """Each group commits every partition of one topic, `rounds` times. 50 log partitions, as Kafka has by default."""
    logs = [_Segments(directory / f"{CONSUMER_OFFSETS}-{number}") for number in range(50)]
    names = [(f"team-{number % 97}.service-{number}", f"stream-{number % topics}") for number in range(groups)]
    total = 0
    for turn in range(rounds):
        for number, (group, topic) in enumerate(names):
            at_ms = NOW_MS + turn * 60_000 + number
            pairs: list[Pair] = []
            if not turn:
                pairs.append(_group_record(group, topic, members=4, partitions=partitions))
            pairs += encode_records(
                [OffsetCommitted(group, topic, p, turn * 1_000 + p, 0, "", at_ms, -1) for p in range(partitions)]
            )
            logs[partition_for(group, 50)].add(pairs, at_ms)
            total += len(pairs)
    for log in logs:
        log.close()
    write_topics(directory, topics, partitions, [(n * 2_000, NOW_MS + n * 60_000) for n in range(rounds)])
    return total


def write_topics(directory: Path, topics: int, partitions: int, appends: Iterable[tuple[int, int]]) -> None:
    """Every partition of `events.topic-N` or `stream-N` holds one record at each of these (offset, time)."""
    name = "events.topic" if topics == TOPICS else "stream"
    content = b"".join(
        with_offset_and_epoch(encode_pairs([(None, b"x")], at_ms), offset, 0) for offset, at_ms in appends
    )
    for topic in range(topics):
        for partition in range(partitions):
            folder = directory / f"{name}-{topic}-{partition}"
            folder.mkdir()
            (folder / f"{0:020d}.log").write_bytes(content)


class _Segment:
    """A segment that is being written or gone on with, and its index: an entry for every 4 KB of batches, as brokers write them."""

    def __init__(self, path: Path) -> None:
        self._base_offset = int(path.stem)
        self._file = path.open("ab")
        self._index = path.with_suffix(".index").open("ab")
        self._since_entry = 0

    @property
    def size(self) -> int:
        return self._file.tell()

    def add(self, pairs: list[Pair], offset: int, at_ms: int) -> None:
        batch = with_offset_and_epoch(encode_pairs(pairs, at_ms), offset, 0)
        if self._since_entry > _INDEX_INTERVAL_BYTES:
            self._index.write(_INDEX_ENTRY.pack(offset + len(pairs) - 1 - self._base_offset, self._file.tell()))
            self._since_entry = 0
        self._file.write(batch)
        self._since_entry += len(batch)

    def close(self) -> None:
        self._file.close()
        self._index.close()


class _Segments:
    """One log partition that is being written."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self.offset = 0
        self._segment = self._begun()

    def add(self, pairs: list[Pair], at_ms: int) -> None:
        if self._segment.size > _SEGMENT_BYTES:
            self._segment.close()
            self._segment = self._begun()
        self._segment.add(pairs, self.offset, at_ms)
        self.offset += len(pairs)

    def _begun(self) -> _Segment:
        return _Segment(self._folder / f"{self.offset:020d}.log")

    def close(self) -> None:
        self._segment.close()


def _write_partition(directory: Path, place: _Place, records: int, chance: random.Random) -> int:
    log = _Segments(directory / f"{CONSUMER_OFFSETS}-{place.number}")
    while log.offset < records:
        pairs = _commit(chance, place, log.offset) if chance.random() > 0.001 else [_group(chance, place)]
        log.add(pairs, NOW_MS + log.offset)
    log.close()
    return log.offset


@cache
def _group_name(place: _Place, number: int) -> str:
    """A name whose hash leads to that log partition, as those that a coordinator writes there."""
    names = (f"service-{number}-consumers-{suffix}" for suffix in itertools.count())
    return next(name for name in names if partition_for(name, place.count) == place.number)


def _commit(chance: random.Random, place: _Place, offset: int) -> list[Pair]:
    number = chance.randrange(GROUPS // place.count)
    group, topic = _group_name(place, number), f"events.topic-{number % TOPICS}"
    kind = chance.random()
    if kind < 0.01:
        return [encode_record(OffsetErased(group, topic, chance.randrange(PARTITIONS)))]
    metadata = "" if kind < 0.9 else f"checkpoint-{offset}"
    topic_id = bytes([number % TOPICS]) * 16 if kind < 0.8 else None
    commits = [
        OffsetCommitted(group, topic, p, offset + p, 3, metadata, NOW_MS + offset, -1, topic_id)
        for p in range(chance.randint(1, PARTITIONS))
    ]
    return list(encode_records(commits))


def _group(chance: random.Random, place: _Place) -> Pair:
    number = chance.randrange(GROUPS // place.count)
    return _group_record(_group_name(place, number), f"events.topic-{number % TOPICS}", 5, 5)


def _group_record(group: str, topic: str, members: int, partitions: int) -> Pair:
    subscription = encode_subscription(Subscription([topic]))
    seats = tuple(
        StoredMember(
            f"member-{index}",
            None,
            "client",
            "/10.0.0.1",
            300_000,
            45_000,
            subscription,
            encode_assignment(Assignment([(topic, list(range(index, partitions, members)))])),
        )
        for index in range(members)
    )
    return encode_record(GroupStored(group, "consumer", 1, "range", "member-0", NOW_MS, seats))
