"""The `muster` command: finds the command's file, imports it and runs it. Nothing heavy is imported before that.

A command is a module with `add_arguments(parser)` and `run(arguments) -> exit code`. One that must start at once has
`plain_arguments(arguments)` too, which reads what needs no explaining without argparse. Exit codes: 0 done, 1 failed while
running, 2 asked for something that cannot be, 130 ended by Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import INTERRUPTED, USAGE

if TYPE_CHECKING:
    import argparse

COMMANDS: Final = {
    "serve": ("muster.cli.serve", "run a server until it is told to stop"),
    "groups": ("muster.cli.groups.command", "consumer groups: list, describe, explain, watch, reset offsets, delete"),
    "console": ("muster.cli.console", "groups, topics and nodes in a browser, live"),
    "transactions": (
        "muster.cli.transactions.command",
        "transactions of producers: list, describe, find-hanging, abort",
    ),
    "topics": ("muster.cli.topics.command", "topics: list, create, describe, alter, delete"),
    "produce": ("muster.cli.produce.command", "write lines as records to a topic"),
    "consume": ("muster.cli.consume.command", "read records of topics, with or without a group"),
    "users": ("muster.cli.users.command", "who may come in by SASL: add, remove, list"),
    "acls": ("muster.cli.acls.command", "who may do what: list, add, remove"),
    "quotas": ("muster.cli.quotas.command", "how much clients may do in how much time: list, set, remove"),
    "cluster": ("muster.cli.cluster.command", "nodes that share a store: status, drain, rebalance"),
    "store": ("muster.cli.store", "the tables of a cluster in PostgreSQL: migrate, status"),
    "log": ("muster.cli.log.command", "look into the files of a log: dump, repair"),
    "bench": ("muster.cli.bench", "measure a running server: groups with many real members"),
    "sim": ("muster.cli.sim", "run the simulator: seeds, faults, checkers"),
    "pipeline": (
        "muster.cli.lake.pipeline.command",
        "make tables of a log: run, report, sql, compact, migrate, package",
    ),
    "spark": ("muster.cli.spark.command", "streaming queries of Spark as groups: backfill"),
    "lag": ("muster.cli.lake.lag", "how far behind groups are, in records and in time"),
    "status": ("muster.cli.lake.status", "which groups are in trouble, and what shows it"),
    "rebalances": ("muster.cli.lake.rebalances", "when groups rebalanced, why, who caused it"),
    "members": ("muster.cli.lake.members", "who is and was in each group"),
    "balance": ("muster.cli.lake.balance", "how evenly partitions are spread over members"),
    "expiring": ("muster.cli.lake.expiring", "which committed offsets will be deleted, and when"),
    "abandoned": ("muster.cli.lake.abandoned", "which groups nobody seems to need any more"),
    "committers": ("muster.cli.lake.committers", "who commits how often, and how much of it is useless"),
    "doctor": ("muster.cli.lake.doctor", "what a lake lacks: holes, quarantine, unknown records"),
    "whatif": ("muster.cli.lake.whatif", "what would have happened to groups with other settings"),
    "completion": ("muster.cli.completion.command", "completion for bash, zsh and fish"),
}
"""name -> (module, one line for --help). Imported when asked for."""

_EXAMPLES = """\
examples:
  muster serve                                   a server on 127.0.0.1:9092 with its data in ./muster-data
  muster serve --memory --listen 127.0.0.1:0     nothing on disk, any free port (the first line printed names it)
  muster serve --set group.initial.rebalance.delay.ms=0
  muster serve --config muster.toml --print-config
  muster groups describe billing                 state, members, committed offsets and lag
  muster groups explain billing --since 1h       why it rebalanced, and what could be changed
  muster consume orders --from-beginning --max 10
exit codes: 0 done, 1 the cluster did not answer or refused, 2 the command line makes no sense, 130 ended by Ctrl-C
"""


def main(argv: Sequence[str] | None = None) -> int:
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:  # commands that have something to put in order have done so
        if sys.stderr.isatty():
            print(file=sys.stderr)  # the terminal shows ^C: the shell's prompt begins a new line
        return INTERRUPTED


def _run(arguments: Sequence[str]) -> int:
    chosen, parsed = _plainly(arguments)
    if parsed is None:
        parser, chosen = _parser_for(arguments)
        parsed = parser.parse_args(arguments)
        if chosen is None:
            parser.print_help(sys.stderr)
            return USAGE
    assert chosen is not None
    code: int = chosen.run(parsed)
    return code


def _plainly(arguments: Sequence[str]) -> tuple[ModuleType | None, Any]:
    """The command and what it was given, if it can tell by itself. Whatever is unusual is for the parser to judge."""
    if not arguments or arguments[0] not in COMMANDS:
        return None, None
    chosen = import_module(COMMANDS[arguments[0]][0])
    read = getattr(chosen, "plain_arguments", None)
    return chosen, read(arguments[1:]) if read is not None else None


def _parser_for(arguments: Sequence[str]) -> tuple[argparse.ArgumentParser, ModuleType | None]:
    """The parser of everything, with the details of the one command that was named, and without the others if it comes first."""
    import argparse

    from muster import __version__
    from muster.cli.support.actions import add_described_parser
    from muster.cli.support.usage_parser import UsageParser
    from muster.form import form_text

    parser = UsageParser(
        prog="muster",
        description="A Kafka-compatible group coordinator that explains every rebalance.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"muster {__version__} ({form_text()})")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    named = next((argument for argument in arguments if not argument.startswith("-")), None)
    alone = named in COMMANDS and arguments[0] == named
    chosen: ModuleType | None = None
    for name, (module, summary) in COMMANDS.items():
        if alone and name != named:
            continue
        command = add_described_parser(commands, name, summary)
        if name == named:
            chosen = import_module(module)
            chosen.add_arguments(command)
    return parser, chosen
