"""Heartbeats that are the same but for their correlation id are read once and answered each time."""

from __future__ import annotations

from muster.server.running import RunningServer
from muster.wire.generated.heartbeat import HeartbeatRequest
from tests.server.raw_client import RawClient, request_frame


def beat(client: RawClient, number: int, group: str = "g", generation: int = 1, name: str | None = "raw") -> int:
    """The error of the answer, which the fake handler makes of the generation."""
    reply = client.ask("Heartbeat", 4, HeartbeatRequest(group, generation, "m"), number, name)
    error: int = reply.error_code
    return error


def test_equal_requests_are_answered_each_with_its_own_correlation_id(server: RunningServer, client: RawClient) -> None:
    assert [beat(client, number) for number in range(5)] == [1] * 5
    assert [group for _, _, group in server.node.seen] == ["g"] * 5


def test_a_request_that_differs_is_read_anew(server: RunningServer, client: RawClient) -> None:
    assert [beat(client, number, generation=number // 2) for number in range(8)] == [0, 0, 1, 1, 2, 2, 3, 3]
    beat(client, 9, group="other")
    beat(client, 10)
    assert [group for _, _, group in server.node.seen][-2:] == ["other", "g"]


def test_another_version_of_equal_content_is_read_anew(client: RawClient) -> None:
    beat(client, 1)
    assert client.ask("Heartbeat", 3, HeartbeatRequest("g", 2, "m"), 2).error_code == 2
    assert beat(client, 3) == 1


def test_each_request_counts_with_the_client_id_that_it_came_with(server: RunningServer, client: RawClient) -> None:
    for number, name in enumerate(("raw", "other", "raw", "raw", None, "raw")):
        beat(client, number, name=name)
    assert [name for _, name, _ in server.node.seen] == ["raw", "other", "raw", "raw", None, "raw"]


def test_a_handler_that_answers_differently_is_heard_though_the_request_is_the_same(
    server: RunningServer, client: RawClient
) -> None:
    """What is kept is what was read, not what was decided; and of the answers only one that is the same object."""
    beat(client, 1, generation=1)
    beat(client, 2, generation=0)
    assert [beat(client, number, generation=generation) for number, generation in ((3, 1), (4, 0), (5, 1))] == [1, 0, 1]


def test_after_requests_of_other_kinds_a_repeated_one_is_known_again(client: RawClient) -> None:
    frame = request_frame("Heartbeat", 4, HeartbeatRequest("g", 7, "m"), 1)
    for _ in range(3):
        client.send(frame + request_frame("Heartbeat", 0, HeartbeatRequest("g", 8, "m"), 2) + frame)
        assert [
            client.read("Heartbeat", version, number).error_code for version, number in ((4, 1), (0, 2), (4, 1))
        ] == [
            7,
            8,
            7,
        ]
