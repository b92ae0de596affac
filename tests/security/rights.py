"""What every API checks, as data: one `Right` for each thing that may be missing. The test asks all of them of a real server,
and docs/security.md shows the same rows (`rights_page`).

Requests name two of whatever the right is about, MINE and THEIRS, where the API takes several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from muster.security.resources import Operation, ResourceType
from muster.wire.errors import NAMES

MINE: Final = "mine"
THEIRS: Final = "theirs"
LEFT_OUT: Final = -1000
"""Not a code of Kafka's: the answer does not show it, without an error."""

CLUSTER, GROUP, TOPIC, TRANSACTIONAL_ID = (
    ResourceType.CLUSTER,
    ResourceType.GROUP,
    ResourceType.TOPIC,
    ResourceType.TRANSACTIONAL_ID,
)
Grant = tuple[Operation, ResourceType]


@dataclass(frozen=True)
class Right:
    """One need of one API. `also` are its other needs, for both names; `instead` does as well as the need itself."""

    api: str
    needs: Grant
    denied: int
    version: int
    request: Callable[[tuple[str, ...]], Any]
    """Given the names to ask for."""
    codes: Callable[[Any], dict[str, int]]
    """From the answer: name -> error code, or LEFT_OUT."""
    also: tuple[Grant, ...] = ()
    instead: Grant | None = None
    several: bool = False
    about: str = ""
    """Which of several kinds of request this is."""

    @property
    def names(self) -> tuple[str, ...]:
        return (MINE, THEIRS) if self.several else (MINE,)

    @property
    def denied_name(self) -> str:
        return "left out, no error" if self.denied == LEFT_OUT else NAMES[self.denied]

    def __str__(self) -> str:
        return f"{self.api} {self.about}".strip().replace(" ", "-") + f"-{words(self.needs).replace(' ', '-')}"


def words(grant: Grant) -> str:
    operation, resource_type = grant
    return f"{operation.name} {resource_type.name.lower().replace('_', ' ')}"


def shown(names_in_answer: dict[str, int], asked: tuple[str, ...] = (MINE, THEIRS)) -> dict[str, int]:
    """The codes of an answer that leaves out what may not be seen."""
    return {name: names_in_answer.get(name, LEFT_OUT) for name in asked}


def whole(code: int) -> dict[str, int]:
    """An answer with one code for everything."""
    return {MINE: code}


NOTHING_NEEDED: Final = {
    "ApiVersions": "it is how clients begin",
    "DescribeCluster": "its authorized operations are 0 without DESCRIBE cluster",
    "SaslHandshake": "it is how clients say who they are",
    "SaslAuthenticate": "it is how clients say who they are",
}
"""APIs that ask for no right, and why."""
