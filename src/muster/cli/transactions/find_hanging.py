"""`muster transactions find-hanging`: transactions that are open in a partition, and that no coordinator will end.

A partition's open transaction hangs if it is older than any transaction may become, and its coordinator either does not know the
producer id, has the transaction in another state, or does not count the partition among those of the transaction.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import run_with_cluster, side_by_side
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show
from muster.cli.support.time_spans import now_ms, parse_span
from muster.cli.support.topic_places import places_of
from muster.cli.transactions.rows import duration_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.client.cluster import Cluster
    from muster.client.partitions import TopicPartition
    from muster.client.transactions import ProducerState, TransactionDescription

_COLUMNS: Final = (
    Column("topic", "topic"),
    Column("partition", "partition", right=True),
    Column("producer", "producer_id", right=True),
    Column("epoch", "producer_epoch", right=True),
    Column("start", "start_offset", right=True),
    Column("silent", "silent_ms", right=True, render=duration_text),
    Column("transaction", "transactional_id"),
    Column("why", "why"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--topic",
        metavar="T[:0,1]",
        action="append",
        help="a topic, or some of its partitions; all topics if not given",
    )
    parser.add_argument(
        "--longer-than",
        metavar="SPAN",
        default="15min",
        help="no record for so long (15min, the largest transaction.timeout.ms that Kafka allows by default)",
    )
    parser.add_argument("--json", action="store_true", help="a JSON object a transaction and partition")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import describe_producers, list_topics

        oldest_ms = now_ms() - parse_span(arguments.longer_than, "--longer-than")
        topics = arguments.topic or [each.name for each in await list_topics(cluster, internal=True)]
        found = await describe_producers(cluster, await places_of(cluster, topics, "--topic"))
        suspects = [
            (place, producer)
            for place, producers in found.items()
            for producer in producers
            if producer.start_offset is not None and producer.last_timestamp_ms <= oldest_ms
        ]
        rows = await _judged(cluster, suspects)
        show(_COLUMNS, rows, as_json=arguments.json, empty="no transaction hangs")
        return DONE

    return run_with_cluster("transactions find-hanging", arguments, work)


async def _judged(cluster: Cluster, suspects: list[tuple[TopicPartition, ProducerState]]) -> list[dict[str, Any]]:
    from muster.client.admin import describe_transaction, list_transactions
    from muster.client.failure import ClientError

    if not suspects:
        return []
    producer_ids = list(dict.fromkeys(producer.producer_id for _, producer in suspects))
    listed = await list_transactions(cluster, producer_ids=producer_ids)
    answers = await side_by_side([partial(describe_transaction, cluster, each.transactional_id) for each in listed])
    known: dict[int, TransactionDescription] = {}
    for answer in answers:
        if not isinstance(answer, ClientError):  # one that has expired since is unknown
            known[answer.producer_id] = answer
    return [row for place, producer in suspects if (row := _row(place, producer, known)) is not None]


def _row(
    place: TopicPartition, producer: ProducerState, known: Mapping[int, TransactionDescription]
) -> dict[str, Any] | None:
    """None: its coordinator will end it."""
    transaction = known.get(producer.producer_id)
    if transaction is None:
        why = "no coordinator knows the producer id"
    elif not transaction.is_open:
        why = f"its coordinator says {transaction.state}"
    elif place not in transaction.partitions:
        why = "the partition is not in the transaction"
    else:
        return None
    return {
        "topic": place.topic,
        "partition": place.partition,
        "producer_id": producer.producer_id,
        "producer_epoch": producer.producer_epoch,
        "coordinator_epoch": producer.coordinator_epoch,
        "start_offset": producer.start_offset,
        "silent_ms": max(0, now_ms() - producer.last_timestamp_ms),
        "transactional_id": None if transaction is None else transaction.transactional_id,
        "why": why,
    }
