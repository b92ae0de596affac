"""What many people, pages and topics may take of a console is bounded, and whoever is beyond a bound is told."""

from __future__ import annotations

import asyncio
import http.client

import pytest

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.security import PLAINTEXT
from muster.client.topics import TopicDescription
from muster.console import login as login_module
from muster.console import timeline_reader
from muster.console.app import build_app
from muster.console.guard import MOST_LOGIN_BYTES
from muster.console.login import MECHANISMS, MOST_AT_ONCE, MOST_OF_ONE, MOST_WAITING, Login, TooManyLogins, place_of
from muster.console.observers import Observers
from muster.console.serving import MOST_CONNECTIONS, SPARE_FILES, CannotListen, most_connections
from muster.console.settings import ConsoleSettings
from muster.console.timeline_reader import TimelineReader
from muster.testing import Broker
from tests.console.console_process import STOP_SECONDS, ConsoleProcess
from tests.console.in_process import asked

NOBODY = "127.0.0.1:1"


class HangingCluster:
    """Nobody answers until somebody says so."""

    def __init__(self, answer: asyncio.Event) -> None:
        self._answer = answer

    async def __aenter__(self) -> HangingCluster:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def refresh(self, _: object) -> None:
        await self._answer.wait()


def test_a_login_that_finds_the_queue_full_is_told_so_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        answer = asyncio.Event()
        observers = Observers(ConsoleSettings(bootstrap=NOBODY), lambda *_: "")
        monkeypatch.setattr(observers, "cluster", lambda _: HangingCluster(answer))
        login = Login(PLAINTEXT, observers)
        going = [
            asyncio.create_task(login.verify("ada", f"guess {number}", MECHANISMS[0], f"10.0.0.{number}"))
            for number in range(MOST_AT_ONCE + MOST_WAITING)
        ]
        await asyncio.sleep(0)
        with pytest.raises(TooManyLogins, match="try again in a moment"):
            await login.verify("bob", "right", MECHANISMS[0])
        going[-1].cancel()
        await asyncio.gather(going[-1], return_exceptions=True)
        going[-1] = asyncio.create_task(login.verify("bob", "right", MECHANISMS[0]))
        answer.set()
        assert [each.username for each in await asyncio.gather(*going)][-1] == "bob"
        assert (await login.verify("eve", "later", MECHANISMS[0])).username == "eve"

    asyncio.run(story())


def test_one_place_has_neither_all_turns_nor_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        answer = asyncio.Event()
        observers = Observers(ConsoleSettings(bootstrap=NOBODY), lambda *_: "")
        monkeypatch.setattr(observers, "cluster", lambda _: HangingCluster(answer))
        login = Login(PLAINTEXT, observers)
        going = [
            asyncio.create_task(login.verify(f"user {number}", "guess", MECHANISMS[0], "10.0.0.9"))
            for number in range(MOST_OF_ONE)
        ]
        await asyncio.sleep(0)
        with pytest.raises(TooManyLogins, match="from where you are"):
            await login.verify("ada", "guess", MECHANISMS[0], "10.0.0.9")
        assert login._turns._value == MOST_AT_ONCE - MOST_OF_ONE, "others need not wait"
        answer.set()
        await asyncio.gather(*going)
        assert (await login.verify("ada", "right", MECHANISMS[0], "10.0.0.9")).username == "ada"
        assert not login._from

    asyncio.run(story())


def test_a_login_whose_browser_has_hung_up_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        observers = Observers(ConsoleSettings(bootstrap=NOBODY), lambda *_: "")
        monkeypatch.setattr(observers, "cluster", lambda _: pytest.fail("the cluster was asked"))
        login = Login(PLAINTEXT, observers)

        async def is_gone() -> bool:
            return True

        with pytest.raises(TooManyLogins, match="hung up"):
            await login.verify("ada", "guess", MECHANISMS[0], "10.0.0.9", is_gone)
        assert login._turns._value == MOST_AT_ONCE

    asyncio.run(story())


@pytest.mark.parametrize(
    ("address", "is_behind_proxy", "place"),
    [
        ("10.0.0.9", False, "10.0.0.9"),
        ("2001:db8:0:1:2:3:4:5", False, "2001:db8:0:1::/64"),
        ("fe80::1%eth0", False, "fe80::/64"),
        ("", False, ""),
        ("10.0.0.9", True, "user ada"),
    ],
)
def test_logins_are_counted_by_address_or_behind_a_proxy_by_user(
    address: str, is_behind_proxy: bool, place: str
) -> None:
    assert place_of(address, "ada", is_behind_proxy=is_behind_proxy) == place


def test_a_login_form_is_small() -> None:
    app = build_app(ConsoleSettings(bootstrap=NOBODY, login=True))
    form = {"user": "ada", "password": "x" * MOST_LOGIN_BYTES, "mechanism": MECHANISMS[0]}
    answer = asked(app, "/login", form)
    assert (answer.status, answer.text) == (
        413,
        f"This form has at most {MOST_LOGIN_BYTES} bytes, and says how many.\n",
    )


def test_the_form_says_that_the_queue_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_module, "MOST_WAITING", 0)
    app = build_app(ConsoleSettings(bootstrap=NOBODY, login=True))
    answer = asked(app, "/login", {"user": "ada", "password": "x", "mechanism": MECHANISMS[0]})
    assert (answer.status, "try again in a moment" in answer.text) == (503, True)
    assert 'name="password"' in answer.text


@pytest.mark.parametrize(
    ("open_files", "most"),
    [(1_000_000, MOST_CONNECTIONS), (1_024, 1_024 - SPARE_FILES), (SPARE_FILES + 1, 1)],
)
def test_connections_leave_room_for_those_to_the_cluster(open_files: int, most: int) -> None:
    assert most_connections(open_files) == most


@pytest.mark.parametrize("open_files", [10, SPARE_FILES])
def test_a_console_that_could_serve_nobody_does_not_start(open_files: int) -> None:
    with pytest.raises(CannotListen, match=f"{open_files} open files are too few"):
        most_connections(open_files)


def test_the_only_connection_that_there_is_room_for_is_served(broker: Broker) -> None:
    with ConsoleProcess(broker.bootstrap_servers, open_files=SPARE_FILES + 1) as console:
        assert console.ask("/topics").status == 200


def test_more_connections_than_there_is_room_for_are_refused_and_the_others_served(broker: Broker) -> None:
    with ConsoleProcess(broker.bootstrap_servers, open_files=SPARE_FILES + 5) as console:
        held = [http.client.HTTPConnection("127.0.0.1", console.port, timeout=STOP_SECONDS) for _ in range(8)]
        statuses = []
        for each in held:
            each.request("GET", "/topics")
            answer = each.getresponse()
            answer.read()
            statuses.append(answer.status)
        assert statuses[:5] == [200] * 5
        assert 503 in statuses[5:]
        for each in held:
            each.close()


def test_names_of_deleted_topics_are_bounded_and_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_reader, "MOST_GONE_TOPICS", 2)
    there: list[int] = []

    async def listed(_: Cluster, *, internal: bool = False) -> list[TopicDescription]:
        return [TopicDescription(f"topic-{number}", bytes([number]), False, ()) for number in there]

    monkeypatch.setattr(admin, "list_topics", listed)

    async def story() -> None:
        reader = TimelineReader(Cluster(NOBODY), lambda _: None)
        for number in range(6):
            there[:] = [0, number]
            await reader._learn_topics()
        assert reader.timelines._topic_names is reader.topic_names
        assert list(reader.topic_names.values()) == ["topic-0", "topic-3", "topic-4", "topic-5"]

    asyncio.run(story())


class UncloseableLive:
    async def close(self) -> None:
        raise RuntimeError("it hangs on")


class ClosedLive:
    is_closed = False

    async def close(self) -> None:
        self.is_closed = True


def test_a_connection_that_cannot_be_closed_keeps_no_other_open(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        observers = Observers(ConsoleSettings(bootstrap=NOBODY), lambda *_: "")
        good = ClosedLive()
        observers._live = {PLAINTEXT: UncloseableLive(), None: good}  # type: ignore[dict-item]
        await observers.close_unused(set())
        assert good.is_closed
        assert not observers._live
        assert "it hangs on" in caplog.text

    asyncio.run(story())


class UncloseableFollowing:
    def __init__(self) -> None:
        self.positions: dict[object, int] = {}

    async def close(self) -> None:
        raise RuntimeError("it hangs on")


def test_a_follower_that_cannot_be_closed_is_told_and_the_journal_is_followed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timeline_reader, "LOOK_AGAIN_SECONDS", 0.0)

    async def story() -> None:
        tries, troubles, again = [0], list[str](), asyncio.Event()

        def note(_: str) -> None:
            troubles.append(reader.trouble)

        reader = TimelineReader(Cluster(NOBODY), note)

        async def follow() -> None:
            tries[0] += 1
            if tries[0] == 1:
                reader._following = UncloseableFollowing()  # type: ignore[assignment]
                return
            again.set()

        monkeypatch.setattr(reader, "_follow", follow)
        running = asyncio.create_task(reader.run())
        async with asyncio.timeout(60):
            await again.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert len(troubles) == 1
        assert "RuntimeError" in troubles[0]

    asyncio.run(story())
