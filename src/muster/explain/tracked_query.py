"""A streaming query of Spark that is tracked as a group, in words."""

from __future__ import annotations

from muster.core.offsets.tracked_query import TrackedQuery
from muster.explain.facts import Quiet
from muster.explain.words import duration, plain


def tell_tracked(query: TrackedQuery) -> str:
    run = f"run {query.run_id}" if query.run_id is not None else "of an unknown run"
    batch = f"micro-batch {query.batch_id}"
    last = f"{batch}, which took {duration(query.duration_ms)}" if query.duration_ms is not None else batch
    return (
        f"A tracked streaming query of Spark: query {query.query_id}, {run}; the last commit is of {last}."
        " Its checkpoint has the offsets that it reads by."
    )


def tell_new_run(quiet: Quiet) -> str:
    run, query, batch = (plain(str(quiet.figures.get(name))) for name in ("run_id", "query_id", "batch_id"))
    took = quiet.figures.get("duration_ms")
    how_long = f", which took {duration(took)}" if isinstance(took, int) else ""
    return f"Run {run} of streaming query {query} began to be tracked, with micro-batch {batch}{how_long}."
