"""An open page keeps its session, and gets nothing more when the session is over."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from muster.client.cluster import Cluster
from muster.client.security import PLAINTEXT
from muster.console.live import Live
from muster.console.observer import Observer, Wants
from muster.console.observers import Observers
from muster.console.sessions import IDLE_SECONDS, LIFETIME_SECONDS, Sessions
from muster.console.settings import ConsoleSettings

NOBODY = "127.0.0.1:1"


def _settings() -> ConsoleSettings:
    return ConsoleSettings(bootstrap=NOBODY)


class _Numbered:
    """A view that shows a number."""

    key = "number"
    regions: Mapping[str, str] = {"number": "number.html"}
    number = 1

    def wants(self) -> Wants:
        return Wants()

    def fingerprint(self) -> object:
        return self.number

    def context(self) -> dict[str, Any]:
        return {"number": self.number}


def _render(template: str, context: Mapping[str, Any]) -> str:
    return f"<p>{context['number']}</p>"


def test_an_open_page_counts_as_asking() -> None:
    sessions = Sessions(_settings())
    session = sessions.begin(PLAINTEXT, "anonymous")
    for _ in range(3):
        session.used -= IDLE_SECONDS - 60
        assert sessions.renew(session)
    assert sessions.users() == {session.security}


@pytest.mark.parametrize("field", ["used", "began"])
def test_a_session_that_is_over_is_not_renewed(field: str) -> None:
    sessions = Sessions(_settings())
    session = sessions.begin(PLAINTEXT, "anonymous")
    setattr(session, field, getattr(session, field) - LIFETIME_SECONDS - 1)
    assert not sessions.renew(session)
    assert not sessions.users()


def test_without_a_login_one_session_is_everybodys_and_does_not_end() -> None:
    sessions = Sessions(_settings())
    session = sessions.shared(PLAINTEXT, "anonymous")
    session.used -= LIFETIME_SECONDS + 1
    assert sessions.users() == set(), "nobody has asked for anything for long: its connections may be closed"
    session.began -= LIFETIME_SECONDS + 1
    assert sessions.renew(session)
    assert sessions.shared(PLAINTEXT, "anonymous") is session
    assert sessions.users() == {PLAINTEXT}


async def _no_news_after(what_ends_it: str) -> None:
    view, allowed = _Numbered(), [True]
    live = Live(Observer(Cluster(NOBODY)), _render)
    stream = live.stream(view, lambda: allowed[0])
    try:
        assert (await anext(stream)).startswith("retry")
        assert "<p>1</p>" in await anext(stream)
        view.number = 2
        live._publish()
        assert "<p>2</p>" in await anext(stream)
        if what_ends_it == "logout":
            allowed[0] = False
        else:
            live.end()
        view.number = 3
        live._publish()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
        assert live.streams == 0
    finally:
        await live.observer.close()


@pytest.mark.parametrize("what_ends_it", ["logout", "the end of the observer"])
def test_a_stream_ends_without_more_news(what_ends_it: str) -> None:
    asyncio.run(_no_news_after(what_ends_it))


def test_an_observer_without_sessions_ends_its_streams_when_it_is_closed() -> None:
    async def closed() -> None:
        observers = Observers(_settings(), _render)
        live = observers.of(PLAINTEXT)
        await observers.close_unused(set())
        assert live.has_ended
        assert observers.of(PLAINTEXT) is not live
        await observers.close()

    asyncio.run(closed())
