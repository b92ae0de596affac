"""Pages and the streams that keep them up to date: answered before the cluster is, and whole again after a failure."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from muster.client.cluster import Cluster
from muster.client.partitions import TopicPartition
from muster.console import live as live_module
from muster.console.live import Live, SharedView, View
from muster.console.observer import Observer, Wants
from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet, produce, run, set_offsets
from tests.console.looking import shows

NOBODY = "127.0.0.1:1"


class Numbered:
    """A view that shows a number, or cannot."""

    regions: Mapping[str, str] = {"number": "number.html"}

    def __init__(self, key: str = "number") -> None:
        self.key = key
        self.number = 1
        self.failure: Exception | None = None

    def wants(self) -> Wants:
        return Wants()

    def fingerprint(self) -> object:
        return self.number

    def context(self) -> dict[str, Any]:
        if self.failure is not None:
            raise self.failure
        return {"number": self.number}


def _render(template: str, context: Mapping[str, Any]) -> str:
    return f"<p>{context['number']}</p>"


async def _next(stream: AsyncIterator[str]) -> dict[str, Any]:
    """The body of the next event."""
    while "data: {" not in (event := await anext(stream)):
        pass
    body: dict[str, Any] = json.loads(event.partition("data: ")[2])
    return body


def test_a_view_that_fails_says_so_and_holds_no_other_up(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        live, bad, good = Live(Observer(Cluster(NOBODY)), _render), Numbered("bad"), Numbered("good")
        bad_stream, good_stream = (live.stream(each, lambda: True) for each in (bad, good))
        try:
            assert (await _next(bad_stream))["broken"] == (await _next(good_stream))["broken"] == ""
            bad.failure, bad.number, good.number = ValueError("no such luck"), 2, 2
            live._publish()
            told = await _next(bad_stream)
            assert "ValueError" in told["broken"]
            assert told["regions"] == {}
            assert "no such luck" in caplog.text
            assert (await _next(good_stream))["regions"] == {"number": "<p>2</p>"}
            bad.failure, bad.number = None, 3
            live._publish()
            mended = await _next(bad_stream)
            assert (mended["broken"], mended["regions"]) == ("", {"number": "<p>3</p>"})
        finally:
            await live.observer.close()

    asyncio.run(story())


@pytest.mark.parametrize("unreadable", ["fingerprint", "check"])
def test_a_page_that_could_not_be_read_once_is_whole_when_it_can_be(unreadable: str) -> None:
    """Also where nothing else has changed meanwhile."""
    view = Numbered()
    shared, failures = SharedView(view), [""]

    def fail(where: str) -> None:
        if failures[0] == where:
            raise ValueError("no such luck")

    def fingerprint() -> object:
        fail("fingerprint")
        return view.number

    def check(_: View) -> bool:
        fail("check")
        return False

    view.fingerprint = fingerprint  # type: ignore[method-assign]
    shared.refresh(_render, check)
    for failures[0], is_broken in ((unreadable, True), (unreadable, True), ("", False)):
        shared.is_settled = False
        shared.refresh(_render, check)
        assert bool(shared.broken) == is_broken
    assert shared.markup["number"] == (1, "<p>1</p>")


def test_what_cannot_be_rendered_is_not_tried_again_before_there_is_something_new() -> None:
    view = Numbered()
    shared, tried = SharedView(view), [0]

    def render(template: str, context: Mapping[str, Any]) -> str:
        tried[0] += 1
        raise ValueError("no such luck")

    for _ in range(3):
        shared.refresh(render, lambda _: True)
    assert tried == [1]
    assert "ValueError" in shared.broken


class HangingObserver(Observer):
    """Looks begin and do not come back; what they ask for is noted."""

    def __init__(self) -> None:
        super().__init__(Cluster(NOBODY))
        self.asked: list[Wants] = []
        self.ended = 0

    async def look(self, wanted: Wants) -> None:
        if wanted == Wants():
            return
        self.asked.append(wanted)
        try:
            await asyncio.Event().wait()
        finally:
            self.ended += 1


class OfGroup(Numbered):
    def __init__(self, group: str) -> None:
        super().__init__(group)

    def wants(self) -> Wants:
        return Wants(detail=frozenset([self.key]))


def test_pages_of_the_same_wait_for_one_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "FIRST_LOOK_SECONDS", 0.001)

    async def story() -> None:
        observer = HangingObserver()
        live = Live(observer, _render)
        for _ in range(30):
            await live.visit(OfGroup("billing"))
        await live.visit(OfGroup("shipping"))
        assert observer.asked == [OfGroup("billing").wants(), OfGroup("shipping").wants()]
        await live.close()

    asyncio.run(story())


def test_a_first_look_ends_with_the_session_and_none_begins_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "FIRST_LOOK_SECONDS", 0.001)

    async def story() -> None:
        observer = HangingObserver()
        live = Live(observer, _render)
        await live.visit(OfGroup("billing"))
        assert (len(observer.asked), observer.ended) == (1, 0)
        await live.close()
        assert observer.ended == 1
        await live.visit(OfGroup("billing"))
        assert [event async for event in live.stream(OfGroup("billing"), lambda: True)] == []
        assert len(observer.asked) == 1
        assert observer._running is not None
        assert observer._running.done(), "a page that was on its way starts nothing in the name of who has left"

    asyncio.run(story())


def test_what_many_pages_are_sent_is_encoded_once() -> None:
    async def story() -> None:
        live, view = Live(Observer(Cluster(NOBODY)), _render), Numbered()
        streams = [live.stream(view, lambda: True) for _ in range(3)]
        try:
            assert [(await _next(each))["regions"] for each in streams] == [{"number": "<p>1</p>"}] * 3
            view.number = 2
            live._publish()
            assert [(await _next(each))["regions"] for each in streams] == [{"number": "<p>2</p>"}] * 3
            assert len(live._views["number"]._encoded) == 1
        finally:
            await live.observer.close()

    asyncio.run(story())


def test_a_console_has_loaded_what_its_first_question_to_a_cluster_needs() -> None:
    """In a process of its own: here other tests may have loaded it."""
    lines = [
        "import sys",
        "from muster.console.app import build_app",
        "from muster.console.settings import ConsoleSettings",
        "build_app(ConsoleSettings(bootstrap='127.0.0.1:1'))",
        "for api in ('list_groups', 'describe_groups', 'offset_fetch', 'list_offsets'):",
        "    assert f'muster.wire.generated.{api}' in sys.modules, api",
    ]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


@pytest.mark.parametrize("path", ["/", "/group?id=billing"])
def test_a_page_is_answered_though_the_cluster_is_not_heard_of(path: str, browser: Browser) -> None:
    """The port is open and nobody answers there. What becomes of that follows in the stream."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        bootstrap = f"127.0.0.1:{mute.getsockname()[1]}"
        with ConsoleProcess(bootstrap, "--timeout", "1") as console:
            first = console.ask(path)
            assert first.status == 200
            assert "Asking the cluster" in first.text
            assert 'class="asking"' in first.text
            assert "no such group" not in first.text
            browser.visit(f"{console.address}{path}")
            shows(browser, "main", "The last request to the cluster failed")
            shows(browser, "#link", "live")
            assert not browser.value("document.body.classList.contains('asking')")


def test_a_page_that_was_opened_first_is_filled_in(broker: Broker, browser: Browser) -> None:
    with Fleet(broker.bootstrap_servers, "filled-in", ["orders"]) as fleet:
        fleet.join("ada")
        with ConsoleProcess(broker.bootstrap_servers) as console:
            browser.visit(f"{console.address}/group?id=filled-in")
            shows(browser, "#members", "ada")
            shows(browser, "#rebalances", "Gen 1")
            shows(browser, "#link", "live")
            assert (
                browser.value("getComputedStyle(document.querySelector('#members').parentNode).visibility") == "visible"
            )
            assert browser.complaints() == []


def test_a_topic_page_that_was_opened_first_shows_who_reads_the_topic(broker: Broker, browser: Browser) -> None:
    """Nobody has opened the list of groups: the page itself has them looked at."""
    broker.create_topic("read-by-one", 1)
    run(set_offsets(broker.bootstrap_servers, "first-reader", {TopicPartition("read-by-one", 0): 0}))
    with ConsoleProcess(broker.bootstrap_servers) as console:
        browser.visit(f"{console.address}/topic?name=read-by-one")
        shows(browser, "#readers", "first-reader, 0 records behind")
        run(produce(broker.bootstrap_servers, "read-by-one", [b"tea"]))
        shows(browser, "#readers", "first-reader, 1 records behind")
        assert "first-reader" in console.ask("/topics?q=read-by-one").text
        assert browser.complaints() == []
