"""The smallest group protocol that shares something: names of jobs, dealt in turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from muster.client.group_protocol import GroupProtocol, JoinedMember, Standing


class Jobs(GroupProtocol):
    protocol_type = "jobs"

    def __init__(self, jobs: Sequence[str]) -> None:
        self._jobs = list(jobs)
        self.mine: list[str] = []

    def offers(self) -> list[tuple[str, bytes]]:
        return [("in-turn", b"\x00anything")]

    async def share_out(self, protocol: str, members: Sequence[JoinedMember]) -> Mapping[str, bytes]:
        names = sorted(each.member_id for each in members)
        return {name: json.dumps(self._jobs[index :: len(names)]).encode() for index, name in enumerate(names)}

    async def take(self, standing: Standing, share: bytes) -> str | None:
        self.mine = json.loads(share)
        return None
