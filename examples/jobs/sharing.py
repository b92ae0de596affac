"""How the workers of a group share a list of jobs: a group protocol of our own, of which the coordinator sees only bytes.

Each worker says its name and which jobs it had. One of them, the leader, hears all of that and shares the jobs out: everybody keeps
what they had as far as that is fair, the rest goes to those with the least.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence

from muster.client.group_protocol import GroupProtocol, JoinedMember, Standing

Begin = Callable[[frozenset[int]], Awaitable[None]]
Stop = Callable[[], Awaitable[None]]


class JobSharing(GroupProtocol):
    """`begin` is told which jobs are ours; `stop` must not return before the last of them stands still."""

    protocol_type = "jobs"

    def __init__(self, name: str, jobs: int, begin: Begin, stop: Stop) -> None:
        self._name = name
        self._jobs = jobs
        self._begin = begin
        self._stop = stop
        self._had: list[int] = []

    def offers(self) -> list[tuple[str, bytes]]:
        return [("fair", json.dumps({"worker": self._name, "had": self._had}).encode())]

    async def share_out(self, protocol: str, members: Sequence[JoinedMember]) -> Mapping[str, bytes]:
        had = {each.member_id: json.loads(each.metadata)["had"] for each in members}
        return {member_id: json.dumps(jobs).encode() for member_id, jobs in fair_shares(self._jobs, had).items()}

    async def prepare(self, standing: Standing) -> None:
        """A job must never run twice at the same time: stop first, then let the group decide."""
        await self._stop()

    async def take(self, standing: Standing, share: bytes) -> str | None:
        self._had = json.loads(share)
        await self._begin(frozenset(self._had))
        return None

    async def lost(self) -> None:
        await self._stop()

    async def leaving(self) -> None:
        await self._stop()


def fair_shares(jobs: int, had: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """Worker -> jobs: each job once, and nobody has two more than anybody else."""
    fair, more = divmod(jobs, len(had))
    shares: dict[str, list[int]] = {}
    free = set(range(jobs))
    for worker in sorted(had, key=lambda each: (-len(had[each]), each)):
        still_free = [job for job in had[worker] if job in free]
        keeps_one_more = more > 0 and len(still_free) > fair
        more -= keeps_one_more
        shares[worker] = still_free[: fair + keeps_one_more]
        free -= set(shares[worker])
    for job in sorted(free):
        shares[min(shares, key=lambda each: (len(shares[each]), each))].append(job)
    return shares
