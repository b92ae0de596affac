"""`python -m tests.conformance.clients`: real clients of other languages against Muster and against Apache Kafka.

python -m tests.conformance.clients                  all clients, both brokers, a table at the end
... --client go --client node                        only these
... --broker Muster                                  only this broker
... --only static                                    only features whose name contains this
... --talk                                           also what the programs printed, even when all is well
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conformance.clients.brokers import BROKERS, fresh
from tests.conformance.clients.contract import BuildFailed, Client, Findings, Status, ToolchainMissing, all_alike
from tests.conformance.clients.differences import compare
from tests.conformance.clients.go.client import GoClient
from tests.conformance.clients.java.client import JavaClient, OlderJavaClient
from tests.conformance.clients.muster_cli.client import MusterCommand
from tests.conformance.clients.node.client import NodeClient
from tests.conformance.clients.ours.client import OursClient
from tests.conformance.clients.spark.client import SparkClient
from tests.conformance.clients.streams.client import StreamsClient
from tests.conformance.clients.table import is_green, markdown, reasons, shown, table
from tests.conformance.clients.tools.client import ToolsClient
from tests.conformance.kafka import KafkaMissing

CLIENTS: tuple[Client, ...] = (
    JavaClient(),
    OlderJavaClient(),
    ToolsClient(),
    MusterCommand(),
    GoClient(),
    NodeClient(),
    SparkClient(),
    StreamsClient(),
    OursClient(),
)


def main() -> int:
    arguments = _arguments()
    clients = [each for each in CLIENTS if not arguments.client or each.name in arguments.client]
    brokers = arguments.broker or list(BROKERS)
    outcomes: dict[str, dict[str, Findings]] = {}
    for client in clients:
        outcomes[client.name] = _try_client(client, brokers, arguments.only, arguments.talk)
    print("\n" + "\n".join(table(outcomes, brokers)) + "\n")
    if arguments.markdown:
        Path(arguments.markdown).write_text("\n".join(markdown(outcomes, brokers)) + "\n")
    print("\n".join(reasons(outcomes, (Status.FAIL, Status.REFUSED, Status.NOT_RUN))))
    differences = [
        each
        for client, found in outcomes.items()
        if len(found) == len(BROKERS)
        for each in compare(client, found["Muster"], found["Kafka"])
    ]
    print("\n".join(shown(differences)))
    return 0 if is_green(outcomes, differences) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.clients", description=__doc__.split("\n")[0])
    parser.add_argument("--client", action="append", choices=[each.name for each in CLIENTS], help="may be repeated")
    parser.add_argument("--broker", action="append", choices=list(BROKERS), help="may be repeated")
    parser.add_argument("--only", default="", help="only features whose name contains this")
    parser.add_argument("--markdown", metavar="FILE", help="write the table for the documentation")
    parser.add_argument("--talk", action="store_true", help="show what the programs printed")
    return parser.parse_args()


def _try_client(client: Client, brokers: list[str], only: str, talk: bool) -> dict[str, Findings]:
    features = [each for each in client.features if only in each]
    if not features:
        return {}
    try:
        client.build()
    except (ToolchainMissing, KafkaMissing) as missing:
        print(f"{client.name}: {missing}")
        return {broker: all_alike(features, Status.NOT_RUN, _first_line(missing)) for broker in brokers}
    except BuildFailed as failed:
        print(f"{client.name}: {failed}")
        return {broker: all_alike(features, Status.FAIL, _first_line(failed)) for broker in brokers}
    return {broker: _run(client, broker, features, only, talk) for broker in brokers}


def _run(client: Client, broker: str, features: list[str], only: str, talk: bool) -> Findings:
    began = time.monotonic()
    try:
        with fresh(broker, client.name) as node, TemporaryDirectory(prefix=f"client-{client.name}-") as made:
            found = client.run(node, Path(made), only)
    except KafkaMissing as missing:
        print(f"{client.name} at {broker}: {missing}")
        return all_alike(features, Status.NOT_RUN, _first_line(missing))
    failed = [each for each, verdict in found.verdicts.items() if verdict.status is Status.FAIL]
    print(
        f"{client.name} at {broker}: {len(found.verdicts) - len(failed)} well, {len(failed)} failed, "
        f"{time.monotonic() - began:.0f} s",
        flush=True,
    )
    if talk or failed:
        print("\n".join(f"    | {line}" for line in found.talk[-60:]))
    return found


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0]


sys.exit(main())
