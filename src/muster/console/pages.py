"""The pages: from the address to a view, and from there to markup."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from muster.console.cluster_page import cluster
from muster.console.group_choice import GroupChoice
from muster.console.group_view import GroupView
from muster.console.live import View
from muster.console.overview_view import Choice, OverviewView
from muster.console.reader_view import ReaderView
from muster.console.times import moment_of
from muster.console.topic_pages import messages, topic, topics
from muster.console.web import Handler, Visit

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
MakeView: TypeAlias = Callable[[Visit], View]


def overview_view(visit: Visit) -> OverviewView:
    return OverviewView(visit.observer, Choice.of(visit.query))


def group_view(visit: Visit) -> GroupView:
    at = visit.query.get("at")
    choice = GroupChoice.of(
        visit.required("id"),
        visit.query,
        generation=visit.number("generation"),
        at_ms=moment_of(at, "at") if at else None,
    )
    return GroupView(visit.observer, choice)


def reader_view(visit: Visit) -> ReaderView:
    return ReaderView(visit.observer, visit.required("name"))


async def overview(visit: Visit) -> Response:
    return await visit.live_page("overview.html", overview_view(visit), "/live/")


async def group(visit: Visit) -> Response:
    return await visit.live_page("group.html", group_view(visit), "/live/group")


PAGES: Final[dict[str, Handler]] = {
    "/": overview,
    "/group": group,
    "/topics": topics,
    "/topic": topic,
    "/messages": messages,
    "/cluster": cluster,
}
VIEWS: Final[dict[str, MakeView]] = {"/": overview_view, "/group": group_view, "/topic": reader_view}
"""Those that change while they are looked at."""
