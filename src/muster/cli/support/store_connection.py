"""The way to the PostgreSQL store of a cluster, for the commands that work on it without a server: the flag and the connection."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import FAILED, USAGE
from muster.extras import install_command
from muster.log.contract import StorageError
from muster.log.postgres.line import STATEMENT_MS, Line

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE: Final = "MUSTER_STORE"


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", nargs="?", help=f"postgresql://... (default: ${VARIABLE})")


def with_store(command: str, url: str | None, work: Callable[[Any], int], patience_ms: int = STATEMENT_MS) -> int:
    """Run something with a connection to the store; what goes wrong becomes one line and an exit code. `patience_ms`: how long it
    may take, each of its statements and all of it."""
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
    from muster.log.postgres.pooler import require_sessions

    line, other = Line(url, command, patience_ms), Line(url, command)
    try:
        require_sessions(line, other)
        other.close()
        return line.run(work)
    except StorageError as error:
        print(f"{command}: {error}", file=sys.stderr)
        return FAILED
    finally:
        line.close()
        other.close()
