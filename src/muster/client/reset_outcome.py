"""Carrying out a plan of new offsets, and what became of it where that fails.

Coordinators answer for each partition, and a large plan goes in several requests: a part can be refused when another one is
already set. So after a failure the committed offsets are read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.offsets import commit_offsets, committed_offsets
from muster.client.reset_plan import Move
from muster.wire.errors import NETWORK_EXCEPTION, REQUEST_TIMED_OUT

NO_ANSWER: Final = (NETWORK_EXCEPTION, REQUEST_TIMED_OUT)
"""A request that failed so may have been carried out, or may still be."""


@dataclass(frozen=True, slots=True)
class ResetOutcome:
    done: tuple[Move, ...]
    """Those that are set. Where that cannot be found out, all that differ from what was committed before."""
    failure: ClientError | None = None
    """Why not all of them; None if they are."""
    unread: ClientError | None = None
    """Why nobody knows which are set; None if it is known."""

    @property
    def told(self) -> str:
        """What became of a plan of which nothing was found to be set."""
        if self.failure is not None and self.failure.code in NO_ANSWER:
            return (
                f"{self.failure} No offset was set when they were read again, but the request may still be carried out:"
                " see what is committed before you try again."
            )
        return f"{self.failure} Nothing was changed."


async def carry_out(cluster: Cluster, group: str, moves: Sequence[Move]) -> ResetOutcome:
    """Commit what a plan says; does not raise ClientError."""
    try:
        await commit_offsets(cluster, group, {each.place: each.new for each in moves})
    except ClientError as failure:
        changed = changes_of(moves)
        try:
            found = await committed_offsets(cluster, group)
        except ClientError as unread:
            return ResetOutcome(changed, failure, unread)
        done = tuple(each for each in changed if each.place in found and found[each.place].offset == each.new)
        return ResetOutcome(done, failure)
    return ResetOutcome(tuple(moves))


def changes_of(moves: Sequence[Move]) -> tuple[Move, ...]:
    """Without offsets that were committed before."""
    return tuple(each for each in moves if each.new != each.committed)
