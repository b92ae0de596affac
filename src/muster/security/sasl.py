"""What every SASL mechanism of the server is: steps from the client's tokens to a name, or a failure.

A mechanism knows tokens and credentials. It knows no connection, no Kafka request and no clock but the one it is given: the
server's `sasl_session` feeds it. What the client is told of a failure (`told`) and what the operator reads (`why`) are apart, and
neither ever has a password, proof or token in it.
"""

from __future__ import annotations

from typing import Final, Protocol

from muster.wire.late_dataclass import dataclass

PLAIN: Final = "PLAIN"
SCRAM_SHA_256: Final = "SCRAM-SHA-256"
SCRAM_SHA_512: Final = "SCRAM-SHA-512"
OAUTHBEARER: Final = "OAUTHBEARER"
MECHANISMS: Final = (PLAIN, SCRAM_SHA_256, SCRAM_SHA_512, OAUTHBEARER)
"""Those that clients may use."""
NODE_MECHANISM: Final = "MUSTER-NODE"
"""Of nodes among themselves (`node_proof`)."""
USER: Final = "User"
NODE: Final = "Node"
"""Types of principals. No certificate and no token makes anybody a `Node:...`: only the mechanism of nodes does."""


def is_node(principal: str) -> bool:
    return principal.startswith("Node:")


@dataclass(slots=True, frozen=True)
class Challenge:
    """Not decided yet: the client has to answer this token."""

    token: bytes


@dataclass(slots=True, frozen=True)
class Accepted:
    name: str
    """Without the `User:` in front."""
    token: bytes = b""
    expires_at_ms: int | None = None
    """When the credential itself ends, by the wall clock."""
    principal_type: str = USER


class AuthenticationFailed(Exception):
    """The client is not who it says, or does not speak the mechanism."""

    def __init__(self, told: str, why: str = "", name: str = "") -> None:
        super().__init__(why or told)
        self.told = told
        """For the client: the same text for a wrong name and a wrong password."""
        self.why = why or told
        """For the log."""
        self.name = name
        """Who it claimed to be, if that was said."""


class Exchange(Protocol):
    """One authentication under way."""

    is_slow: bool
    """True if a step takes milliseconds of computing: it is then run beside the loop, in a thread."""

    def claimed_name(self, token: bytes) -> str | None:
        """The user whose password the next step checks with this token; None if it checks no password."""
        ...

    def step(self, token: bytes) -> Challenge | Accepted:
        """The next token of the client; AuthenticationFailed ends it."""
        ...
