"""Samples of where topics end, from a live cluster: rows of `b_leo_sample`.

A sample holds at some moment between its begin and its end, on this machine's clock: before the question and after the answer.
Knows ListOffsets; the same facts out of a data directory come from `segment_end_offsets`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from muster.pipeline.sources.broker_client import (
    BrokerClient,
    ClusterView,
    TopicPartition,
)
from muster.pipeline.sources.broker_tails import Bounds, readable_ends
from muster.pipeline.sources.bronze_rows import date_text
from muster.topics.names import id_text
from muster.wire.errors import NONE
from muster.wire.generated.list_offsets import ListOffsetsResponsePartition
from muster.wire.special_values import EARLIEST, LATEST, MAX_TIMESTAMP, READ_COMMITTED

Answers: TypeAlias = Mapping[tuple[str, int], ListOffsetsResponsePartition]

SAMPLER: Final = "list_offsets"
_INTERNAL_PREFIX: Final = "__"


def wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


def by_leader(view: ClusterView, with_internal: bool = False) -> dict[int, list[TopicPartition]]:
    """The partitions that have a leader, by it; without those of internal topics."""
    found: dict[int, list[TopicPartition]] = {}
    for part in view.partitions:
        if with_internal or not part.topic.startswith(_INTERNAL_PREFIX):
            found.setdefault(part.leader, []).append(part)
    return found


def sample_of_leader(
    client: BrokerClient, leader: int, partitions: Sequence[TopicPartition], cluster: str, clock: Callable[[], int]
) -> list[dict[str, Any]]:
    """Rows of the partitions that answer; five questions in all, more where transactions ended last.

    The last stable offset is asked after the end and counts up to it: then records that came in between do not look like an open
    transaction.
    """
    names = [(part.topic, part.partition) for part in partitions]
    starts = client.list_offsets(leader, names, EARLIEST)
    newest = client.list_offsets(leader, names, MAX_TIMESTAMP)
    begin_ms = clock()
    ends = client.list_offsets(leader, names, LATEST)
    end_ms = max(begin_ms, clock())
    stable = _stable_offsets(client, leader, ends)
    bounds = {name: Bounds(_offset(starts.get(name)) or 0, lso, ends[name].offset) for name, lso in stable.items()}
    readable = readable_ends(client, leader, bounds)
    rows: list[dict[str, Any]] = []
    for part in partitions:
        name = (part.topic, part.partition)
        end, top = ends.get(name), newest.get(name)
        if end is None or end.error_code != NONE:
            continue  # it moved in between; the next sample has it
        has_top = top is not None and top.error_code == NONE and top.offset >= 0
        rows.append(
            {
                "cluster": cluster,
                "topic": part.topic,
                "partition": part.partition,
                "topic_id": id_text(part.topic_id) if any(part.topic_id) else None,
                "leo": end.offset,
                "lso": stable.get(name),
                "readable_end": readable.get(name),
                "log_start": _offset(starts.get(name)),
                "max_timestamp_ms": top.timestamp if top is not None and has_top else None,
                "max_timestamp_offset": top.offset if top is not None and has_top else None,
                "leader_epoch": part.leader_epoch if part.leader_epoch >= 0 else None,
                "begin_ms": begin_ms,
                "end_ms": end_ms,
                "sampler": SAMPLER,
                "dt": date_text(end_ms),
            }
        )
    return rows


def _stable_offsets(client: BrokerClient, leader: int, ends: Answers) -> dict[tuple[str, int], int]:
    """The last stable offset of each partition, not above its end."""
    known = {name: end.offset for name, end in ends.items() if end.error_code == NONE}
    answers = client.list_offsets(leader, list(known), LATEST, READ_COMMITTED) if known else {}
    stable = {name: _offset(answers.get(name)) for name in known}
    return {name: min(offset, known[name]) for name, offset in stable.items() if offset is not None}


def _offset(answer: ListOffsetsResponsePartition | None) -> int | None:
    return answer.offset if answer is not None and answer.error_code == NONE else None
