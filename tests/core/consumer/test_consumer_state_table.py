"""Every state of a member against every kind of heartbeat, as a table (spec 7.4, 7.5).

The member `m` is at epoch 5 (4 before) and has foo-0; foo-1 is another member's. In UNREVOKED_PARTITIONS it has yet to give up
foo-2, in UNRELEASED_PARTITIONS it waits for foo-1 at epoch 6. The group and its target are at epoch 6, with foo-0 and foo-1 for
this member; in the rows `STABLE, done` they are at 5, with foo-0. In the rows `LEFT` it is a static member that has left for a
while.
"""

from __future__ import annotations

from itertools import product

import pytest

from muster.core.consumer.records import (
    CurrentAssignment,
    CurrentStored,
    EpochStored,
    MemberStored,
    Subscription,
    TargetEpochStored,
    TargetStored,
)
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.states import STABLE, UNKNOWN, UNRELEASED, UNREVOKED
from muster.wire import errors
from tests.core.consumer.consumer_world import Consumers, Named, by_id, held, shown

OWN = Subscription(None, None, "client", "/127.0.0.1", ("foo",), "", 60_000, None)
STATIC = Subscription("i", None, "client", "/127.0.0.1", ("foo",), "", 60_000, None)
FENCED = errors.FENCED_MEMBER_EPOCH
HAS: Named = {"foo": (0,)}

STATES = {
    "STABLE, done": CurrentAssignment(5, 4, STABLE, held(4, foo=[0])),
    "STABLE": CurrentAssignment(5, 4, STABLE, held(4, foo=[0])),
    "UNREVOKED": CurrentAssignment(5, 4, UNREVOKED, held(4, foo=[0]), held(4, foo=[2])),
    "UNRELEASED": CurrentAssignment(6, 5, UNRELEASED, held(4, foo=[0])),
    "UNKNOWN": CurrentAssignment(5, 4, UNKNOWN, held(4, foo=[0])),
    "LEFT": CurrentAssignment(-2, 4, STABLE, held(0, foo=[0])),
}
KINDS = (
    "plain",
    "owned",
    "owned with what has to go",
    "full",
    "nothing owned",
    "other topics",
    "epoch before, owned",
    "epoch before, more owned",
    "epoch before",
    "epoch far before",
    "epoch above",
    "join",
    "leave",
)

Answer = tuple[int, int, str, Named | None]
"""Error, epoch, state afterwards, assignment in the answer."""

TABLE: dict[tuple[str, str], Answer] = {
    ("STABLE, done", "plain"): (0, 5, "STABLE", None),
    ("STABLE, done", "owned"): (0, 5, "STABLE", None),
    ("STABLE, done", "owned with what has to go"): (0, 5, "STABLE", None),
    ("STABLE, done", "full"): (0, 5, "STABLE", HAS),
    ("STABLE, done", "nothing owned"): (0, 5, "STABLE", None),
    ("STABLE, done", "other topics"): (0, 5, "UNREVOKED_PARTITIONS", {}),
    ("STABLE, done", "epoch before, owned"): (0, 5, "STABLE", None),
    ("STABLE, done", "epoch before, more owned"): (FENCED, 0, "STABLE", None),
    ("STABLE, done", "epoch before"): (FENCED, 0, "STABLE", None),
    ("STABLE, done", "epoch far before"): (FENCED, 0, "STABLE", None),
    ("STABLE, done", "epoch above"): (FENCED, 0, "STABLE", None),
    ("STABLE, done", "join"): (0, 5, "STABLE", HAS),
    ("STABLE, done", "leave"): (0, -1, "gone", None),
    ("STABLE", "plain"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "owned with what has to go"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "full"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("STABLE", "nothing owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "other topics"): (0, 5, "UNREVOKED_PARTITIONS", {}),
    ("STABLE", "epoch before, owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "epoch before, more owned"): (FENCED, 0, "STABLE", None),
    ("STABLE", "epoch before"): (FENCED, 0, "STABLE", None),
    ("STABLE", "epoch far before"): (FENCED, 0, "STABLE", None),
    ("STABLE", "epoch above"): (FENCED, 0, "STABLE", None),
    ("STABLE", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("STABLE", "leave"): (0, -1, "gone", None),
    ("UNREVOKED", "plain"): (0, 5, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNREVOKED", "owned with what has to go"): (0, 5, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "full"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNREVOKED", "nothing owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNREVOKED", "other topics"): (0, 5, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "epoch before, owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNREVOKED", "epoch before, more owned"): (FENCED, 0, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "epoch before"): (FENCED, 0, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "epoch far before"): (FENCED, 0, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "epoch above"): (FENCED, 0, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNREVOKED", "leave"): (0, -1, "gone", None),
    ("UNRELEASED", "plain"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "owned with what has to go"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "full"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNRELEASED", "nothing owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "other topics"): (0, 6, "UNREVOKED_PARTITIONS", {}),
    ("UNRELEASED", "epoch before, owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "epoch before, more owned"): (FENCED, 0, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "epoch before"): (FENCED, 0, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "epoch far before"): (FENCED, 0, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "epoch above"): (FENCED, 0, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNRELEASED", "leave"): (0, -1, "gone", None),
    ("UNKNOWN", "plain"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "owned"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "owned with what has to go"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "full"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "nothing owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNKNOWN", "other topics"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "epoch before, owned"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "epoch before, more owned"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "epoch before"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "epoch far before"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "epoch above"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNKNOWN", "leave"): (0, -1, "gone", None),
    ("LEFT", "plain"): (FENCED, 0, "STABLE", None),
    ("LEFT", "owned"): (FENCED, 0, "STABLE", None),
    ("LEFT", "owned with what has to go"): (FENCED, 0, "STABLE", None),
    ("LEFT", "full"): (FENCED, 0, "STABLE", None),
    ("LEFT", "nothing owned"): (FENCED, 0, "STABLE", None),
    ("LEFT", "other topics"): (FENCED, 0, "STABLE", None),
    ("LEFT", "epoch before, owned"): (FENCED, 0, "STABLE", None),
    ("LEFT", "epoch before, more owned"): (FENCED, 0, "STABLE", None),
    ("LEFT", "epoch before"): (FENCED, 0, "STABLE", None),
    ("LEFT", "epoch far before"): (FENCED, 0, "STABLE", None),
    ("LEFT", "epoch above"): (FENCED, 0, "STABLE", None),
    ("LEFT", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("LEFT", "leave"): (0, -1, "gone", None),
}


def member_in(state: str) -> Consumers:
    world = Consumers(foo=3)
    epoch, target = (5, {"foo": [0]}) if state == "STABLE, done" else (6, {"foo": [0, 1]})
    for record in (
        MemberStored("g", "m", STATIC if state == "LEFT" else OWN),
        MemberStored("g", "other", OWN),
        EpochStored("g", epoch, 0),
        TargetStored("g", "m", by_id(target)),
        TargetStored("g", "other", {}),
        TargetEpochStored("g", epoch),
        CurrentStored("g", "m", STATES[state]),
        CurrentStored("g", "other", CurrentAssignment(5, 4, UNREVOKED, {}, held(4, foo=[1]))),
    ):
        world.shard.replay(record, 0)
    world.consumers.topics_version = world.topics.version()
    return world


def ask(world: Consumers, state: str, kind: str) -> ConsumerHeartbeatReply:
    instance = "i" if state == "LEFT" else None
    epoch = 5 if state == "LEFT" else STATES[state].epoch
    match kind:
        case "plain":
            return world.beat("m", epoch, instance=instance)
        case "owned":
            return world.beat("m", epoch, HAS, instance=instance)
        case "owned with what has to go":
            return world.beat("m", epoch, {"foo": (0, 2)}, instance=instance)
        case "full":
            return world.beat("m", epoch, HAS, topics=("foo",), timeout_ms=60_000, instance=instance)
        case "nothing owned":
            return world.beat("m", epoch, {}, instance=instance)
        case "other topics":
            return world.beat("m", epoch, topics=("bar",), instance=instance)
        case "epoch before, owned":
            return world.beat("m", epoch - 1, HAS, instance=instance)
        case "epoch before, more owned":
            return world.beat("m", epoch - 1, {"foo": (0, 1)}, instance=instance)
        case "epoch before":
            return world.beat("m", epoch - 1, instance=instance)
        case "epoch far before":
            return world.beat("m", epoch - 3, HAS, instance=instance)
        case "epoch above":
            return world.beat("m", epoch + 1, instance=instance)
        case "join":
            return world.consume("m", "foo", instance=instance)
        case _:
            return world.beat("m", -1, instance=instance)


def test_the_table_has_every_state_and_every_kind_of_heartbeat() -> None:
    assert list(TABLE) == list(product(STATES, KINDS))


@pytest.mark.parametrize(("state", "kind"), TABLE, ids=str)
def test_every_heartbeat_in_every_state_is_answered_as_the_table_says(state: str, kind: str) -> None:
    world = member_in(state)
    reply = ask(world, state, kind)
    member = world.consumers.members.get("m")
    answer = reply.error, reply.member_epoch, "gone" if member is None else member.current.state.name, shown(reply)
    assert answer == TABLE[state, kind]
    has_timer = ("session", "g", "m") in world.timers
    assert has_timer is (reply.error == 0 and kind != "leave"), "refused heartbeats keep nobody alive"
