"""`muster store migrate` and `muster store status`: the tables of a cluster in PostgreSQL."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE: Final = "MUSTER_STORE"

_EXAMPLES = """\
examples:
  muster store migrate postgresql://muster@db.example/muster     make the tables, or bring older ones up to date
  MUSTER_STORE=postgresql://... muster store status              schema version, size, nodes
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


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", nargs="?", help=f"postgresql://... (default: ${VARIABLE})")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "migrate":
        return with_store(
            f"muster store {arguments.action}", arguments.url, lambda c: _migrate(c, arguments.cluster_id)
        )
    return with_store(f"muster store {arguments.action}", arguments.url, lambda c: _status(c, as_json=arguments.json))


def with_store(command: str, url: str | None, work: Callable[[Any], int]) -> int:
    """Run something with a connection to the store; what goes wrong becomes one line and an exit code."""
    from muster.server.setting_sources import refuse_password
    from muster.topics.config_types import ConfigError

    try:
        refuse_password(command, url or "")
    except ConfigError as error:
        print(error, file=sys.stderr)
        return USAGE
    url = url or os.environ.get(VARIABLE)
    if not url:
        print(f"{command}: say which database: postgresql://..., or set {VARIABLE}", file=sys.stderr)
        return USAGE
    try:
        import psycopg  # noqa: F401
    except ImportError:
        print(f"{command}: psycopg is not installed: {install_command('postgres')}", file=sys.stderr)
        return FAILED
    from muster.log.contract import StorageError
    from muster.log.postgres.line import Line

    line = Line(url, command)
    try:
        return line.run(work)
    except StorageError as error:
        print(f"{command}: {error}", file=sys.stderr)
        return FAILED
    finally:
        line.close()


def _migrate(connection: Any, cluster_id: str) -> int:
    from muster.log.postgres.schema import migrate
    from muster.server.identity import random_id

    before, after = migrate(connection, cluster_id or random_id())
    if before == after:
        print(f"the database has schema version {after}; nothing to do")
    elif before == 0:
        print(f"made the tables, schema version {after}")
    else:
        print(f"migrated from schema version {before} to {after}")
    return DONE


def _status(connection: Any, *, as_json: bool) -> int:
    from muster.log.postgres.schema import VERSION, check

    check(connection)
    facts = {
        "schema_version": VERSION,
        "cluster_id": connection.execute("SELECT cluster_id FROM muster.cluster").fetchone()[0],
        "nodes": connection.execute("SELECT count(*) FROM muster.nodes WHERE lease_until >= now()").fetchone()[0],
        "partitions": connection.execute("SELECT count(*) FROM muster.partitions").fetchone()[0],
        "bytes": connection.execute("SELECT pg_total_relation_size('muster.batches')").fetchone()[0],
    }
    if as_json:
        print(json.dumps(facts))
    else:
        for name, value in facts.items():
            print(f"{name.replace('_', ' '):<16} {value}")
    return DONE
