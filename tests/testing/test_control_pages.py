"""`muster serve --control`: the same controls over HTTP, for tests in any language."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from muster.server.settings import Settings
from muster.testing.control_openapi import PAGES
from muster.testing.controlled_server import control_endpoint
from muster.topics.config_types import ConfigError
from muster.wire import errors
from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
)
from tests.server.groups.group_client import GroupClient

PATIENCE_SECONDS = 60


class Controlled:
    def __init__(self, port: int, url: str) -> None:
        self.port = port
        self.url = url

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as reply:
            return json.load(reply)

    def refused(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        with pytest.raises(urllib.error.HTTPError) as caught:
            self.ask(method, path, body, **headers)
        with caught.value as reply:
            return reply.code, json.load(reply)["error"]


@pytest.fixture(scope="module")
def controlled() -> Iterator[Controlled]:
    command = [sys.executable, "-m", "muster", "serve", "--memory", "--listen", "127.0.0.1:0", "--log-level", "error"]
    command += ["--control", "127.0.0.1:0", "--set", "group.initial.rebalance.delay.ms=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        listening, control = process.stdout.readline().split(), process.stdout.readline().split()
        yield Controlled(int(listening[-1].rpartition(":")[2]), control[-1].rstrip("/"))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0


def test_the_first_page_lists_the_others(controlled: Controlled) -> None:
    assert "POST /clock/advance" in controlled.ask("GET", "/")["pages"]


def test_the_clock_is_shown_and_moved(controlled: Controlled) -> None:
    before = controlled.ask("GET", "/clock")["now_ms"]
    assert controlled.ask("POST", "/clock/advance", {"minutes": 2, "seconds": 1.5})["now_ms"] >= before + 121_500
    assert controlled.ask("POST", "/clock/freeze", {})["frozen"] is True
    assert controlled.ask("POST", "/clock/thaw", {})["frozen"] is False


def test_a_deleted_topic_is_gone_with_its_records(controlled: Controlled) -> None:
    controlled.ask("POST", "/topics", {"name": "short-lived", "partitions": 1})
    controlled.ask("POST", "/topics/short-lived/records", {"records": [{"value": "v"}]})
    assert controlled.ask("DELETE", "/topics/short-lived") == {"deleted": "short-lived"}
    assert "UNKNOWN_TOPIC_OR_PARTITION" in controlled.refused("DELETE", "/topics/short-lived")[1]
    controlled.ask("POST", "/topics", {"name": "short-lived", "partitions": 1})
    assert controlled.ask("GET", "/topics/short-lived/records")["records"] == []


def test_after_a_reset_nothing_is_there_and_clients_begin_again(controlled: Controlled) -> None:
    controlled.ask("POST", "/topics", {"name": "before", "partitions": 1})
    controlled.ask("POST", "/faults", {"kind": "error", "api": "LeaveGroup", "error": "UNKNOWN_MEMBER_ID"})
    controlled.ask("POST", "/clock/freeze")
    with GroupClient(controlled.port, "raw") as client:
        client.enter("resettable").answer()
        assert controlled.ask("GET", "/groups/resettable")["state"] != "Dead"
        assert controlled.ask("POST", "/reset")["frozen"] is False
        assert controlled.ask("GET", "/groups")["groups"] == []
        assert controlled.ask("GET", "/faults")["faults"] == []
        assert controlled.ask("GET", "/groups/resettable/journal")["events"] == []
        assert "UNKNOWN_TOPIC_OR_PARTITION" in controlled.refused("DELETE", "/topics/before")[1]
        client.enter("resettable").answer()
    assert [group["group_id"] for group in controlled.ask("GET", "/groups")["groups"]] == ["resettable"]
    controlled.ask("POST", "/reset")


def test_the_description_is_served(controlled: Controlled) -> None:
    described = controlled.ask("GET", "/openapi.json")
    served = {f"{method.upper()} {path}" for path, methods in described["paths"].items() for method in methods}
    assert served == set(controlled.ask("GET", "/")["pages"])


@pytest.mark.parametrize("page", [name for name, described in PAGES.items() if described.body or described.query])
def test_a_page_takes_the_fields_that_are_described_and_no_others(controlled: Controlled, page: str) -> None:
    method, _, pattern = page.partition(" ")
    path, described = re.sub(r"\{\w+\}", "x", pattern), PAGES[page]
    if described.body:
        _, said = controlled.refused(method, path, {"nonsense": 1})
    else:
        _, said = controlled.refused(method, f"{path}?nonsense=1")
    start, _, known = said.partition("; known are ")
    assert start == "nonsense: not known here"
    assert set(known.split(", ")) == set(described.body or described.query)
    assert set(described.required) <= set(described.body)


def test_records_go_in_and_come_out(controlled: Controlled) -> None:
    controlled.ask("POST", "/topics", {"name": "orders", "partitions": 2})
    records = [{"key": "k", "value": "v"}, {"value_base64": "/w=="}]
    made = controlled.ask("POST", "/topics/orders/records", {"records": records, "partition": 1})
    assert made["records"] == [{"partition": 1, "offset": 0}, {"partition": 1, "offset": 1}]
    first, second = controlled.ask("GET", "/topics/orders/records?partition=1")["records"]
    assert (first["key"], first["value"], second["value_base64"]) == ("k", "v", "/w==")


def test_a_group_is_waited_for_expired_and_explained(controlled: Controlled) -> None:
    with GroupClient(controlled.port, "worker") as client:
        joined = client.enter("billing").answer()
        plan = [(joined.member_id, b"all")]
        client.sync("billing", joined.generation_id, joined.member_id, plan, protocol=("consumer", "range")).answer()
        view = controlled.ask("GET", "/groups/billing/wait?state=Stable&members=1")
        assert (view["state"], view["members"][0]["client_id"]) == ("Stable", "worker")
        assert controlled.ask("POST", "/groups/billing/rebalance", {})["state"] == "PreparingRebalance"
        assert controlled.ask("POST", "/groups/billing/expire", {"member": "worker"}) == {"expired": joined.member_id}
    assert controlled.ask("GET", "/groups/billing/wait?state=Empty")["members"] == []
    assert [group["group_id"] for group in controlled.ask("GET", "/groups")["groups"]] == ["billing"]
    assert any("was expelled" in line for line in controlled.ask("GET", "/groups/billing/explain")["lines"])
    assert controlled.ask("GET", "/groups/billing/journal")["events"][0]["kind"] == "group_created"
    assert controlled.ask("GET", "/groups/billing/offsets") == {"offsets": []}
    assert controlled.ask("POST", "/groups/billing/move-coordinator", {})["state"] == "Empty"


def test_consumer_group_is_shown_fenced_and_held_back(controlled: Controlled) -> None:
    """KIP-848."""
    controlled.ask("POST", "/topics", {"name": "held", "partitions": 2})
    topic = ["held"]
    with GroupClient(controlled.port, "raw") as client:

        def beat(member: str, epoch: int, **said: Any) -> Any:
            return client.call("ConsumerGroupHeartbeat", 1, ConsumerGroupHeartbeatRequest("cg", member, epoch, **said))

        joining: dict[str, Any] = {
            "rebalance_timeout_ms": 60_000,
            "subscribed_topic_names": topic,
            "topic_partitions": [],
        }
        assert beat("a", 0, **joining).error_code == errors.NONE
        shown = controlled.ask("GET", "/groups/cg/wait?state=Stable&members=1")
        assert (shown["type"], shown["generation"], shown["target_epoch"]) == ("consumer", 2, 2)
        assert shown["members"][0]["target"] == [["held", 0], ["held", 1]]
        fault = controlled.ask("POST", "/groups/cg/fence", {"member": "a"})
        assert (fault["error"], fault["member"]) == ("FENCED_MEMBER_EPOCH", "a")
        assert beat("a", 2).error_code == errors.FENCED_MEMBER_EPOCH
        assert beat("a", 2).error_code == errors.NONE
        held = controlled.ask("POST", "/faults", {"kind": "hold_revocation", "group": "cg", "member": "a"})
        assert held["text"] == "partitions of group cg and member a count as not given up"
        controlled.ask("POST", "/clock/advance", {"seconds": 2})
        assert beat("b", 0, **joining).error_code == errors.NONE
        kept = ConsumerGroupHeartbeatRequestTopicPartition
        assert beat("a", 2).error_code == errors.NONE
        (a,) = [each for each in controlled.ask("GET", "/groups/cg")["members"] if each["member_id"] == "a"]
        assert len(a["revoking"]) == 1
        beat("a", 2, topic_partitions=[kept(bytes(16), [])])
        (a,) = [each for each in controlled.ask("GET", "/groups/cg")["members"] if each["member_id"] == "a"]
        assert len(a["revoking"]) == 1
        controlled.ask("DELETE", f"/faults/{held['id']}")
        beat("a", 2)
        (a,) = [each for each in controlled.ask("GET", "/groups/cg")["members"] if each["member_id"] == "a"]
        assert (a["revoking"], a["epoch"]) == ([], 3)
        assert "gave up held" in " ".join(controlled.ask("GET", "/groups/cg/explain")["lines"])
    code, why = controlled.refused("POST", "/faults", {"kind": "hold_revocation", "group": "nobody"})
    assert (code, "is no consumer group" in why) == (400, True)
    code, why = controlled.refused("POST", "/faults", {"kind": "delay", "api": "Heartbeat", "member": "a"})
    assert (code, "member is for hold_revocation" in why) == (400, True)


def test_faults_are_switched_on_listed_and_removed(controlled: Controlled) -> None:
    wish = {"kind": "error", "api": "Heartbeat", "error": "ILLEGAL_GENERATION", "times": 1}
    made = controlled.ask("POST", "/faults", wish)
    with GroupClient(controlled.port, "worker") as client:
        assert client.beat("g", 1, "m", None) == 22
    listed = {fault["id"]: fault for fault in controlled.ask("GET", "/faults")["faults"]}
    assert (listed[made["id"]]["uses"], listed[made["id"]]["is_over"]) == (1, True)
    loading = controlled.ask("POST", "/faults", {"kind": "coordinator_loading", "group": "g"})
    assert loading["text"] == "the coordinator of group g is loading"
    assert controlled.ask("DELETE", f"/faults/{loading['id']}")["is_over"] is True
    assert all(fault["is_over"] for fault in controlled.ask("DELETE", "/faults")["faults"])


def test_bad_requests_say_what_is_wrong(controlled: Controlled) -> None:
    assert controlled.refused("GET", "/clocks") == (404, "there is no GET /clocks; GET / lists what there is")
    assert controlled.refused("POST", "/clock", {})[0] == 405
    assert controlled.refused("POST", "/clock/advance", {"second": 1})[1].startswith("second: not known here")
    assert controlled.refused("POST", "/clock/advance", {"seconds": -1})[1].startswith("a clock cannot go back")
    assert "did you mean Heartbeat" in controlled.refused("POST", "/faults", {"kind": "delay", "api": "HeartBeat"})[1]
    code, text = controlled.refused("GET", "/groups/nobody/wait?state=Stable&timeout=0.01")
    assert (code, text.splitlines()[1]) == (408, "it is: nobody is Dead, generation 0, 0 members")


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("POST", "/topics", {"name": "t", "partitions": "x"}, "partitions must be a whole number, not 'x'"),
        ("POST", "/topics", {"name": "t", "partitions": 1.5}, "partitions must be a whole number, not 1.5"),
        ("POST", "/topics", {"name": "t", "partitions": True}, "partitions must be a whole number, not True"),
        ("POST", "/topics", {"name": 3}, "name must be given, as a text"),
        (
            "POST",
            "/topics",
            {"name": "t", "configs": "x"},
            "configs is 'x': give an object of Kafka's names and values",
        ),
        (
            "POST",
            "/topics",
            {"name": "t", "configs": {"retention.ms": []}},
            "configs has [] for retention.ms: give a str",
        ),
        ("POST", "/topics/t/records", {"records": [], "partition": "x"}, "partition must be a whole number, not 'x'"),
        ("POST", "/topics/t/records", {"records": [{"key_base64": 3}]}, "key_base64 must be a text, not 3"),
        ("GET", "/topics/strict/records?partition=x", None, "partition must be a whole number, not 'x'"),
        ("GET", "/topics/strict/records?partition=9", None, "strict has partitions 0 to 0, not 9"),
        ("GET", "/groups/g/wait?members=x", None, "members must be a whole number, not 'x'"),
        ("GET", "/groups/g/wait?timeout=x", None, "timeout must be 0 to 3600 seconds, not 'x'"),
        ("GET", "/groups/g/wait?timeout=nan", None, "timeout must be 0 to 3600 seconds, not 'nan'"),
        (
            "POST",
            "/faults",
            {"kind": "error", "api": "Heartbeat"},
            "error must be given, as a code or Kafka's name of it",
        ),
        ("POST", "/faults", {"kind": "drop_reply", "api": "Heartbeat", "times": [1]}, "times must be a whole number"),
        ("POST", "/faults", {"kind": "drop_reply", "api": "Heartbeat", "group": 3}, "group must be a text, not 3"),
    ],
)
def test_a_field_of_the_wrong_type_is_told_by_its_name(
    controlled: Controlled, method: str, path: str, body: object, said: str
) -> None:
    if path.startswith("/topics/strict"):
        with suppress(urllib.error.HTTPError):
            controlled.ask("POST", "/topics", {"name": "strict", "partitions": 1})
    code, told = controlled.refused(method, path, body)
    assert (code, told[: len(said)]) == (400, said)
    assert "\n" not in told


def test_web_pages_and_foreign_names_are_kept_out(controlled: Controlled) -> None:
    assert controlled.refused("GET", "/clock", Origin="http://evil.example")[0] == 403
    assert controlled.refused("GET", "/clock", Host="evil.example")[0] == 403


def test_controls_listen_on_loopback_only_unless_told_otherwise() -> None:
    wish = {"muster.control.listen": "0.0.0.0:9999"}
    with pytest.raises(ConfigError, match="loopback only"):
        control_endpoint(Settings.of(wish))
    assert control_endpoint(Settings.of({**wish, "muster.control.anywhere": "true"})).port == 9999
    assert control_endpoint(Settings.of({"muster.control.listen": "[::1]:1"})).host == "::1"


def test_a_control_port_that_is_taken_keeps_the_server_from_starting(controlled: Controlled) -> None:
    command = [sys.executable, "-m", "muster", "serve", "--memory", "--listen", "127.0.0.1:0"]
    command += ["--control", controlled.url.removeprefix("http://")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert ended.returncode == 1
    assert "choose another with --control HOST:PORT" in ended.stderr
