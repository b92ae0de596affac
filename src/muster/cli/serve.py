"""`muster serve`: reads flags, file and environment, then runs the server until it is told to stop."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from muster.cli.exit_codes import DONE, FAILED, USAGE

if TYPE_CHECKING:
    import argparse

    from muster.server.setting_sources import SettingText
    from muster.server.settings import Settings

_FLAGS = {
    "listen": (
        "listeners",
        "[NAME://]HOST:PORT,...",
        "where to listen; port 0 takes a free one (127.0.0.1:9092); with TLS or SASL see docs/security.md",
    ),
    "advertise": (
        "advertised.listeners",
        "[NAME://]HOST:PORT,...",
        "what clients are told to connect to (where it listens)",
    ),
    "data": ("muster.data", "DIR", "the directory for everything durable (muster-data)"),
    "store": (
        "muster.store",
        "URL",
        "postgresql://...: share topics and groups with other nodes; a password in PGPASSFILE or $MUSTER_STORE",
    ),
    "workers": (
        "muster.workers",
        "N",
        "so many processes share the load; each is a node with the next port after the listener's (1)",
    ),
    "durability": ("muster.durability", "fsync|os", "what a reply waits for (fsync)"),
    "node-id": ("node.id", "N|auto", "the id of this node (1); auto: with --store, one that no node had before"),
    "cluster-id": ("muster.cluster.id", "ID", "the cluster id; kept in the data directory"),
    "metrics-listen": ("muster.metrics.listen", "HOST:PORT", "serve metrics over HTTP there"),
    "control": ("muster.control.listen", "HOST:PORT", "serve the test controls over HTTP there (docs/testing.md)"),
    "log-level": ("muster.log.level", "LEVEL", "debug, info, warning or error (info)"),
    "log-format": ("muster.log.format", "text|json", "lines for people, or a JSON object a line (text)"),
}
"""flag -> (setting, metavar, help)"""

_EXAMPLES = """\
Settings come from, lowest to highest: defaults, --config FILE, environment variables, flags. Names are Kafka's:
  --set group.max.size=100          a flag
  MUSTER_GROUP_MAX_SIZE=100         a variable
  group.max.size = 100              a line of the TOML file
--print-config shows every one of them with its value and where that came from.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    for flag, (_, metavar, text) in _FLAGS.items():
        parser.add_argument(f"--{flag}", metavar=metavar, help=text)
    parser.add_argument("--memory", action="store_true", help="keep nothing on disk")
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help="any setting; may be repeated")
    parser.add_argument("--config", metavar="FILE", help="a TOML file of settings")
    parser.add_argument("--print-config", action="store_true", help="show the effective settings and stop")


def plain_arguments(arguments: Sequence[str]) -> SimpleNamespace | None:
    """What argparse would make of them, 8 ms earlier; None if there is anything to explain or to refuse."""
    given: dict[str, object] = {flag.replace("-", "_"): None for flag in (*_FLAGS, "config")}
    assignments: list[str] = []
    switches = {"memory": False, "print_config": False}
    words = iter(arguments)
    for word in words:
        flag, has_value, value = word.partition("=")
        name = flag.removeprefix("--").replace("-", "_")
        if not flag.startswith("--") or "_" in flag:
            return None
        if name in switches and not has_value:
            switches[name] = True
            continue
        if not has_value:
            value = next(words, "-")
            if value.startswith("-"):
                return None
        if name == "set":
            assignments.append(value)
        elif name in given:
            given[name] = value
        else:
            return None
    return SimpleNamespace(**given, **switches, set=assignments)


def run(arguments: argparse.Namespace | SimpleNamespace) -> int:
    gc.disable()  # what a start imports stays: passes over it are 5 ms. `spare_the_collector` ends this earlier
    try:
        return _run(arguments)
    finally:
        gc.enable()


def _run(arguments: argparse.Namespace | SimpleNamespace) -> int:
    from muster.topics.config_types import ConfigError

    try:
        settings = read_settings(arguments)
    except ConfigError as error:
        print(f"muster serve: {error}", file=sys.stderr)
        return USAGE
    if arguments.print_config:
        print_settings(settings)
        return DONE
    return _serve(settings, arguments)


def read_settings(arguments: argparse.Namespace | SimpleNamespace, decided: Sequence[SettingText] = ()) -> Settings:
    """`decided`: what was found out since, and counts for more than all else."""
    from muster.server.setting_sources import from_assignments, from_environment, from_file
    from muster.server.settings import resolve

    return resolve(
        from_file(arguments.config) if arguments.config else (),
        from_environment(os.environ),
        from_assignments("--set", arguments.set),
        _from_flags(arguments),
        decided,
    )


def _from_flags(arguments: argparse.Namespace | SimpleNamespace) -> Iterator[SettingText]:
    from muster.server.setting_sources import from_flag

    for flag, (name, _, _) in _FLAGS.items():
        text = getattr(arguments, flag.replace("-", "_"))
        if text is not None:
            yield from_flag(f"--{flag}", name, "-1" if (flag, text) == ("node-id", "auto") else text)
    if arguments.memory:
        yield from_flag("--memory", "muster.storage", "memory")


def print_settings(settings: Settings) -> None:
    from muster.server.setting_keys import TABLE

    for name in (*(key.name for key in TABLE), *settings.names_for_one_listener()):
        print(f"{name} = {settings.text(name)}  # {settings.origin(name)}")


def _with_node_id(settings: Settings, arguments: argparse.Namespace | SimpleNamespace) -> Settings:
    """The same, with an id that the store gave."""
    from muster.server.automatic_id import next_node_id
    from muster.server.setting_sources import from_flag

    return read_settings(arguments, [from_flag("--node-id auto", "node.id", str(next_node_id(settings.store_url)))])


def _serve(settings: Settings, arguments: argparse.Namespace | SimpleNamespace) -> int:
    from muster.log.contract import StorageError
    from muster.server.serve import ListenError, serve
    from muster.topics.config_types import ConfigError

    try:
        if settings.node_id < 0:
            settings = _with_node_id(settings, arguments)
        if settings.integer("muster.workers") > 1:
            from muster.server.workers import serve_workers

            gc.enable()
            return serve_workers(settings)
        if settings.string("muster.control.listen"):
            from muster.testing.controlled_server import ControlledServer

            serve(settings, ControlledServer)
        else:
            serve(settings)
    except ConfigError as error:
        print(f"muster serve: {error}", file=sys.stderr)
        return USAGE
    except (ListenError, StorageError) as error:
        print(f"muster serve: {error}", file=sys.stderr)
        return FAILED
    return DONE
