"""Which broker coordinates each group or transactional id: asked with FindCoordinator, remembered until somebody says that it is
wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from muster.client.addresses import Address
from muster.client.connection import Connection
from muster.client.failure import ClientError
from muster.wire.errors import COORDINATOR_NOT_AVAILABLE, NONE
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
        found: dict[str, int] = {}
        for key, node_id in (await self.find_each(keys)).items():
            if isinstance(node_id, ClientError):
                raise node_id
            found[key] = node_id
        return found

    async def find_each(self, keys: Sequence[str]) -> dict[str, int | ClientError]:
        """The same with a ClientError in the place of a key that has none now. ClientError if nobody can be asked."""
        found: dict[str, int | ClientError] = {key: self._known[key][0] for key in keys if key in self._known}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        failures: dict[str, ClientError] = {}
        if missing:
            connection = await self._cluster.any_connection()
            if connection.version("FindCoordinator") >= _MANY_KEYS_SINCE:
                failures = await self._ask_for_many(connection, missing)
            else:
                for key in missing:
                    failures |= await self._ask_for_one(connection, key)
        for key in missing:
            found[key] = failures[key] if key in failures else self._node_id(key)
        return {key: found[key] for key in keys}

    def _node_id(self, key: str) -> int | ClientError:
        """Somebody may have called `forget_all` while others were asked for."""
        known = self._known.get(key)
        return self._failure(key, COORDINATOR_NOT_AVAILABLE, None) if known is None else known[0]

    def forget(self, key: str) -> None:
        self._known.pop(key, None)

    def forget_all(self) -> None:
        self._known.clear()

    async def _ask_for_many(self, connection: Connection, keys: list[str]) -> dict[str, ClientError]:
        """Returns why there is none, for those that have none now."""
        reply: FindCoordinatorResponse = await connection.call(
            "FindCoordinator", FindCoordinatorRequest(key_type=self._key_type, coordinator_keys=keys)
        )
        failures: dict[str, ClientError] = {}
        for each in reply.coordinators:
            if each.error_code == NONE:
                self._note(each.key, each.node_id, Address(each.host, each.port))
            else:
                failures[each.key] = self._failure(each.key, each.error_code, each.error_message)
        return failures

    async def _ask_for_one(self, connection: Connection, key: str) -> dict[str, ClientError]:
        reply: FindCoordinatorResponse = await connection.call(
            "FindCoordinator", FindCoordinatorRequest(key=key, key_type=self._key_type)
        )
        if reply.error_code != NONE:
            return {key: self._failure(key, reply.error_code, reply.error_message)}
        self._note(key, reply.node_id, Address(reply.host, reply.port))
        return {}

    def _failure(self, key: str, error_code: int, message: str | None) -> ClientError:
        return ClientError(error_code, f"find the coordinator of {_KEY_NAMES[self._key_type]} {key}", message)

    def _note(self, key: str, node_id: int, address: Address) -> None:
        self._known[key] = (node_id, address)
        self._cluster.brokers.setdefault(node_id, address)
