"""Heartbeats that are known by their bytes, over TCP: what changes meanwhile is told all the same."""

from __future__ import annotations

import pytest

from muster.runtime.node import Node
from muster.security.authorizer import ANY, ANY_USER, Rule, RuleAuthorizer
from muster.security.resources import Operation, ResourceType
from muster.server.connection import Connection
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.header import encode_request_header
from tests.security.quota_server import set_quotas
from tests.server.groups.group_server import GroupServer, Seat
from tests.server.raw_client import frame, request_frame
from tests.server.repeats import serves_repeats_if_it_may

HEARTBEAT_KEY = 12
SESSION_MS = 10_000


def connection_of(server: GroupServer, seat: Seat) -> Connection:
    listener = server._running.server.listener  # type: ignore[union-attr]
    return next(each for each in listener.connections if each.address == seat.client.address)


def repeats(server: GroupServer, seat: Seat) -> bool:
    return server.run(lambda: serves_repeats_if_it_may(connection_of(server, seat), "Heartbeat"))


def repeating(server: GroupServer, size: int = 1, instances: tuple[str, ...] = (), group: str = "g") -> list[Seat]:
    """Members of a Stable group whose heartbeats are known by their bytes."""
    seats = server.form(group, size, instances=instances, session_ms=SESSION_MS)
    for seat in seats:
        assert [seat.beat() for _ in range(3)] == [0] * 3
        assert repeats(server, seat)
    return seats


def test_each_heartbeat_has_its_own_correlation_id_is_counted_and_keeps_the_member_alive(server: GroupServer) -> None:
    (seat,) = repeating(server)
    traffic = server.run(lambda: connection_of(server, seat)._traffic)
    before = traffic.requests
    for _ in range(5):
        server.pass_time(SESSION_MS - 1, step_ms=SESSION_MS - 1)
        assert seat.beat() == 0
    assert traffic.requests == before + 5
    server.pass_time(SESSION_MS)
    assert seat.beat() == 25


@pytest.mark.parametrize("version", range(5))
def test_every_version_is_answered_in_its_own_layout(server: GroupServer, version: int) -> None:
    (seat,) = server.form("g")
    for _ in range(4):
        assert seat.client.beat("g", seat.generation, seat.member_id, version=version) == 0
    assert repeats(server, seat)
    assert seat.client.beat("g", seat.generation + 1, seat.member_id, version=version) == 22
    assert seat.client.beat("g", seat.generation, seat.member_id, version=version) == 0


def test_a_rebalance_is_told_and_the_heartbeats_of_the_next_generation_repeat(server: GroupServer) -> None:
    (seat,) = repeating(server)
    newcomer = server.taken(server.client().enter("g"))
    assert seat.beat() == 27
    rejoined = seat.rejoin().answer()
    assert newcomer.answer().generation_id == rejoined.generation_id
    assert seat.beat() == 22
    seat.generation = rejoined.generation_id
    assert [seat.beat() for _ in range(3)] == [0] * 3  # in CompletingRebalance, where nothing is learned
    assert seat.sync().answer().error_code == 0
    assert [seat.beat() for _ in range(3)] == [0] * 3


def test_a_static_member_that_was_replaced_is_fenced(server: GroupServer) -> None:
    first, second = repeating(server, 2, ("one", "two"))
    assert server.client().join("g", instance="one").answer().error_code == 0
    assert first.beat() == 82
    assert second.beat() == 0


def test_a_member_that_left_is_unknown(server: GroupServer) -> None:
    (seat,) = repeating(server)
    server.client().leave("g", seat.member_id)
    assert seat.beat() == 25


def test_a_shard_that_is_led_elsewhere_and_comes_back_is_asked_anew(server: GroupServer) -> None:
    (seat,) = repeating(server)
    server.lose("g")
    assert seat.beat() == 16
    server.take_over("g")
    assert [seat.beat() for _ in range(3)] == [0] * 3


def test_between_other_requests_a_heartbeat_repeats_all_the_same(server: GroupServer) -> None:
    """Clients commit on the connection on which they send heartbeats."""
    (seat,) = repeating(server)
    for offset in range(3):
        assert seat.client.commit("g", ("orders", 0, offset), **seat.ids) == [0]
        assert repeats(server, seat)
        assert seat.beat() == 0


def test_two_members_that_share_a_connection_are_both_alive(server: GroupServer) -> None:
    first, second = server.form("g", 2, session_ms=SESSION_MS)
    second.client = first.client
    for _ in range(3):
        server.pass_time(SESSION_MS - 1, step_ms=SESSION_MS - 1)
        assert [first.beat(), second.beat(), second.beat(), second.beat(), first.beat(), first.beat()] == [0] * 6


def test_the_rest_of_a_frame_is_no_heartbeat_though_it_looks_like_one(server: GroupServer) -> None:
    """Here the heartbeat is the content of a tagged field that the server does not know, and comes in a packet of its own."""
    (seat,) = repeating(server)
    request = HeartbeatRequest("g", seat.generation, seat.member_id)
    look_alike = request_frame("Heartbeat", 4, request, 1_000, seat.client.client_id)
    plain = request_frame("Heartbeat", 4, request, 2_000, seat.client.client_id)
    header = len(encode_request_header(HEARTBEAT_KEY, 4, 2_000, seat.client.client_id))
    body = plain[4 + header : -1]
    around = plain[4 : 4 + header] + body + bytes([1, 9, len(look_alike)]) + look_alike
    seat.client.send(frame(around)[: -len(look_alike)])
    server.barrier()
    seat.client.send(look_alike)
    assert seat.client.read("Heartbeat", 4, 2_000).error_code == 0
    assert seat.beat() == 0


def test_heartbeats_that_come_together_or_in_pieces_are_answered_in_order(server: GroupServer) -> None:
    (seat,) = repeating(server)
    request = HeartbeatRequest("g", seat.generation, seat.member_id)
    frames = [request_frame("Heartbeat", 4, request, number, seat.client.client_id) for number in range(100, 110)]
    stream = b"".join(frames)
    for begin, end in ((0, 7), (7, len(frames[0]) + 20), (len(frames[0]) + 20, len(stream))):
        seat.client.send(stream[begin:end])
        server.barrier()
    assert [seat.client.read("Heartbeat", 4, number).error_code for number in range(100, 110)] == [0] * 10


def test_a_right_that_is_taken_away_counts_from_the_next_heartbeat_on() -> None:
    operations = frozenset({Operation.ALL})
    rules = [Rule(False, ANY_USER, ANY, operations, kind, ANY) for kind in (ResourceType.GROUP, ResourceType.TOPIC)]
    authorizer = RuleAuthorizer(rules)

    def use(node: Node) -> None:
        node.authorizer = authorizer

    with GroupServer(prepare=use) as server:
        (seat,) = repeating(server)
        server.run(lambda: authorizer.change(removed=rules[:1]))
        assert [seat.beat() for _ in range(3)] == [30] * 3
        server.run(lambda: authorizer.change(added=rules[:1]))
        assert [seat.beat() for _ in range(3)] == [0] * 3


def test_a_node_that_may_not_speak_says_so_until_it_may_again(server: GroupServer) -> None:
    (seat,) = repeating(server)
    lease = [True]
    server.node.coordinator.may_speak = lambda: lease[0]
    server.lose("g")
    server.take_over("g")
    for may, error in ((True, 0), (False, 16), (True, 0)):
        lease[0] = may
        assert [seat.beat() for _ in range(4)] == [error] * 4


def test_a_quota_bears_upon_heartbeats_from_when_it_is_set(server: GroupServer) -> None:
    (seat,) = repeating(server)
    set_quotas(server.port, {"client-id": seat.client.client_id}, muster_request_rate=0.1)
    request = HeartbeatRequest("g", seat.generation, seat.member_id)
    assert [seat.client.call("Heartbeat", 4, request).throttle_time_ms for _ in range(2)] == [0, 10_000]
    set_quotas(server.port, {"client-id": seat.client.client_id}, muster_request_rate=None)
    server.run(lambda: server.clock.advance(10_000))
    assert not server.run(lambda: connection_of(server, seat).is_muted)


def test_a_connection_that_is_closing_takes_no_heartbeat(server: GroupServer) -> None:
    (seat,) = repeating(server)
    server.run(lambda: connection_of(server, seat).close_when_idle())
    assert seat.client.is_closed_by_server()


def test_a_client_that_has_to_show_again_who_it_is_gets_no_answer(server: GroupServer) -> None:
    (seat,) = repeating(server)

    def expire() -> None:
        """What the end of an authentication does."""
        connection = connection_of(server, seat)
        connection.use_routes(
            connection._intake._routes.only(("SaslHandshake",), "after the authentication has expired"), 1024
        )

    server.run(expire)
    seat.client.begin("Heartbeat", 4, HeartbeatRequest("g", seat.generation, seat.member_id))
    assert seat.client.is_closed_by_server()
