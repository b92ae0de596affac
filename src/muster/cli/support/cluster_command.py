"""How a command talks to a cluster: connects, asks, says in one line what went wrong, and ends with the right code.

0 done; 1 the cluster did not answer, or refused; 2 the command line makes no sense. A reader that goes away (`| head`) is no
failure. Ctrl-C is left to `muster.cli.main`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterable
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final, TypeVar

from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.cli.support.connection_flags import cluster_of
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.failure import ClientError

T = TypeVar("T")
_AT_ONCE: Final = 32


def run_with_cluster(command: str, arguments: argparse.Namespace, work: Callable[[Cluster], Awaitable[int]]) -> int:
    """Connect, do the work, and return the exit code: that of the work, or the one for what went wrong."""

    async def connected() -> int:
        async with usable_cluster(arguments) as cluster:
            return await work(cluster)

    return run_and_report(command, lambda: asyncio.run(connected()))


def usable_cluster(arguments: argparse.Namespace, client_id: str = "muster-cli") -> Cluster:
    """A cluster, not connected yet. UsageError if the flags cannot be used."""
    from muster.client.failure import ClientError

    try:
        return cluster_of(arguments, client_id)
    except ClientError as failure:
        raise UsageError(str(failure)) from None


def run_and_report(command: str, work: Callable[[], int], *, also: tuple[type[Exception], ...] = ()) -> int:
    """Do the work; what goes wrong becomes a line on standard error and an exit code.

    `also`: errors that mean the same as a ClientError, that the command was right and could not be done.
    """
    from muster.client.failure import ClientError

    failures: tuple[type[Exception], ...] = (ClientError, *also)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names that the terminal's encoding lacks
    try:
        code = work()
        sys.stdout.flush()
        return code
    except UsageError as error:
        note(command, str(error))
        return USAGE
    except failures as failure:
        note(command, str(failure))
        return FAILED
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def note(command: str, what: str | ClientError) -> None:
    """Print one line on standard error; names of others in it cannot do anything to a terminal."""
    from muster.explain.words import plain

    print(f"muster {command}: {plain(str(what))}", file=sys.stderr, flush=True)


async def side_by_side(questions: Iterable[Callable[[], Awaitable[T]]]) -> list[T | ClientError]:
    """Answers in order, each its own failure. A cluster with thousands of groups is far away: not one after the other."""
    from muster.client.failure import ClientError

    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(question: Callable[[], Awaitable[T]]) -> T | ClientError:
        async with turns:
            try:
                return await question()
            except ClientError as failure:
                return failure

    return list(await asyncio.gather(*map(one, questions)))
