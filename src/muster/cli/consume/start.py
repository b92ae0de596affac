"""Where reading begins and ends, without a group: which partitions, from which offsets, up to where."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from muster.cli.support.time_spans import parse_kafka_moment
from muster.cli.support.topic_places import parse_partitions, places_of
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.partitions import TopicPartition


async def chosen_partitions(cluster: Cluster, arguments: argparse.Namespace) -> list[TopicPartition]:
    texts = list(arguments.topics)
    if arguments.partition is not None:
        numbers = ",".join(map(str, parse_partitions(arguments.partition, f"--partition {arguments.partition}")))
        texts = [f"{topic}:{numbers}" for topic in texts]
    return await places_of(cluster, texts, "--partition" if arguments.partition is not None else "TOPIC")


async def start_offsets(
    cluster: Cluster, places: Sequence[TopicPartition], arguments: argparse.Namespace
) -> dict[TopicPartition, int]:
    """The end of each log unless something else was said. UsageError for an offset that no chosen log has."""
    from muster.client.admin import EARLIEST, list_offsets

    if arguments.since is not None:
        at_ms = max(0, parse_kafka_moment(arguments.since, "--since"))
        listed = await list_offsets(cluster, dict.fromkeys(places, at_ms))
        found = {place: each.offset for place, each in listed.items()}
        ends = await end_offsets(cluster, [place for place, offset in found.items() if offset < 0])
        return found | ends  # no record is that new: from the end on
    first = await list_offsets(cluster, dict.fromkeys(places, EARLIEST))
    starts = {place: each.offset for place, each in first.items()}
    if arguments.from_beginning:
        return starts
    ends = await end_offsets(cluster, places)
    if arguments.offset is None:
        return ends
    if arguments.offset < 0:
        return {place: max(starts[place], ends[place] + arguments.offset) for place in places}
    for place in places:
        if not starts[place] <= arguments.offset <= ends[place]:
            has = f"it has {starts[place]} to {ends[place] - 1}" if ends[place] > starts[place] else "it is empty"
            raise UsageError(f"--offset {arguments.offset}: not in {place}; {has}")
    return dict.fromkeys(places, arguments.offset)


async def end_offsets(
    cluster: Cluster, places: Sequence[TopicPartition], *, read_committed: bool = False
) -> dict[TopicPartition, int]:
    from muster.client.admin import LATEST, list_offsets

    listed = await list_offsets(cluster, dict.fromkeys(places, LATEST), read_committed=read_committed)
    return {place: each.offset for place, each in listed.items()}


def check_consume(arguments: argparse.Namespace) -> None:
    """UsageError for flags that contradict each other."""
    if arguments.max is not None and arguments.max < 1:
        raise UsageError(f"--max {arguments.max}: give 1 or more")
    given = [
        flag
        for flag, value in (
            ("--from-beginning", arguments.from_beginning or None),
            ("--offset", arguments.offset),
            ("--since", arguments.since),
        )
        if value is not None
    ]
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]}: choose one of them")
    if arguments.group is None:
        for flag, value in (
            ("--protocol", arguments.protocol),
            ("--no-commit", arguments.no_commit),
            ("--instance-id", arguments.instance_id),
        ):
            if value:
                raise UsageError(f"{flag} is for members: name the group with --group")
        return
    for flag, value in (
        ("--offset", arguments.offset),
        ("--since", arguments.since),
        ("--partition", arguments.partition),
    ):
        if value is not None:
            hint = "the group says where; `muster groups reset-offsets` changes it"
            raise UsageError(f"{flag} does not go with --group: {hint}")
