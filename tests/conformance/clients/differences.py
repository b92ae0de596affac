"""Where the same client may see different things at the two brokers, each with its reason. All else is a fault.

Patterns are those of `fnmatch` over client, feature, the name of what was seen and what Muster showed.
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
    muster: str = "*"
    """What was seen at Muster."""


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


NOT_BUILT: Final = (
    Meant("no share groups", feature="share consumer (KIP-932)"),
    Meant("rules are a file, not ACLs", feature="admin: ACLs"),
    Meant("no SASL yet", feature="admin: SCRAM credentials"),
    Meant("one node: nothing to move", feature="admin: partition reassignments"),
    Meant("one node: nothing to elect", feature="admin: elect leaders"),
    Meant("no KRaft quorum", feature="admin: quorum"),
)
"""What Muster does not offer; a client must be told so clearly. A refusal that is not listed here is a failure."""

_FEATURES: Final = "Muster finalizes metadata, group and transaction.version: the others stand for things not built"
_ELIGIBLE_LEADERS: Final = (
    "Kafka's eligible leader replicas keep min.insync.replicas as a cluster-wide setting; Muster has no such thing"
)
MEANT: Final[tuple[Meant, ...]] = (
    Meant(_FEATURES, feature="admin: features", what="finalized"),
    Meant(_FEATURES, client="tools", feature="features", what="described"),
    Meant(_ELIGIBLE_LEADERS, what="min.insync.replicas"),
    Meant(_ELIGIBLE_LEADERS, feature="topics: describe", what="described"),
    Meant(_ELIGIBLE_LEADERS, feature="topics: describe", what="with own configs"),
    Meant(_ELIGIBLE_LEADERS, feature="configs: brokers", what="default"),
    *(
        Meant("this version adds nothing that a single node could use", feature="broker-api-versions", what=api)
        for api in ("Fetch", "ListOffsets", "DescribeLogDirs")
    ),
    Meant("an API that is not built is not advertised", feature="broker-api-versions", muster="UNSUPPORTED"),
    Meant(
        "Muster's own settings are read at its start only, so they are shown as read-only",
        feature="admin: broker configs",
        muster="* read-only",
    ),
    Meant(
        "Kafka shows its old name of node.id as a setting of its own",
        feature="admin: broker configs",
        what="broker.id",
        muster="absent",
    ),
)


def reason_for(client: str, feature: str, what: str, muster: str, known: tuple[Meant, ...] = MEANT) -> str:
    for each in known:
        pairs = ((client, each.client), (feature, each.feature), (what, each.what), (muster, each.muster))
        if all(fnmatchcase(text, pattern) for text, pattern in pairs):
            return each.reason
    return ""


def refusal_is_meant(client: str, feature: str) -> bool:
    return any(fnmatchcase(client, each.client) and fnmatchcase(feature, each.feature) for each in NOT_BUILT)


def compare(client: str, muster: Findings, kafka: Findings) -> Iterator[Difference]:
    """What was seen at both, in features that passed at both, and was not the same."""
    for (feature, what), ours in muster.sightings.items():
        theirs = kafka.sightings.get((feature, what), "nothing")
        if ours != theirs and _passed(muster, feature) and _passed(kafka, feature):
            yield Difference(client, feature, what, ours, theirs, reason_for(client, feature, what, ours))
    for (feature, what), theirs in kafka.sightings.items():
        if (feature, what) not in muster.sightings and _passed(muster, feature) and _passed(kafka, feature):
            yield Difference(client, feature, what, "nothing", theirs, reason_for(client, feature, what, "nothing"))


def _passed(found: Findings, feature: str) -> bool:
    verdict = found.verdicts.get(feature)
    return verdict is not None and verdict.status is Status.PASS
