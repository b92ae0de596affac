"""Batches of one log partition, fetched from whoever leads it now; and what it means when an answer holds none.

An answer without records below the end that was planned is no proof that the log is shorter. A new leader answers so until its high
watermark has caught up (KIP-207), and compaction may have taken the last records. So the high watermark of the answer is looked at,
the question is asked again for some seconds, and then ListOffsets decides. What is not known then raises SourceError: Spark tries
the task again, and the records are not passed over. Called by `broker`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from muster.client.failure import is_retriable
from muster.client.timing import Backoff
from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.failure import SourceError
from muster.wire.errors import NONE, OFFSET_OUT_OF_RANGE, name_of
from muster.wire.special_values import EARLIEST, LATEST

_PATIENCE_SECONDS: Final = 5.0
"""Pauses in all until a question is given up. Followers ask again each half second, which moves the high watermark."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """`raw` begins at `offset` or before it; with none, nothing is left of the stretch."""

    offset: int
    """What was asked for in the end: later than at first if retention or DeleteRecords took the beginning."""
    raw: bytes = b""
    cut_at: int | None = None
    """Where the log ends now, if that is before the planned end: it was cut or replaced."""


@dataclass(frozen=True, slots=True)
class _NotYet:
    """Why there is no answer so far."""

    reason: str
    read_to: int | None = None
    """Known if the leader answered as one does whose log ends before the planned end: there is no record before this offset."""


@dataclass(frozen=True, slots=True)
class PartitionFetch:
    """`end` is where the log partition ended when the stretch was planned."""

    client: BrokerClient
    topic: str
    partition: int
    end: int

    def fetch(self, offset: int, max_bytes: int) -> Fetched:
        """Raises SourceError if the partition cannot be read now."""
        backoff, paused = Backoff(), 0.0
        while isinstance(answer := self._once(offset, max_bytes), _NotYet):
            pause = backoff.next_seconds()
            if paused + pause > _PATIENCE_SECONDS:
                return self._cut(offset, answer)
            self.client.pause(pause)
            paused += pause
        return answer

    def _once(self, offset: int, max_bytes: int) -> Fetched | _NotYet:
        leader = self._leader()
        if leader is None:
            return _NotYet("has no leader now, or the topic is gone")
        error, raw, high_watermark = self.client.fetch(leader, self.topic, self.partition, offset, max_bytes)
        if error == OFFSET_OUT_OF_RANGE:
            return self._out_of_range(leader, offset, max_bytes)
        if error != NONE:
            return self._not_yet(offset, error)
        if raw or high_watermark >= self.end:  # without records then: compaction took what was there
            return Fetched(offset, raw)
        return _NotYet(f"can be read up to {high_watermark} only", read_to=max(offset, high_watermark))

    def _out_of_range(self, leader: int, offset: int, max_bytes: int) -> Fetched | _NotYet:
        """The offset lies before the log's start, or behind its end."""
        start = self._bound(leader, offset, EARLIEST)
        if isinstance(start, _NotYet):
            return start
        if start >= self.end:
            return Fetched(start)
        if start > offset:
            return self._once(start, max_bytes)
        return _NotYet(name_of(OFFSET_OUT_OF_RANGE), read_to=offset)

    def _cut(self, offset: int, last: _NotYet) -> Fetched:
        """Patience is at its end. Is the log shorter than it was?"""
        leader = None if last.read_to is None else self._leader()
        if leader is None or last.read_to is None:
            raise SourceError(f"{self._name}: cannot be fetched at offset {offset}: {last.reason}")
        end = self._bound(leader, offset, LATEST)
        if isinstance(end, _NotYet):
            raise SourceError(f"{self._name}: cannot be fetched at offset {offset}: {end.reason}")
        if end > last.read_to:
            raise SourceError(
                f"{self._name}: ends at {end}, but its leader gives no record from offset {offset} on: {last.reason}"
            )
        return Fetched(offset, cut_at=end)

    def _bound(self, leader: int, offset: int, which: int) -> int | _NotYet:
        said = self.client.list_offsets(leader, [(self.topic, self.partition)], which)[self.topic, self.partition]
        return said.offset if said.error_code == NONE else self._not_yet(offset, said.error_code)

    def _not_yet(self, offset: int, error: int) -> _NotYet:
        if not is_retriable(error):
            raise SourceError(f"{self._name}: cannot be fetched at offset {offset}: {name_of(error)}")
        return _NotYet(name_of(error))

    def _leader(self) -> int | None:
        found = self.client.metadata([self.topic]).partitions
        return next((part.leader for part in found if part.partition == self.partition), None)

    @property
    def _name(self) -> str:
        return f"{self.topic}-{self.partition}"
