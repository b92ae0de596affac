"""The `muster` command at both brokers: it must work with a real Kafka, and say what Kafka's own tools say."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.conformance import kafka
from tests.conformance.clients.contract import Findings, Status, Verdict
from tests.conformance.clients.muster_cli import checks
from tests.conformance.clients.tools.shell import Shell, make_archive
from tests.conformance.kafka import Node

CHECKS: Final[dict[str, Callable[[Shell], None]]] = {
    "topics: create, describe, alter, delete": checks.topics,
    "produce and consume": checks.records,
    "consume in a group": checks.records_in_a_group,
    "groups: list, describe, members, offsets": checks.describe,
    "groups: reset-offsets as kafka-consumer-groups": checks.reset_offsets,
    "groups: delete, delete-offsets": checks.delete,
    "transactions: list, describe, abort": checks.transactions,
}


class MusterCommand:
    name = "command"
    features = tuple(CHECKS)

    def build(self) -> None:
        kafka.obtain()

    def run(self, node: Node, folder: Path, only: str) -> Findings:
        archive = make_archive(node)
        found = Findings()
        for feature, check in CHECKS.items():
            if only not in feature:
                continue
            place = folder / str(len(found.verdicts))
            place.mkdir()
            shell = Shell(node, place, archive)
            found.verdicts[feature] = _verdict(check, shell)
            found.sightings.update({(feature, what): saw for what, saw in shell.sightings.items()})
            if found.verdicts[feature].status is Status.FAIL:
                found.talk += shell.talk
        return found


def _verdict(check: Callable[[Shell], None], shell: Shell) -> Verdict:
    try:
        check(shell)
    except (AssertionError, subprocess.TimeoutExpired, ValueError, LookupError) as error:
        return Verdict(Status.FAIL, f"{type(error).__name__}: {' '.join(str(error).split())[:600]}")
    return Verdict(Status.PASS)
