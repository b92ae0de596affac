"""`muster.client` itself, in this process: at Muster and at a real Kafka it must see the same."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.core.assignors.choice import ASSIGNORS
from tests.conformance import kafka
from tests.conformance.clients.contract import Findings, Status, Verdict
from tests.conformance.clients.ours import checks, consumer_checks, with_java
from tests.conformance.clients.ours.probe import Probe
from tests.conformance.kafka import KafkaMissing, Node

SECONDS_A_CHECK: Final = 120

CHECKS: Final[dict[str, Callable[[Probe], Awaitable[None]]]] = {
    "produce with every compression, and fetch": checks.records,
    "list offsets by end, time and largest timestamp": checks.listed_offsets,
    "admin: topics and configs": checks.topics,
    "admin: groups and offsets": checks.groups,
    **{f"group with {name}": partial(checks.shared, assignor=name) for name in ASSIGNORS},
    "static member restarts unnoticed": checks.static_restart,
    "expelled member loses all and comes back": checks.expelled,
    "topic grows": checks.topic_grows,
    "protocol type of one's own": checks.own_protocol,
    "members that do not fit": checks.mismatches,
    **{f"consumer group with {name}": partial(consumer_checks.shared, assignor=name) for name in ("uniform", "range")},
    "consumer group: static member restarts unnoticed": consumer_checks.static_restart,
    "consumer group: removed member loses all and comes back": consumer_checks.removed,
    "consumer group: fenced member loses all and comes back": consumer_checks.fenced,
    "consumer group: killed member is missed": consumer_checks.killed,
    "consumer group: topics by expression, also later ones": consumer_checks.by_expression,
    "consumer group: topic grows": consumer_checks.topic_grows,
    "consumer group: members that do not fit": consumer_checks.mismatches,
    "consumer group: members of both protocols": consumer_checks.both_protocols,
    "consumer group: from the classic protocol and back": consumer_checks.migration,
    "consumer group: beside a Java member": with_java.in_consumer_group,
    **{f"leads a Java member with {name}": partial(with_java.ours_first, assignor=name) for name in ASSIGNORS},
    **{f"follows a Java member with {name}": partial(with_java.java_first, assignor=name) for name in ASSIGNORS},
}


class OursClient:
    name = "muster"
    features = tuple(CHECKS)

    def build(self) -> None:
        """Nothing is built; Java's members come with Kafka's jars."""
        kafka.obtain()

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        found = Findings()
        for feature, check in CHECKS.items():
            if only in feature:
                found.verdicts[feature] = asyncio.run(_try(feature, check, node, folder, found))
        return found


async def _try(
    feature: str, check: Callable[[Probe], Awaitable[None]], node: Node, folder: Path, found: Findings
) -> Verdict:
    async with Cluster(f"{node.host}:{node.port}", client_id="ours") as cluster:
        probe = Probe(cluster, node, folder)
        try:
            async with asyncio.timeout(SECONDS_A_CHECK):
                await check(probe)
        except KafkaMissing as missing:
            return Verdict(Status.NOT_RUN, str(missing).split("\n")[0])
        except (AssertionError, ClientError, TimeoutError, subprocess.SubprocessError, LookupError) as error:
            return Verdict(Status.FAIL, f"{type(error).__name__}: {' '.join(str(error).split())[:600]}")
        finally:
            found.sightings.update({(feature, what): saw for what, saw in probe.sightings.items()})
    return Verdict(Status.PASS)
