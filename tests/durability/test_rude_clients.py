"""Connections that say nothing, a byte at a time, or vanish do not harm the others (short form of `make soak`)."""

from __future__ import annotations

import asyncio

from bench.server_process import ServerProcess
from bench.soak import Soaked, soak


def test_members_keep_their_places_beside_silent_dripping_and_vanishing_connections() -> None:
    with ServerProcess("--set", "group.initial.rebalance.delay.ms=200", "--log-level", "warning") as server:
        seen = asyncio.run(soak(server, 3.0, groups=6, members_a_group=10, rude=10, beat_seconds=0.2, enough=enough))
    assert seen.refused == []
    assert seen.late == 0
    assert enough(seen), f"{seen.members} members in {len(seen.beat_seconds)} heartbeats, {seen.vanished} vanished"


def enough(seen: Soaked) -> bool:
    """Everybody was served and some committed, while the rude were."""
    return (
        len(seen.beat_seconds) >= seen.members
        and len(seen.commit_seconds) > 0
        and seen.vanished > 10
        and seen.bytes_dripped > 10
    )
