"""`g_rebalance`: every completed generation with its cause, who and what moved, how long it took and who paused.

The log gives the rows, the journal what the log does not hold (analytics 2.6: join phase, trigger, reason). Keyed by (group_life,
generation), as generations start again when a group does (trap 31). Static members that came back are not here (trap 32).
"""

from __future__ import annotations

from typing import Final

import polars as pl
import pyarrow as pa

from muster.pipeline.tables.columns import GROUP, LOG, Frame, conform
from muster.pipeline.tables.commit_pauses import numbered, with_pauses
from muster.pipeline.tables.consumer_epochs import epoch_rebalances
from muster.pipeline.tables.group_changes import LOG_CHANGES, log_changes
from muster.pipeline.tables.journal_rebalances import journal_rebalances
from muster.pipeline.tables.journal_words import told_rebalances
from muster.pipeline.tables.settings import GoldSettings

_MEMBER: Final = ("identity", "member_id", "client_id", "client_host", "session_timeout_ms", "topics", "assigned")
_PLACE: Final = (*LOG, "log_offset")
ORDER: Final = ("ended_ms", "generation", "log_offset")
"""Of the rebalances of a group: as they ended."""


def rebalances(changes: Frame, gaps: Frame | None) -> Frame:
    """`g_rebalance` from `group_changes` and what `CommitGaps` found around them."""
    return conform(with_pauses(changes, gaps), "g_rebalance")


def group_changes(
    generations: Frame,
    members: Frame,
    assignments: Frame,
    group_epochs: Frame,
    member_epochs: Frame,
    journal: Frame,
    settings: GoldSettings,
) -> Frame:
    """Everything of `g_rebalance` but the pauses; numbered, for those who look for them."""
    histories = _histories(generations, members, assignments).sort(*GROUP, "log_offset")
    rows = list(log_changes(histories.iter_rows(named=True)))
    in_log = pl.DataFrame(pl.from_arrow(pa.Table.from_pylist(rows, schema=LOG_CHANGES)))
    told = told_rebalances(in_log, journal_rebalances(journal), settings.journal_match_ms)
    of_epochs = epoch_rebalances(group_epochs, member_epochs)
    return numbered(with_episodes(pl.concat([told, of_epochs], how="diagonal"), settings))


def _histories(generations: Frame, members: Frame, assignments: Frame) -> Frame:
    """A generation a row, its members and what they own inside."""
    owned = assignments.group_by(*_PLACE, "member_id").agg(assigned=pl.struct("topic", "partition"))
    seats = (
        members.join(owned, on=[*_PLACE, "member_id"], how="left")
        .group_by(_PLACE, maintain_order=True)
        .agg(members=pl.struct(_MEMBER))
    )
    return generations.join(seats, on=_PLACE, how="left")


def with_episodes(changes: Frame, settings: GoldSettings, known: Frame | None = None) -> Frame:
    """Numbered within the group; a new one after a quiet time.

    `known` has a row for each group that had rebalances before these: `last_episode` and `last_ended_ms`.
    """
    rows = changes.sort(*GROUP, *ORDER)
    if known is None:
        known = (
            rows.select(GROUP)
            .clear()
            .with_columns(last_episode=pl.lit(1, pl.Int32), last_ended_ms=pl.lit(None, pl.Int64))
        )
    rows = rows.join(known, on=GROUP, how="left", maintain_order="left")
    ended_before = pl.coalesce(pl.col("ended_ms").shift().over(GROUP), "last_ended_ms")
    quiet_ms = pl.coalesce("started_ms", "ended_ms") - ended_before
    is_new = (quiet_ms >= settings.episode_gap_ms).fill_null(False).cast(pl.Int32)
    number = pl.col("_new").cum_sum().over(GROUP) + pl.col("last_episode").fill_null(1)
    return rows.with_columns(_new=is_new).with_columns(episode=number).drop("_new", "last_episode", "last_ended_ms")
