"""KIP-848 instead of classic: heartbeats that are left out change nothing, and the rules of the protocol hold."""

from __future__ import annotations

import json
from functools import partial

import pytest

from muster.core.assignors.member_spec import MemberSpec, Target
from muster.core.assignors.server_side import SERVER_ASSIGNORS
from muster.explain.epochs import partitions_of
from muster.explain.event import events_of
from muster.explain.fold import fold
from muster.whatif.answer import answer
from muster.whatif.changes import setting_of
from muster.whatif.consumer_replay import ConsumerClient, ConsumerReplay
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant
from tests.whatif.random_group import COUNTS
from tests.whatif.test_replay import random_payloads, recorded_from

UNIFORM = Variant(remote_assignor="uniform")
SEEDS = 12


class EveryHeartbeat(ConsumerReplay):
    """As clients are: whoever has joined sends its heartbeats for as long as it lives."""

    def _regular(self, client: ConsumerClient) -> None:
        super()._regular(client)
        self._plan_beat(client)

    def _join(self, client: ConsumerClient) -> None:
        super()._join(client)
        self._at(self._now_ms, client.recorded.order, partial(self._plan_beat, client))


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("is_static", [False, True])
def test_heartbeats_that_bring_no_news_are_left_out_without_a_difference(seed: int, is_static: bool) -> None:
    recorded = recorded_from(random_payloads(seed))
    setting = setting_of(recorded, Variant(remote_assignor="uniform", is_static=is_static))
    few, all_of_them = ConsumerReplay(recorded, setting), EveryHeartbeat(recorded, setting)
    assert [event.to_json() for event in few.run()] == [event.to_json() for event in all_of_them.run()]


@pytest.mark.parametrize("assignor", ["uniform", "range"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_targets_are_what_the_assignor_gives_for_the_members_of_that_epoch(assignor: str, seed: int) -> None:
    recorded = recorded_from(random_payloads(seed))
    journal = ConsumerReplay(recorded, setting_of(recorded, Variant(remote_assignor=assignor))).run()
    ids = {topic: number.to_bytes(16, "big") for number, topic in enumerate(sorted(COUNTS), 1)}
    members: dict[str, str | None] = {}
    targets: dict[str, Target] = {}
    computed = 0
    for event in events_of(journal):
        if event.kind == "member_joined":
            members[event.member or ""] = event.instance
        elif event.kind in ("member_left", "member_expelled"):
            members.pop(event.member or "")
            targets.pop(event.member or "", None)
        elif event.kind == "static_replaced":
            old = event.text("old_member_id") or ""
            members = {event.member or "" if each == old else each: name for each, name in members.items()}
            targets[event.member or ""] = targets.pop(old, {})
        elif event.kind == "target_assigned":
            wanted = frozenset(
                ids[topic] for topic in COUNTS if topic in setting_topics(recorded.members[0].settings.topics)
            )
            specs = [MemberSpec(each, name, None, wanted, targets.get(each, {})) for each, name in members.items()]
            targets = SERVER_ASSIGNORS[assignor](specs, {ids[topic]: count for topic, count in COUNTS.items()})
            for member_id, told in event.detail["given"].items():
                held = {(topic, number) for topic in COUNTS for number in targets[member_id].get(ids[topic], ())}
                assert set(partitions_of(told)) <= held
            computed += 1
    assert computed


def setting_topics(topics: tuple[str, ...] | None) -> tuple[str, ...]:
    return topics or tuple(COUNTS)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_nobody_is_given_what_another_still_has(seed: int) -> None:
    recorded = recorded_from(random_payloads(seed))
    owners: dict[tuple[str, int], str] = {}
    for event in events_of(ConsumerReplay(recorded, setting_of(recorded, UNIFORM)).run()):
        if event.kind in ("member_left", "member_expelled"):
            owners = {place: owner for place, owner in owners.items() if owner != event.member}
        elif event.kind == "static_replaced":
            old = event.text("old_member_id")
            owners = {place: event.member or "" if owner == old else owner for place, owner in owners.items()}
        elif event.kind == "revocation_completed":
            for place in partitions_of(event.detail["partitions"]):
                assert owners.pop(place) == event.member
        for place in partitions_of(event.detail.get("given")) if event.kind != "target_assigned" else ():
            assert place not in owners
            owners[place] = event.member or ""


def test_history_is_one_of_a_consumer_group_without_join_phases() -> None:
    recorded = recorded_from(random_payloads(4))
    events = events_of(ConsumerReplay(recorded, setting_of(recorded, UNIFORM)).run())
    history = fold(events, "g")
    assert history.is_consumer
    assert history.rebalances
    assert not any(event.kind in ("rebalance_started", "join_completed") for event in events)


def test_session_timeout_of_the_new_protocol_is_the_brokers() -> None:
    default, short = answer(
        "g", random_payloads(2), [UNIFORM, Variant(session_timeout_ms=6_000, remote_assignor="uniform")]
    )
    assert default.replayed.detection_ms == 45_000
    assert short.replayed.detection_ms == 6_000


def test_group_without_consumers_cannot_have_it() -> None:
    payloads = [json.loads(text) for text in random_payloads(2)]
    for event in payloads:
        for each in event.get("settings", ()):
            each["topics"] = None
    with pytest.raises(CannotReplay, match="no consumers"):
        answer("g", map(json.dumps, payloads), [UNIFORM])
