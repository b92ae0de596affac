"""The list of groups: its order by every column, what it says of lag, and when it has to be rendered or sorted again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from muster.client.cluster import Cluster
from muster.client.groups import GroupDescription, GroupListing, GroupMember
from muster.client.partitions import TopicPartition
from muster.console import overview_view
from muster.console.group_status import TREND_MS, GroupStatus, Position
from muster.console.observer import Observer
from muster.console.overview_view import Choice, OverviewView
from muster.console.rendering import UNKNOWN, Renderer
from muster.console.time_lag import NO_LAG, NOT_KNOWN, Bracket
from muster.explain.event import event_in

ORDERS = TopicPartition("orders", 0)


class Listed:
    """An observer to which tests say what the cluster would say."""

    def __init__(self, *groups: str) -> None:
        self.observer = Observer(Cluster("127.0.0.1:1"))
        self.groups = self.observer.groups
        self.groups.list_anew(GroupListing(group, "consumer", "", "classic") for group in groups)

    def describe(self, group: str, state: str, members: int) -> None:
        there = tuple(GroupMember(f"m-{number}", "ada", "/127.0.0.1") for number in range(members))
        self.groups.describe(GroupDescription(group, state, "classic", "consumer", "range", 1, there))

    def lag(self, group: str, lag: int | None, waited: Bracket | None = None, *, at_ms: int = 0) -> None:
        end = None if lag is None else 5 + lag
        self.groups.set_positions(group, [Position(ORDERS, 5, "", end, lag, waited)], at_ms)

    def rebalance(self, group: str, at_ms: int) -> None:
        told = {"kind": "rebalance_started", "at_ms": at_ms, "group": group, "generation": 1, "cause": "new_member"}
        value = json.dumps(told).encode()
        event = event_in(value)
        assert event is not None
        self.observer.reader.timelines.take(event, value)

    def view(self, **query: str) -> OverviewView:
        return OverviewView(self.observer, Choice.of(query))

    def order(self, sort: str, *, desc: bool = False) -> list[str]:
        return [row.group for row in self.view(sort=sort, desc="1" if desc else "").context()["rows"]]


def _of_every_kind() -> Listed:
    """`a` is the least, `b` the most, `c` and `d` lie between them, and nothing is known of `z`."""
    listed = Listed("a", "b", "c", "d", "z")
    for group, state, members, lag, waited, rebalanced_ms in (
        ("a", "Assigning", 0, 1, NO_LAG, 1_000),
        ("b", "Stable", 9, 90, Bracket(60_000, None), 9_000),
        ("c", "Empty", 3, 30, Bracket(0, 5_000), 3_000),
        ("d", "Reconciling", 4, 40, Bracket(2_000, 5_000), 4_000),
    ):
        listed.describe(group, state, members)
        listed.lag(group, 5)
        listed.lag(group, 5 + lag, waited, at_ms=TREND_MS // 2)
        listed.rebalance(group, rebalanced_ms)
    return listed


@pytest.mark.parametrize("sort", ["members", "lag", "time", "change", "rebalance"])
def test_what_is_not_known_comes_last_in_either_direction(sort: str) -> None:
    listed = _of_every_kind()
    assert listed.order(sort) == ["a", "c", "d", "b", "z"]
    assert listed.order(sort, desc=True) == ["b", "d", "c", "a", "z"]


def test_states_are_sorted_by_their_names_and_what_is_not_known_comes_last() -> None:
    listed = _of_every_kind()
    assert listed.order("state") == ["a", "c", "d", "b", "z"]
    assert listed.order("state", desc=True) == ["b", "d", "c", "a", "z"]
    assert listed.view().context()["states"]["not known"] == 1


@pytest.mark.parametrize("waited", [NOT_KNOWN, Bracket(900, None), None])
def test_a_time_lag_of_which_nothing_is_said_is_not_taken_for_none(waited: Bracket | None) -> None:
    listed = Listed("caught-up", "asked")
    listed.lag("caught-up", 0, NO_LAG)
    listed.lag("asked", 7, waited)
    assert listed.order("time") == ["caught-up", "asked"]
    assert listed.order("time", desc=True) == ["caught-up", "asked"]


def _rendered(view: OverviewView) -> str:
    render = Renderer(version="1", bootstrap="here", allow_changes=False, needs_login=False, has_history=False)
    return render("groups.html", view.context())


def test_a_time_lag_that_only_grows_is_rendered_when_its_words_change() -> None:
    listed = Listed("stalled")
    view = listed.view()
    for at_ms in (0, 10_000):  # two, so that the change of lag is known
        listed.lag("stalled", 7, Bracket(61_000, 65_000), at_ms=at_ms)
    shown, version = view.fingerprint(), listed.groups.statuses["stalled"].version
    assert "1 min 1 s to 1 min 5 s" in _rendered(view)
    listed.lag("stalled", 7, Bracket(61_200, 64_900), at_ms=10_100)
    assert view.fingerprint() == shown, "the words are the same"
    listed.lag("stalled", 7, Bracket(63_000, 67_000), at_ms=12_000)
    assert listed.groups.statuses["stalled"].version == version
    assert view.fingerprint() != shown
    assert "1 min 3 s to 1 min 7 s" in _rendered(view)


def test_the_change_of_lag_is_that_of_the_last_minute() -> None:
    status = GroupStatus(GroupListing("billing", "consumer", "Stable", "classic"))
    assert status.change is None

    def looked(at_ms: int, lag: int | None) -> int | None:
        status.set_positions([Position(ORDERS, 5, "", 5, lag, None)], at_ms)
        return status.change

    assert looked(0, 100) is None, "there is nothing to compare it with"
    assert looked(20_000, 130) == 30
    assert looked(40_000, 90) == -10
    assert looked(60_000, 90) == -10
    assert looked(70_000, 90) == -40, "compared with the 130 of 50 s ago: the 100 are older than a minute"
    assert looked(80_000, None) == -40, "what is not known is left out"
    assert looked(110_000, 95) == 5


def test_a_partition_without_a_leader_for_a_moment_is_no_change_of_lag() -> None:
    status = GroupStatus(GroupListing("billing", "consumer", "Stable", "classic"))

    def looked(at_ms: int, *lags: int | None) -> int | None:
        ends = [(lag, None if lag is None else 5 + lag) for lag in lags]
        status.set_positions([Position(ORDERS, 5, "", end, lag, None) for lag, end in ends], at_ms)
        return status.change

    looked(0, 1_000_000, 10)
    assert looked(10_000, 1_000_000, 20) == 10
    assert looked(20_000, None, 20) == 10, "it is left out"
    assert looked(30_000, 1_000_000, 40) == 30
    assert looked(100_000, None, 40) is None, "what was comparable is older than a minute"
    assert looked(110_000, None, 45) == 5, "nor does one that stays away hide the others"
    assert looked(120_000, 1_000_000, 45) is None, "and when it is back nothing has come up"
    assert looked(130_000, 1_000_001, 45) == 1


def test_the_number_of_groups_looked_at_is_rendered_when_it_grows() -> None:
    listed = _of_every_kind()
    groups = listed.observer.groups
    there = [each.listing for each in groups.statuses.values()]
    groups.list_anew([*there, GroupListing("zzz", "consumer", "Empty", "classic")])
    view = OverviewView(listed.observer, Choice(q="zzz-none"))
    shown, seen = view.fingerprint(), view.context()["looked_at"]
    groups.set_positions("zzz", [], 0)
    assert view.context()["looked_at"] == seen + 1
    assert view.fingerprint() != shown
    groups.drop("zzz")
    assert view.context()["looked_at"] == seen


def test_the_change_of_lag_is_on_the_page_with_its_direction() -> None:
    listed = _of_every_kind()
    text = _rendered(listed.view())
    assert '<td data-label="change" class="number worse">+90</td>' in text
    listed.lag("b", 0, at_ms=TREND_MS // 2 + 10_000)
    assert '<td data-label="change" class="number better">−5</td>' in _rendered(listed.view())


@pytest.mark.parametrize("sort", ["lag", "time", "rebalance", "members"])
def test_a_page_sorts_all_groups_once_until_something_that_the_order_depends_on_changes(
    sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = _of_every_kind()
    view, sorted_so_far = listed.view(sort=sort), [0]
    really = OverviewView._matching

    def counted(self: OverviewView) -> list[str]:
        sorted_so_far[0] += 1
        return really(self)

    monkeypatch.setattr(OverviewView, "_matching", counted)

    def ask_three_times() -> list[str]:
        for _ in range(3):
            view.wants()
            view.fingerprint()
            shown = [row.group for row in view.context()["rows"]]
        return shown

    assert ask_three_times() == ["a", "c", "d", "b", "z"]
    assert sorted_so_far == [1]
    match sort:
        case "lag":
            listed.lag("a", 1_000)
        case "time":
            listed.lag("a", 6, Bracket(90_000, 90_000), at_ms=TREND_MS // 2)
        case "rebalance":
            listed.rebalance("a", 90_000)
        case _:
            listed.describe("a", "Stable", 90)
    assert ask_three_times() == ["c", "d", "b", "a", "z"]
    assert sorted_so_far == [2]
    listed.groups.list_anew([GroupListing("a", "consumer", "", "classic")])
    assert ask_three_times() == ["a"]


def test_what_is_not_known_is_called_so_on_every_page() -> None:
    """As the command line and the report call it."""
    templates = sorted((Path(overview_view.__file__).parent / "templates").glob("*.html"))
    assert templates
    otherwise = [each.name for each in templates if re.search(r">\s*unknown\b", each.read_text())]
    assert otherwise == []
    assert UNKNOWN == '<span class="unknown">not known</span>'
