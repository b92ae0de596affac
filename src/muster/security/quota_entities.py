"""Whom a quota is for, which quotas there are, and what may be set: Kafka's names and rules (KIP-13, 124, 546, 599, 612).

An entity is a user, a client id, both, or an address; a name of None is the default for everybody without a quota of his own.
Pure: the handlers, the document and the command ask it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Final

from muster.wire.late_dataclass import dataclass

USER: Final = "user"
CLIENT_ID: Final = "client-id"
IP: Final = "ip"
TYPES: Final = (CLIENT_ID, USER, IP)
"""In the order in which Kafka shows them."""

PRODUCER_BYTE_RATE: Final = "producer_byte_rate"
CONSUMER_BYTE_RATE: Final = "consumer_byte_rate"
REQUEST_PERCENTAGE: Final = "request_percentage"
CONTROLLER_MUTATION_RATE: Final = "controller_mutation_rate"
CONNECTION_CREATION_RATE: Final = "connection_creation_rate"
MUSTER_REQUEST_RATE: Final = "muster_request_rate"
"""Requests a second. Not one of Kafka's: its request quota counts time, which says little about a flood of cheap requests."""

_LONG_MAX: Final = 2**63 - 1
_INT_MAX: Final = 2**31 - 1
_WHOLE: Final = {
    PRODUCER_BYTE_RATE: ("a LONG", _LONG_MAX),
    CONSUMER_BYTE_RATE: ("a LONG", _LONG_MAX),
    CONNECTION_CREATION_RATE: ("an INT", _INT_MAX),
}
"""Quotas that must be whole numbers."""
CLIENT_KEYS: Final = (
    REQUEST_PERCENTAGE,
    CONTROLLER_MUTATION_RATE,
    PRODUCER_BYTE_RATE,
    CONSUMER_BYTE_RATE,
    MUSTER_REQUEST_RATE,
)
ADDRESS_KEYS: Final = (CONNECTION_CREATION_RATE, MUSTER_REQUEST_RATE)
ALL_KEYS: Final = tuple(dict.fromkeys((*CLIENT_KEYS, *ADDRESS_KEYS)))
_REMAINDER: Final = 1e-6
MAX_NAME_CHARS: Final = 1_000


class QuotaRefused(Exception):
    """What cannot be set, in Kafka's words."""


@dataclass(slots=True, frozen=True)
class Entity:
    """`names`: (type, name or None for the default), in the order of TYPES."""

    names: tuple[tuple[str, str | None], ...]

    @classmethod
    def of(cls, names: Mapping[str, str | None]) -> Entity:
        return cls(tuple((each, names[each]) for each in TYPES if each in names))

    def name_of(self, entity_type: str) -> tuple[str | None] | None:
        """None if the entity has no such part; else its name, in a tuple because the default's name is None."""
        for each, name in self.names:
            if each == entity_type:
                return (name,)
        return None

    def __str__(self) -> str:
        return ", ".join(f"{each} {'<default>' if name is None else name}" for each, name in self.names)


def checked_entity(pairs: Iterable[tuple[str, str | None]]) -> Entity:
    """The entity that a client names. The same type twice: the last one counts, as Kafka reads it."""
    names = dict(pairs)
    if not names:
        raise QuotaRefused("Invalid empty client quota entity")
    for entity_type, name in names.items():
        if entity_type not in TYPES:
            raise QuotaRefused(f"Unhandled client quota entity type: {entity_type}")
        if name == "":
            raise QuotaRefused(f"Empty {entity_type} not supported")
        if name is not None and len(name) > MAX_NAME_CHARS:
            raise QuotaRefused(f"The name of the {entity_type} has {len(name)} characters, at most {MAX_NAME_CHARS} do")
    if IP in names:
        if len(names) > 1:
            raise QuotaRefused(
                "Invalid quota entity combination, IP entity should not be combined with User or ClientId"
            )
        address = names[IP]
        if address is not None and plain_address(address) is None:
            # Deviates: Kafka looks host names up; an address that a name had once is no address to rely on.
            raise QuotaRefused(f"{address} is not a valid IP or resolvable host.")
    return Entity.of(names)


def keys_of(entity: Entity) -> tuple[str, ...]:
    """The quotas that can be set for that entity."""
    return CLIENT_KEYS if entity.name_of(IP) is None else ADDRESS_KEYS


def check_value(entity: Entity, key: str, value: float) -> None:
    """QuotaRefused if this cannot be set for that entity."""
    if key not in keys_of(entity):
        raise QuotaRefused(f"Invalid configuration key {key}")
    if value <= 0:
        raise QuotaRefused(f"Quota {key} must be greater than 0")
    if not isfinite(value):
        # Deviates: Kafka keeps values that are no numbers, and infinite ones.
        raise QuotaRefused(f"Quota {key} must be a finite number")
    if key in _WHOLE:
        kind, largest = _WHOLE[key]
        if value > largest:
            raise QuotaRefused(f"Proposed value for {key} is too large for {kind}.")
        if abs(value % 1.0) > _REMAINDER:
            raise QuotaRefused(f"{key} cannot be a fractional value.")


def plain_address(text: str) -> str | None:
    """One text for one address, however it was written: `/0:0:0:0:0:0:0:1` as Java shows it is `::1`. None: not an address."""
    from ipaddress import IPv6Address, ip_address  # only for those who have limits on addresses

    try:
        address = ip_address(text.removeprefix("/").partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address)
