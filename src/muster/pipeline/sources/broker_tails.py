"""Where the readable end of partitions lies, asked of their leader: what is just before the last stable offset is looked at.

ListOffsets counts markers and aborted records like any other (traps 8 and 9). A marker is a small batch, so few bytes of each
partition tell whether one is there; only of what was aborted more is fetched. What cannot be found out so is left out, not guessed:
no right to read the topic, a reader that is over its quota, or an aborted transaction that is too long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from muster.pipeline.sources.batch_scan import scan_batches
from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.record_columns import Numbers, is_control, read_headers
from muster.pipeline.sources.stable_ends import is_commit
from muster.wire.batch import TRANSACTIONAL_BIT
from muster.wire.errors import NONE
from muster.wire.generated.fetch import FetchResponseAbortedTransaction, FetchResponsePartition

Place: TypeAlias = tuple[str, int]

_MARKER_BYTES: Final = 256
"""Room for one marker, which has 78 bytes. A batch that does not fit is not sent, so it is none."""
_ABORTED_BYTES: Final = 1 << 20
"""How much of an aborted transaction is looked at."""
_MOST_LOOKS: Final = 8
"""Markers of so many producers may follow each other at the end of a partition."""


class Bounds(NamedTuple):
    """What ListOffsets says of a partition."""

    log_start: int
    lso: int
    leo: int


@dataclass(slots=True)
class _Tail:
    """The end of one partition: no record of [at, lso) is readable."""

    place: Place
    bounds: Bounds
    at: int
    is_found: bool = False
    """What lies before `at` is readable, or there is nothing."""


def readable_ends(client: BrokerClient, leader: int, bounds: Mapping[Place, Bounds]) -> dict[Place, int]:
    """Partitions whose readable end is not known are missing."""
    tails = [_Tail(place, each, each.lso, is_found=each.lso <= each.log_start) for place, each in bounds.items()]
    waiting = [tail for tail in tails if not tail.is_found]
    for _ in range(_MOST_LOOKS):
        if not waiting:
            break
        answers = client.fetch_together(leader, {tail.place: tail.at - 1 for tail in waiting}, _MARKER_BYTES)
        look = _Look(client, leader)
        known = [tail for tail in waiting if tail.place in answers and look.at_end(tail, answers[tail.place])]
        waiting = [tail for tail in known if not tail.is_found]
    return {tail.place: tail.at for tail in tails if tail.is_found}


@dataclass(frozen=True, slots=True)
class _Look:
    """Moves a tail over markers and over what was aborted. False: it cannot be known."""

    client: BrokerClient
    leader: int

    def at_end(self, tail: _Tail, answer: FetchResponsePartition) -> bool:
        """`answer` has what lies before `tail.at`, if it fits."""
        if answer.error_code != NONE:
            return False
        if not answer.records and tail.bounds.lso < tail.bounds.leo:
            # A batch of an aborted transaction, perhaps: its marker may lie behind the last stable offset.
            whole = self._more(tail, tail.at - 1)
            if whole is None:
                return False
            answer = whole
        aborted = [each.first_offset for each in answer.aborted_transactions or () if each.first_offset < tail.at]
        if aborted:
            return self._at_aborted(tail, max(min(aborted), tail.bounds.log_start))
        buf = bytes(answer.records or b"")
        headers = read_headers(buf, scan_batches(buf).positions[:1])
        if len(headers) and is_control(headers)[0] and headers["base_offset"][0] < tail.at:
            tail.at = int(headers["base_offset"][0])
            tail.is_found = tail.at <= tail.bounds.log_start
        else:
            tail.is_found = True
        return True

    def _at_aborted(self, tail: _Tail, first: int) -> bool:
        """What was written since the first record of an aborted transaction may hold readable records of others."""
        answer = self._more(tail, first)
        if answer is None:
            return False
        buf = bytes(answer.records or b"")
        positions = scan_batches(buf).positions
        headers = read_headers(buf, positions)
        ends = headers["base_offset"].astype(np.int64) + headers["last_offset_delta"] + 1
        if not len(ends) or ends[-1] < tail.at:
            return False
        aborted = answer.aborted_transactions or ()
        rows = _readable(buf, positions, headers, aborted)
        readable = [int(ends[row]) for row in rows if ends[row] <= tail.at]
        tail.at = max(readable, default=first)
        tail.is_found = bool(readable) or tail.at <= tail.bounds.log_start
        earlier = min((each.first_offset for each in aborted), default=first)
        if not tail.is_found and earlier < first:  # a marker that was passed here belongs to what was written before
            return self._at_aborted(tail, max(earlier, tail.bounds.log_start))
        return True

    def _more(self, tail: _Tail, offset: int) -> FetchResponsePartition | None:
        answer = self.client.fetch_together(self.leader, {tail.place: offset}, _ABORTED_BYTES).get(tail.place)
        return answer if answer is not None and answer.error_code == NONE else None


def _readable(
    buf: bytes, positions: Sequence[int], headers: Numbers, aborted: Sequence[FetchResponseAbortedTransaction]
) -> Iterator[int]:
    """The batches that a consumer hands on, as KIP-98 has it: an aborted transaction lasts from its first offset to its marker."""
    to_come = sorted((each.first_offset, each.producer_id) for each in aborted)
    dropped: set[int] = set()
    control = is_control(headers)
    for row, (base, producer) in enumerate(
        zip(headers["base_offset"].tolist(), headers["producer_id"].tolist(), strict=True)
    ):
        while to_come and to_come[0][0] <= base:
            dropped.add(to_come.pop(0)[1])
        if control[row]:
            if not is_commit(buf, positions[row]):
                dropped.discard(producer)
        elif producer not in dropped or not headers["attributes"][row] & TRANSACTIONAL_BIT:
            yield row
