"""What a connection has learned of the requests that its client repeats."""

from __future__ import annotations

from muster.server.connection import Connection
from muster.server.intake.repeated_request import RepeatedRequest
from muster.server.routes import LEARNS_REPEATS
from muster.wire.apis import API_KEYS


def learned(connection: Connection, api: str) -> RepeatedRequest | None:
    for repeated in connection._intake._repeated:
        if repeated.api_key == API_KEYS[api]:
            return repeated if repeated.is_learned else None
    return None


def serves_repeats(connection: Connection, api: str) -> bool:
    """It has learned a request of this API and served one by it."""
    request = learned(connection, api)
    return request is not None and request.has_served


def serves_repeats_if_it_may(connection: Connection, api: str) -> bool:
    """For tests that are run with the switch off too (`MUSTER_NO_REPEATS=1`): the answers have to be the same then."""
    return serves_repeats(connection, api) or not LEARNS_REPEATS
