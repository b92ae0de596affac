"""Whether the coordinator of each shard answers, of groups and of transactions: ready, or still loading its log.

ListGroups and ListTransactions say of a node whether all its shards are ready. Only where they say no, each shard of that node is
asked by itself: with a DescribeGroups or DescribeTransactions request for names that nobody uses, one for each shard.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final

from muster.client.connection import Connection
from muster.client.failure import ClientError
from muster.client.partitions import GROUPS_A_REQUEST, batched
from muster.core.hashing import partition_for
from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    GROUP_ID_NOT_FOUND,
    NONE,
    TRANSACTIONAL_ID_NOT_FOUND,
)
from muster.wire.generated.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
from muster.wire.generated.describe_transactions import DescribeTransactionsRequest, DescribeTransactionsResponse
from muster.wire.generated.list_groups import ListGroupsRequest, ListGroupsResponse
from muster.wire.generated.list_transactions import ListTransactionsRequest, ListTransactionsResponse

READY: Final = "ready"
LOADING: Final = "loading"
MOST_NAMED: Final = 1_000
"""Shards for which names are looked for; Kafka's default is 50."""
_NO_TRANSACTION: Final = ListTransactionsRequest(["Dead"], [])
"""Asks for the error code alone: hardly a transaction is ever in this state."""


async def count_groups(connection: Connection) -> int | None:
    """How many groups a node has; None while one of its shards is loading. ClientError."""
    reply: ListGroupsResponse = await connection.call("ListGroups", ListGroupsRequest([], []))
    if reply.error_code == COORDINATOR_LOAD_IN_PROGRESS:
        return None
    if reply.error_code != NONE:
        raise ClientError(reply.error_code, "list groups")
    return len(reply.groups)


async def group_states_while_loading(connection: Connection, led: Collection[int], shards: int) -> dict[int, str]:
    """State of each of these group shards of one node, as far as it can be told. ClientError."""
    if shards > MOST_NAMED:
        return {}
    names = names_of_shards(shards)
    shard_of = {names[shard]: shard for shard in led}
    states: dict[int, str] = {}
    for portion in batched(sorted(shard_of), GROUPS_A_REQUEST):
        request = DescribeGroupsRequest(list(portion), False)
        reply: DescribeGroupsResponse = await connection.call("DescribeGroups", request)
        for group in reply.groups:
            if group.error_code == COORDINATOR_LOAD_IN_PROGRESS:
                states[shard_of[group.group_id]] = LOADING
            elif group.error_code in (NONE, GROUP_ID_NOT_FOUND):
                states[shard_of[group.group_id]] = READY
    return states


async def transaction_states(connection: Connection, led: Collection[int], shards: int) -> dict[int, str]:
    """State of each of these transaction shards of one node, as far as it can be told: old brokers do not. ClientError."""
    if not led or "ListTransactions" not in connection.versions:
        return {}
    reply: ListTransactionsResponse = await connection.call("ListTransactions", _NO_TRANSACTION)
    if reply.error_code == NONE:
        return dict.fromkeys(led, READY)
    if reply.error_code != COORDINATOR_LOAD_IN_PROGRESS or shards > MOST_NAMED:
        return {}
    names = names_of_shards(shards)
    shard_of = {names[shard]: shard for shard in led}
    request = DescribeTransactionsRequest(sorted(shard_of))
    described: DescribeTransactionsResponse = await connection.call("DescribeTransactions", request)
    states: dict[int, str] = {}
    for each in described.transaction_states:
        if each.error_code == COORDINATOR_LOAD_IN_PROGRESS:
            states[shard_of[each.transactional_id]] = LOADING
        elif each.error_code in (NONE, TRANSACTIONAL_ID_NOT_FOUND):
            states[shard_of[each.transactional_id]] = READY
    return states


@lru_cache(maxsize=4)
def names_of_shards(shards: int) -> dict[int, str]:
    """For each shard a name of a group, or of a transaction, that belongs to it."""
    found: dict[int, str] = {}
    number = 0
    while len(found) < shards:
        name = f"muster-console-{number}"
        found.setdefault(partition_for(name, shards), name)
        number += 1
    return found
