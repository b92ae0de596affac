"""The offsets of a group that are not final because a transaction has not ended: which transaction it can be, and a line on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.client.cluster import Cluster
    from muster.client.failure import ClientError


async def held_by_rows(
    cluster: Cluster, group_id: str, rows: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], ClientError | None]:
    """The transactions that can be the ones that hold back the unstable rows, and why that could not be found out."""
    from muster.client.failure import ClientError
    from muster.client.held_offsets import holders_of

    if not any(row["is_unstable"] for row in rows):
        return [], None
    try:
        holders = await holders_of(cluster, group_id)
    except ClientError as failure:
        return [], failure  # the user may not read `__consumer_offsets`
    return [
        {
            "transactional_id": each.transactional_id,
            "producer_id": each.producer_id,
            "producer_epoch": each.producer_epoch,
            "state": each.state,
        }
        for each in holders
    ], None


def unstable_line(rows: Sequence[dict[str, Any]], holders: Sequence[dict[str, Any]]) -> str:
    """One line for people; empty if every offset is final."""
    from muster.explain.words import listed, partitions

    unstable = [(row["topic"], row["partition"]) for row in rows if row["is_unstable"]]
    if not unstable:
        return ""
    named = [_holder(each) for each in holders]
    who = listed(named) if named else "a transaction"
    doubt = " (one of these)" if len(named) > 1 else ""
    return f"{partitions(unstable)}: not final; {who} has not ended{doubt}"


def _holder(holder: dict[str, Any]) -> str:
    from muster.explain.words import plain

    number = f"producer {holder['producer_id']}"
    if holder["transactional_id"] is None:
        return f"a transaction of {number}, which no coordinator knows,"
    return f"transaction {plain(holder['transactional_id'])} ({number}, {holder['state']})"
