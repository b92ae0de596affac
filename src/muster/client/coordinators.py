"""Which broker coordinates each group or transactional id: asked with FindCoordinator, remembered until somebody says that it is
wrong."""

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

GROUPS: Final = 0
TRANSACTIONS: Final = 1
_KEY_NAMES: Final = {GROUPS: "group", TRANSACTIONS: "transactional id"}


class Coordinators:
    """`key_type`: whether the keys below are group ids or transactional ids."""

    def __init__(self, cluster: Cluster, key_type: int = GROUPS) -> None:
        self._cluster = cluster
        self._key_type = key_type
        self._known: dict[str, tuple[int, Address]] = {}

    async def connection(self, key: str, lane: str) -> Connection:
        if key not in self._known:
            await self.find([key])
        try:
            return await self._cluster.connect(self._known[key][1], lane)
        except ClientError:
            self.forget(key)
            raise

    async def find(self, keys: Sequence[str]) -> dict[str, int]:
        """Key -> node id, for all of them; ClientError names the one that has none now."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._known]
        if missing:
            connection = await self._cluster.any_connection()
            if connection.version("FindCoordinator") >= _MANY_KEYS_SINCE:
                await self._ask_for_many(connection, missing)
            else:
                for key in missing:
                    await self._ask_for_one(connection, key)
        return {key: self._known[key][0] for key in keys}

    def forget(self, key: str) -> None:
        self._known.pop(key, None)

    def forget_all(self) -> None:
        self._known.clear()

    async def _ask_for_many(self, connection: Connection, keys: list[str]) -> None:
        reply: FindCoordinatorResponse = await connection.call(
            "FindCoordinator", FindCoordinatorRequest(key_type=self._key_type, coordinator_keys=keys)
        )
        for each in reply.coordinators:
            self._note(each.key, each.error_code, each.error_message, each.node_id, Address(each.host, each.port))

    async def _ask_for_one(self, connection: Connection, key: str) -> None:
        reply: FindCoordinatorResponse = await connection.call(
            "FindCoordinator", FindCoordinatorRequest(key=key, key_type=self._key_type)
        )
        self._note(key, reply.error_code, reply.error_message, reply.node_id, Address(reply.host, reply.port))

    def _note(self, key: str, error_code: int, message: str | None, node_id: int, address: Address) -> None:
        if error_code != NONE:
            raise ClientError(error_code, f"find the coordinator of {_KEY_NAMES[self._key_type]} {key}", message)
        self._known[key] = (node_id, address)
        self._cluster.brokers.setdefault(node_id, address)
