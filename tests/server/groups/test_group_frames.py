"""The group APIs' bytes on the wire: tolerance, what closes a connection, order of answers (spec 2.1; T021 to T026)."""

from __future__ import annotations

from struct import pack

import pytest

from muster.wire.apis import API_KEYS, APIS, request_encoder
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.header import encode_request_header
from tests.server.groups.group_client import join_request
from tests.server.groups.group_server import GroupServer
from tests.server.raw_client import frame, request_frame

GROUP_APIS = (
    "FindCoordinator",
    "JoinGroup",
    "SyncGroup",
    "Heartbeat",
    "LeaveGroup",
    "OffsetCommit",
    "OffsetFetch",
    "DescribeGroups",
    "ListGroups",
    "DeleteGroups",
    "OffsetDelete",
)
RANGES = {
    "OffsetCommit": (2, 10),
    "OffsetFetch": (1, 10),
    "FindCoordinator": (0, 6),
    "JoinGroup": (0, 9),
    "Heartbeat": (0, 4),
    "LeaveGroup": (0, 5),
    "SyncGroup": (0, 5),
    "DescribeGroups": (0, 6),
    "ListGroups": (0, 5),
    "DeleteGroups": (0, 2),
    "OffsetDelete": (0, 0),
}
BEAT = HeartbeatRequest("g", 1, "m")


def test_the_group_apis_are_advertised_in_the_versions_of_a_real_broker(server: GroupServer) -> None:
    """Spec 2.2."""
    reply = server.client().call("ApiVersions", 3, ApiVersionsRequest("test", "1"))
    shown = {each.api_key: (each.min_version, each.max_version) for each in reply.api_keys}
    assert {name: shown[API_KEYS[name]] for name in GROUP_APIS} == RANGES


def test_an_unknown_version_of_api_versions_is_answered_in_the_oldest_layout(server: GroupServer) -> None:
    """T021: and the connection goes on."""
    client = server.client()
    client.send(frame(pack(">hhih", 18, 9, 5, -1) + b"\0" + b"whatever"))
    assert client.read_frame() == bytes.fromhex("00000005002300000001001200000004")
    assert client.beat("g", 1, "m") == 25


def test_an_unknown_version_of_api_versions_with_an_old_header_closes(server: GroupServer) -> None:
    """T021."""
    client = server.client()
    client.send(frame(pack(">hhih", 18, 9, 5, -1)))
    assert client.is_closed_by_server()


@pytest.mark.parametrize("name", ["bad name", ""])
def test_a_bad_client_name_is_an_invalid_request_and_the_connection_goes_on(server: GroupServer, name: str) -> None:
    """T022."""
    client = server.client()
    client.send(request_frame("ApiVersions", 3, ApiVersionsRequest(name, "1"), 5))
    assert client.read_frame() == bytes.fromhex("00000005002a010000000000")
    assert client.beat("g", 1, "m") == 25


def test_the_header_of_an_api_versions_answer_has_no_tagged_section(server: GroupServer) -> None:
    """T023: the body is flexible all the same, a client must be able to read it before it knows the versions."""
    client = server.client()
    client.send(request_frame("ApiVersions", 3, ApiVersionsRequest("test", "1"), 5))
    reply = client.read_frame()
    assert reply[:6] == pack(">ih", 5, 0), "correlation id, then the error code at once"
    assert reply[6] == len(client_keys(server)) + 1, "then a compact array"


def client_keys(server: GroupServer) -> list[int]:
    reply = server.client().call("ApiVersions", 0, ApiVersionsRequest())
    return [each.api_key for each in reply.api_keys]


TAG_7 = bytes((7, 3)) + b"abc"
TAG_2 = bytes((2, 1)) + b"x"


@pytest.mark.parametrize(
    "tags",
    [b"\1" + TAG_7, b"\2" + TAG_7 + TAG_2, b"\2" + TAG_7 + TAG_7],
    ids=["one", "out of order", "twice"],
)
@pytest.mark.parametrize("place", ["header", "body"])
def test_unknown_tagged_fields_are_ignored(server: GroupServer, tags: bytes, place: str) -> None:
    """T024."""
    header = pack(">hhih", 11, 6, 5, -1)
    body = request_encoder(11, 6)(join_request("g", "me"))
    assert body.endswith(b"\0")
    payload = header + tags + body if place == "header" else header + b"\0" + body[:-1] + tags
    client = server.client()
    client.send(frame(payload))
    reply = client.read("JoinGroup", 6, 5)
    assert (reply.error_code, reply.member_id) == (25, "me")


@pytest.mark.parametrize("length", [-1, -2])
def test_a_null_client_id_has_the_old_length_in_flexible_headers_too(server: GroupServer, length: int) -> None:
    """T025; the id of the member then begins with the dash."""
    client = server.client()
    client.send(frame(pack(">hhih", 11, 9, 5, length) + b"\0" + request_encoder(11, 9)(join_request("g"))))
    reply = client.read("JoinGroup", 9, 5)
    assert reply.error_code == 79
    assert reply.member_id.startswith("-")
    assert len(reply.member_id) == 37


@pytest.mark.parametrize("name", GROUP_APIS)
@pytest.mark.parametrize("side", ["below", "above"])
def test_a_version_outside_the_range_closes_after_what_came_before_was_answered(
    server: GroupServer, name: str, side: str
) -> None:
    """T025a."""
    api = APIS[API_KEYS[name]]
    version = api.min_version - 1 if side == "below" else api.max_version + 1
    client = server.client()
    waiting = client.begin("Heartbeat", 4, BEAT)
    client.send(frame(pack(">hhih", api.key, version, 9, -1) + bytes(40)))
    assert waiting.answer().error_code == 25
    assert client.is_closed_by_server()


JOIN_V5 = request_encoder(11, 5)(join_request("grp", "me"))


@pytest.mark.parametrize(
    "body",
    [
        JOIN_V5[:-1],
        b"\xff\xff" + JOIN_V5[5:],
        JOIN_V5[:3] + b"",
        b"\x7f\xff" + JOIN_V5[2:],
        JOIN_V5.replace(pack(">ih", 1, 5), pack(">ih", 2_000_000_000, 5)),
    ],
    ids=["cut short", "null group", "ends in a string", "string beyond the frame", "count beyond the frame"],
)
def test_a_join_that_cannot_be_read_closes_and_has_no_effect(server: GroupServer, body: bytes) -> None:
    """T025b."""
    client = server.client()
    client.send(frame(encode_request_header(11, 5, 1, "raw") + body))
    assert client.is_closed_by_server()
    assert list(server.client().groups().groups) == []


def test_bytes_behind_a_complete_body_are_ignored(server: GroupServer) -> None:
    """T025b."""
    client = server.client()
    client.send(frame(encode_request_header(11, 5, 1, "raw") + JOIN_V5 + b"more"))
    assert client.read("JoinGroup", 5, 1).error_code == 25


def test_bytes_that_are_not_utf8_come_back_as_replacement_characters(server: GroupServer) -> None:
    """T025c: one for each bad byte; such an id is a group like any other."""
    client = server.client()
    body = request_encoder(15, 5)(_describe("gr\x01\x02")).replace(b"\x01\x02", b"\xff\xfe")
    client.send(frame(encode_request_header(15, 5, 1, "raw") + body))
    (described,) = client.read("DescribeGroups", 5, 1).groups
    assert described.group_id == "gr\ufffd\ufffd"
    assert client.commit("gr\ufffd\ufffd", ("orders", 0, 4)) == [0]
    client.send(frame(encode_request_header(15, 5, 1, "raw") + body))
    (described,) = client.read("DescribeGroups", 5, 1).groups
    assert described.group_state == "Empty"


def _describe(group: str) -> object:
    from muster.wire.generated.describe_groups import DescribeGroupsRequest

    return DescribeGroupsRequest([group])


def test_a_parked_join_holds_up_what_comes_behind_it_on_its_connection(server: GroupServer) -> None:
    """T026: the heartbeat is answered after the JoinGroup, and by what the group is then."""
    client = server.client()
    join = client.enter("g")
    beat = client.begin("Heartbeat", 4, BEAT)
    assert server.is_parked(join)
    assert server.client().beat("g", 1, "m") == 25, "other connections are served meanwhile"
    assert server.is_parked(join)
    server.end_initial_window()
    assert join.answer().error_code == 0
    assert beat.answer().error_code == 25


def test_a_bad_request_behind_a_parked_join_is_not_even_read(server: GroupServer) -> None:
    """T025a and T026: first the answer, then the end."""
    client = server.client()
    join = client.enter("g")
    client.send(frame(pack(">hhih", 999, 0, 9, -1)))
    assert server.is_parked(join)
    server.end_initial_window()
    assert join.answer().error_code == 0
    assert client.is_closed_by_server()


def test_a_client_that_goes_while_its_join_is_parked_stays_a_member(server: GroupServer) -> None:
    """Kafka does the same: the session decides, not the connection."""
    client = server.client()
    join = client.enter("g", session_ms=6_000)
    assert server.is_parked(join)
    client.close()
    server.barrier()
    server.end_initial_window()
    other = server.client()
    assert len(other.describe("g").members) == 1
    server.pass_time(6_000)
    assert other.state("g") == "Empty"


def test_many_group_requests_in_one_segment_are_answered_in_order(server: GroupServer) -> None:
    client = server.client()
    client.send(b"".join(request_frame("Heartbeat", 4, BEAT, number) for number in range(20)))
    assert [client.read("Heartbeat", 4, number).error_code for number in range(20)] == [25] * 20
