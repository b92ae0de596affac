"""Groups whose journal a test wrote by hand, as their page shows them: no server, no browser, every region as markup."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from muster.client.cluster import Cluster
from muster.client.groups import GroupDescription
from muster.client.partitions import TopicPartition
from muster.console.group_choice import GroupChoice
from muster.console.group_status import Position
from muster.console.group_view import GroupView
from muster.console.observer import Observer
from muster.console.overview_view import Choice, OverviewView
from muster.console.rendering import Renderer
from muster.explain.event import Event, event_in

RENDER = Renderer(version="0", bootstrap="here", allow_changes=False, needs_login=False, has_history=False)


def value_of(event: Event) -> bytes:
    """The record that tells an event."""
    named = {
        "kind": event.kind,
        "at_ms": event.at_ms,
        "group": event.group,
        "generation": event.generation,
        "cause": event.cause,
        "member": event.member,
        "instance": event.instance,
        "client": event.client,
        "host": event.host,
        "reason": event.reason,
    }
    return json.dumps({name: told for name, told in named.items() if told is not None} | dict(event.detail)).encode()


class ToldGroup:
    """The group `g`, whose journal has these events or, for those that no `Event` can be, these records."""

    def __init__(self, events: Iterable[Event] = (), records: Iterable[bytes] = ()) -> None:
        self.observer = Observer(Cluster("127.0.0.1:1"))
        self.observer.reader._topic = "__group_journal"
        self.observer._looked_at["g"] = 0.0
        for value in (*map(value_of, events), *records):
            event = event_in(value)
            if event is not None:
                self.observer.reader.timelines.take(event, value)
        self.observer.reader.timelines.of("g").is_whole = True

    def described(self, description: GroupDescription, positions: Iterable[Position] = ()) -> None:
        self.observer.groups.describe(description)
        self.observer.groups.set_positions("g", list(positions), 0)

    def view(
        self, query: Mapping[str, str] | None = None, *, generation: int | None = None, at_ms: int | None = None
    ) -> GroupView:
        return GroupView(self.observer, GroupChoice.of("g", query or {}, generation=generation, at_ms=at_ms))

    def regions(
        self, query: Mapping[str, str] | None = None, *, generation: int | None = None, at_ms: int | None = None
    ) -> Mapping[str, str]:
        """Region -> markup, of the page with that address."""
        view = self.view(query, generation=generation, at_ms=at_ms)
        context = view.context()
        return {region: RENDER(template, context) for region, template in view.regions.items()}

    def page(self) -> bytes:
        """The whole page as it goes over the wire."""
        everywhere = {"path": "/group", "user": "me", "token": "t", "live": ""}
        return RENDER("group.html", {**everywhere, **self.view().context()}).encode()

    def list_of_groups(self) -> str:
        return RENDER("groups.html", OverviewView(self.observer, Choice()).context())


def position(topic: str, partition: int, lag: int = 0) -> Position:
    return Position(TopicPartition(topic, partition), 0, "", lag, lag, None)
