"""The expiry forecast against the coordinator itself: predicted from its log, then its clock is moved on (KIP-211)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.core.config import GroupConfig
from muster.core.records import OffsetErased
from muster.core.requests import OffsetCommit
from tests.core.commit_entries import by_topic
from tests.pipeline.oracle.build import GoldSettings, build_gold
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables.rows import Row
from tests.pipeline.tables.scripted import Script, frames

RETENTION_MS, CHECK_MS, LOOK_AHEAD_MS = 60_000, 7_000, 300_000
SESSION_MS = 1_800_000
"""Longer than the test looks ahead, so that nobody has to heartbeat."""


def script(name: str) -> Script:
    settings = GroupConfig(
        initial_rebalance_delay_ms=0,
        offsets_retention_ms=RETENTION_MS,
        offsets_retention_check_interval_ms=CHECK_MS,
    )
    return Script(name, partitions=1, config=settings)


def commit_to(world: Script, topic: str, member_id: str = "", retention_ms: int | None = None) -> None:
    generation = world.group.generation if member_id else -1
    world.ask(
        OffsetCommit("g", generation, member_id, None, retention_ms, by_topic([(topic, 0, 5, -1, "", None)]), True)
    )


def simple() -> Script:
    world = script("simple")
    commit_to(world, "t")
    world.advance(10_000)
    commit_to(world, "u")
    return world


def empty() -> Script:
    """The fresh commit goes with the group: age counts from when it became empty (T195)."""
    world = script("empty")
    (a,) = world.complete(world.enter(session=SESSION_MS))
    commit_to(world, "t", a)
    world.advance(20_000)
    world.leave(a)
    world.advance(30_000)
    commit_to(world, "t")
    return world


def stable() -> Script:
    """Subscribed topics stay, others age from their commit."""
    world = script("stable")
    (a,) = world.complete(world.enter(session=SESSION_MS))
    commit_to(world, "t", a)
    world.advance(3_000)
    commit_to(world, "u", a)
    return world


def own_time() -> Script:
    """OffsetCommit v2 to v4 can name a retention of its own."""
    world = script("own time")
    commit_to(world, "t", retention_ms=15_000)
    commit_to(world, "u", retention_ms=200_000)
    return world


def rebalancing() -> Script:
    """Somebody has come and the other does not join again: nothing goes meanwhile."""
    world = script("rebalancing")
    (a,) = world.complete(world.enter(session=SESSION_MS, rebalance=SESSION_MS))
    commit_to(world, "u", a)
    world.enter(session=SESSION_MS, rebalance=SESSION_MS)
    return world


def connect() -> Script:
    """Nobody can read what its members subscribe to."""
    world = script("connect")
    call = world.join(type_="connect", protocols=(("sessioned", b"opaque"),), session=SESSION_MS)
    world.complete(call)
    commit_to(world, "t", call.reply.member_id)
    return world


def removed() -> Script:
    """A group that had members, was deleted, and is committed to again as a simple one."""
    world = script("removed")
    (a,) = world.complete(world.enter(session=SESSION_MS))
    world.leave(a)
    assert world.delete().reply.error == 0
    world.advance(5_000)
    commit_to(world, "t")
    return world


WORLDS = (simple, empty, stable, own_time, rebalancing, connect, removed)


@pytest.fixture(scope="module")
def forecast() -> tuple[dict[str, Script], list[Row]]:
    worlds = {world.name: world for world in (play() for play in WORLDS)}
    bronze = [row for world in worlds.values() for row in world.bronze()]
    rows = frames(bronze, [row for world in worlds.values() for row in world.journal_rows()])
    settings = GoldSettings(
        now_ms=max(world.now_ms for world in worlds.values()),
        offsets_retention_ms=RETENTION_MS,
        offsets_retention_check_interval_ms=CHECK_MS,
    )
    gold = build_gold({**rows, **finish_silver(rows)}, settings)
    found = gold["g_expiry"].to_dicts()
    return worlds, found


def erased(world: Script) -> dict[str, int]:
    """When each topic's offset really went, looking ahead second by second."""
    gone: dict[str, int] = {}
    for _ in range(LOOK_AHEAD_MS // 1_000):
        before = len(world.log)
        world.advance(1_000)
        gone.update((record.topic, world.now_ms) for record in world.log[before:] if isinstance(record, OffsetErased))
    return gone


@pytest.mark.parametrize("play", WORLDS, ids=lambda play: play.__name__)
def test_offset_goes_when_it_was_said_to_and_not_before(
    forecast: tuple[dict[str, Script], list[Row]], play: Callable[[], Script]
) -> None:
    """Due at `expires_ms`, gone with the first check from then on; null stays."""
    worlds, rows = forecast
    world = worlds[play().name]
    start_ms = world.now_ms
    mine = {row["topic"]: row for row in rows if row["cluster"] == world.name}
    assert mine
    actual = erased(world)
    for topic, row in mine.items():
        due_ms = row["expires_ms"]
        if due_ms is None:
            assert topic not in actual, row
            assert row["reason"].startswith("kept")
        else:
            assert start_ms < due_ms <= actual[topic] <= due_ms + CHECK_MS + 1_000, row


def test_forecast_says_why(forecast: tuple[dict[str, Script], list[Row]]) -> None:
    said = {(row["cluster"], row["topic"]): (row["group_state"], row["reason"]) for row in forecast[1]}
    assert said["simple", "t"] == ("Simple", "no members ever or any more: 60 s after its commit")
    assert said["empty", "t"] == ("Empty", "the group is empty: 60 s after it became so")
    assert said["stable", "t"] == ("Stable", "kept: a member subscribes to the topic")
    assert said["stable", "u"] == ("Stable", "no member subscribes to the topic: 60 s after its commit")
    assert said["own time", "t"][1] == "the commit named its own time; due, goes with the next check within 7 s"
    assert said["own time", "u"][1] == "the commit named its own time"
    assert said["rebalancing", "u"] == ("PreparingRebalance", "kept: the group is rebalancing")
    assert said["connect", "t"] == ("Stable", "kept: nobody can read what the members subscribe to")
    assert said["removed", "t"][0] == "Simple"
