"""The flags that lead to a cluster, for every command that talks to one: where it is and who we are."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

BOOTSTRAP_VARIABLE: Final = "MUSTER_BOOTSTRAP"
DEFAULT_BOOTSTRAP: Final = "127.0.0.1:9092"


def add_connection_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bootstrap",
        metavar="HOST:PORT",
        help=f"brokers to ask, several with commas (default: {BOOTSTRAP_VARIABLE}, else {DEFAULT_BOOTSTRAP})",
    )
    parser.add_argument(
        "--command-config", metavar="FILE", help="client properties, as Kafka's tools take them: TLS, SASL"
    )


def cluster_of(arguments: argparse.Namespace) -> Cluster:
    """Not connected yet. ClientError if the flags cannot be used."""
    from muster.client.cluster import Cluster
    from muster.client.properties import read_properties
    from muster.client.security import Security

    properties = read_properties(arguments.command_config) if arguments.command_config else {}
    bootstrap = arguments.bootstrap or os.environ.get(BOOTSTRAP_VARIABLE) or DEFAULT_BOOTSTRAP
    return Cluster(bootstrap, security=Security.of(properties), client_id="muster-cli", patience_seconds=15)
