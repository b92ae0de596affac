"""The past of a group from a lake, where the console was given one: the plots of the pipeline's report, for any span of time."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from muster.client import admin
from muster.client.cluster import Cluster
from muster.console.settings import HistoryFailure, HistorySource
from muster.console.times import moment_of
from muster.console.web import Handler, Visit


def history_pages(source: HistorySource) -> dict[str, Handler]:
    async def history(visit: Visit) -> Response:
        group = visit.query.get("group", "")
        start, end = visit.query.get("from", ""), visit.query.get("to", "")
        plots = failure = ""
        if group:
            from_ms = moment_of(start, "from") if start else None
            to_ms = moment_of(end, "to") if end else None
            await _check_rights(visit, group)
            try:
                cluster = source.cluster or await _cluster_id(visit.observer.cluster)
                plots = await asyncio.to_thread(source.plots, group, cluster, from_ms, to_ms)
            except HistoryFailure as error:
                failure = str(error)
        context = {"group": group, "from_": start, "to": end, "plots": plots, "failure": failure}
        return visit.page("history.html", context)

    async def style(visit: Visit) -> Response:
        return Response(source.style_sheet(), media_type="text/css", headers={"cache-control": "max-age=3600"})

    return {"/history": history, "/history/report.css": style}


async def _check_rights(visit: Visit, group: str) -> None:
    """A lake knows no users: who logged in must be allowed to see the group in the cluster, which need not have it any more.
    ClientError if not."""
    if visit.console.settings.needs_login:
        await admin.describe_groups(visit.observer.cluster, [group])


async def _cluster_id(cluster: Cluster) -> str:
    """As the pipeline names a cluster that nobody has named; empty if it is too old to have one. ClientError."""
    return cluster.cluster_id or (await cluster.refresh([])).cluster_id or ""
