"""Who gets in: names, origins, tokens, cookies and headers, by plain HTTP requests to a real console."""

from __future__ import annotations

import pytest

from muster.client.partitions import TopicPartition
from muster.testing import Broker
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import run, set_offsets
from tests.interop.waiting import eventually


def test_every_answer_has_a_policy_that_runs_nothing_of_the_markup(console: ConsoleProcess) -> None:
    answer = console.ask("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in answer.text
    assert " style=" not in answer.text


def test_without_a_login_there_is_no_cookie_and_a_form_stays_good_whoever_comes_meanwhile(
    console: ConsoleProcess, broker: Broker
) -> None:
    """Visits from elsewhere have no cookie with them (SameSite), and may be many."""
    run(set_offsets(broker.bootstrap_servers, "open-in-a-tab", {TopicPartition("orders", 0): 0}))
    form = {"id": "open-in-a-tab", "token": console.token("/delete?id=open-in-a-tab")}
    for _ in range(20):
        assert "set-cookie" not in console.ask("/", headers={"Sec-Fetch-Site": "cross-site"}).headers
    assert "The group and its offsets are gone" in console.ask("/delete", form).text


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", ""])
def test_another_host_name_is_refused(console: ConsoleProcess, host: str) -> None:
    assert console.ask("/", headers={"Host": host}).status == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_numbers_and_localhost_are_known(console: ConsoleProcess, host: str) -> None:
    assert console.ask("/", headers={"Host": f"{host}:{console.port}"}).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://evil.example:{port}",
        "http://localhost:{port}",
        "http://127.0.0.1",
        "https://127.0.0.1:{port}",
        "null",
        "",
    ],
)
def test_a_form_from_elsewhere_is_refused_though_its_token_is_right(
    console: ConsoleProcess, broker: Broker, origin: str
) -> None:
    run(set_offsets(broker.bootstrap_servers, "wanted-elsewhere", {TopicPartition("orders", 0): 0}))
    form = {"id": "wanted-elsewhere", "token": console.token("/delete?id=wanted-elsewhere")}
    answer = console.ask("/delete", form, {"Origin": origin.format(port=console.port)})
    assert answer.status == 403
    assert "does not come from a page of this console" in answer.text
    assert "Delete it" in console.ask("/delete?id=wanted-elsewhere").text, "the group is there"


def test_a_form_without_its_token_changes_nothing(console: ConsoleProcess, broker: Broker) -> None:
    run(set_offsets(broker.bootstrap_servers, "kept", {TopicPartition("orders", 0): 0}))
    for form in ({"id": "kept", "token": "wrong"}, {"id": "kept"}):
        answer = console.ask("/delete", form)
        assert (answer.status, "load it again" in answer.text) == (403, True)
    assert "Delete it" in console.ask("/delete?id=kept").text, "the group is there"


def test_a_form_with_its_token_deletes_the_group_and_is_written_down(broker: Broker) -> None:
    run(set_offsets(broker.bootstrap_servers, "doomed", {TopicPartition("orders", 0): 0}))
    with ConsoleProcess(broker.bootstrap_servers, "--allow-changes") as console:
        page = console.ask("/delete?id=doomed").text
        assert "its 1 committed offsets are deleted for good" in page
        form = {"id": "doomed", "token": console.token("/delete?id=doomed")}
        answer = console.ask("/delete", form, {"X-Forwarded-For": "203.0.113.9"})  # anybody can say that
        assert "The group and its offsets are gone" in answer.text
        assert "no such group" in console.ask("/group?id=doomed").text
        console.stop()
        assert "'anonymous' at 127.0.0.1: deleted group 'doomed'" in console.log


def test_a_group_whose_undo_file_fits_no_form_is_not_deleted() -> None:
    topic = "t" * 249
    with (
        Broker(topics={topic: 4_200}) as broker,
        ConsoleProcess(broker.bootstrap_servers, "--allow-changes") as console,
    ):
        for portion in (range(2_100), range(2_100, 4_200)):  # a commit has to fit into a batch of the offsets log
            run(set_offsets(broker.bootstrap_servers, "wide", {TopicPartition(topic, each): 0 for each in portion}))
        assert "3,200 more partitions are not shown" in console.ask(f"/topic?name={topic}").text
        page = console.ask("/delete?id=wide").text
        assert "The undo file of 4,200 offsets is too large for a page" in page
        assert "muster groups delete" in page
        assert "Download the undo file" not in page
        answer = console.ask("/delete", {"id": "wide", "token": console.token("/reset?id=wide")})
        assert (answer.status, "too large for a page" in answer.text) == (400, True)
        eventually("the group is there", lambda: "Empty" in console.ask("/group?id=wide").text)


def test_without_the_flag_there_is_nothing_to_change(broker: Broker) -> None:
    run(set_offsets(broker.bootstrap_servers, "kept", {TopicPartition("orders", 0): 0}))
    with ConsoleProcess(broker.bootstrap_servers) as console:
        assert "Delete this group" not in console.ask("/group?id=kept").text
        assert console.ask("/delete?id=kept").status == 404
        assert console.ask("/delete", {"id": "kept"}).status == 404


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/group", "The address lacks id"),
        ("/messages?topic=orders&offset=ten", "offset must be a whole number, 0 or more"),
        ("/messages?topic=orders&at=noon", "at must be a UTC time like 2026-11-15T03:12"),
        ("/messages?topic=orders&form=xml", "form must be one of auto, json, text, hex"),
        ("/topic?name=nowhere", "UNKNOWN_TOPIC_OR_PARTITION"),
    ],
)
def test_an_address_that_makes_no_sense_is_told(console: ConsoleProcess, path: str, said: str) -> None:
    answer = console.ask(path)
    assert answer.status in (400, 502)
    assert said in answer.text


@pytest.mark.parametrize(
    "query", ["page=0", "page=-3", "page=99999999999", "sort=evil", "type=x", "state=Nope", "desc=2", "path=x"]
)
def test_odd_filters_of_the_list_count_as_not_said(console: ConsoleProcess, query: str) -> None:
    assert console.ask(f"/?{query}").status == 200


def test_a_cluster_that_does_not_answer_is_told_on_the_page() -> None:
    with ConsoleProcess("127.0.0.1:1", "--timeout", "1") as console:
        assert "127.0.0.1:1" in console.ask("/").text
        assert "Connect call failed" in console.ask("/").text
        assert console.stop() == 0
