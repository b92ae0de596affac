"""`muster console`: groups, topics and nodes of a cluster in a browser, live, until Ctrl-C.

Exit codes: 0 ended, 1 the address cannot be listened on, 2 a flag that makes no sense, or the extra `console` is not installed.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from muster.cli.exit_codes import DONE, USAGE
from muster.cli.support.cluster_command import note, run_and_report, usable_cluster
from muster.cli.support.connection_flags import (
    BOOTSTRAP_VARIABLE,
    DEFAULT_BOOTSTRAP,
    LAKE_VARIABLE,
    add_connection_arguments,
)
from muster.cli.support.numbers import shortened
from muster.cli.support.usage_error import UsageError
from muster.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from muster.console.settings import ConsoleSettings, HistorySource, LeaseSource, NodeLease

_COMMAND: Final = "console"
_DEFAULT_LISTEN: Final = "127.0.0.1:8080"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=_DEFAULT_LISTEN,
        help=f"the address to listen on (default: {_DEFAULT_LISTEN}); one that others reach requires a login",
    )
    parser.add_argument(
        "--public-url",
        metavar="URL",
        help="https://name[:port] of a proxy in front that does TLS, as people type it; requires a login on any address",
    )
    parser.add_argument(
        "--lake", metavar="PATH", help=f"a lake of `muster pipeline run`: shows history too (default: {LAKE_VARIABLE})"
    )
    parser.add_argument("--lake-cluster", metavar="NAME", help="the cluster's name in the lake (its own id)")
    parser.add_argument(
        "--store",
        metavar="URL",
        help="postgresql://... of a Muster cluster: shows leases and releases of its nodes too",
    )
    parser.add_argument(
        "--allow-changes", action="store_true", help="offer to reset offsets, remove members and delete groups"
    )
    parser.add_argument("--login", action="store_true", help="require a login on a loopback address too")
    parser.add_argument(
        "--host-name",
        metavar="NAME",
        action="append",
        default=[],
        help="a name in the addresses that browsers ask for; numbers, localhost and --public-url are known",
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="PEM certificate of the console, with its chain: HTTPS")
    parser.add_argument("--tls-key", metavar="FILE", help="PEM key of --tls-cert, if it is not in the same file")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    try:
        from muster.console.serving import CannotListen, serve
    except ImportError as error:
        note(_COMMAND, f"{error.name} is not installed: pip install 'muster-kafka[console]'")
        return USAGE

    def work() -> int:
        serve(_settings(arguments))
        return DONE

    return run_and_report(_COMMAND, work, also=(CannotListen,))


def _settings(arguments: argparse.Namespace) -> ConsoleSettings:
    from muster.console.settings import ConsoleSettings

    host, port = _address(arguments.listen)
    if arguments.tls_key is not None and arguments.tls_cert is None:
        raise UsageError("--tls-key is of no use without --tls-cert")
    security = usable_cluster(arguments).security
    return ConsoleSettings(
        bootstrap=arguments.bootstrap or os.environ.get(BOOTSTRAP_VARIABLE) or DEFAULT_BOOTSTRAP,
        security=security,
        host=host,
        port=port,
        host_names=tuple(arguments.host_name),
        public_origin=_public_origin(arguments.public_url),
        tls_certificate=arguments.tls_cert,
        tls_key=arguments.tls_key,
        allow_changes=arguments.allow_changes,
        login=arguments.login,
        timeout_seconds=arguments.timeout,
        history=_history(arguments.lake, arguments.lake_cluster),
        store=_store(arguments.store),
    )


def _history(flag: str | None, cluster: str | None) -> HistorySource | None:
    """A lake that only the variable names may be meant for other commands: without the extra the console goes on without it."""
    lake = flag or os.environ.get(LAKE_VARIABLE)
    if not lake:
        return None
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        needs = "needs the extra pipeline: pip install 'muster-kafka[console,pipeline]'"
        if flag:
            raise UsageError(f"--lake {needs}") from None
        note(_COMMAND, f"no history: {LAKE_VARIABLE} is set, and a lake {needs}")
        return None
    return _LakeHistory(lake, cluster)


class _LakeHistory:
    """Plots of the past from a lake. The console knows no pipeline and the pipeline no console: they meet here."""

    def __init__(self, lake: str, cluster: str | None) -> None:
        self._lake = lake
        self.cluster = cluster

    def plots(self, group: str, cluster: str, from_ms: int | None, to_ms: int | None) -> str:
        from muster.console.settings import HistoryFailure
        from muster.pipeline.lake.errors import LakeError
        from muster.pipeline.report.one_group import group_history
        from muster.pipeline.sources.run_source import UNNAMED

        try:
            return group_history(self._lake, group, cluster or UNNAMED, from_ms, to_ms)
        except LakeError as error:
            raise HistoryFailure(str(error)) from None

    def style_sheet(self) -> str:
        from muster.pipeline.report.one_group import style_sheet

        return style_sheet()


def _store(url: str | None) -> LeaseSource | None:
    if url is None:
        return None
    from muster.server.setting_sources import refuse_password
    from muster.topics.config_types import ConfigError

    try:
        refuse_password("--store", url)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise UsageError(f"--store needs psycopg: {install_command('postgres')}") from None
    return _StoreLeases(url)


class _StoreLeases:
    """Leases of the nodes of a Muster cluster, read from its store. A connection for each question: they are seconds apart."""

    def __init__(self, url: str) -> None:
        self._url = url

    def leases(self) -> Mapping[int, NodeLease]:
        from muster.cluster.node_leases import leases_of_nodes
        from muster.console.settings import NodeLease, StoreFailure
        from muster.log.contract import StorageError
        from muster.log.postgres.line import Line

        line = Line(self._url, "muster console")
        try:
            found = line.run(leases_of_nodes)
        except StorageError as error:
            raise StoreFailure(str(error)) from None
        finally:
            line.close()
        return {each.node_id: NodeLease(max(0, round(each.seconds)), each.is_draining, each.release) for each in found}


def _public_origin(url: str | None) -> str | None:
    """As browsers write it in `Origin`: in lower case, and with the port only if it is not that of HTTPS."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    host = parts.hostname
    if parts.scheme != "https" or not host or not host.isascii() or parts.netloc.rpartition("@")[1]:
        raise UsageError(
            f"--public-url {url}: give https://NAME or https://NAME:PORT, a name in other letters as xn--..."
        )
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise UsageError(
            f"--public-url {url}: the console needs a name or a port of its own, it cannot be below a path"
        )
    name = f"[{host}]" if ":" in host else host
    return f"https://{name}" if port in (None, 443) else f"https://{name}:{port}"


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or len(port) > 5 or int(port) > 65_535:
        raise UsageError(f"--listen {shortened(text)}: give HOST:PORT, such as {_DEFAULT_LISTEN}")
    return host.removeprefix("[").removesuffix("]"), int(port)
