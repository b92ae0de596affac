"""Connections that say nothing, a byte at a time, or vanish do not harm the others (short form of `make soak`)."""

from __future__ import annotations

import asyncio

from bench.server_process import ServerProcess
from bench.soak import soak


def test_members_keep_their_places_beside_silent_dripping_and_vanishing_connections() -> None:
    with ServerProcess("--set", "group.initial.rebalance.delay.ms=200", "--log-level", "warning") as server:
        seen = asyncio.run(soak(server, 3.0, groups=6, members_a_group=10, rude=10, beat_seconds=0.2))
    assert seen.refused == []
    assert seen.late == 0
    assert len(seen.beat_seconds) >= seen.members, "everybody was served"
    assert seen.commit_seconds, "and committed"
    assert seen.vanished > 10
    assert seen.bytes_dripped > 10
