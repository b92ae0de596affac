"""Where the readable end of partitions lies, asked of their leader: what is just before the last stable offset is looked at.

ListOffsets counts markers and aborted records like any other (traps 8 and 9). A marker is a small batch, so few bytes of each
partition tell whether one is there; only of what was aborted more is fetched. What cannot be found out so is left out, not guessed:
no right to read the topic, a reader that is over its quota, or an aborted transaction that is too long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from muster.pipeline.sources.batch_scan import scan_batches
from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.record_columns import is_control, read_headers
from muster.pipeline.sources.stable_ends import StableEnd, is_commit, stable_end
from muster.wire.errors import NONE
from muster.wire.generated.fetch import FetchResponsePartition

Place: TypeAlias = tuple[str, int]

_MARKER_BYTES: Final = 256
"""Room for one marker, which has 78 bytes. A batch that does not fit is not sent, so it is none."""
_ABORTED_BYTES: Final = 1 << 20
"""How much of an aborted transaction is looked at."""
_MOST_LOOKS: Final = 8
"""Markers of so many producers may follow each other at the end of a partition."""


@dataclass(slots=True)
class _Tail:
    """The end of one partition: no record of [at, lso) is readable."""

    place: Place
    log_start: int
    lso: int
    at: int
    is_found: bool = False
    """What lies before `at` is readable, or there is nothing."""


def readable_ends(client: BrokerClient, leader: int, stable: Mapping[Place, tuple[int, int]]) -> dict[Place, int]:
    """`stable`: where each partition begins, and its last stable offset. Partitions whose readable end is not known are missing."""
    tails = [_Tail(place, start, lso, lso, is_found=lso <= start) for place, (start, lso) in stable.items()]
    waiting = [tail for tail in tails if not tail.is_found]
    for _ in range(_MOST_LOOKS):
        if not waiting:
            break
        answers = client.fetch_committed(leader, {tail.place: tail.at - 1 for tail in waiting}, _MARKER_BYTES)
        known = [tail for tail in waiting if tail.place in answers and _look(client, leader, tail, answers[tail.place])]
        waiting = [tail for tail in known if not tail.is_found]
    return {tail.place: tail.at for tail in tails if tail.is_found}


def _look(client: BrokerClient, leader: int, tail: _Tail, answer: FetchResponsePartition) -> bool:
    """Moves the tail over the marker that is there, and over what it aborted. False: it cannot be known."""
    if answer.error_code != NONE:
        return False
    buf = bytes(answer.records or b"")
    positions = scan_batches(buf).positions[:1]
    marker = read_headers(buf, positions)
    if not positions or not is_control(marker)[0] or marker["base_offset"][0] >= tail.at:
        tail.is_found = True
        return True
    aborted = {each.producer_id: each.first_offset for each in answer.aborted_transactions or ()}
    first = aborted.get(int(marker["producer_id"][0]))
    if is_commit(buf, 0) or first is None:
        tail.at = int(marker["base_offset"][0])
    elif not _pass_aborted(client, leader, tail, first):
        return False
    tail.is_found = tail.is_found or tail.at <= tail.log_start
    return True


def _pass_aborted(client: BrokerClient, leader: int, tail: _Tail, first: int) -> bool:
    """What was written since the first record of an aborted transaction may hold readable records of others."""
    first = max(first, tail.log_start)
    error, buf = client.fetch(leader, *tail.place, first, _ABORTED_BYTES)
    positions = scan_batches(buf).positions
    headers = read_headers(buf, positions)
    ends = headers["base_offset"].astype(np.int64) + headers["last_offset_delta"] + 1
    if error != NONE or not len(ends) or ends[-1] < tail.lso:
        return False
    inside = headers["base_offset"] < tail.lso
    headers = headers[inside]
    commits = [is_commit(buf, positions[row]) for row in np.flatnonzero(is_control(headers))]
    stable = stable_end(headers, commits, StableEnd(first, first), tail.lso)
    tail.at, tail.is_found = stable.readable_end, stable.readable_end > first
    return stable.lso == tail.lso
