"""`muster transactions describe ID...`: what the coordinator knows of each, and the groups whose offsets it holds back."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.cluster_command import note, run_with_cluster, side_by_side
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, print_json_lines, show
from muster.cli.transactions.rows import described, duration_text, partitions_text, transaction_row

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COMMAND: Final = "transactions describe"


def _moment(at_ms: int) -> str:
    from muster.explain.words import moment

    return moment(at_ms)


_COLUMNS: Final = (
    Column("transaction", "transactional_id"),
    Column("state", "state"),
    Column("producer", "producer_id", right=True),
    Column("epoch", "producer_epoch", right=True),
    Column("coordinator", "coordinator", right=True),
    Column("timeout", "timeout_ms", right=True, render=duration_text),
    Column("began", "start_ms", render=_moment),
    Column("open", "open_ms", right=True, render=duration_text),
)
_HELD: Final = (
    Column("group", "group"),
    Column("held", "partitions", render=partitions_text),
    Column("sure", "is_certain", render=lambda yes: "yes" if yes else "no: others are open there"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("transactional_ids", metavar="ID", nargs="+", help="these transactional ids")
    parser.add_argument("--json", action="store_true", help="a JSON object a transactional id, with all of it")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.failure import ClientError

        names = dict.fromkeys(arguments.transactional_ids)
        shown, code = 0, DONE
        for found in await side_by_side([partial(_facts, cluster, name) for name in names]):
            if isinstance(found, ClientError):
                note(_COMMAND, found)
                code = FAILED
            elif arguments.json:
                print_json_lines([found])
            else:
                if shown:
                    print()
                _print(found)
                shown += 1
        return code

    return run_with_cluster(_COMMAND, arguments, work)


async def _facts(cluster: Cluster, transactional_id: str) -> dict[str, Any]:
    from muster.client.failure import ClientError
    from muster.client.held_offsets import held_by

    found = await described(cluster, transactional_id)
    row = transaction_row(found)
    try:
        held = await held_by(cluster, found)
    except ClientError as failure:
        note(_COMMAND, failure)  # the rest is known all the same
        row["groups"] = None
        return row
    row["groups"] = [
        {
            "group": each.group_id,
            "partitions": [{"topic": place.topic, "partition": place.partition} for place in each.partitions],
            "is_certain": each.is_certain,
        }
        for each in held
    ]
    return row


def _print(row: dict[str, Any]) -> None:
    show(_COLUMNS, [row], as_json=False)
    if row["partitions"]:
        print(f"\npartitions without an end marker: {partitions_text(row['partitions'])}")
    if row["groups"]:
        print()
        show(_HELD, row["groups"], as_json=False)
