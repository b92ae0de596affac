"""Groups by name and by topic: what was learned of them can be asked from both sides."""

from __future__ import annotations

from muster.client.groups import GroupDescription, GroupListing
from muster.client.partitions import TopicPartition
from muster.console.group_status import Position
from muster.console.known_groups import KnownGroups


def _listing(group: str) -> GroupListing:
    return GroupListing(group, "consumer", "Stable", "classic")


def _known(*groups: str) -> KnownGroups:
    known = KnownGroups()
    known.list_anew(map(_listing, groups))
    return known


def _at(topic: str, lag: int | None) -> Position:
    return Position(TopicPartition(topic, 0), 5, "", None if lag is None else 5 + lag, lag, None)


def test_a_list_has_the_names_in_order_and_changes_with_the_groups() -> None:
    assert not KnownGroups().has_listed
    known = _known("b", "a")
    assert known.has_listed
    assert known.names() == ["a", "b"]
    version = known.version
    known.list_anew(map(_listing, ("b", "a")))
    assert known.version == version, "nothing is new"
    known.list_anew(map(_listing, ("c", "b")))
    assert known.names() == ["b", "c"]
    assert known.version > version


def test_a_topic_has_the_groups_that_read_it_with_their_lag() -> None:
    known = _known("a", "b", "c")
    known.set_positions("b", [_at("orders", 7), _at("payments", 1)], 0)
    known.set_positions("a", [_at("orders", None)], 0)
    assert known.readers_of("orders") == [("a", None), ("b", 7)]
    assert known.readers_of("payments") == [("b", 1)]
    assert known.readers_of("nothing") == []


def test_a_group_that_reads_it_no_more_is_no_reader() -> None:
    known = _known("a", "b", "c")
    for group in ("a", "b", "c"):
        known.set_positions(group, [_at("orders", 1)], 0)
    known.set_positions("a", [_at("payments", 1)], 1)
    known.drop("b")
    known.list_anew([_listing("a")])
    assert known.readers_of("orders") == []
    assert known.readers_of("payments") == [("a", 1)]
    known.set_positions("a", [], 2)
    assert (known._readers, known._topics) == ({}, {})


def test_a_group_that_was_described_is_known_until_it_is_described_as_gone() -> None:
    known = _known()
    there = GroupDescription("new", "Stable", "classic", "consumer", "range", 1)
    known.describe(there)
    assert known.statuses["new"].description == there
    known.describe(GroupDescription("new", "Dead", "classic", "", "", 1))
    assert "new" not in known
