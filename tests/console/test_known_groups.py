"""Groups by name and by topic: what was learned of them can be asked from both sides."""

from __future__ import annotations

from muster.client.cluster import Cluster
from muster.client.groups import GroupDescription, GroupListing
from muster.client.partitions import TopicPartition
from muster.console.group_status import Position
from muster.console.known_groups import KnownGroups
from muster.console.observer import SWEEP_GROUPS, Observer, Wants
from muster.console.reader_view import ReaderView


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


def test_a_page_about_topics_wants_a_portion_of_the_groups_that_were_never_looked_at() -> None:
    observer = Observer(Cluster("127.0.0.1:1"))
    groups = observer.groups
    view = ReaderView(observer, "orders")
    assert view.wants() == Wants(True), "which groups there are is not known yet"
    groups.list_anew(_listing(f"group-{number:04}") for number in range(SWEEP_GROUPS + 2))
    first = view.wants().groups
    assert len(first) == SWEEP_GROUPS
    for group in first:
        groups.set_positions(group, [_at("orders" if group == "group-0007" else "payments", 1)], 0)
    rest = {f"group-{number:04}" for number in range(SWEEP_GROUPS, SWEEP_GROUPS + 2)}
    assert view.wants().groups == rest | {"group-0007"}, "and those that it shows"
    assert ReaderView(observer, None).wants().groups == rest
    assert groups.count_seen() == SWEEP_GROUPS


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
