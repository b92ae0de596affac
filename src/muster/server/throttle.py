"""Quotas at work on one connection: what each request uses, and how long its client is left waiting after the reply.

KIP-219: the reply goes out at once and says the throttle time; then nothing is read from that connection for so long. A
connection has a `Throttle` only while there are quotas that bear upon requests: without any, this costs nothing.
Called by `Connection` and `Call`, and by the handlers that read or change topics.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final

from muster.security.quota_rates import RateLimit
from muster.security.quotas import ClientLimits, Quotas
from muster.wire.errors import NONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from muster.runtime.clock import Clock
    from muster.server.call import Call
    from muster.server.connection import Connection

_PRODUCE: Final = 0
_FETCH: Final = 1
_SASL: Final = frozenset({17, 36})
"""SaslHandshake and SaslAuthenticate: who renews its authentication is not slowed down, as in Kafka."""
_NS_PER_PERCENT: Final = 10_000_000
"""One percent of a second of one processor."""
_USER_TYPE: Final = "User:"
QUOTA_EXCEEDED: Final = "The throttling quota has been exceeded."


class Throttling:
    """What all connections share: the quotas, the clock, the counters."""

    def __init__(self, quotas: Quotas, clock: Clock, spent_ns: Callable[[], int] = perf_counter_ns) -> None:
        """`spent_ns` measures the time that requests take."""
        self.quotas = quotas
        self.clock = clock
        self.spent_ns = spent_ns
        self.throttled: dict[str, int] = dict.fromkeys(
            ("produce", "fetch", "request_time", "requests", "address_requests", "mutations"), 0
        )
        """How many replies said a throttle time, by the quota that asked for the longest."""
        self.throttled_ms = 0
        self.mutations_refused = 0

    def of(self, connection: Connection) -> Throttle:
        return Throttle(connection, self)


class Throttle:
    __slots__ = (
        "_began_ns",
        "_client_id",
        "_connection",
        "_limits",
        "_mutation_wait_ms",
        "_principal",
        "_request_bytes",
        "_shared",
        "_spent_ns",
        "_version",
    )

    def __init__(self, connection: Connection, shared: Throttling) -> None:
        self._connection = connection
        self._shared = shared
        self._limits = ClientLimits()
        self._version = -1
        self._principal = ""
        self._client_id: str | None = None
        self._began_ns = 0
        """When the part of the request's work that goes on now began; 0: nothing goes on."""
        self._spent_ns = 0
        self._request_bytes = 0
        self._mutation_wait_ms = 0

    # ---- what the connection tells

    def begin(self, request_bytes: int) -> None:
        self._request_bytes = request_bytes
        self._spent_ns = 0
        self._mutation_wait_ms = 0
        self._began_ns = self._shared.spent_ns()

    def rest(self) -> None:
        """The handler has returned. If the answer is still to come, waiting for it is no work."""
        if self._began_ns:
            self._spent_ns += self._shared.spent_ns() - self._began_ns
            self._began_ns = 0

    def weigh(self, call: Call, response: Any, body: bytes) -> bytes:
        """The reply as it may go out, and the connection muted if it has to be."""
        waits = self._charge_request(call)
        if call.api_key == _FETCH:
            held_back = self._charge_fetch(call, len(body), waits)
            if held_back and response.error_code == NONE:
                response = type(response)(session_id=response.session_id, responses=[])
        wait_ms = self._mute_for(waits)
        if not wait_ms:
            return body
        if not hasattr(response, "throttle_time_ms"):
            return body
        response.throttle_time_ms = wait_ms
        try:
            return call.route.encode(response)
        finally:
            response.throttle_time_ms = 0  # some handlers give the same one to everybody

    def weigh_silence(self, call: Call) -> None:
        """A request that wants no reply. Deviates: Kafka counts its bytes and not its time."""
        self._mute_for(self._charge_request(call))

    # ---- what handlers ask

    def most_bytes(self, call: Call, wanted: int) -> int:
        """Of a fetch: no more than the quota allows in all windows together, or the answer could never be given."""
        fetch = self._limits_of(call).fetch
        if fetch is None:
            return wanted
        windows = self._shared.quotas.windows
        return min(wanted, max(1, int(fetch.bound * (windows.number - 1 or 1) * windows.size_ms / 1000)))

    def may_change(self, call: Call, partitions: int, *, strictly: bool) -> bool:
        """KIP-599: so many partitions are to be made or deleted. Older versions cannot be told no: they only wait."""
        mutations = self._limits_of(call).mutations
        if mutations is None or self._is_exempt(call):
            return True
        now_ms = self._shared.clock.ticks_ms()
        wait_ms = mutations.wait_ms(now_ms)
        if wait_ms and strictly:
            self._mutation_wait_ms = max(self._mutation_wait_ms, wait_ms)
            self._shared.mutations_refused += 1
            return False
        wait_ms = mutations.charge(partitions, now_ms)
        if not strictly:
            self._mutation_wait_ms = max(self._mutation_wait_ms, wait_ms)
        return True

    # ---- counting

    def _charge_request(self, call: Call) -> dict[str, int]:
        """Which quota asks for how long a wait; those that ask for none are left out."""
        self.rest()
        if self._is_exempt(call):
            return {}
        limits, now_ms = self._limits_of(call), self._shared.clock.ticks_ms()
        whole_ms, window_ms = self._shared.quotas.windows.whole_ms, self._shared.quotas.windows.size_ms
        waits: dict[str, int] = {}
        if limits.requests is not None:
            waits["requests"] = min(limits.requests.charge(1, now_ms), whole_ms)
        if limits.address_requests is not None:
            waits["address_requests"] = min(limits.address_requests.charge(1, now_ms), whole_ms)
        if limits.request_time is not None:
            # Kafka: never longer than a window, lest heartbeats come too late.
            waits["request_time"] = min(limits.request_time.charge(self._spent_ns / _NS_PER_PERCENT, now_ms), window_ms)
        if limits.produce is not None and call.api_key == _PRODUCE:
            waits["produce"] = limits.produce.charge(self._request_bytes, now_ms)
        if self._mutation_wait_ms:
            waits["mutations"] = self._mutation_wait_ms
        return waits

    def _charge_fetch(self, call: Call, size: int, waits: dict[str, int]) -> bool:
        """Whether the answer must be empty. Then its bytes are not counted.

        Deviates: an answer that is too large for the quota all alone is given, and paid for afterwards; from Kafka a batch
        larger than the quota of all windows can never be read. And it is only held back for its own bytes.
        """
        fetch: RateLimit | None = self._limits_of(call).fetch
        if fetch is None or self._is_exempt(call):
            return False
        now_ms = self._shared.clock.ticks_ms()
        used_before = fetch.rate.total(now_ms) > 0
        waits["fetch"] = fetch.charge(size, now_ms)
        if waits["fetch"] and used_before:
            fetch.rate.record(-size, now_ms)
            return True
        return False

    def _mute_for(self, waits: dict[str, int]) -> int:
        wait_ms = max(waits.values(), default=0)
        if wait_ms:
            shared = self._shared
            shared.throttled[max(waits, key=lambda name: waits[name])] += 1
            shared.throttled_ms += wait_ms
            self._connection.mute(wait_ms)
        return wait_ms

    def _is_exempt(self, call: Call) -> bool:
        """Who has not shown who he is yet has no quotas of his own; `newcomers` has its own limits."""
        return self._connection.newcomer is not None or call.api_key in _SASL

    def _limits_of(self, call: Call) -> ClientLimits:
        quotas, principal, client_id = self._shared.quotas, call.principal, call.client_id
        if self._version != quotas.version or principal != self._principal or client_id != self._client_id:
            self._limits = quotas.limits(
                principal.removeprefix(_USER_TYPE), client_id or "", call.host, self._shared.clock.ticks_ms()
            )
            self._version, self._principal, self._client_id = quotas.version, principal, client_id
        return self._limits

    def __repr__(self) -> str:
        return f"<Throttle of {self._connection.address}>"
