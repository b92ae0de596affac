"""What a group's page shows of a journal that was written by hand: the way to old rebalances, long lists, advice, foreign texts."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.client.groups import GroupDescription, GroupMember
from muster.console import lanes
from muster.console.progress import progress_of
from muster.console.rebalance_bars import PAGE_REBALANCES
from muster.core.journal import Kind
from muster.explain.event import event_in
from tests.console.told_groups import ToldGroup, position
from tests.explain.stories import START_MS, Story, one_member, two_members
from tests.explain.test_advice import returns

LONE = "\ud800"
"""Half a surrogate pair: JSON can tell it, UTF-8 cannot."""


def many_rebalances(number: int) -> Story:
    """`anna` asks for a new round again and again."""
    story = one_member()
    while story.generation < number:
        story.after(60_000).asks("anna")
        story.stable({"anna": [0, 1, 2, 3]})
    return story


def generations(markup: str) -> list[int]:
    return [int(each) for each in re.findall(r'<li id="generation-(\d+)"', markup)]


def address(markup: str, which: str, label: str) -> dict[str, str]:
    """What a list's link to the next or the previous page says, by name; empty if there is none."""
    pager = re.search(rf'<nav class="pager" aria-label="Pages of {label}[^"]*">.*?</nav>', markup)
    found = re.search(rf'rel="{which}" href="/group\?([^"#]*)', pager[0]) if pager is not None else None
    return {} if found is None else dict(each.split("=") for each in found[1].replace("&amp;", "&").split("&"))


# -- rebalances


def test_every_rebalance_that_is_known_can_be_paged_to_once() -> None:
    group, seen, query = ToldGroup(many_rebalances(95).events), list[int](), dict[str, str]()
    while True:
        markup = group.regions(query)["rebalances"]
        seen += generations(markup)
        query = address(markup, "next", "rebalances")
        if not query:
            break
        assert query.pop("id") == "g"
    assert seen == list(range(95, 0, -1))


def test_a_link_to_an_old_rebalance_opens_it_on_the_page_that_has_it() -> None:
    group = ToldGroup(many_rebalances(95).events)
    markup = group.regions(generation=3)["rebalances"]
    assert 3 in generations(markup)
    assert re.search(r'<li id="generation-3"[^>]* class="chosen">\s*<details open>', markup)
    assert markup.count("<details open>") == 1
    assert "is not kept" not in markup
    assert generations(group.regions(generation=95)["rebalances"]) == list(range(95, 95 - PAGE_REBALANCES, -1))


@pytest.mark.parametrize("generation", [0, 96])
def test_a_link_to_a_rebalance_that_is_not_kept_says_so(generation: int) -> None:
    markup = ToldGroup(many_rebalances(95).events).regions(generation=generation)["rebalances"]
    assert f"The rebalance to generation {generation} is not kept. What is known goes from 1 to 95" in markup
    assert generations(markup)[0] == 95
    nothing = ToldGroup().regions(generation=generation)["rebalances"]
    assert f"Generation {generation} is not known here" in nothing


def test_what_was_not_read_as_a_whole_is_not_said_to_be_all_that_is_kept() -> None:
    group = ToldGroup(many_rebalances(2).events)
    group.observer.reader.timelines.of("g").is_whole = False
    assert "is not kept" not in group.regions(generation=7)["rebalances"]
    nothing = ToldGroup()
    nothing.observer.reader.timelines.of("g").is_whole = False
    assert "has not been read as a whole so far" in nothing.regions()["rebalances"]
    shown = nothing.view().fingerprint()
    nothing.observer._unread["g"] = "list offsets of __group_journal-0: NETWORK_EXCEPTION."
    assert nothing.view().fingerprint() != shown
    regions = nothing.regions(generation=7)
    assert "Rebalances are not known: the log of what happened cannot be read." in regions["rebalances"]
    assert "has no such group now" in regions["facts"], "the cluster has said so"
    nothing.observer._failed["g"] = "describe group g: NOT_COORDINATOR."
    assert "Whether the cluster has this group is not known" in nothing.regions()["facts"]


def test_an_old_page_has_the_advice_of_its_own_time() -> None:
    """A session that was too short once is no matter of the newest rebalances, and the last of its page is not of the future."""
    story = two_members(session_ms=6_000)
    story.dies("boris")
    returns(story, 2_500)
    while story.generation < 60:
        story.after(3_600_000).asks("anna")
        story.stable({"anna": [0, 1], "boris.2": [2, 3]})
    group = ToldGroup(story.events)
    assert "Raise session.timeout.ms" not in group.regions()["rebalances"]
    old = group.regions({"rebalances": "2"})["rebalances"]
    assert "Raise session.timeout.ms above 8.5 s" in old.partition("What you could change")[2]
    assert '<dd class="advised">Raise session.timeout.ms above 8.5 s' in old.partition("What you could change")[0]


def test_the_cause_has_what_the_client_says_as_text() -> None:
    story = two_members()
    story.joins("clara", "<b>scaled out</b>")
    story.rejoins("anna", "boris")
    story.stable({"anna": [0], "boris": [1], "clara": [2, 3]})
    markup = ToldGroup(story.events).regions()["rebalances"]
    assert "clara on 10.0.0.1 joined; the client says &#34;&lt;b&gt;scaled out&lt;/b&gt;&#34;." in markup
    assert "<b>scaled" not in markup


def test_events_without_a_rebalance_can_be_paged_to() -> None:
    story = two_members()
    for number in range(50):
        story.after(1_000).tell(
            "denied", "not_authorized", principal=f"User:eve{number:02}", operation="READ", api="JoinGroup"
        )
    group, seen, query = ToldGroup(story.events), list[str](), dict[str, str]()
    while True:
        markup = group.regions(query)["rebalances"]
        seen += re.findall(r"User:(eve\d\d)", markup)
        query = address(markup, "next", "events")
        if not query:
            break
        query.pop("id")
    assert seen == [f"eve{number:02}" for number in range(49, -1, -1)]


# -- long lists


def consumers(topics: list[str], partitions: int) -> list[bytes]:
    """A consumer group with one member that owns all of this."""
    owned = {topic: list(range(partitions)) for topic in topics}
    told: list[dict[str, object]] = [
        {"kind": "epoch_raised", "cause": "new_member", "member": "anna"},
        {
            "kind": "target_assigned",
            "cause": "epoch_raised",
            "assignor": "uniform",
            "members": 1,
            "given": {"anna": owned},
        },
        {"kind": "member_reconciled", "cause": "new_target", "member": "anna", "member_epoch": 1, "given": owned},
        {"kind": "state_changed", "cause": "all_reconciled", "member": "anna", "from": "Reconciling", "to": "Stable"},
    ]
    common = {"group": "g", "generation": 1, "client": "anna", "host": "/10.0.0.1"}
    return [json.dumps({**common, "at_ms": START_MS + number, **each}).encode() for number, each in enumerate(told)]


def test_lanes_of_every_partition_can_be_paged_to_and_chosen_by_topic() -> None:
    group, seen, query = ToldGroup(records=consumers(["orders", "payments"], 70)), list[str](), {"topic": "PAY"}
    while query:
        assert query["topic"] == "PAY", "the rest of the address stays"
        markup = group.regions(query)["lanes"]
        seen += re.findall(r'class="lane" data-key="([^"]*)"', markup)
        query = address(markup, "next", "partitions")
        query.pop("id", None)
    assert seen == [f"payments {number}" for number in range(70)]
    nothing = group.regions({"topic": "nothing"})["lanes"]
    assert "No assignment is known of the last rebalances of a topic with that in its name" in nothing


def test_pages_of_lanes_are_made_of_what_was_owned_of_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "PAGE_LANES", 1)
    monkeypatch.setattr(lanes, "SHOWN_REBALANCES", 1)
    story = two_members()
    for _ in range(2):
        story.after(60_000).asks("anna")
        story.stable({"anna": [2], "boris": [3]})
    markup = ToldGroup(story.events).regions()["lanes"]
    assert re.findall(r'class="lane" data-key="[^"]* (\d+)"', markup) == ["2"]
    assert "Page 1 of 2 · 2 partitions" in markup


def test_members_and_offsets_of_large_groups_can_be_paged_to() -> None:
    members = tuple(GroupMember(f"m-{number:03}", "app", "/h") for number in range(450))
    group = ToldGroup()
    positions = [position("orders", number, number) for number in range(900)]
    group.described(GroupDescription("g", "Stable", "classic", "consumer", "range", 1, members), positions)
    cases: list[tuple[str, str, dict[str, str], str, int]] = [
        ("members", "members", {}, r'data-key="(m-\d+)"', 450),
        ("lag", "partitions", {}, r'data-key="orders (\d+)"', 900),
        ("lag", "partitions", {"topic": "rder"}, r'data-key="orders (\d+)"', 900),
    ]
    for region, label, query, pattern, count in cases:
        seen, asked = list[str](), query
        while True:
            markup = group.regions(asked)[region]
            seen += re.findall(pattern, markup)
            asked = address(markup, "next", label)
            if not asked:
                break
            assert asked.get("topic") == query.get("topic")
        assert len(seen) == len(set(seen)) == count
    assert "No topic here has that in its name" in group.regions({"topic": "nothing"})["lag"]


def test_the_beginning_of_1970_is_a_time_and_not_now() -> None:
    group = ToldGroup(two_members().events)
    group.described(GroupDescription("g", "Stable", "classic", "consumer", "range", 1, (GroupMember("m", "a", "/h"),)))
    regions = group.regions(at_ms=0)
    assert "Nobody was in the group" in regions["members"]
    assert "does not tell what the lag was then" in regions["lag"]
    assert "Assignor" not in regions["facts"]
    assert group.view(at_ms=0).choice.query()["at"] == "1970-01-01T00:00:00.000"


# -- a rebalance that is under way


def test_the_sync_phase_ends_with_the_rebalance_timeout() -> None:
    story = two_members(rebalance_ms=30_000)
    story.joins("clara")
    story.after(500).rejoins("anna", "boris")
    story.generation_begins(["anna", "boris", "clara"])
    progress = progress_of(story.history)
    assert progress is not None
    assert (progress.phase, progress.began_ms, progress.until_ms) == ("sync", story.at, story.at + 30_000)
    assert [each.name for each in progress.missing] == ["anna on 10.0.0.1"]
    markup = ToldGroup(story.events).regions()["progress"]
    assert f'data-until="{story.at + 30_000}"' in markup
    assert "The journal does not tell who of them has asked for its assignment" in markup


def test_what_is_read_out_names_who_is_missing_and_no_times() -> None:
    story = two_members()
    story.joins("clara")
    status = re.search(r'<p class="hidden" role="status">(.*?)</p>', ToldGroup(story.events).regions()["progress"])
    assert status is not None
    assert status[1] == ("Rebalancing: waiting for members to rejoin. Waited for: anna on 10.0.0.1, boris on 10.0.0.1.")


def test_a_gap_in_the_journal_is_told_on_the_pages() -> None:
    group = ToldGroup(two_members().events)
    assert "A gap" not in group.regions()["facts"]
    group.observer.reader.lost = 1_234
    for markup in (group.regions()["facts"], group.page().decode(), group.list_of_groups()):
        assert "A gap: 1,234 records were deleted by retention before they could be read" in markup


# -- what others may have written into the journal


def test_half_a_surrogate_pair_in_a_forged_assignment_is_shown_and_breaks_no_page() -> None:
    page = ToldGroup(records=consumers([LONE, "<img src=x onerror=alert(1)>"], 2)).page().decode()
    assert 'data-key="\\ud800 0"' in page
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


FOREIGN = st.one_of(
    st.sampled_from([LONE, "<b>", "m1", "stable", "empty", "Stable", "", [LONE], {LONE: [0, -5]}, {"m1": {LONE: [0]}}]),
    st.sampled_from([0, -1, 10**18, 10**30, -(10**400), 1e308, None, True]),
)
NAMES = st.sampled_from(
    re.findall(
        r"\w+",
        """member instance client host reason session_timeout_ms rebalance_timeout_ms partitions given taken held_by assignor
        members topics regex matches added dropped leader protocol started_ms started_by join_phase_ms assignments result
        settings waited_for waited_ms producer_id transactional_id offsets unstable_ms refusals took_ms from to old_member_id
        principal api query_id run_id batch_id duration_ms""",
    )
)
KINDS = st.sampled_from(get_args(Kind))
FORGED = st.fixed_dictionaries(
    {
        "kind": KINDS,
        "at_ms": st.one_of(
            st.integers(START_MS, START_MS + 5_000), st.sampled_from([0, -5, 10**15, 10**30, -(10**400)])
        ),
        "generation": st.one_of(st.integers(0, 3), st.just(10**30)),
        "cause": st.sampled_from(["new_member", "rejoin_missed", "session_expired", LONE]),
    }
).flatmap(lambda told: st.dictionaries(NAMES, FOREIGN, max_size=12).map(lambda more: {"group": "g", **more, **told}))


@given(st.lists(FORGED, min_size=1, max_size=12))
def test_whatever_stands_in_the_journal_the_page_can_be_shown(forged: list[dict[str, object]]) -> None:
    assert b"</html>" in ToldGroup(records=[json.dumps(each).encode() for each in forged]).page()


def test_numbers_that_no_coordinator_can_write_make_no_event() -> None:
    told = {"kind": "rebalance_started", "at_ms": START_MS, "group": "g", "generation": 1, "cause": "new_member"}
    assert event_in(json.dumps(told).encode()) is not None
    for name in ("at_ms", "generation", "rebalance_timeout_ms"):
        assert event_in(json.dumps({**told, name: 1 << 63}).encode()) is None
        assert event_in(json.dumps({**told, name: (1 << 63) - 1}).encode()) is not None
