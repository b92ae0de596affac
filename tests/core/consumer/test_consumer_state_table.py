"""Every state of a member against every kind of heartbeat, as a table (spec 7.4, 7.5).

The member `m` is at epoch 5 (4 before) and has foo-0; foo-1 is another member's. In UNREVOKED_PARTITIONS it has yet to give up
foo-2, in UNRELEASED_PARTITIONS it waits for foo-1 at epoch 6. The group and its target are at epoch 6, with foo-0 and foo-1 for
this member; in the rows `STABLE, done` they are at 5, with foo-0.
"""

from __future__ import annotations

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
from muster.core.consumer.states import STABLE, UNKNOWN, UNRELEASED, UNREVOKED
from muster.wire import errors
from tests.core.consumer.consumer_world import Consumers, Named, by_id, held, shown

OWN = Subscription(None, None, "client", "/127.0.0.1", ("foo",), "", 60_000, None)
FENCED = errors.FENCED_MEMBER_EPOCH
HAS: Named = {"foo": (0,)}

STATES = {
    "STABLE, done": CurrentAssignment(5, 4, STABLE, held(4, foo=[0])),
    "STABLE": CurrentAssignment(5, 4, STABLE, held(4, foo=[0])),
    "UNREVOKED": CurrentAssignment(5, 4, UNREVOKED, held(4, foo=[0]), held(4, foo=[2])),
    "UNRELEASED": CurrentAssignment(6, 5, UNRELEASED, held(4, foo=[0])),
    "UNKNOWN": CurrentAssignment(5, 4, UNKNOWN, held(4, foo=[0])),
}

Answer = tuple[int, int, str, Named | None]
"""Error, epoch, state afterwards, assignment in the answer."""

TABLE: dict[tuple[str, str], Answer] = {
    ("STABLE, done", "plain"): (0, 5, "STABLE", None),
    ("STABLE, done", "owned"): (0, 5, "STABLE", None),
    ("STABLE, done", "full"): (0, 5, "STABLE", HAS),
    ("STABLE, done", "nothing owned"): (0, 5, "STABLE", None),
    ("STABLE, done", "epoch before, owned"): (0, 5, "STABLE", None),
    ("STABLE, done", "epoch before"): (FENCED, 0, "STABLE", None),
    ("STABLE, done", "epoch above"): (FENCED, 0, "STABLE", None),
    ("STABLE, done", "join"): (0, 5, "STABLE", HAS),
    ("STABLE", "plain"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "full"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("STABLE", "nothing owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "epoch before, owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("STABLE", "epoch before"): (FENCED, 0, "STABLE", None),
    ("STABLE", "epoch above"): (FENCED, 0, "STABLE", None),
    ("STABLE", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNREVOKED", "plain"): (0, 5, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNREVOKED", "owned with what has to go"): (0, 5, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "full"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNREVOKED", "nothing owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNREVOKED", "epoch before, owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNREVOKED", "epoch before"): (FENCED, 0, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "epoch above"): (FENCED, 0, "UNREVOKED_PARTITIONS", None),
    ("UNREVOKED", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNRELEASED", "plain"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "full"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNRELEASED", "nothing owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "epoch before, owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "epoch before"): (FENCED, 0, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "epoch above"): (FENCED, 0, "UNRELEASED_PARTITIONS", None),
    ("UNRELEASED", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
    ("UNKNOWN", "plain"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "owned"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "full"): (FENCED, 0, "UNKNOWN", None),
    ("UNKNOWN", "nothing owned"): (0, 6, "UNRELEASED_PARTITIONS", None),
    ("UNKNOWN", "join"): (0, 6, "UNRELEASED_PARTITIONS", HAS),
}


def member_in(state: str) -> Consumers:
    world = Consumers(foo=3)
    epoch, target = (5, {"foo": [0]}) if state == "STABLE, done" else (6, {"foo": [0, 1]})
    for record in (
        MemberStored("g", "m", OWN),
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


@pytest.mark.parametrize(("state", "kind"), TABLE, ids=str)
def test_every_heartbeat_in_every_state_is_answered_as_the_table_says(state: str, kind: str) -> None:
    world = member_in(state)
    epoch = STATES[state].epoch
    match kind:
        case "plain":
            reply = world.beat("m", epoch)
        case "owned":
            reply = world.beat("m", epoch, HAS)
        case "owned with what has to go":
            reply = world.beat("m", epoch, {"foo": (0, 2)})
        case "full":
            reply = world.beat("m", epoch, HAS, topics=("foo",), timeout_ms=60_000)
        case "nothing owned":
            reply = world.beat("m", epoch, {})
        case "epoch before, owned":
            reply = world.beat("m", epoch - 1, HAS)
        case "epoch before":
            reply = world.beat("m", epoch - 1)
        case "epoch above":
            reply = world.beat("m", epoch + 1)
        case _:
            reply = world.consume("m", "foo")
    answer = reply.error, reply.member_epoch, world.member("m").current.state.name, shown(reply)
    assert answer == TABLE[state, kind]
    has_timer = ("session", "g", "m") in world.timers
    assert has_timer is (reply.error == 0), "refused heartbeats keep nobody alive"
