"""`muster topics describe NAME...`: partitions with their leaders and extents, and the settings that are not defaults."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, print_json_lines, show
from muster.cli.support.topic_places import known_topics
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.partitions import TopicPartition
    from muster.client.topics import PartitionDescription, TopicDescription

_COMMAND: Final = "topics describe"
_TOPIC: Final = (
    Column("topic", "topic"),
    Column("id", "id"),
    Column("partitions", "partition_count", right=True),
    Column("replicas", "replicas", right=True),
    Column("records", "records", right=True),
)
_PARTITIONS: Final = (
    Column("topic", "topic"),
    Column("partition", "partition", right=True),
    Column("leader", "leader", right=True),
    Column("replicas", "replicas"),
    Column("in-sync", "in_sync"),
    Column("start", "start", right=True),
    Column("end", "end", right=True),
)
_SETTINGS: Final = (Column("setting", "name"), Column("value", "value"), Column("from", "source"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--all", action="store_true", help="every topic, without the brokers' own")
    parser.add_argument("--configs", action="store_true", help="every setting, also those at their defaults")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--unavailable", action="store_true", help="only partitions that have no leader")
    only.add_argument("--under-replicated", action="store_true", help="only partitions with replicas that lag behind")
    parser.add_argument("--json", action="store_true", help="a JSON object a topic")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        if bool(arguments.names) == arguments.all:
            raise UsageError("which topic? Name one or several, or say --all")
        names = arguments.names or await _all_names(cluster)
        shown = 0
        for described in await known_topics(cluster, names, "describe"):
            facts = await _facts(cluster, described, arguments)
            if arguments.json:
                print_json_lines([facts])
            else:
                if shown:
                    print()
                _print(facts)
            shown += 1
        if not shown:
            note(_COMMAND, "no topics")
        return DONE

    return run_with_cluster(_COMMAND, arguments, work)


async def _all_names(cluster: Cluster) -> list[str]:
    from muster.client.admin import list_topics

    return [each.name for each in await list_topics(cluster)]


async def _facts(cluster: Cluster, topic: TopicDescription, arguments: argparse.Namespace) -> dict[str, Any]:
    partitions = [each for each in topic.partitions if _is_wanted(each, arguments)]
    extents = await _extents(cluster, topic)
    rows = [_partition_row(topic.name, each, extents.get(each.partition)) for each in partitions]
    known = list(extents.values())
    return {
        "topic": topic.name,
        "id": str(UUID(bytes=topic.topic_id)) if any(topic.topic_id) else None,
        "internal": topic.is_internal,
        "partition_count": len(topic.partitions),
        "replicas": max((len(each.replicas) for each in topic.partitions), default=0),
        "records": sum(end - start for start, end in known) if len(known) == len(topic.partitions) else None,
        "partitions": [{name: row[name] for name in row if name != "topic"} for row in rows],
        "settings": await _settings(cluster, topic.name, everything=arguments.configs),
    }


def _is_wanted(partition: PartitionDescription, arguments: argparse.Namespace) -> bool:
    if arguments.unavailable:
        return partition.leader < 0
    return not arguments.under_replicated or len(partition.in_sync) < len(partition.replicas)


async def _extents(cluster: Cluster, topic: TopicDescription) -> dict[int, tuple[int, int]]:
    """Partition -> first offset and end. Partitions without a leader, and topics one may not read, have none to show."""
    from muster.client.admin import EARLIEST, LATEST, TopicPartition, list_offsets
    from muster.client.failure import ClientError

    places: list[TopicPartition] = [
        TopicPartition(topic.name, each.partition) for each in topic.partitions if each.leader >= 0
    ]
    try:
        starts = await list_offsets(cluster, dict.fromkeys(places, EARLIEST))
        ends = await list_offsets(cluster, dict.fromkeys(places, LATEST))
    except ClientError as failure:
        note(_COMMAND, failure)
        return {}
    return {place.partition: (starts[place].offset, ends[place].offset) for place in places}


async def _settings(cluster: Cluster, topic: str, *, everything: bool) -> list[dict[str, Any]]:
    from muster.client.admin import topic_configs
    from muster.client.failure import ClientError

    try:
        found = await topic_configs(cluster, topic)
    except ClientError as failure:  # it takes a right of its own
        note(_COMMAND, failure)
        return []
    return [
        {"name": each.name, "value": "(secret)" if each.is_sensitive else each.value, "source": each.source}
        for each in found
        if everything or each.source == "topic"
    ]


def _partition_row(topic: str, partition: PartitionDescription, extent: tuple[int, int] | None) -> dict[str, Any]:
    return {
        "topic": topic,
        "partition": partition.partition,
        "leader": partition.leader if partition.leader >= 0 else None,
        "replicas": list(partition.replicas),
        "in_sync": list(partition.in_sync),
        "leader_epoch": partition.leader_epoch if partition.leader_epoch >= 0 else None,
        "start": extent[0] if extent else None,
        "end": extent[1] if extent else None,
    }


def _print(facts: dict[str, Any]) -> None:
    show(_TOPIC, [facts], as_json=False)
    if facts["partitions"]:
        print()
        show(_PARTITIONS, [{"topic": facts["topic"], **each} for each in facts["partitions"]], as_json=False)
    if facts["settings"]:
        print()
        show(_SETTINGS, facts["settings"], as_json=False)
