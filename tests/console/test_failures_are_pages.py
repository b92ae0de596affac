"""Whatever goes wrong is answered with a page, or at least a sentence, that has the headers of every other answer."""

from __future__ import annotations

import pytest

from muster.client.partitions import TopicPartition
from muster.console.app import build_app
from muster.console.guard import HEADERS
from muster.console.overview_view import OverviewView
from muster.console.rendering import Renderer
from muster.console.settings import ConsoleSettings
from muster.console.web import MOST_FIELDS
from muster.testing import Broker
from tests.console.console_process import Answer, ConsoleProcess
from tests.console.fleet import run, set_offsets
from tests.console.in_process import asked

FIELDS = {f"field-{number}": "x" for number in range(MOST_FIELDS + 1)}
NOBODY = "127.0.0.1:1"


def _has_headers(answer: Answer) -> bool:
    return all(answer.headers.get(name) == value for name, value in HEADERS.items())


@pytest.mark.parametrize("path", ["/reset", "/reset/plan", "/delete", "/remove"])
def test_a_form_of_too_many_fields_is_a_bad_request(console: ConsoleProcess, path: str) -> None:
    answer = console.ask(path, FIELDS)
    assert (answer.status, "at most 200 fields" in answer.text, _has_headers(answer)) == (400, True, True)


def test_a_login_of_too_many_fields_is_a_bad_request_on_the_login_page(broker: Broker) -> None:
    with ConsoleProcess(broker.bootstrap_servers, "--login") as console:
        answer = console.ask("/login", FIELDS)
        assert (answer.status, "at most 200 fields" in answer.text, _has_headers(answer)) == (400, True, True)
        assert 'name="password"' in answer.text


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("orders,0," + "1" * 140_000, "field larger than field limit"),
        ("orders,0," + "1" * 5_000, "an offset at most"),
        (f"orders,0,{1 << 63}", "an offset at most"),
        (f"orders,{1 << 31},0", "a partition is at most"),
        ("orders,0,x", "partition and offset must be numbers"),
    ],
    ids=["a field too long for CSV", "too many digits", "an offset too large", "a partition too large", "no number"],
)
@pytest.mark.parametrize("path", ["/reset", "/reset/plan"])
def test_a_plan_that_cannot_be_read_is_a_bad_request(
    broker: Broker, console: ConsoleProcess, path: str, plan: str, said: str
) -> None:
    run(set_offsets(broker.bootstrap_servers, "planned-badly", {TopicPartition("orders", 0): 0}))
    form = {"id": "planned-badly", "rule": "file", "plan": plan, "csv": plan}
    answer = console.ask(path, {**form, "token": console.token("/reset?id=planned-badly")})
    assert (answer.status, said in answer.text, _has_headers(answer)) == (400, True, True)


def test_the_largest_numbers_of_the_protocol_are_no_failure_of_the_console(
    broker: Broker, console: ConsoleProcess
) -> None:
    """There is no such partition, which the cluster says."""
    run(set_offsets(broker.bootstrap_servers, "planned-badly", {TopicPartition("orders", 0): 0}))
    form = {"id": "planned-badly", "plan": f"orders,{(1 << 31) - 1},{(1 << 63) - 1}"}
    answer = console.ask("/reset", {**form, "token": console.token("/reset?id=planned-badly")})
    assert (answer.status, "UNKNOWN_TOPIC_OR_PARTITION" in answer.text) == (502, True)


def test_a_page_that_cannot_be_made_says_so_and_its_traceback_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: OverviewView) -> None:
        raise ValueError("no such luck")

    monkeypatch.setattr(OverviewView, "context", broken)
    answer = asked(build_app(ConsoleSettings(bootstrap=NOBODY)), "/")
    assert (answer.status, _has_headers(answer)) == (500, True)
    assert "Answering / failed in the console itself (ValueError), and its log has more. Load it again." in answer.text
    assert "<h1>" in answer.text, "a page"
    assert "no such luck" in caplog.text
    assert "Traceback" in caplog.text


class BrokenLake:
    cluster: str | None = "c"

    def plots(self, group: str, cluster: str, from_ms: int | None, to_ms: int | None) -> str:
        raise PermissionError("the lake is not ours")

    def style_sheet(self) -> str:
        raise PermissionError("the lake is not ours")


@pytest.mark.parametrize("path", ["/history?group=g", "/history/report.css"])
def test_a_lake_that_fails_in_a_way_that_nobody_thought_of_is_told(path: str) -> None:
    answer = asked(build_app(ConsoleSettings(bootstrap=NOBODY, history=BrokenLake())), path)
    assert (answer.status, "PermissionError" in answer.text, _has_headers(answer)) == (500, True, True)


def test_where_no_page_can_be_made_at_all_a_sentence_has_the_headers_too(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> str:
        raise ValueError("no such luck")

    app = build_app(ConsoleSettings(bootstrap=NOBODY))
    monkeypatch.setattr(Renderer, "__call__", broken)
    answer = asked(app, "/")
    assert (answer.status, _has_headers(answer)) == (500, True)
    assert answer.text.startswith("Answering / failed in the console itself (ValueError)")
    assert "no such luck" in caplog.text
