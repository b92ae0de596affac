"""`muster consume TOPIC...`: records as they come, with or without a group. Ctrl-C ends; a member commits and leaves first.

Exit codes: 0 --max or --until-end was reached; 1 the cluster did not answer or refused; 2 flags that make no sense; 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from typing import TYPE_CHECKING, Final

from muster.cli.consume.format import FIELD_NAMES, printer
from muster.cli.consume.start import check_consume, chosen_partitions, start_offsets
from muster.cli.exit_codes import DONE, TERMINATED
from muster.cli.support.cluster_command import note, run_and_report, usable_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.numbers import int64

if TYPE_CHECKING:
    from muster.cli.consume.reading import Reading
    from muster.client.cluster import Cluster

_COMMAND: Final = "consume"

_EXAMPLES = r"""
examples:
  muster consume orders                                       what comes from now on
  muster consume orders --from-beginning --until-end --json   everything that is there, then end
  muster consume orders --partition 0 --offset -10            the last ten of partition 0, and what comes
  muster consume orders --since 1h --format '{time}\t{key}\t{value}'
  muster consume orders --group billing --max 100             as a member of a group: goes on where the group is
  muster consume orders --group billing --protocol consumer   the same by the new group protocol (KIP-848)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES.lstrip("\n")
    parser.add_argument("topics", metavar="TOPIC", nargs="+")
    start = parser.add_argument_group("from where (default: what comes from now on)")
    start.add_argument(
        "--from-beginning", action="store_true", help="all there is; in a group: where nothing is committed"
    )
    start.add_argument("--offset", metavar="N", type=int64, help="this offset; if negative, so many before the end")
    start.add_argument("--since", metavar="WHEN", help="1h, 7d, P1DT2H or a UTC time like 2026-11-15T03:12")
    start.add_argument("--partition", metavar="0,1", help="only these partitions")
    end = parser.add_argument_group("up to where (default: until Ctrl-C)")
    end.add_argument("--max", metavar="N", type=int64, help="so many records")
    end.add_argument("--until-end", action="store_true", help="what is there when it starts")
    member = parser.add_argument_group("in a group")
    member.add_argument("--group", metavar="NAME", help="be a member of it; commit what was printed")
    member.add_argument(
        "--protocol",
        choices=("classic", "consumer"),
        help="which of Kafka's group protocols it speaks (group.protocol; default: classic)",
    )
    member.add_argument("--no-commit", action="store_true", help="leave the group's offsets as they are")
    member.add_argument("--instance-id", metavar="NAME", help="be a static member (group.instance.id)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--format", metavar="TEXT", help=f"fields in braces: {', '.join(FIELD_NAMES)} (default: {{value}})"
    )
    form.add_argument("--json", action="store_true", help="a JSON object a record")
    parser.add_argument("--read-committed", action="store_true", help="leave records of aborted transactions out")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return run_and_report(_COMMAND, lambda: asyncio.run(_consume(arguments)))


async def _consume(arguments: argparse.Namespace) -> int:
    check_consume(arguments)
    printed = printer(arguments.format, as_json=arguments.json, on_terminal=sys.stdout.isatty())
    terminated = _end_on_sigterm()
    try:
        async with usable_cluster(arguments, "muster-consume") as cluster:
            from muster.cli.consume.reading import Reading

            reading = Reading(
                cluster,
                printed,
                lambda text: note(_COMMAND, text),
                most=arguments.max,
                until_end=arguments.until_end,
                read_committed=arguments.read_committed,
            )
            await _read(cluster, arguments, reading)
    except asyncio.CancelledError:
        if terminated:
            return TERMINATED
        raise
    return DONE


async def _read(cluster: Cluster, arguments: argparse.Namespace, reading: Reading) -> None:
    if arguments.group is not None:
        from muster.cli.consume.group import read_in_group
        from muster.cli.support.topic_places import known_topics

        await known_topics(cluster, arguments.topics, "read")
        await read_in_group(cluster, arguments, reading, lambda text: note(_COMMAND, text))
        return
    places = await chosen_partitions(cluster, arguments)
    try:
        await reading.begin(await start_offsets(cluster, places, arguments))
        while not reading.is_done:
            await reading.step()
    finally:
        await reading.close()


def _end_on_sigterm() -> list[int]:
    """A member that is told to go leaves its group, as with Ctrl-C. Holds the signal once it has come."""
    came: list[int] = []
    task = asyncio.current_task()
    assert task is not None

    def end() -> None:
        came.append(signal.SIGTERM)
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
    return came
