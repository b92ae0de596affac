"""When a consumer's heartbeats are all the same, and what ends that (decision 0016)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.steady import SteadyConsumer, steady_consumer
from tests.core.consumer.consumer_world import Consumers, by_id
from tests.values import replaced


def beat(epoch: int = 2) -> ConsumerHeartbeat:
    return ConsumerHeartbeat("g", "a", epoch, None, None, -1, None, None, None, None, "client", "/127.0.0.1", True)


def steady() -> tuple[Consumers, SteadyConsumer]:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.beat("a")
    state = steady_consumer(world.shard, beat())
    assert state is not None
    return world, state


def test_a_state_holds_as_long_as_heartbeats_change_nothing() -> None:
    world, state = steady()
    for _ in range(3):
        assert state.holds()
        written = len(world.appended)
        assert (world.beat("a").member_epoch, len(world.appended)) == (2, written)


@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.consume("b", "foo"),
        lambda world: world.topics.set("foo", 3),
        lambda world: world.topics.set("other", 1),
        lambda world: world.beat("a", topics=("foo", "bar")),
        lambda world: world.beat("a", rack="r"),
        lambda world: world.quit("a"),
        lambda world: world.advance(45_000),
    ],
    ids=["member", "partitions", "topic", "subscription", "rack", "leave", "session"],
)
def test_a_state_ends_with_whatever_may_change_an_answer(change: Callable[[Consumers], object]) -> None:
    world, state = steady()
    change(world)
    assert not state.holds()


@pytest.mark.parametrize(
    "request_",
    [
        beat(3),
        replaced(beat(), member_id="x"),
        replaced(beat(), group_id="x"),
        replaced(beat(), owned=by_id({"foo": [0, 1]})),
        replaced(beat(), rack_id="r"),
        replaced(beat(), instance_id="i"),
        replaced(beat(), client_id="another"),
    ],
)
def test_a_request_that_says_something_is_not_steady(request_: ConsumerHeartbeat) -> None:
    world, _ = steady()
    assert steady_consumer(world.shard, request_) is None


def test_nobody_is_steady_while_the_group_reconciles() -> None:
    world, _ = steady()
    world.consume("b", "foo")
    assert steady_consumer(world.shard, beat()) is None
    world.settle_down("a", "b")
    assert steady_consumer(world.shard, beat(3)) is not None


def test_a_member_with_a_regex_is_steady_once_it_is_resolved() -> None:
    world = Consumers(foo=1)
    world.consume("a", regex="f.*")
    assert steady_consumer(world.shard, beat(1)) is None
    world.advance(0)
    world.beat("a")
    world.advance(10_000)
    world.beat("a")
    world.advance(0)
    world.beat("a")
    assert steady_consumer(world.shard, beat(2)) is not None
    world.topics.set("foo2", 1)
    assert steady_consumer(world.shard, beat(2)) is None
