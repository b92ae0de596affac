"""`listeners`, `advertised.listeners` and `listener.security.protocol.map`: from Kafka's text forms to checked listeners.

Knows the rules between the three. Knows no sockets and no certificates. Called by `settings.py`, at start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

from muster.server.endpoint import Endpoint, parse_endpoint
from muster.topics.config_types import ConfigError
from muster.wire.late_dataclass import dataclass

LISTENERS: Final = "listeners"
ADVERTISED: Final = "advertised.listeners"
PROTOCOLS: Final = "listener.security.protocol.map"
_NAME = re.compile(r"[A-Za-z0-9_-]+")


class AddressError(ConfigError):
    def __init__(self, setting: str, item: str, problem: str) -> None:
        super().__init__(f"Invalid value {item} for configuration {setting}: {problem}")
        self.setting = setting


class SecurityProtocol(Enum):
    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def has_tls(self) -> bool:
        return self in (SecurityProtocol.SSL, SecurityProtocol.SASL_SSL)

    @property
    def has_sasl(self) -> bool:
        return self in (SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL)


@dataclass(slots=True, frozen=True)
class ListenerAddress:
    """One listener as the operator wants it."""

    name: str
    protocol: SecurityProtocol
    endpoint: Endpoint
    advertised: Endpoint | None = None
    """None: clients are told where it listens."""

    def __str__(self) -> str:
        return f"{self.name}://{self.endpoint}"


def parse_listeners(
    listeners: Sequence[str], advertised: Sequence[str], protocols: Sequence[str]
) -> tuple[ListenerAddress, ...]:
    """ConfigError names the setting and the item that is wrong."""
    protocol_of = _parse_protocols(protocols)
    wanted = [_parse_item(LISTENERS, item) for item in listeners]
    if not wanted:
        raise AddressError(LISTENERS, "", "at least one address is needed")
    _check_unique(wanted)
    told = _parse_advertised(advertised, [name for name, _ in wanted])
    return tuple(
        ListenerAddress(name, _protocol(protocol_of, name), endpoint, told.get(name)) for name, endpoint in wanted
    )


def _parse_item(setting: str, item: str) -> tuple[str, Endpoint]:
    """`NAME://HOST:PORT`, or `HOST:PORT` for a listener named PLAINTEXT."""
    name, separator, rest = item.strip().partition("://")
    if not separator:
        name, rest = SecurityProtocol.PLAINTEXT.value, item
    if not _NAME.fullmatch(name):
        raise AddressError(setting, item, "a listener's name is letters, digits, _ and -")
    try:
        return name.upper(), parse_endpoint(setting, rest)
    except ConfigError as error:
        raise AddressError(setting, item, str(error).rpartition(f"{setting}: ")[2]) from None


def _check_unique(wanted: Iterable[tuple[str, Endpoint]]) -> None:
    names: set[str] = set()
    endpoints: set[Endpoint] = set()
    for name, endpoint in wanted:
        if name in names:
            raise AddressError(
                LISTENERS, f"{name}://{endpoint}", "each listener needs a name of its own, as in INTERNAL://:9092"
            )
        if endpoint in endpoints and endpoint.port:
            raise AddressError(LISTENERS, f"{name}://{endpoint}", "each listener needs a port of its own")
        names.add(name)
        endpoints.add(endpoint)


def _parse_advertised(items: Sequence[str], names: Sequence[str]) -> dict[str, Endpoint]:
    told: dict[str, Endpoint] = {}
    for item in items:
        name, endpoint = _parse_item(ADVERTISED, item)
        if "://" not in item and len(names) == 1:
            name = names[0]
        if name not in names:
            raise AddressError(ADVERTISED, item, f"{LISTENERS} has no listener of that name, only {', '.join(names)}")
        if name in told:
            raise AddressError(ADVERTISED, item, f"listener {name} is named twice")
        if endpoint.is_everywhere:
            raise AddressError(ADVERTISED, item, "clients cannot connect to that; name a host that they can reach")
        told[name] = endpoint
    return told


def _parse_protocols(items: Sequence[str]) -> dict[str, SecurityProtocol]:
    protocols: dict[str, SecurityProtocol] = {}
    for item in items:
        name, colon, protocol = (part.strip() for part in item.partition(":"))
        if not colon or not _NAME.fullmatch(name):
            raise AddressError(PROTOCOLS, item, "expected NAME:PROTOCOL, as in INTERNAL:SASL_SSL")
        try:
            protocols[name.upper()] = SecurityProtocol(protocol.upper())
        except ValueError:
            known = ", ".join(each.value for each in SecurityProtocol)
            raise AddressError(PROTOCOLS, item, f"the protocols are {known}") from None
    return protocols


def _protocol(protocols: dict[str, SecurityProtocol], name: str) -> SecurityProtocol:
    protocol = protocols.get(name)
    if protocol is None:
        try:
            # Kafka wants the four in the map as soon as it is set; that a name means itself can hurt nobody.
            return SecurityProtocol(name)
        except ValueError:
            raise AddressError(
                LISTENERS, name, f"{PROTOCOLS} does not say its protocol; add {name}:SASL_SSL or another"
            ) from None
    return protocol
