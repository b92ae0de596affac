"""Members of KIP-848 groups, record by record: metadata (type 5) says who, assignments (type 8) how much and in which epoch."""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.fold.group_frames import Frames, of_kind
from muster.pipeline.tables.columns import GROUP, Frame, is_true
from muster.pipeline.tables.members import changes_of

CONSUMER: Final = "consumer"
_METADATA, _ASSIGNMENT = 5, 8
_MEMBER: Final = (*GROUP, "member_id")
_WHO: Final = ("identity", "client_id", "client_host", "topics")


def fold_consumer_members(state: Frames, member_epochs: Frame) -> None:
    """Rows of KIP-848 members of the kind `member` of `state` are replaced."""
    rows = member_epochs.sort("log_offset")
    known = state["member"].filter(pl.col("protocol") == CONSUMER).join(rows.select(_MEMBER), on=_MEMBER, how="semi")
    seen = (
        rows.select(_MEMBER)
        .unique()
        .join(known, on=_MEMBER, how="left")
        .join(_times(rows), on=_MEMBER, how="left")
        .join(_metadata(rows), on=_MEMBER, how="left")
        .join(_epochs(known, rows), on=_MEMBER, how="left")
    )
    has_metadata, has_epochs = pl.col("_any_metadata").is_not_null(), pl.col("_generation").is_not_null()
    # A tombstone of somebody of whom nothing else is known makes no member.
    seen = seen.with_columns(
        *(pl.when(is_true(pl.col("_living"))).then(f"_{name}").otherwise(name).alias(name) for name in _WHO),
        protocol=pl.lit(CONSUMER),
        is_static=is_true(pl.col("is_static")) | is_true(pl.col("_is_static")),
        first_ms=pl.min_horizontal("first_ms", "_first_ms"),
        last_ms=pl.max_horizontal("last_ms", "_last_ms"),
        last_offset=pl.coalesce("_last_offset", "last_offset"),
        is_alive=pl.when(has_metadata).then("_is_alive").otherwise("is_alive"),
        missing_ms=pl.when(has_metadata)
        .then(
            pl.when(is_true(pl.col("_living"))).then("_removed_ms").otherwise(pl.coalesce("missing_ms", "_removed_ms"))
        )
        .otherwise("missing_ms"),
        generation=pl.when(has_epochs).then("_generation").otherwise("generation"),
        n_generations=pl.coalesce("_n_generations", "n_generations", 0),
        n_restarts=pl.lit(0, pl.Int32),
        n_partitions=pl.when(has_epochs).then("_n_partitions").otherwise("n_partitions"),
    ).filter(pl.col("first_ms").is_not_null())
    members = of_kind(seen, "member")
    state["member"] = pl.concat([state["member"].join(members, on=[*_MEMBER, "protocol"], how="anti"), members])


def _times(rows: Frame) -> Frame:
    living = rows.filter(~pl.col("is_tombstone"))
    return living.group_by(_MEMBER).agg(_first_ms=pl.col("record_ms").min(), _last_ms=pl.col("record_ms").max())


def _metadata(rows: Frame) -> Frame:
    metadata = rows.filter(pl.col("record_type") == _METADATA).with_columns(
        identity=pl.coalesce("instance_id", "member_id")
    )
    living = ~pl.col("is_tombstone")
    behind = pl.col("log_offset") > pl.col("log_offset").filter(living).max().fill_null(-1)
    return metadata.group_by(_MEMBER, maintain_order=True).agg(
        *(pl.col(name).filter(living).last().alias(f"_{name}") for name in _WHO),
        _any_metadata=pl.lit(True),
        _living=living.any(),
        _is_static=(pl.col("instance_id").is_not_null() & living).any(),
        _is_alive=living.last(),
        _last_offset=pl.col("log_offset").filter(living).max(),
        _removed_ms=pl.col("record_ms").filter(behind).first(),
    )


def _epochs(known: Frame, rows: Frame) -> Frame:
    """Counted on from the epoch that the member was in."""
    assigned = rows.filter((pl.col("record_type") == _ASSIGNMENT) & ~pl.col("is_tombstone"))
    before = known.filter(pl.col("generation").is_not_null()).select(
        *_MEMBER, member_epoch="generation", n_assigned="n_partitions", _counted=pl.col("n_generations") - 1
    )
    now = assigned.select(*_MEMBER, "member_epoch", "n_assigned", _counted=pl.lit(0, pl.Int32))
    return (
        pl.concat([before, now])
        .group_by(_MEMBER, maintain_order=True)
        .agg(
            _generation=pl.col("member_epoch").last(),
            _n_generations=changes_of("member_epoch") + pl.col("_counted").sum(),
            _n_partitions=pl.col("n_assigned").last(),
        )
    )
