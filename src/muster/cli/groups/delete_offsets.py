"""`muster groups delete-offsets GROUP --topic T[:0,1]`: forget commits. Not of topics that members still read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.groups.chosen import described, unknown_group
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show
from muster.cli.support.topic_places import parse_place

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.partitions import TopicPartition

_COMMAND: Final = "groups delete-offsets"
_COLUMNS: Final = (
    Column("group", "group"),
    Column("topic", "topic"),
    Column("partition", "partition", right=True),
    Column("deleted", "deleted", render=lambda yes: "yes" if yes else "no"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("group", metavar="GROUP")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--topic", metavar="T[:0,1]", action="append", help="a topic, or some of its partitions")
    which.add_argument("--all-topics", action="store_true", help="everything that the group has committed")
    parser.add_argument("--json", action="store_true", help="a JSON object a partition")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import delete_offsets
        from muster.client.failure import ClientError
        from muster.wire.errors import GROUP_ID_NOT_FOUND

        group = arguments.group
        try:
            outcome = await delete_offsets(cluster, group, await _chosen(cluster, arguments))
        except ClientError as failure:
            if failure.code == GROUP_ID_NOT_FOUND:
                raise await unknown_group(cluster, group, "delete offsets of") from None
            raise
        rows = [
            {
                "group": group,
                "topic": place.topic,
                "partition": place.partition,
                "deleted": failure is None,
                "error": failure.name if failure else None,
            }
            for place, failure in sorted(outcome.items(), key=lambda item: item[0])
        ]
        for text in dict.fromkeys(f"{place.topic}: {f.name}. {f.hint}" for place, f in outcome.items() if f):
            note(_COMMAND, f"group {group}, topic {text}")
        show(_COLUMNS, rows, as_json=arguments.json, empty="nothing is committed")
        return DONE if all(failure is None for failure in outcome.values()) else FAILED

    return run_with_cluster(_COMMAND, arguments, work)


async def _chosen(cluster: Cluster, arguments: argparse.Namespace) -> list[TopicPartition]:
    """Partitions with commits: the topic itself may be gone, its commits are what this is about."""
    from muster.client.admin import committed_offsets
    from muster.client.failure import ClientError
    from muster.client.partitions import spread
    from muster.wire.errors import UNKNOWN_TOPIC_OR_PARTITION

    committed = sorted(await committed_offsets(cluster, arguments.group))
    if not committed:
        await described(cluster, arguments.group)  # says so if there is no such group
    if arguments.all_topics:
        return committed
    chosen: list[TopicPartition] = []
    for topic, numbers in (parse_place(text, "--topic") for text in arguments.topic):
        mine = [place for place in committed if place.topic == topic]
        if not mine and numbers is None:
            topics = ", ".join(dict.fromkeys(place.topic for place in committed)) or "nothing"
            asked, hint = f"delete offsets of group {arguments.group} in topic {topic}", f"It has for {topics}"
            raise ClientError(UNKNOWN_TOPIC_OR_PARTITION, asked, "the group has no commit there", hint)
        chosen += mine if numbers is None else spread([(topic, numbers)])
    return list(dict.fromkeys(chosen))
