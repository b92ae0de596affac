"""Subscriptions by regular expression (spec 15.1)."""

from __future__ import annotations

from muster.wire import errors
from tests.core.consumer.consumer_world import Consumers, shown


def test_a_regex_is_resolved_after_the_answer_and_its_topics_come_with_the_next_heartbeat() -> None:
    world = Consumers(orders=1, other=1, orders_old=1)
    reply = world.consume("a", regex="orders")
    assert (reply.member_epoch, shown(reply)) == (1, {})
    world.advance(0)
    reply = world.beat("a")
    assert (reply.member_epoch, shown(reply)) == (2, {"orders": (0,)})


def test_a_regex_matches_whole_names_and_internal_topics_too() -> None:
    world = Consumers(__consumer_offsets=1, ab=1, b=1)
    world.consume("a", regex="__.*|b")
    world.advance(0)
    assert world.consumers.resolved["__.*|b"].topics == ("__consumer_offsets", "b")


def test_a_bad_regex_is_refused_after_all_other_checks() -> None:
    world = Consumers(foo=1)
    bad = world.consume("a", regex="(")
    assert bad.error == errors.INVALID_REGULAR_EXPRESSION
    assert bad.message == "`(` is not a valid regular expression: missing closing )."
    assert world.shard.consumer_groups == {}
    world.consume("a", "foo", instance="i")
    assert world.consume("b", regex="(", instance="i").error == errors.UNRELEASED_INSTANCE_ID


def test_new_topics_are_seen_after_ten_seconds() -> None:
    world = Consumers(orders=1)
    world.consume("a", regex="orders.*")
    world.advance(0)
    world.beat("a")
    world.topics.set("orders2", 1)
    world.advance(10_000)
    world.beat("a")
    world.advance(0)
    assert world.consumers.resolved["orders.*"].topics == ("orders",)
    world.advance(1)
    world.beat("a")
    world.advance(0)
    assert shown(world.beat("a")) == {"orders": (0,), "orders2": (0,)}


def test_new_topics_are_seen_at_once_after_the_clock_was_set_back() -> None:
    """Else only when it has come to where it was."""
    world = Consumers(orders=1)
    world.consume("a", regex="orders.*")
    world.advance(0)
    world.beat("a")
    world.topics.set("orders2", 1)
    world.now_ms -= 1_800_000
    world.beat("a")
    world.advance(0)
    assert shown(world.beat("a")) == {"orders": (0,), "orders2": (0,)}


def test_names_and_a_regex_count_together() -> None:
    world = Consumers(foo=1, bar=1)
    world.consume("a", "foo", regex="b.*")
    world.advance(0)
    world.settle_down("a")
    assert world.assigned("a") == {"bar": (0,), "foo": (0,)}


def test_a_second_member_with_the_same_regex_gets_its_topics_at_once() -> None:
    world = Consumers(foo=2)
    world.consume("a", regex="f.*")
    world.advance(0)
    world.settle_down("a")
    world.consume("b", regex="f.*")
    assert world.epochs() == (3, 3)
    world.settle_down("a", "b")
    assert (world.assigned("a"), world.assigned("b")) == ({"foo": (0,)}, {"foo": (1,)})


def test_a_member_that_gives_its_regex_up_gives_its_topics_up() -> None:
    world = Consumers(foo=1)
    world.consume("a", regex="f.*")
    world.advance(0)
    world.settle_down("a")
    world.beat("a", regex="")
    world.settle_down("a")
    assert world.assigned("a") == {}
    assert world.consumers.resolved == {}


def test_a_regex_shows_no_topic_that_the_client_may_not_see() -> None:
    """Spec 12, topic DESCRIBE."""
    world = Consumers(secret=1, open=1)
    world.joining("a", regex=".*", sees=lambda name: name == "open")
    world.advance(0)
    assert world.consumers.resolved[".*"].topics == ("open",)


def test_after_a_failover_regexes_are_looked_at_again() -> None:
    world = Consumers(foo=1)
    world.consume("a", regex="f.*")
    world.advance(0)
    world.settle_down("a")
    world.topics.set("foo2", 1)
    heir = world.restart()
    assert isinstance(heir, Consumers)
    heir.advance(10_001)
    heir.beat("a")
    heir.advance(0)
    assert shown(heir.beat("a")) == {"foo": (0,), "foo2": (0,)}
