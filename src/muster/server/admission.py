"""May somebody who has just connected stay, and when is he served: connections by address, and new ones a second.

Counts everybody from the moment he connects, also those in a TLS handshake, so that a flood from one address meets its own limit
and nobody else's. KIP-402 (all and per listener), KIP-612 (rates; an address over its rate is let go after a delay, so that
coming again at once does not help). Asked by the listener; knows no requests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from muster.security.quota_entities import plain_address
from muster.security.quota_rates import RateLimit, WindowedRate, Windows
from muster.topics.config_types import INT_MAX, ConfigError

if TYPE_CHECKING:
    from muster.security.quotas import Quotas
    from muster.server.settings import Settings

PER_IP: Final = "max.connections.per.ip"
OVERRIDES: Final = "max.connections.per.ip.overrides"
CREATION_RATE: Final = "max.connection.creation.rate"


class Verdict(NamedTuple):
    """Not to stay with a wait: to be closed when it is over. To stay with a wait: to be served then."""

    may_stay: bool = True
    wait_ms: int = 0
    why: str = ""


_WELCOME: Final = Verdict()


class Admission:
    def __init__(self, settings: Settings, listeners: tuple[str, ...]) -> None:
        """ConfigError if the overrides cannot be read."""
        self._per_address = settings.integer(PER_IP)
        self._overrides = parse_overrides(settings)
        windows = windows_of(settings)
        self._rate = _limit(settings.integer(CREATION_RATE), windows)
        self._door_rates = {
            name: _limit(settings.for_listener(name).integer(CREATION_RATE), windows)
            for name in listeners
            if settings.for_listener(name).is_own(CREATION_RATE)
        }
        self.quotas: Quotas | None = None
        """Set while there are quotas; those of addresses count here."""
        self._open: dict[str, int] = {}
        self.over_address_limit = 0
        self.over_address_rate = 0
        self.kept_waiting = 0

    @property
    def has_rates(self) -> bool:
        """Whether `arrive` needs to know the time."""
        return self._rate is not None or bool(self._door_rates) or self.quotas is not None

    def arrive(self, listener: str, host: str, now_ms: int) -> Verdict:
        """Whatever the answer, `leave` is to be called when the connection is gone."""
        count = self._open[host] = self._open.get(host, 0) + 1
        limit = self._limit_of(host)
        if count > limit:
            self.over_address_limit += 1
            name = PER_IP if limit == self._per_address else OVERRIDES
            return Verdict(False, why=f"{name} = {limit}")
        return self._by_rate(listener, host, now_ms) if self.has_rates else _WELCOME

    def leave(self, host: str) -> None:
        count = self._open.get(host, 0) - 1
        if count > 0:
            self._open[host] = count
        else:
            self._open.pop(host, None)

    def _limit_of(self, host: str) -> int:
        if not self._overrides:
            return self._per_address
        return self._overrides.get(plain_address(host) or "", self._per_address)

    def _by_rate(self, listener: str, host: str, now_ms: int) -> Verdict:
        of_address = self.quotas.new_connections_limit(host, now_ms) if self.quotas is not None else None
        if of_address is not None:
            wait_ms = of_address.charge(1, now_ms)
            if wait_ms:
                of_address.rate.record(-1, now_ms)  # it does not come in, so it does not count
                self.over_address_rate += 1
                return Verdict(False, wait_ms, f"connection_creation_rate = {of_address.bound:g}")
        rates = [rate for rate in (self._rate, self._door_rates.get(listener)) if rate is not None]
        wait_ms = max((rate.charge(1, now_ms) for rate in rates), default=0)
        if wait_ms:
            self.kept_waiting += 1
            return Verdict(True, wait_ms, CREATION_RATE)
        return _WELCOME


def windows_of(settings: Settings, prefix: str = "") -> Windows:
    return Windows(
        settings.integer(f"{prefix}quota.window.num"), settings.integer(f"{prefix}quota.window.size.seconds") * 1000
    )


def _limit(rate: int, windows: Windows) -> RateLimit | None:
    # A rate of nothing at all would divide by zero; Kafka takes it and then nobody can connect.
    return None if rate == INT_MAX else RateLimit(max(rate, 0.001), WindowedRate(windows))


def parse_overrides(settings: Settings) -> dict[str, int]:
    """By address, in the one way to write it."""
    found: dict[str, int] = {}
    for entry in settings.words(OVERRIDES):
        host, _, count = entry.rpartition(":")
        address = plain_address(host.strip().removeprefix("[").removesuffix("]"))
        if address is None or not count.strip().isdigit():
            # Deviates: Kafka takes host names too.
            raise ConfigError(
                f"{settings.origin(OVERRIDES)}: {OVERRIDES}: {entry} is not ADDRESS:COUNT, such as 10.0.0.7:100"
            )
        found[address] = int(count)
    return found
