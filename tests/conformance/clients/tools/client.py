"""Kafka's own command line tools, run from the jars that the broker comes with."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.conformance import kafka
from tests.conformance.clients.contract import Findings, Status, Verdict
from tests.conformance.clients.tools import groups, records, topics, transactions
from tests.conformance.clients.tools.shell import Shell, make_archive
from tests.conformance.kafka import Node

CHECKS: Final[dict[str, Callable[[Shell], None]]] = {
    "topics: create": topics.create,
    "topics: list": topics.list_,
    "topics: describe": topics.describe,
    "topics: alter": topics.alter,
    "topics: delete": topics.delete,
    "configs: topics": topics.configs_of_topics,
    "configs: brokers": topics.configs_of_brokers,
    "configs: groups": topics.configs_of_groups,
    "get-offsets": topics.get_offsets,
    "delete-records": topics.delete_records,
    "log-dirs": topics.log_dirs,
    "broker-api-versions": topics.broker_api_versions,
    "features": topics.features,
    "transactions: list, describe": transactions.list_and_describe,
    "transactions: describe-producers": transactions.describe_producers,
    "transactions: find-hanging, abort": transactions.hanging,
    "console producer": records.console_producer,
    "console consumer without a group": records.console_consumer,
    "console consumer in a group": records.console_consumer_in_a_group,
    "verifiable producer and consumers": records.verifiable,
    "verifiable consumer with assignors": records.verifiable_with_assignors,
    "producer and consumer performance": records.performance,
    "consumer-groups: list": groups.list_,
    "consumer-groups: describe": groups.describe,
    "consumer-groups: of the consumer protocol": groups.of_the_consumer_protocol,
    "consumer-groups: reset-offsets": groups.reset_offsets,
    "consumer-groups: delete-offsets": groups.delete_offsets,
    "consumer-groups: delete": groups.delete,
}
UNSUPPORTED: Final = "The node does not support "
"""What a tool says about an API that the broker does not have."""


class ToolsClient:
    name = "tools"
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
    except (AssertionError, subprocess.TimeoutExpired, ValueError, LookupError, StopIteration) as error:
        why = " ".join(str(error).split())[:600]
        status = Status.REFUSED if UNSUPPORTED in "".join(shell.talk) else Status.FAIL
        return Verdict(status, f"{type(error).__name__}: {why}")
    return Verdict(Status.PASS)
