"""`muster cluster status DIRECTORY`: the workers of `muster serve --workers` on a data directory. Asks no server."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.tables import Column, Row, print_aligned


def print_workers(directory: str, *, as_json: bool) -> int:
    """FAILED if there are none, or one of them does not run."""
    from muster.cluster.worker_status import read_status

    found = read_status(directory)
    if found is None:
        print(f"muster cluster status: no workers run on {directory} (`muster serve --workers N`)", file=sys.stderr)
        return FAILED
    rows = [{**row, **counts} for row, counts in zip(found, _led(directory, len(found)), strict=True)]
    if as_json:
        for row in rows:
            print(json.dumps(row))
    else:
        _print_table(rows)
    return DONE if all(row["state"] == "running" for row in rows) else FAILED


def _led(directory: str, workers: int) -> list[dict[str, int]]:
    """By worker: what the rule gives it of the topics that there are."""
    from muster.cluster.plan import COORDINATING
    from muster.cluster.worker_shares import share_of
    from muster.topics.catalog_document import DOCUMENT, decode_catalog

    try:
        with open(f"{directory}/{DOCUMENT}", "rb") as file:
            content = file.read()
    except FileNotFoundError:
        content = None
    slots = [(topic.name, index) for topic in decode_catalog(content).topics for index in range(topic.partitions)]
    led = Counter(share_of(topic, index, workers) for topic, index in slots)
    coordinated = Counter(share_of(topic, index, workers) for topic, index in slots if topic == COORDINATING)
    return [
        {"partitions_led": led[number], "coordinator_partitions_led": coordinated[number]} for number in range(workers)
    ]


def _print_table(rows: Sequence[Row]) -> None:
    print_aligned(_COLUMNS, rows, sys.stdout)


def endpoints_text(endpoints: Mapping[str, str]) -> str:
    return ", ".join(f"{name}://{address}" for name, address in endpoints.items())


def _endpoints_and_last_end(row: Row) -> str:
    ended = f"  (last end: {row['last_end']})" if row["last_end"] else ""
    return endpoints_text(row["endpoints"]) + ended


_COLUMNS: Final = (
    Column("node", "node", right=True, min_width=5),
    Column("state", "state", min_width=8),
    Column("process", lambda row: str(row["process"] or "-"), right=True),
    Column("restarts", "restarts", right=True),
    Column("partitions", "partitions_led", right=True),
    Column("coordinating", "coordinator_partitions_led", right=True),
    Column("endpoints", _endpoints_and_last_end),
)
