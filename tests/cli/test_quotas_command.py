"""`muster quotas`, against a real server: what it sets, shows and takes away, and what it says to wrong flags."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.cli.command import Told, muster


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with RunningServer(Settings.of({"listeners": "127.0.0.1:0", "muster.storage": "memory"})) as running:
        yield running


def quotas(server: RunningServer, line: str) -> Told:
    return muster("quotas", *line.split(), bootstrap=server.address)


def test_what_is_set_is_listed_and_removed_again(server: RunningServer) -> None:
    quotas(server, "set producer_byte_rate=1048576 request_percentage=12.5 --for-user alice").done()
    quotas(server, "set consumer_byte_rate=7 --for-user alice --for-any-client-id").done()
    quotas(server, "set connection_creation_rate=10 --for-ip 10.0.0.7").done()
    assert quotas(server, "list").done().table == [
        ["for", "quota", "value"],
        ["client-id", "<default>,", "user", "alice", "consumer_byte_rate", "7"],
        ["ip", "10.0.0.7", "connection_creation_rate", "10"],
        ["user", "alice", "request_percentage", "12.5"],
        ["user", "alice", "producer_byte_rate", "1048576"],
    ]
    assert [row["quota"] for row in quotas(server, "list --for-user alice --only --json").rows] == [
        "request_percentage",
        "producer_byte_rate",
    ]
    assert quotas(server, "list --for-user alice --for-any-client-id --json").rows == [
        {
            "for": "client-id <default>, user alice",
            "entity": {"client-id": None, "user": "alice"},
            "quota": "consumer_byte_rate",
            "value": 7,
        }
    ]
    quotas(server, "remove --for-user alice").done()
    quotas(server, "remove consumer_byte_rate --for-user alice --for-any-client-id").done()
    quotas(server, "remove connection_creation_rate --for-ip 10.0.0.7").done()
    assert quotas(server, "list") == Told(0, "", "no quotas\n")


def test_a_dry_run_sets_nothing(server: RunningServer) -> None:
    quotas(server, "set muster_request_rate=5 --for-user dry --dry-run").done()
    assert quotas(server, "list --for-user dry --json").rows == []


def test_removing_what_is_not_set_fails_and_says_so(server: RunningServer) -> None:
    assert "user nobody has no quotas" in quotas(server, "remove --for-user nobody").refused(1)
    assert "no quota request_percentage" in quotas(server, "remove request_percentage --for-user nobody").refused(1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("set producer_byte_rate=1", "for whom?"),
        ("set producer_byte_rate --for-user a", "is not QUOTA=NUMBER"),
        ("set producer_byte_rate=many --for-user a", "is not QUOTA=NUMBER"),
        ("set producer_byte_rate=0 --for-user a", "greater than 0"),
        ("set producer_byte_rate=1 producer_byte_rate=2 --for-user a", "twice"),
        (
            "set bytes=1 --for-user a",
            "bytes: user a has no such quota. There are request_percentage, controller_mutation_rate",
        ),
        ("set producer_bytes_rate=1 --for-user a", "has no such quota; did you mean producer_byte_rate? There are"),
        ("set connection_creation_rate=1 --for-user a", "connection_creation_rate: user a has no such quota"),
        ("set connection_creation_rate=1 --for-ip nowhere", "not a valid IP"),
        ("set connection_creation_rate=1 --for-ip 10.0.0.1 --for-user a", "should not be combined"),
        ("remove", "for whom?"),
    ],
)
def test_what_cannot_be_is_a_usage_error_in_one_line(server: RunningServer, line: str, words: str) -> None:
    assert words in quotas(server, line).refused(2)
