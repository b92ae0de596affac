"""`muster log dump` and `muster log repair`: look into the files of a log, ours or Kafka's, and cut a damaged one."""

from __future__ import annotations

import argparse

_EXAMPLES = """\
examples:
  muster log dump data/orders-0                                  every batch and record of a partition
  muster log dump data/__consumer_offsets-7 --json               committed offsets and groups as JSON lines
  muster log dump data/__transaction_state-0                     transactional ids, their states and partitions
  muster log dump 00000000000000000000.log --offsets             a segment file that lies somewhere else
  muster log repair data                                         what is damaged, and what cutting there would give up
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    dump = actions.add_parser("dump", help="decode segment files and partition directories", allow_abbrev=False)
    dump.add_argument("paths", metavar="PATH", nargs="+", help="a .log file or a partition's directory")
    dump.add_argument("--json", action="store_true", help="one JSON object a line")
    kinds = dump.add_mutually_exclusive_group()
    kinds.add_argument(
        "--offsets",
        action="store_true",
        help="the records are a group coordinator's (assumed in a directory named __consumer_offsets-N)",
    )
    kinds.add_argument(
        "--transactions",
        action="store_true",
        help="the records are a transaction coordinator's (assumed in a directory named __transaction_state-N)",
    )
    repair = actions.add_parser("repair", help="show damage in a data directory and cut there", allow_abbrev=False)
    repair.add_argument("directory", metavar="DIR", help="a data directory, or one partition's directory in it")
    repair.add_argument("--yes", action="store_true", help="cut without asking")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "dump":
        from muster.cli.log.dump import dump
        from muster.cli.log.words import RecordKind

        kind = None
        if arguments.offsets:
            kind = RecordKind.GROUPS
        elif arguments.transactions:
            kind = RecordKind.TRANSACTIONS
        return dump(arguments.paths, as_json=arguments.json, kind=kind)
    from muster.cli.log.repair import repair

    return repair(arguments.directory, yes=arguments.yes)
