"""Where the same client may see different things at the two brokers, each with its reason. All else is a fault.

Patterns are those of `fnmatch` over client, feature and what was seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from tests.conformance.clients.contract import Findings, Status


@dataclass(frozen=True)
class Meant:
    reason: str
    client: str = "*"
    feature: str = "*"
    what: str = "*"


@dataclass(frozen=True)
class Difference:
    client: str
    feature: str
    what: str
    muster: str
    kafka: str
    reason: str = ""
    """Why it is meant; empty: it is a fault."""

    def __str__(self) -> str:
        head = f"{self.client}: {self.feature}: {self.what}"
        tail = f"\n    meant: {self.reason}" if self.reason else ""
        return f"{head}\n    Muster: {self.muster}\n    Kafka:  {self.kafka}{tail}"


NOT_BUILT: Final = ()
"""What Muster does not offer; a client must be told so clearly. A refusal that is not listed here is a failure."""

MEANT: Final[tuple[Meant, ...]] = ()


def reason_for(client: str, feature: str, what: str, known: tuple[Meant, ...] = MEANT) -> str:
    for each in known:
        if fnmatchcase(client, each.client) and fnmatchcase(feature, each.feature) and fnmatchcase(what, each.what):
            return each.reason
    return ""


def refusal_is_meant(client: str, feature: str) -> bool:
    return any(fnmatchcase(client, each.client) and fnmatchcase(feature, each.feature) for each in NOT_BUILT)


def compare(client: str, muster: Findings, kafka: Findings) -> Iterator[Difference]:
    """What was seen at both, in features that passed at both, and was not the same."""
    for (feature, what), ours in muster.sightings.items():
        theirs = kafka.sightings.get((feature, what), "nothing")
        if ours != theirs and _passed(muster, feature) and _passed(kafka, feature):
            yield Difference(client, feature, what, ours, theirs, reason_for(client, feature, what))
    for (feature, what), theirs in kafka.sightings.items():
        if (feature, what) not in muster.sightings and _passed(muster, feature) and _passed(kafka, feature):
            yield Difference(client, feature, what, "nothing", theirs, reason_for(client, feature, what))


def _passed(found: Findings, feature: str) -> bool:
    verdict = found.verdicts.get(feature)
    return verdict is not None and verdict.status is Status.PASS
