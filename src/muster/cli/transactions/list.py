"""`muster transactions list`: which transactional ids there are, by state, producer id, age or pattern."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.cluster_command import note, run_with_cluster, side_by_side
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.numbers import int64
from muster.cli.support.tables import Column, show
from muster.cli.support.time_spans import parse_span
from muster.cli.support.word_choice import chosen_words
from muster.cli.transactions.rows import duration_text, partitions_text, transaction_row

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.transactions import TransactionListing

_COMMAND: Final = "transactions list"
_COLUMNS: Final = (
    Column("transaction", "transactional_id"),
    Column("state", "state"),
    Column("producer", "producer_id", right=True),
    Column("coordinator", "coordinator", right=True),
)
_VERBOSE: Final = (
    Column("epoch", "producer_epoch", right=True),
    Column("timeout", "timeout_ms", right=True, render=duration_text),
    Column("open", "open_ms", right=True, render=duration_text),
    Column("partitions", "partitions", render=partitions_text),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", metavar="STATE", action="append", help="only these; with commas, or repeated")
    parser.add_argument(
        "--producer-id",
        metavar="ID",
        type=int64,
        action="append",
        default=[],
        help="only of this producer id; repeatable",
    )
    parser.add_argument(
        "--longer-than",
        metavar="SPAN",
        help="only what began longer ago: 90s, 5min, 2h; ids without a transaction are listed too, as in Kafka",
    )
    parser.add_argument("--pattern", metavar="RE2", help="only ids that this regular expression matches as a whole")
    parser.add_argument("--verbose", action="store_true", help="epoch, timeout, age and partitions too")
    parser.add_argument("--json", action="store_true", help="a JSON object a transactional id")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import list_transactions
        from muster.client.transactions import STATES

        states = chosen_words(arguments.state, "--state", STATES)
        duration_ms = parse_span(arguments.longer_than, "--longer-than") if arguments.longer_than else -1
        listed = await list_transactions(cluster, states, arguments.producer_id, duration_ms, arguments.pattern)
        rows, code = [_row(each) for each in listed], DONE
        if arguments.verbose:
            code = await _add_details(cluster, rows)
        columns = (*_COLUMNS, *_VERBOSE) if arguments.verbose else _COLUMNS
        show(columns, rows, as_json=arguments.json, empty="no transactional ids")
        return code

    return run_with_cluster(_COMMAND, arguments, work)


def _row(listed: TransactionListing) -> dict[str, Any]:
    return {
        "transactional_id": listed.transactional_id,
        "state": listed.state,
        "producer_id": listed.producer_id,
        "coordinator": listed.coordinator,
    }


async def _add_details(cluster: Cluster, rows: list[dict[str, Any]]) -> int:
    """Each as it is now: a state may be another one than the list had."""
    from muster.client.admin import describe_transaction
    from muster.client.failure import ClientError

    code = DONE
    found = await side_by_side([partial(describe_transaction, cluster, row["transactional_id"]) for row in rows])
    for row, described in zip(rows, found, strict=True):
        if isinstance(described, ClientError):
            note(_COMMAND, described)
            code = FAILED
            row |= {"producer_epoch": None, "timeout_ms": None, "start_ms": None, "open_ms": None, "partitions": None}
        else:
            row |= transaction_row(described)
    return code
