"""Which broker coordinates each group: asked with FindCoordinator, remembered until somebody says that it is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from muster.client.addresses import Address
from muster.client.connection import Connection
from muster.client.failure import ClientError
from muster.wire.errors import NONE
from muster.wire.generated.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_MANY_KEYS_SINCE: Final = 4
"""KIP-699."""


class Coordinators:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: dict[str, tuple[int, Address]] = {}

    async def connection(self, group_id: str, lane: str) -> Connection:
        if group_id not in self._known:
            await self.find([group_id])
        try:
            return await self._cluster.connect(self._known[group_id][1], lane)
        except ClientError:
            self.forget(group_id)
            raise

    async def find(self, group_ids: Sequence[str]) -> dict[str, int]:
        """Group -> node id, for all of them; ClientError names the group that has none now."""
        missing = [group_id for group_id in dict.fromkeys(group_ids) if group_id not in self._known]
        if missing:
            connection = await self._cluster.any_connection()
            if connection.version("FindCoordinator") >= _MANY_KEYS_SINCE:
                await self._ask_for_many(connection, missing)
            else:
                for group_id in missing:
                    await self._ask_for_one(connection, group_id)
        return {group_id: self._known[group_id][0] for group_id in group_ids}

    def forget(self, group_id: str) -> None:
        self._known.pop(group_id, None)

    def forget_all(self) -> None:
        self._known.clear()

    async def _ask_for_many(self, connection: Connection, group_ids: list[str]) -> None:
        reply: FindCoordinatorResponse = await connection.call(
            "FindCoordinator", FindCoordinatorRequest(coordinator_keys=group_ids)
        )
        for each in reply.coordinators:
            self._note(each.key, each.error_code, each.error_message, each.node_id, Address(each.host, each.port))

    async def _ask_for_one(self, connection: Connection, group_id: str) -> None:
        reply: FindCoordinatorResponse = await connection.call("FindCoordinator", FindCoordinatorRequest(key=group_id))
        self._note(group_id, reply.error_code, reply.error_message, reply.node_id, Address(reply.host, reply.port))

    def _note(self, group_id: str, error_code: int, message: str | None, node_id: int, address: Address) -> None:
        if error_code != NONE:
            raise ClientError(error_code, f"find the coordinator of group {group_id}", message)
        self._known[group_id] = (node_id, address)
        self._cluster.brokers.setdefault(node_id, address)
