"""JoinGroup over TCP: who gets in, with which answer (spec 11.2, 11.3)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.server.groups.group_client import RANGE, subscription
from tests.server.groups.group_server import GroupServer, seated

META = subscription("orders")
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


def test_an_unknown_group_with_a_member_id_is_refused_and_not_made(server: GroupServer) -> None:
    """T028."""
    client = server.client()
    reply = client.join("g", "x").answer()
    assert (reply.error_code, reply.member_id) == (25, "x")
    assert list(client.groups().groups) == []


@pytest.mark.parametrize(("session_ms", "error"), [(5_999, 26), (6_000, 79), (1_800_000, 79), (1_800_001, 26)])
def test_session_timeouts_are_accepted_up_to_their_bounds(server: GroupServer, session_ms: int, error: int) -> None:
    """T030."""
    assert server.client().join("g", session_ms=session_ms).answer().error_code == error


@pytest.mark.parametrize("fields", [{"protocol_type": ""}, {"protocols": ()}])
def test_a_join_without_protocols_is_refused_and_leaves_an_empty_group(server: GroupServer, fields: object) -> None:
    """T032."""
    client = server.client()
    reply = client.join("g", **fields).answer()  # type: ignore[arg-type]
    assert (reply.error_code, reply.member_id) == (23, "")
    server.settle()
    assert [(g.group_id, g.group_state, g.protocol_type) for g in client.groups().groups] == [("g", "Empty", "")]


def test_another_protocol_type_is_inconsistent(server: GroupServer) -> None:
    """T033."""
    server.form("g")
    assert server.client().join("g", protocol_type="connect").answer().error_code == 23


def test_a_lone_member_that_comes_back_with_other_protocols_is_inconsistent_and_stays(server: GroupServer) -> None:
    """T034: its own old list still counts."""
    (member,) = server.form("g")
    reply = member.rejoin(protocols=[("roundrobin", META)]).answer()
    assert (reply.error_code, reply.member_id) == (23, member.member_id)
    assert member.beat() == 0


def test_a_newcomer_must_offer_what_all_members_support(server: GroupServer) -> None:
    """T035."""
    both, one = [("range", META), ("roundrobin", META)], [("roundrobin", META)]
    server.form("g", 2, join_each=[{"protocols": both}, {"protocols": one}])
    assert server.client().join("g", protocols=RANGE).answer().error_code == 23
    assert server.client().join("g", protocols=one).answer().error_code == 79


def test_a_new_member_gets_its_id_first_and_the_group_stays_empty(server: GroupServer) -> None:
    """T036."""
    client = server.client("me")
    reply = client.join("g").answer()
    assert reply.error_code == 79
    assert re.fullmatch(f"me-{UUID}", reply.member_id)
    server.settle()
    assert client.state("g") == "Empty"


def test_an_old_client_is_a_member_at_once(server: GroupServer) -> None:
    """T037."""
    join = server.client("old").join("g", version=3)
    assert server.is_parked(join)
    server.end_initial_window()
    assert re.fullmatch(f"old-{UUID}", join.answer().member_id)


@pytest.mark.parametrize("version", [5, 6, 7, 8, 9])
def test_a_static_member_is_never_sent_back_for_its_id(server: GroupServer, version: int) -> None:
    """T038."""
    join = server.client().join("g", instance="i one", version=version)
    assert server.is_parked(join)
    server.end_initial_window()
    assert re.fullmatch(f"i one-{UUID}", join.answer().member_id)


def test_a_pending_id_that_comes_too_late_is_unknown(server: GroupServer) -> None:
    """T040."""
    client = server.client()
    given = client.join("g", session_ms=6_000).answer().member_id
    server.pass_time(6_000)
    assert client.join("g", given).answer().error_code == 25


@pytest.mark.parametrize("how", ["returns", "leaves", "expires", "never comes"])
def test_a_pending_id_holds_up_the_join_phase_until_it_is_settled(server: GroupServer, how: str) -> None:
    """T041."""
    (member,) = server.form("g", rebalance_ms=30_000)
    newcomer = server.client()
    given = newcomer.join("g", session_ms=6_000 if how == "expires" else 60_000).answer().member_id
    rejoin = member.rejoin(rebalance_ms=30_000)
    assert server.is_parked(rejoin), f"the id that {how} is missing"
    if how == "returns":
        newcomer.join("g", given)
        server.settle()
    elif how == "leaves":
        assert server.client().leave("g", given).members[0].error_code == 0
    else:
        server.pass_time(5_999 if how == "expires" else 29_999)
        assert server.is_parked(rejoin)
        server.pass_time(1)
    reply = rejoin.answer()
    assert reply.error_code == 0
    assert len(reply.members) == (2 if how == "returns" else 1)


def test_a_pending_id_with_an_instance_id_is_an_internal_error_and_stays_usable(server: GroupServer) -> None:
    """T042."""
    client = server.client()
    given = client.join("g").answer().member_id
    refused = client.join("g", given, instance="i").answer()
    assert (refused.error_code, refused.member_id) == (-1, "")
    join = client.join("g", given)
    server.end_initial_window()
    assert join.answer().error_code == 0


def test_a_pending_id_is_no_member(server: GroupServer) -> None:
    """T043."""
    (member,) = server.form("g")
    client = server.client()
    given = client.join("g").answer().member_id
    assert client.beat("g", member.generation, given) == 25
    assert client.sync("g", member.generation, given).answer().error_code == 25
    assert client.commit("g", ("orders", 0, 1), generation=member.generation, member_id=given) == [25]


def test_the_oldest_version_has_its_session_timeout_for_both(server: GroupServer) -> None:
    """T044: v0 knows no rebalance timeout, so the others wait for its session timeout."""
    old = server.client().join("g", version=0, session_ms=8_000)
    assert server.is_parked(old)
    server.end_initial_window()
    assert old.answer().error_code == 0
    newcomer = server.client().join("g", version=3, rebalance_ms=1_000)
    server.pass_time(7_999)
    assert server.is_parked(newcomer)
    server.pass_time(1)
    assert newcomer.answer().error_code == 0


def test_a_join_timer_is_the_largest_timeout_when_it_was_set(server: GroupServer) -> None:
    """T045."""
    server.form("g", 2, join_each=[{"rebalance_ms": 5_000}, {"rebalance_ms": 9_000}])
    newcomer = server.client().enter("g", rebalance_ms=1_000)
    server.pass_time(8_999)
    assert server.is_parked(newcomer)
    server.pass_time(1)
    assert newcomer.answer().error_code == 0


def test_a_running_join_timer_is_not_moved_by_a_larger_timeout(server: GroupServer) -> None:
    """T046."""
    first, second, _ = server.form("g", 3, rebalance_ms=5_000)
    waiting = [second.rejoin(rebalance_ms=5_000, protocols=[("range", b"changed")])]
    server.barrier()
    waiting.append(first.rejoin(rebalance_ms=60_000))
    server.pass_time(4_999)
    assert server.is_parked(waiting[0])
    server.pass_time(1)
    assert [each.answer().error_code for each in waiting] == [0, 0]


def test_while_completing_an_unchanged_rejoin_is_answered_at_once(server: GroupServer) -> None:
    """T047, T048: only the leader hears of the others."""
    leader, follower = server.gather("g", 2)
    again = follower.rejoin().answer()
    assert (again.error_code, again.generation_id, list(again.members)) == (0, follower.generation, [])
    again = leader.rejoin().answer()
    assert (again.error_code, again.generation_id, len(again.members)) == (0, leader.generation, 2)


def test_while_completing_a_changed_rejoin_starts_over_and_parked_syncs_hear_so(server: GroupServer) -> None:
    """T049."""
    leader, follower = server.gather("g", 2)
    sync = follower.sync()
    assert server.is_parked(sync)
    rejoin = leader.rejoin(protocols=[("range", b"changed")])
    told = sync.answer()
    assert (told.error_code, told.assignment, told.protocol_type, told.protocol_name) == (27, b"", None, None)
    assert server.is_parked(rejoin)
    assert server.client().state("g") == "PreparingRebalance"


def test_in_a_stable_group_an_unchanged_follower_is_answered_at_once(server: GroupServer) -> None:
    """T050."""
    _, follower = server.form("g", 2)
    again = follower.rejoin().answer()
    assert (again.error_code, again.generation_id, list(again.members)) == (0, follower.generation, [])
    assert server.client().state("g") == "Stable"


def test_in_a_stable_group_the_leaders_rejoin_starts_a_rebalance(server: GroupServer) -> None:
    """T051."""
    leader, follower = server.form("g", 2)
    rejoin = leader.rejoin()
    assert server.is_parked(rejoin)
    assert follower.beat() == 27


def test_the_same_protocols_in_another_order_are_a_change(server: GroupServer) -> None:
    """T052."""
    protocols = [("range", META), ("roundrobin", META)]
    _, follower = server.form("g", 2, protocols=protocols)
    rejoin = follower.rejoin(protocols=protocols[::-1])
    assert server.is_parked(rejoin)
    assert server.client().state("g") == "PreparingRebalance"


def test_of_two_joins_of_a_member_only_the_newer_is_answered(server: GroupServer) -> None:
    """T053: from another connection, since its own is blocked; the older one is left behind, as in Kafka."""
    leader, follower = server.form("g", 2)
    older = leader.rejoin()
    assert server.is_parked(older)
    newer = server.client().join("g", leader.member_id)
    assert server.is_parked(newer)
    last = follower.rejoin()
    assert newer.answer().error_code == 0
    assert last.answer().error_code == 0
    assert server.is_parked(older)


@pytest.mark.parametrize("version", range(10))
def test_a_refused_join_has_the_defaults_of_its_version(server: GroupServer, version: int) -> None:
    """T055."""
    reply = server.client().join("", "me", version=version).answer()
    assert (reply.error_code, reply.member_id) == (24, "me")
    assert (reply.generation_id, reply.leader, list(reply.members)) == (-1, "", [])
    assert reply.protocol_name == (None if version >= 7 else "")
    assert reply.protocol_type is None


@pytest.mark.parametrize("version", range(10))
def test_the_protocol_type_is_told_since_version_7(server: GroupServer, version: int) -> None:
    """T056: before that the field is not there at all."""
    client = server.client()
    join = client.join("g", version=version) if version < 4 else client.enter("g", version=version)
    server.end_initial_window()
    reply = join.answer()
    assert (reply.error_code, reply.protocol_name) == (0, "range")
    assert reply.protocol_type == ("consumer" if version >= 7 else None)


# ---- capacity


def test_a_full_group_takes_nobody_else() -> None:
    """T057, T059, T061: capacity is looked at before static members are, so a restarted one is refused too."""
    with GroupServer({"group.max.size": "2"}) as server:
        leader, static = server.form("g", 2, instances=["first", "second"])
        refused = server.client().join("g", version=3).answer()
        assert (refused.error_code, refused.member_id) == (81, "")
        refused = server.client().join("g", instance="second").answer()
        assert (refused.error_code, refused.member_id) == (81, "")
        assert static.beat() == 0
        rejoins = [server.taken(leader.rejoin()), static.rejoin()]
        assert [each.answer().error_code for each in rejoins] == [0, 0]
        assert server.client().state("g") == "CompletingRebalance"
        assert leader.rejoin().answer().error_code == 0
        assert server.client().join("g", version=3).answer().error_code == 81


def test_more_ids_than_places_are_given_and_the_surplus_is_refused_on_return() -> None:
    """T058."""
    with GroupServer({"group.max.size": "10"}) as server:
        clients = [server.client() for _ in range(11)]
        given = [client.join("g").answer() for client in clients]
        assert [reply.error_code for reply in given] == [79] * 11
        joins = [client.join("g", reply.member_id) for client, reply in zip(clients, given, strict=True)]
        server.end_initial_window()
        assert sorted(each.answer().error_code for each in joins) == [0] * 10 + [81]


def test_a_group_that_is_too_large_after_a_restart_keeps_those_who_come_first(tmp_path: Path) -> None:
    """T020, T060: the limit was lowered from 4 to 2."""
    files = {"muster.storage": "files", "muster.data": str(tmp_path), "muster.durability": "os"}
    with GroupServer(files) as server:
        members = [seat.member_id for seat in server.form("g", 4)]
    with GroupServer({**files, "group.max.size": "2"}) as server:
        assert server.client().state("g") == "PreparingRebalance"
        parked = []
        for member_id in members[:2]:
            parked.append(server.client().join("g", member_id))
            assert server.is_parked(parked[-1])
        again = server.client().join("g", members[0])
        assert server.is_parked(again), "T062: who is parked already may ask again"
        for member_id in members[2:]:
            refused = server.client().join("g", member_id).answer()
            assert (refused.error_code, refused.member_id) == (81, "")
        leader = seated("g", again)
        assert len(leader.joined.members) == 2
        assert parked[1].answer().error_code == 0
        assert {member.member_id for member in server.client().describe("g").members} == set(members[:2])
