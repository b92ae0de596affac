"""A small random history as the data directory of a broker, written in two parts, so that a run can come between them.

Classic groups by the real coordinator with their journal, a KIP-848 group, committers without members, transactions that commit,
abort or stay open, deletions, records that nobody can decode, and topics that grow meanwhile. Two log partitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from muster.core.consumer.records import (
    CurrentAssignment,
    CurrentErased,
    CurrentStored,
    EpochErased,
    EpochStored,
    MemberErased,
    MemberStored,
    Subscription,
    TargetEpochStored,
    TargetErased,
    TargetStored,
)
from muster.core.hashing import partition_for
from muster.core.journal import JournalEvent
from muster.core.records import LogRecord, OffsetCommitted, OffsetErased
from muster.log.record_codec import encode_record
from muster.wire.batch import Record, encode_batch
from tests.pipeline.fold.random_groups import random_script
from tests.pipeline.sources.written_log import ABORT, COMMIT, TOPIC, Pair, WrittenLog

JOURNAL = "__group_journal"
LOG_PARTITIONS, PARTITIONS = 2, 4
COMMITTERS = ("nightly", "audit", "shipping")
SECOND, MINUTE = 1_000, 60_000
TOPIC_ID = b"t" * 16
_LENGTH = 3 * 60 * MINUTE
_UNKNOWN_KEY, _BROKEN_KEY = b"\x00\x63\x00\x01g", b"\x00\x01\x00\x09short"


@dataclass(frozen=True, slots=True)
class Written:
    """One batch of one record, or the marker of a transaction."""

    at_ms: int
    log: str
    partition: int
    pair: Pair
    producer: int = -1
    is_marker: bool = False


class RandomData:
    def __init__(self, directory: Path, seed: int) -> None:
        self._random = Random(seed)
        self._logs = {
            (topic, number): WrittenLog(directory, topic, number)
            for topic, count in ((TOPIC, LOG_PARTITIONS), (JOURNAL, LOG_PARTITIONS), ("t", PARTITIONS))
            for number in range(count)
        }
        # Sorting keeps the order of what happens at one moment.
        self._waiting = sorted(self._history(), key=lambda each: each.at_ms)

    def write_half(self) -> None:
        """What comes first, up to a moment somewhere in the middle, and all of that moment: a run knows it as a whole."""
        last_ms = self._waiting[int(len(self._waiting) * self._random.uniform(0.3, 0.7))].at_ms
        self._write(sum(each.at_ms <= last_ms for each in self._waiting))

    def write_rest(self) -> None:
        self._write(len(self._waiting))

    def _write(self, count: int) -> None:
        for each in self._waiting[:count]:
            log = self._logs[each.log, each.partition]
            record = Record(log.end, each.at_ms, *each.pair)
            is_transactional = each.producer >= 0
            log.write(
                [record],
                encode_batch(
                    [record],
                    producer_id=each.producer,
                    producer_epoch=0 if is_transactional else -1,
                    transactional=is_transactional,
                    control=each.is_marker,
                    leader_epoch=3,
                ),
            )
        del self._waiting[:count]

    # -- what happens

    def _history(self) -> Iterator[Written]:
        start = 0
        for number in range(3):
            script = random_script(self._random)
            start = script.times[0]
            yield from self._classic(script, f"team-{number}")
        yield from self._consumers("modern", start)
        for number, group in enumerate(COMMITTERS):
            yield from self._commits(group, start, producer=number if number else -1)
        yield from self._appends(start)
        for key in (_UNKNOWN_KEY, _BROKEN_KEY):
            yield Written(start + self._random.randrange(_LENGTH), TOPIC, 0, (key, b"value"))

    def _classic(self, script: Any, group: str) -> Iterator[Written]:
        script.bronze()  # its last records get their times
        for record, at_ms in zip(script.log, script.times, strict=True):
            yield self._of_group(group, _renamed(record, 0, group), at_ms)
        for event in script.journal:
            said: JournalEvent = _renamed(event, 2, group)
            pair = group.encode(), json.dumps(said.to_json()).encode()
            yield Written(event.at_ms, JOURNAL, partition_for(group, LOG_PARTITIONS), pair)

    def _of_group(self, group: str, record: LogRecord, at_ms: int, producer: int = -1) -> Written:
        return Written(at_ms, TOPIC, partition_for(group, LOG_PARTITIONS), encode_record(record), producer)

    def _consumers(self, group: str, at_ms: int) -> Iterator[Written]:
        """Members come and go; some reach the new epoch late, some never."""
        here: list[str] = []
        for epoch in range(1, 9):
            at_ms += self._random.choice((SECOND, 20 * SECOND, 10 * MINUTE, 25 * MINUTE))
            records: list[LogRecord] = []
            if here and self._random.random() < 0.4:
                gone = here.pop(self._random.randrange(len(here)))
                records += [CurrentErased(group, gone), TargetErased(group, gone), MemberErased(group, gone)]
            else:
                here.append(f"member-{epoch}")
                records.append(MemberStored(group, here[-1], Subscription(client_id="app", topic_names=("t",))))
            records.append(EpochStored(group, epoch))
            for index, member in enumerate(here):
                mine = tuple(range(index, PARTITIONS, len(here)))
                records.append(TargetStored(group, member, {TOPIC_ID: mine} if mine else {}))
            records.append(TargetEpochStored(group, epoch, at_ms))
            yield from (self._of_group(group, record, at_ms) for record in records)
            for member in here:
                late_ms = self._random.choice((0, SECOND, 30 * SECOND, None))
                if late_ms is not None:
                    current = CurrentStored(group, member, CurrentAssignment(epoch, epoch - 1))
                    yield self._of_group(group, current, at_ms + late_ms)
        if self._random.random() < 0.3:
            yield self._of_group(group, EpochErased(group), at_ms + MINUTE)

    def _commits(self, group: str, at_ms: int, producer: int) -> Iterator[Written]:
        """Forwards, back now and then, deleted now and then; with a producer most are in transactions."""
        offset, end_ms = 0, at_ms + _LENGTH
        while (at_ms := at_ms + self._random.choice((3, 20, 90, 700)) * SECOND) < end_ms:
            offset = max(0, offset + self._random.choice((0, 5, 40, -30)))
            kept = [
                OffsetCommitted(group, "t", each, offset, 3, "", at_ms)
                for each in range(PARTITIONS)
                if self._random.random() < 0.6
            ]
            in_transaction = producer >= 0 and self._random.random() < 0.8
            for record in kept:
                yield self._of_group(group, record, at_ms, producer if in_transaction else -1)
            if kept and in_transaction:
                at_ms += self._random.choice((0, 1, 400)) * SECOND
                marker = self._random.choice((COMMIT, COMMIT, ABORT)), b"\0" * 6
                if at_ms < end_ms:  # else it stays open
                    place = partition_for(group, LOG_PARTITIONS)
                    yield Written(at_ms, TOPIC, place, marker, producer, is_marker=True)
            elif self._random.random() < 0.1:
                yield self._of_group(group, OffsetErased(group, "t", self._random.randrange(PARTITIONS)), at_ms)

    def _appends(self, start: int) -> Iterator[Written]:
        """Every partition has a record before a run can come between: that it is still empty is known only to who looked then."""
        for partition in range(PARTITIONS):
            yield Written(start, "t", partition, (None, b"an order"))
            for _ in range(self._random.randrange(150)):
                yield Written(start + self._random.randrange(_LENGTH), "t", partition, (None, b"an order"))


def _renamed(value: Any, place: int, group: str) -> Any:
    """The same record or event of another group, whose name is its argument number `place`."""
    arguments = [getattr(value, name) for name in value.__match_args__]
    return type(value)(*arguments[:place], group, *arguments[place + 1 :])
