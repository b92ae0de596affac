"""`muster transactions abort`: one by its transactional id, or one that hangs in a partition. A dry run unless --execute is said.

By id the coordinator aborts it in all of its partitions, and whoever had the id is fenced. At a partition an abort marker is
written there and nowhere else, and the coordinator is not asked: only for what `find-hanging` finds.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.numbers import int64
from muster.cli.support.tables import Column, show
from muster.cli.support.topic_places import places_of
from muster.cli.support.usage_error import UsageError
from muster.cli.transactions.rows import described, duration_text, partitions_text, transaction_row

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.partitions import TopicPartition
    from muster.client.transactions import ProducerState

_COMMAND: Final = "transactions abort"
_BY_ID: Final = (
    Column("transaction", "transactional_id"),
    Column("state", "state"),
    Column("producer", "producer_id", right=True),
    Column("epoch", "producer_epoch", right=True),
    Column("open", "open_ms", right=True, render=duration_text),
    Column("partitions", "partitions", render=partitions_text),
    Column("outcome", "outcome"),
)
_AT_PARTITION: Final = (
    Column("topic", "topic"),
    Column("partition", "partition", right=True),
    Column("producer", "producer_id", right=True),
    Column("epoch", "producer_epoch", right=True),
    Column("start", "start_offset", right=True),
    Column("transaction", "transactional_id"),
    Column("outcome", "outcome"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "transactional_id", metavar="ID", nargs="?", help="the transactional id whose transaction is open"
    )
    hanging = parser.add_argument_group("one that hangs in a partition")
    hanging.add_argument("--topic", metavar="T:0", help="the partition; with one of the next two")
    hanging.add_argument("--start-offset", metavar="OFFSET", type=int64, help="of the transaction's first record there")
    hanging.add_argument("--producer-id", metavar="ID", type=int64, help="of its producer")
    do = parser.add_mutually_exclusive_group()
    do.add_argument("--dry-run", action="store_true", help="only show what would happen (the default)")
    do.add_argument("--execute", action="store_true", help="do it")
    parser.add_argument("--json", action="store_true", help="a JSON object for the transaction")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        at_partition = (arguments.topic, arguments.start_offset, arguments.producer_id) != (None, None, None)
        if at_partition == (arguments.transactional_id is not None):
            raise UsageError(
                "name a transactional id, or a partition by --topic T:0 and what is open there: one of both"
            )
        if arguments.transactional_id is not None:
            row, code = await _abort_by_id(cluster, arguments)
        else:
            row, code = await _abort_at_partition(cluster, arguments)
        show(_AT_PARTITION if at_partition else _BY_ID, [row], as_json=arguments.json)
        if code == DONE and not arguments.execute and not arguments.json:
            note(_COMMAND, "this was a dry run; add --execute to do it")
        return code

    return run_with_cluster(_COMMAND, arguments, work)


async def _abort_by_id(cluster: Cluster, arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    from muster.client.admin import fence_producer
    from muster.client.transactions import ONGOING

    transaction = await described(cluster, arguments.transactional_id)
    row = transaction_row(transaction)
    if transaction.state != ONGOING:
        decided = "its end is decided already" if transaction.is_open else "no transaction is open"
        note(_COMMAND, f"{transaction.transactional_id} is {transaction.state}: {decided}")
        return row | {"outcome": "nothing to abort"}, FAILED
    if not arguments.execute:
        return row | {"outcome": "would be aborted"}, DONE
    producer_id, epoch = await fence_producer(cluster, transaction.transactional_id, transaction.timeout_ms)
    return row | {"outcome": f"aborted; producer {producer_id} has epoch {epoch} now"}, DONE


async def _abort_at_partition(cluster: Cluster, arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    from muster.client.admin import describe_producers, write_abort_marker

    if arguments.topic is None or (arguments.start_offset is None) == (arguments.producer_id is None):
        raise UsageError("say which partition by --topic T:0, and which transaction by --start-offset or --producer-id")
    places = await places_of(cluster, [arguments.topic], "--topic")
    if len(places) != 1:
        raise UsageError(f"--topic {arguments.topic}: name one partition, as in {places[0].topic}:0")
    (place,) = places
    producers = (await describe_producers(cluster, places))[place]
    producer = _meant(producers, place, arguments.start_offset, arguments.producer_id)
    row = {
        "topic": place.topic,
        "partition": place.partition,
        "producer_id": producer.producer_id,
        "producer_epoch": producer.producer_epoch,
        "coordinator_epoch": producer.coordinator_epoch,
        "start_offset": producer.start_offset,
        "transactional_id": await _known_as(cluster, producer),
    }
    if not arguments.execute:
        return row | {"outcome": "an abort marker would be written"}, DONE
    await write_abort_marker(cluster, place, producer)
    return row | {"outcome": "aborted in this partition"}, DONE


async def _known_as(cluster: Cluster, producer: ProducerState) -> str | None:
    """The transactional id of the producer, with a warning if its coordinator has a transaction open: that one does not hang."""
    from muster.client.admin import list_transactions
    from muster.client.transactions import OPEN_STATES

    for listed in await list_transactions(cluster, producer_ids=[producer.producer_id]):
        if listed.state in OPEN_STATES:
            name = listed.transactional_id
            note(
                _COMMAND, f"the coordinator has transaction {name} as {listed.state}: `abort {name}` ends it everywhere"
            )
        return listed.transactional_id
    return None


def _meant(
    producers: list[ProducerState], place: TopicPartition, start_offset: int | None, producer_id: int | None
) -> ProducerState:
    from muster.client.failure import ClientError
    from muster.wire.errors import INVALID_TXN_STATE

    ongoing = [each for each in producers if each.start_offset is not None]
    for each in ongoing:
        if start_offset == each.start_offset or producer_id == each.producer_id:
            return each
    wanted = f"begins at offset {start_offset}" if start_offset is not None else f"is of producer {producer_id}"
    there = ", ".join(f"{each.start_offset} (producer {each.producer_id})" for each in ongoing) or "none"
    raise ClientError(
        INVALID_TXN_STATE,
        f"abort a transaction in {place}",
        f"no open transaction {wanted}",
        f"Open there, by start offset: {there}",
    )
