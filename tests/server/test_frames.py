"""Frames and headers as spec 2.1 has them: what is read, what closes the connection, and that nobody else notices."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from struct import pack

import pytest

from muster.server.running import RunningServer
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from tests.server.fake_apis import fake_server
from tests.server.raw_client import RawClient, frame, request_frame

MAX_FRAME = 2_000


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with fake_server({"socket.request.max.bytes": str(MAX_FRAME)}) as running:
        yield running


def heartbeat(code: int = 0, version: int = 4, **header: object) -> bytes:
    return request_frame("Heartbeat", version, HeartbeatRequest("g", code, "m"), **header)  # type: ignore[arg-type]


def is_alive(client: RawClient) -> bool:
    return bool(client.ask("Heartbeat", 4, HeartbeatRequest("g", 3, "m")).error_code == 3)


# ---- what is read


def test_a_frame_in_single_bytes_is_answered_like_a_whole_one(client: RawClient) -> None:
    for byte in heartbeat(5):
        client.send(bytes([byte]))
    assert client.read("Heartbeat", 4).error_code == 5


def test_many_frames_in_one_segment_are_answered_in_order(client: RawClient) -> None:
    client.send(b"".join(heartbeat(code, correlation_id=code) for code in range(300)))
    assert [client.read("Heartbeat", 4, code).error_code for code in range(300)] == list(range(300))


def test_a_frame_and_a_half_then_the_other_half(client: RawClient) -> None:
    two = heartbeat(1, correlation_id=1) + heartbeat(2, correlation_id=2)
    client.send(two[:-9])
    assert client.read("Heartbeat", 4, 1).error_code == 1
    client.send(two[-9:])
    assert client.read("Heartbeat", 4, 2).error_code == 2


@pytest.mark.parametrize("characters", [40_000, 3_000_000])
def test_a_frame_longer_than_16_bits_can_say_is_answered(characters: int) -> None:
    """The leader of a large group sends one with its SyncGroup."""
    with fake_server({}) as roomy, RawClient(roomy.port) as client:
        assert client.ask("Heartbeat", 4, HeartbeatRequest("g", 5, "m" * characters)).error_code == 5


@pytest.mark.parametrize("version", range(5))
def test_every_version_has_its_own_header_and_body(client: RawClient, version: int) -> None:
    assert client.ask("Heartbeat", version, HeartbeatRequest("g", 9, "m")).error_code == 9


@pytest.mark.parametrize("correlation_id", [0, -1, 2**31 - 1, -(2**31)])
def test_any_correlation_id_comes_back(client: RawClient, correlation_id: int) -> None:
    assert client.ask("Heartbeat", 4, HeartbeatRequest("g", 1, "m"), correlation_id).error_code == 1


@pytest.mark.parametrize("client_id", [None, "", "x" * 1_500, "ümlaut"])
def test_any_client_id_is_taken(server: RunningServer, client: RawClient, client_id: str | None) -> None:
    """T025: null too, and with the 16-bit length also in the flexible header."""
    client.ask("Heartbeat", 4, HeartbeatRequest("g", 1, "m"), client_id=client_id)
    assert server.node.seen[-1][1] == client_id


def test_a_client_id_length_of_minus_two_is_null_too(server: RunningServer, client: RawClient) -> None:
    client.send(frame(pack(">hhih", 12, 0, 7, -2) + heartbeat(4, version=0)[4 + 8 + 2 + 3 :]))
    assert client.read("Heartbeat", 0).error_code == 4
    assert server.node.seen[-1][1] is None


def test_the_client_id_of_each_request_counts(server: RunningServer, client: RawClient) -> None:
    for client_id in ("a", "a", "b", None, "b"):
        client.ask("Heartbeat", 4, HeartbeatRequest("g", 1, "m"), client_id=client_id)
    assert [seen[1] for seen in server.node.seen[-5:]] == ["a", "a", "b", None, "b"]


def test_unknown_tagged_fields_in_header_and_body_are_skipped(client: RawClient) -> None:
    """T024: also out of order and twice."""
    body = heartbeat(6)[4 + 10 + 3 + 1 : -1]
    tags = b"\x03\x09\x01x\x02\x02yy\x09\x00"
    client.send(frame(pack(">hhih", 12, 4, 7, 3) + b"raw" + tags + body + tags))
    assert client.read("Heartbeat", 4).error_code == 6


def test_bytes_behind_a_complete_body_are_ignored(client: RawClient) -> None:
    client.send(frame(heartbeat(8)[4:] + b"more than was asked for"))
    assert client.read("Heartbeat", 4).error_code == 8
    assert is_alive(client)


def test_a_group_id_that_is_not_utf8_reaches_the_handler_with_replacement_characters(
    server: RunningServer, client: RawClient
) -> None:
    """T025c."""
    client.send(frame(heartbeat(1)[4:].replace(b"\x02g", b"\x03\xff\xfe")))
    client.read("Heartbeat", 4)
    assert server.node.seen[-1][2] == "��"


def test_a_frame_of_exactly_the_limit_is_served(client: RawClient) -> None:
    """Spec 2.1: exactly socket.request.max.bytes is still awaited."""
    payload = heartbeat(2)[4:]
    whole = frame(payload + b"." * (MAX_FRAME - len(payload)))
    client.send(whole[:100])
    client.send(whole[100:])
    assert client.read("Heartbeat", 4).error_code == 2
    client.send(whole)
    assert client.read("Heartbeat", 4).error_code == 2


# ---- what closes the connection, and no other


def _broken_frames() -> dict[str, bytes]:
    valid = heartbeat(1)[4:]
    return {
        "size -1": pack(">i", -1),
        "size below zero": pack(">i", -(2**31)),
        "size above the limit": pack(">i", MAX_FRAME + 1),
        "size above the limit, all there": frame(valid + b"." * (MAX_FRAME + 1 - len(valid))),
        "unknown api key": frame(pack(">hhih", 999, 0, 1, -1)),
        "negative api key": frame(pack(">hhih", -1, 0, 1, -1)),
        "known to Kafka, not served here": frame(pack(">hhih", 4, 0, 1, -1)),
        "version too high": frame(pack(">hhih", 12, 5, 1, -1) + b"\0"),
        "version negative": frame(pack(">hhih", 12, -1, 1, -1)),
        "client id longer than the frame": frame(pack(">hhih", 12, 0, 1, 500) + b"abc"),
        "header tags promise more than they hold": frame(pack(">hhih", 12, 4, 1, -1) + b"\x05"),
        "header tag with a varint of six bytes": frame(pack(">hhih", 12, 4, 1, -1) + b"\xff\xff\xff\xff\xff\x01"),
        "null in a non-nullable field": frame(pack(">hhih", 12, 4, 1, -1) + b"\0\0"),
        "string longer than the frame": frame(pack(">hhihh", 12, 0, 1, -1, 30_000) + b"abc"),
        "array count beyond the frame": frame(pack(">hhih", 11, 0, 1, -1) + b"\0\1g\0\0\0\1\0\0\0\1c\x7f\xff\xff\xff"),
        **{f"a frame of {size} bytes": frame(valid[:size]) for size in range(11)},
        "a body cut short": frame(valid[:-1]),
    }


BROKEN_FRAMES = _broken_frames()


@pytest.mark.parametrize("name", BROKEN_FRAMES)
def test_an_unreadable_request_closes_its_own_connection_without_a_reply(
    server: RunningServer, client: RawClient, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """T025a, T025b: requests before it are answered, other connections do not notice, one line is logged."""
    with RawClient(server.port) as bystander, caplog.at_level(logging.WARNING, "muster"):
        seen_before = len(server.node.seen)
        client.send(heartbeat(1, correlation_id=1) + BROKEN_FRAMES[name])
        assert client.read("Heartbeat", 4, 1).error_code == 1
        assert client.is_closed_by_server()
        assert is_alive(bystander)
        assert len(server.node.seen) == seen_before + 2
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 1, lines
    assert "closing the connection from 127.0.0.1:" in lines[0]
    assert all(record.exc_info is None for record in caplog.records)


@pytest.mark.parametrize(
    "name", ["size -1", "size above the limit, all there", "unknown api key", "a frame of 0 bytes"]
)
def test_an_unreadable_first_request_closes_too(server: RunningServer, client: RawClient, name: str) -> None:
    client.send(BROKEN_FRAMES[name])
    assert client.is_closed_by_server()


def test_the_line_about_a_bad_version_says_which_are_good(client: RawClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "muster"):
        client.send(BROKEN_FRAMES["version too high"])
        assert client.is_closed_by_server()
    assert "Heartbeat version 5 is not supported; supported: 0 to 4" in caplog.text


def test_the_line_about_a_bad_body_says_api_version_client_and_field(
    client: RawClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "muster"):
        client.send(BROKEN_FRAMES["null in a non-nullable field"])
        assert client.is_closed_by_server()
    assert "Heartbeat request v4: GroupId is null" in caplog.text


def test_a_client_that_stops_sending_is_closed(client: RawClient) -> None:
    """Spec 2.1: when the client shuts down its sending side the broker closes the connection."""
    import socket

    client.send(heartbeat(1))
    client.read("Heartbeat", 4)
    client.socket.shutdown(socket.SHUT_WR)
    assert client.is_closed_by_server()


# ---- ApiVersions


def test_api_versions_of_an_unknown_version_is_answered_in_the_oldest_layout(client: RawClient) -> None:
    """T021: error 35, only its own range, the connection stays; what is behind the header is ignored."""
    for version in (5, 9, 32767, -1):
        client.send(frame(pack(">hhih", 18, version, 7, -1) + b"\0" + b"whatever"))
        reply = client.read("ApiVersions", 0)
        assert reply.error_code == 35
        assert [(key.api_key, key.min_version, key.max_version) for key in reply.api_keys] == [(18, 0, 4)]
    assert is_alive(client)


def test_api_versions_of_an_unknown_version_with_an_old_header_is_closed(client: RawClient) -> None:
    """T021: the header is read as v2, whatever the number."""
    client.send(frame(pack(">hhih", 18, 9, 7, -1)))
    assert client.is_closed_by_server()


@pytest.mark.parametrize(("name", "version"), [("bad name", "1"), ("", "1"), ("ok", ""), ("-x", "1"), ("x", "1 ")])
def test_api_versions_with_a_bad_software_name_gets_error_42_and_the_connection_stays(
    client: RawClient, name: str, version: str
) -> None:
    """T022."""
    for api_version in (3, 4):
        reply = client.ask("ApiVersions", api_version, ApiVersionsRequest(name, version))
        assert (reply.error_code, list(reply.api_keys), list(reply.supported_features)) == (42, [], [])
    assert is_alive(client)


def test_api_versions_replies_have_the_old_header_in_every_version(client: RawClient) -> None:
    """T023: no tagged section behind the correlation id, while the body is flexible."""
    client.send(request_frame("ApiVersions", 3, ApiVersionsRequest("a", "1")))
    reply = client.read_frame()
    assert reply[:6] == pack(">ih", 7, 0)
    assert reply[6] > 1


def test_api_versions_shows_the_same_list_in_every_version(client: RawClient) -> None:
    replies = [client.ask("ApiVersions", version, ApiVersionsRequest("a.b-c", "1.0")) for version in range(5)]
    lists = [[(key.api_key, key.min_version, key.max_version) for key in reply.api_keys] for reply in replies]
    assert all(each == lists[0] for each in lists)
    assert (18, 0, 4) in lists[0]


def test_transactions_and_the_consumer_protocol_are_among_the_features(client: RawClient) -> None:
    """A client that sees group.version 1 uses KIP-848 if it is told to. KIP-890 is transaction.version 2."""
    reply = client.ask("ApiVersions", 4, ApiVersionsRequest("a", "1"))
    levels = {feature.name: feature.max_version_level for feature in reply.finalized_features}
    assert set(levels) == {"metadata.version", "group.version", "transaction.version"}
    assert (levels["group.version"], levels["transaction.version"]) == (1, 2)
