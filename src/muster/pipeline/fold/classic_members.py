"""Members of classic groups, record by record: since when each is seen, in how many generations, and since when it is missing."""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.fold.generations import Generations
from muster.pipeline.fold.group_frames import Frames, of_kind
from muster.pipeline.tables.columns import GROUP, Frame
from muster.pipeline.tables.members import changes_of

CLASSIC: Final = "classic"
_IDENTITY: Final = (*GROUP, "identity")
_LAST: Final = (
    *("member_id", "client_id", "client_host", "last_offset", "group_life", "generation", "n_partitions", "missing_ms"),
)


def fold_classic_members(state: Frames, found: Generations) -> None:
    """Classic rows of the kind `member` of `state` are replaced."""
    is_classic = pl.col("protocol") == CLASSIC
    known = state["member"].filter(is_classic)
    touched = known.join(found.records.select(GROUP), on=GROUP, how="semi")
    rows = pl.concat([_known_rows(touched), _new_rows(found)], how="diagonal_relaxed").sort(
        "last_offset", maintain_order=True
    )
    seen = rows.group_by(_IDENTITY, maintain_order=True).agg(
        *(pl.col(name).last() for name in _LAST),
        is_static=pl.col("is_static").any(),
        first_ms=pl.col("first_ms").min(),
        last_ms=pl.col("last_ms").max(),
        # A row of the state stands for all that were counted before.
        n_generations=changes_of("group_life", "generation") + pl.col("_counted").sum(),
        n_restarts=changes_of("member_id") - 1 + pl.col("_restarted").sum(),
    )
    of_consumers = {"is_alive": pl.lit(None, pl.Boolean), "topics": pl.lit(None, pl.List(pl.String))}
    seen = _with_missing(seen, found.records).with_columns(protocol=pl.lit(CLASSIC), **of_consumers)
    seen = of_kind(seen, "member")
    state["member"] = pl.concat([state["member"].join(seen, on=[*_IDENTITY, "protocol"], how="anti"), seen])


def _known_rows(members: Frame) -> Frame:
    return members.with_columns(_counted=pl.col("n_generations") - 1, _restarted="n_restarts")


def _new_rows(found: Generations) -> Frame:
    """A row a member and record, like those of the state."""
    lives = found.records.select("log_offset", "group_life")
    return found.members.join(lives, on="log_offset").select(
        *_IDENTITY,
        *("member_id", "client_id", "client_host", "group_life", "generation"),
        is_static=pl.col("instance_id").is_not_null(),
        first_ms="record_ms",
        last_ms="record_ms",
        last_offset="log_offset",
        n_partitions=pl.col("assigned").list.len().fill_null(0).cast(pl.Int32),
        missing_ms=pl.lit(None, pl.Int64),
        _counted=pl.lit(0, pl.Int32),
        _restarted=pl.lit(0, pl.Int32),
    )


def _with_missing(seen: Frame, records: Frame) -> Frame:
    """Missing since the first record of the group behind the last one that has the member."""
    behind = records.select(*GROUP, _at="log_offset", _since="record_ms").sort("_at")
    rows = seen.sort("last_offset").join_asof(
        behind,
        left_on="last_offset",
        right_on="_at",
        by=list(GROUP),
        strategy="forward",
        allow_exact_matches=False,
        check_sortedness=False,
    )
    return rows.with_columns(missing_ms=pl.coalesce("missing_ms", "_since"))
