"""Which quotas bear upon a client, and what it has used of them. Precedence is Kafka's, for each quota apart:

    user + client id, user + default client id, user, default user + client id, default user + default client id,
    default user, client id, default client id

What is counted together follows from the rule that was found: by user and client id, by user, or by client id. Pure, with the
time as argument; asked by `server.throttle` and `server.admission`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from muster.security.quota_document import QuotaTable
from muster.security.quota_entities import (
    ADDRESS_KEYS,
    CLIENT_ID,
    CLIENT_KEYS,
    CONNECTION_CREATION_RATE,
    CONSUMER_BYTE_RATE,
    CONTROLLER_MUTATION_RATE,
    IP,
    MUSTER_REQUEST_RATE,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
    USER,
    Entity,
    plain_address,
)
from muster.security.quota_rates import MutationLimit, RateLimit, TokenBucket, WindowedRate, Windows

_METERS_BETWEEN_SWEEPS: Final = 1_000
_DEFAULT: Final = None
_MeterKey = tuple[str, str | None, str | None, str | None]
"""(quota, user, client id, address): those that are counted together have the same one."""


class ClientLimits:
    """What bears upon one client (user, client id, address); None where nothing does."""

    __slots__ = ("address_requests", "fetch", "mutations", "produce", "request_time", "requests")

    def __init__(self) -> None:
        self.produce: RateLimit | None = None
        self.fetch: RateLimit | None = None
        self.request_time: RateLimit | None = None
        """In percent of one processor."""
        self.requests: RateLimit | None = None
        self.address_requests: RateLimit | None = None
        self.mutations: MutationLimit | None = None


class Quotas:
    """All of them. `version` changes whenever limits that were handed out must be asked for again."""

    def __init__(self, windows: Windows, mutation_windows: Windows) -> None:
        self.windows = windows
        self._mutation_windows = mutation_windows
        self._clients: dict[tuple[tuple[str | None] | None, tuple[str | None] | None], Mapping[str, float]] = {}
        """(user, client id) -> values; each None (not part of the entity) or a name in a tuple, None for the default."""
        self._addresses: dict[str | None, Mapping[str, float]] = {}
        self._rates: dict[_MeterKey, WindowedRate] = {}
        self._buckets: dict[_MeterKey, TokenBucket] = {}
        self._next_sweep = _METERS_BETWEEN_SWEEPS
        self.version = 0

    def replace(self, table: QuotaTable) -> None:
        """These hold from now on. What has been used stays used."""
        self._clients = {
            (entity.name_of(USER), entity.name_of(CLIENT_ID)): values
            for entity, values in table.items()
            if entity.name_of(IP) is None
        }
        self._addresses = {_address_of(entity): values for entity, values in table.items() if entity.name_of(IP)}
        self.version += 1

    def __bool__(self) -> bool:
        return bool(self._clients or self._addresses)

    @property
    def has_for_requests(self) -> bool:
        """Whether any request needs to be looked at."""
        return bool(self._clients) or any(MUSTER_REQUEST_RATE in values for values in self._addresses.values())

    def limits(self, user: str, client_id: str, host: str, now_ms: int) -> ClientLimits:
        """For a client; `host` as the connection has it."""
        self._sweep_if_many(now_ms)
        limits = ClientLimits()
        limits.produce = self._rate_limit(PRODUCER_BYTE_RATE, user, client_id)
        limits.fetch = self._rate_limit(CONSUMER_BYTE_RATE, user, client_id)
        limits.request_time = self._rate_limit(REQUEST_PERCENTAGE, user, client_id)
        limits.requests = self._rate_limit(MUSTER_REQUEST_RATE, user, client_id)
        limits.address_requests = self.address_limit(MUSTER_REQUEST_RATE, host)
        found = self.find(CONTROLLER_MUTATION_RATE, user, client_id)
        if found is not None:
            bound, meter = found
            limits.mutations = MutationLimit(bound, self._bucket(meter))
        return limits

    def address_limit(self, key: str, host: str) -> RateLimit | None:
        assert key in ADDRESS_KEYS
        if not self._addresses:
            return None
        address = plain_address(host)
        for name in (address, _DEFAULT):
            bound = self._addresses.get(name, {}).get(key)
            if bound is not None:
                return RateLimit(bound, self._rate((key, None, None, address)))
        return None

    def new_connections_limit(self, host: str, now_ms: int) -> RateLimit | None:
        self._sweep_if_many(now_ms)
        return self.address_limit(CONNECTION_CREATION_RATE, host)

    def find(self, key: str, user: str, client_id: str) -> tuple[float, _MeterKey] | None:
        """The bound that counts, and what is counted for it."""
        assert key in CLIENT_KEYS
        both, of_user, of_client = (key, user, client_id, None), (key, user, None, None), (key, None, client_id, None)
        for entity, meter in (
            (((user,), (client_id,)), both),
            (((user,), (_DEFAULT,)), both),
            (((user,), None), of_user),
            (((_DEFAULT,), (client_id,)), both),
            (((_DEFAULT,), (_DEFAULT,)), both),
            (((_DEFAULT,), None), of_user),
            ((None, (client_id,)), of_client),
            ((None, (_DEFAULT,)), of_client),
        ):
            values = self._clients.get(entity)
            if values is not None and key in values:
                return values[key], meter
        return None

    def _rate_limit(self, key: str, user: str, client_id: str) -> RateLimit | None:
        found = self.find(key, user, client_id)
        return None if found is None else RateLimit(found[0], self._rate(found[1]))

    def _rate(self, key: _MeterKey) -> WindowedRate:
        rate = self._rates.get(key)
        if rate is None:
            rate = self._rates[key] = WindowedRate(self.windows)
        return rate

    def _bucket(self, key: _MeterKey) -> TokenBucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = TokenBucket(self._mutation_windows)
        return bucket

    def _sweep_if_many(self, now_ms: int) -> None:
        """Client ids are the client's choice: what nobody has used for longer than the windows reach back is as good as new,
        and is forgotten."""
        if len(self._rates) + len(self._buckets) < self._next_sweep:
            return
        old_ms = now_ms - self.windows.whole_ms
        self._rates = {key: rate for key, rate in self._rates.items() if rate.last_ms > old_ms}
        old_ms = now_ms - self._mutation_windows.whole_ms
        self._buckets = {
            key: bucket
            for key, bucket in self._buckets.items()
            if bucket.last_ms > old_ms or self._owes(key, bucket, now_ms)
        }
        self._next_sweep = 2 * (len(self._rates) + len(self._buckets)) + _METERS_BETWEEN_SWEEPS
        self.version += 1

    def _owes(self, key: _MeterKey, bucket: TokenBucket, now_ms: int) -> bool:
        _, user, client_id, _ = key
        found = self.find(CONTROLLER_MUTATION_RATE, user or "", client_id or "")
        return found is not None and bucket.wait_ms(found[0], now_ms) > 0

    def __repr__(self) -> str:
        return f"<Quotas for {len(self._clients)} clients, {len(self._addresses)} addresses>"


def _address_of(entity: Entity) -> str | None:
    name = entity.name_of(IP)
    assert name is not None
    return None if name[0] is None else plain_address(name[0])
