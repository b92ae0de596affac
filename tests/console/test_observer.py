"""What goes wrong, or takes long, while a cluster is being asked: it is told, tried again, and holds nothing else up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.console import observer as observer_module
from muster.console import timeline_reader
from muster.console.observer import Observer, Wants
from muster.testing import Broker
from muster.wire.errors import COORDINATOR_NOT_AVAILABLE
from tests.console.fleet import Fleet, run

PATIENCE_SECONDS = 60
EVERYTHING = Wants(listing=True)


class Watched:
    """An observer whose pages want the same all the time."""

    def __init__(self, cluster: Cluster, wanted: Wants) -> None:
        self.observer = Observer(cluster)
        self._wanted = wanted
        self._published = asyncio.Event()

    async def until(self, is_so: Callable[[Observer], bool]) -> None:
        """It is so at a moment when pages are brought up to date."""
        self.observer.start(lambda: self._wanted, self._published.set)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                await self._published.wait()
                self._published.clear()
                if is_so(self.observer):
                    return


def _watched(broker: Broker, wanted: Wants, story: Callable[[Watched], Awaitable[None]]) -> None:
    async def go() -> None:
        watched = Watched(Cluster(broker.bootstrap_servers), wanted)
        try:
            await story(watched)
        finally:
            await watched.observer.close()

    run(go())


class Failing:
    """Raises until it is mended, then does what it stands for."""

    def __init__(self, then: Callable[..., Awaitable[Any]]) -> None:
        self.is_mended = False
        self._then = then

    async def __call__(self, *args: Any, **options: Any) -> Any:
        if not self.is_mended:
            raise RuntimeError("nobody thought of that")
        return await self._then(*args, **options)


def test_a_group_that_is_deleted_between_two_questions_has_no_offsets_held_back(broker: Broker) -> None:
    async def asked() -> object:
        async with Cluster(broker.bootstrap_servers) as cluster:
            return await Observer(cluster)._unstable("deleted-meanwhile", {})

    assert not run(asked())


def test_an_unexpected_error_is_logged_and_told_and_the_next_look_goes_well(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing = Failing(admin.list_groups_by_node)
    monkeypatch.setattr(admin, "list_groups_by_node", failing)

    async def story(watched: Watched) -> None:
        await watched.until(lambda observer: "RuntimeError" in observer.trouble)
        assert "nobody thought of that" in caplog.text
        assert "Traceback" in caplog.text
        failing.is_mended = True
        await watched.until(lambda observer: not observer.trouble and observer.groups.has_listed)

    _watched(broker, EVERYTHING, story)


def test_an_unexpected_error_of_the_reader_is_told_and_it_reads_on(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(timeline_reader, "LOOK_AGAIN_SECONDS", 0.01)
    failing = Failing(admin.list_topics)
    monkeypatch.setattr(admin, "list_topics", failing)

    async def story(watched: Watched) -> None:
        await watched.until(lambda observer: "RuntimeError" in observer.reader.trouble)
        assert watched.observer.reader.trouble.startswith("Following the group journal failed"), "a sentence"
        assert "nobody thought of that" in caplog.text
        failing.is_mended = True
        with Fleet(broker.bootstrap_servers, "read-on", ["orders"]) as fleet:
            await asyncio.to_thread(fleet.join, "ada")
            await watched.until(lambda observer: bool(observer.reader.timelines.history("read-on").rebalances))
        assert not watched.observer.reader.trouble

    _watched(broker, EVERYTHING, story)


def test_an_event_is_shown_while_a_look_at_the_cluster_does_not_come_back(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(admin, "describe_each", never)

    async def story(watched: Watched) -> None:
        with Fleet(broker.bootstrap_servers, "told-early", ["orders"]) as fleet:
            await asyncio.to_thread(fleet.join, "ada")
            await watched.until(lambda observer: bool(observer.reader.timelines.history("told-early").rebalances))

    _watched(broker, Wants(detail=frozenset(["told-early"])), story)


def test_a_timeline_that_had_to_go_is_read_again_without_a_hole(broker: Broker) -> None:
    """Events from after the follower began are in it too."""

    async def story(watched: Watched) -> None:
        observer = watched.observer
        await watched.until(lambda observer: observer.reader.has_journal is not None)
        with Fleet(broker.bootstrap_servers, "dropped", ["orders"]) as fleet:
            await asyncio.to_thread(fleet.join, "ada")
            await asyncio.to_thread(fleet.join, "bob")
            await watched.until(lambda observer: len(observer.reader.timelines.history("dropped").rebalances) == 2)
            timelines = observer.reader.timelines
            timelines._most_bytes = 1
            timelines.of("another")
            assert timelines.known("dropped") is None
            timelines._most_bytes = 1 << 30
            await asyncio.to_thread(fleet.join, "eve")
            await observer.reader.read_whole("dropped")
            await watched.until(lambda observer: len(observer.reader.timelines.history("dropped").rebalances) == 3)

    _watched(broker, Wants(listing=True, detail=frozenset(["dropped"])), story)


def test_a_timeline_that_is_not_read_to_its_end_holds_up_no_look(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observer_module, "TIMELINE_SECONDS", 0.01)

    async def story() -> None:
        observer, can_be_read = Observer(Cluster(broker.bootstrap_servers)), asyncio.Event()
        reads: list[str] = []

        async def read_whole(group: str) -> None:
            reads.append(group)
            if group == "stuck":
                await can_be_read.wait()
                raise ClientError(COORDINATOR_NOT_AVAILABLE, "list offsets of __group_journal-0")

        monkeypatch.setattr(observer.reader, "read_whole", read_whole)
        wanted = Wants(detail=frozenset(["stuck", "quick"]))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await observer.look(wanted)
            await observer.look(wanted)
            assert sorted(reads) == ["quick", "quick", "stuck"], "what is under way is not read twice"
            stuck = observer._reading["stuck"]
            observer._has_news.clear()
            can_be_read.set()
            await stuck
            await observer._has_news.wait()
        assert "__group_journal-0" in observer.unread("stuck")
        assert not observer.unread("quick")
        can_be_read.clear()
        await observer.look(wanted)
        await observer.close()
        assert not observer._reading

    run(story())


def test_names_that_are_no_groups_are_not_remembered_for_ever(broker: Broker) -> None:
    async def story(watched: Watched) -> None:
        observer = watched.observer
        for first in range(0, 3_000, 500):
            names = [f"nobody-{number}" for number in range(first, first + 500)]
            await observer.look(Wants(groups=frozenset(names)))
            assert observer.has_looked_at(names[-1])
        assert len(observer._looked_at) <= 2 * len(observer.groups.statuses) + 1_500

    _watched(broker, Wants(), story)


def test_what_was_asked_a_moment_ago_is_not_asked_again(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    really = admin.list_groups_by_node

    async def counted(cluster: Cluster) -> Any:
        asked.append(cluster)
        return await really(cluster)

    monkeypatch.setattr(admin, "list_groups_by_node", counted)

    async def story(watched: Watched) -> None:
        watched.observer._listed_at = float("inf")
        await watched.observer.look(EVERYTHING)
        assert not asked
        watched.observer.forget("somebody")
        await watched.observer.look(EVERYTHING)
        assert len(asked) == 1

    _watched(broker, EVERYTHING, story)


class PartlyAsked(Observer):
    """Looks at one group fail; what else is asked goes well."""

    async def look(self, wanted: Wants) -> None:
        if "down" in wanted.detail:
            raise ClientError(COORDINATOR_NOT_AVAILABLE, "describe the group down")

    async def _list(self) -> None:
        pass

    async def _describe(self, group_ids: list[str]) -> None:
        pass


@pytest.mark.parametrize(
    ("changed", "opened"),
    [({"another"}, Wants()), (set(), Wants(detail=frozenset(["another"]))), ({"seen"}, Wants())],
    ids=["an event of a group that no page shows", "another page", "an event of a group that a page shows"],
)
@pytest.mark.parametrize("listing", [False, True])
def test_trouble_is_told_until_everything_that_pages_show_could_be_asked(
    changed: set[str], opened: Wants, listing: bool
) -> None:
    """The coordinator of one group is down while other groups rebalance and other pages are opened."""

    async def story() -> None:
        observer = PartlyAsked(Cluster("127.0.0.1:1"))
        wanted = Wants(listing=listing, groups=frozenset(["seen"]), detail=frozenset(["down"]))
        await observer.try_to(observer._look_around(wanted))
        assert "COORDINATOR_NOT_AVAILABLE" in observer.trouble
        await observer.try_to(observer._look_at_changed(wanted, changed, opened))
        assert "COORDINATOR_NOT_AVAILABLE" in observer.trouble
        await observer.try_to(observer._look_around(Wants(listing=listing)))
        assert not observer.trouble

    run(story())


def test_what_fails_while_everything_else_is_asked_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is opened, and fails, during a look that does not know of it."""

    async def story() -> None:
        observer = PartlyAsked(Cluster("127.0.0.1:1"))

        async def meanwhile(_: Wants) -> None:
            await observer.try_to(observer.look(Wants(detail=frozenset(["down"]))))

        monkeypatch.setattr(observer, "_look_at_others", meanwhile)
        await observer.try_to(observer._look_around(EVERYTHING))
        assert "COORDINATOR_NOT_AVAILABLE" in observer.trouble

    run(story())
