"""What several actions say of a transaction: its row, its age, and of an id that nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muster.cli.support.time_spans import now_ms
from muster.cli.support.usage_parser import nearest

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.failure import ClientError
    from muster.client.transactions import TransactionDescription


async def described(cluster: Cluster, transactional_id: str) -> TransactionDescription:
    """One that exists. ClientError names one that is spelt nearly the same, if there is one."""
    from muster.client.admin import describe_transaction
    from muster.client.failure import ClientError
    from muster.wire.errors import TRANSACTIONAL_ID_NOT_FOUND

    try:
        return await describe_transaction(cluster, transactional_id)
    except ClientError as failure:
        if failure.code != TRANSACTIONAL_ID_NOT_FOUND:
            raise
        raise await _unknown(cluster, transactional_id) from None


async def _unknown(cluster: Cluster, transactional_id: str) -> ClientError:
    from muster.client.admin import list_transactions
    from muster.client.failure import ClientError
    from muster.wire.errors import TRANSACTIONAL_ID_NOT_FOUND

    near = nearest(transactional_id, [each.transactional_id for each in await list_transactions(cluster)])
    hint = (f"Did you mean {near}? " if near else "") + "See `muster transactions list`"
    asked = f"describe transactional id {transactional_id}"
    return ClientError(TRANSACTIONAL_ID_NOT_FOUND, asked, "there is no such transactional id", hint)


def transaction_row(transaction: TransactionDescription) -> dict[str, Any]:
    """Ages are told by this machine's clock, times by the coordinator's."""
    start_ms = transaction.start_ms if transaction.is_open else None
    return {
        "transactional_id": transaction.transactional_id,
        "state": transaction.state,
        "producer_id": transaction.producer_id,
        "producer_epoch": transaction.producer_epoch,
        "coordinator": transaction.coordinator,
        "timeout_ms": transaction.timeout_ms,
        "start_ms": start_ms,
        "open_ms": None if start_ms is None else max(0, now_ms() - start_ms),
        "partitions": [{"topic": each.topic, "partition": each.partition} for each in transaction.partitions],
    }


def partitions_text(partitions: list[dict[str, Any]]) -> str:
    from muster.explain.words import partitions as words

    return words((each["topic"], each["partition"]) for each in partitions)


def duration_text(length_ms: int) -> str:
    from muster.explain.words import duration

    return duration(length_ms)
