"""What was recorded of a real Kafka 4.3.1 in which clients used transactions: bodies on the wire, and segments on disk.

`record_transactions` writes it. Bodies and batches are as they were, so ids and times are those of that run.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

RECORDED: Final = Path(__file__).with_name("transactions.json")
WATCHED: Final = (
    "InitProducerId",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "EndTxn",
    "WriteTxnMarkers",
    "TxnOffsetCommit",
    "DescribeProducers",
    "DescribeTransactions",
    "ListTransactions",
)


@cache
def _recorded() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(RECORDED.read_text())
    return content


def recorded_bodies() -> list[tuple[str, str, int, str, str]]:
    """(client, API, version, direction, body in hex). The client `Kafka` is Kafka's Java clients, and the broker itself."""
    return [tuple(each) for each in _recorded()["bodies"]]


def recorded_log(partition: str) -> list[bytes]:
    """The batches of a partition, in their order; `__transaction_state-0`, `orders-0` and `orders-1` are there."""
    return [bytes.fromhex(each) for each in _recorded()["logs"][partition]]
