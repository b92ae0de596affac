"""`muster store migrate | status | copy`: the tables of a cluster in PostgreSQL, and moving to them or away from them."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from muster.cli.exit_codes import DONE
from muster.cli.support.store_connection import add_store_argument, with_store
from muster.cli.support.store_copy import add_copy_arguments, copy

_MIGRATE = "muster store migrate"
_EXAMPLES = """\
examples:
  muster store migrate postgresql://muster@db.example/muster     make the tables, or bring older ones up to date
  MUSTER_STORE=postgresql://... muster store status              schema version, size, nodes
  muster store copy muster-data postgresql://muster@db.example/muster    move from one server to a cluster
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    migrate = actions.add_parser("migrate", help="make the tables, or bring older ones up to date", allow_abbrev=False)
    add_store_argument(migrate)
    migrate.add_argument("--cluster-id", default="", metavar="ID", help="of a new cluster (default: a random one)")
    status = actions.add_parser("status", help="what is in the database", allow_abbrev=False)
    add_store_argument(status)
    status.add_argument("--json", action="store_true", help="one JSON object")
    add_copy_arguments(
        actions.add_parser(
            "copy",
            help="everything from a data directory to a database, or back; compared at the end",
            allow_abbrev=False,
        )
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "copy":
        return copy(arguments)
    if arguments.action == "migrate":
        from muster.log.postgres.migration import PATIENCE_MS

        return with_store(_MIGRATE, arguments.url, lambda c: _migrate(c, arguments.cluster_id), PATIENCE_MS)
    return with_store(f"muster store {arguments.action}", arguments.url, lambda c: _status(c, as_json=arguments.json))


def _migrate(connection: Any, cluster_id: str) -> int:
    from muster.log.postgres.migration import migrate
    from muster.server.identity import random_id

    def say(line: str) -> None:
        print(f"{_MIGRATE}: {line}", file=sys.stderr, flush=True)

    before, after = migrate(connection, cluster_id or random_id(), say=say)
    if before == after:
        print(f"the database has schema version {after}; nothing to do")
    elif before == 0:
        print(f"made the tables, schema version {after}")
    else:
        print(f"migrated from schema version {before} to {after}")
    return DONE


def _status(connection: Any, *, as_json: bool) -> int:
    from muster.log.postgres.deletion import OF_TOPICS
    from muster.log.postgres.schema import check
    from muster.log.postgres.schema_steps import NEWEST

    state = check(connection)
    count_partitions = f"SELECT count(*) FROM muster.partitions WHERE {OF_TOPICS}"  # noqa: S608
    facts = {
        "schema_version": state.version,
        "nodes_must_speak": state.required,
        "cluster_id": connection.execute("SELECT cluster_id FROM muster.cluster").fetchone()[0],
        "nodes": connection.execute("SELECT count(*) FROM muster.nodes WHERE lease_until >= now()").fetchone()[0],
        "partitions": connection.execute(count_partitions).fetchone()[0],
        "bytes": connection.execute("SELECT pg_total_relation_size('muster.batches')").fetchone()[0],
    }
    if as_json:
        print(json.dumps(facts))
    else:
        for name, value in facts.items():
            print(f"{name.replace('_', ' '):<16} {value}")
    if state.version < NEWEST:
        print(f"this release knows schema version {NEWEST}: `muster store migrate` adds it, nodes may run meanwhile")
    return DONE
