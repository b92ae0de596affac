"""`g_rebalance` from whole tables; the fold keeps what is open instead."""

from __future__ import annotations

from typing import Final

import polars as pl
import pyarrow as pa

from muster.pipeline.tables.columns import GROUP, LOG, Frame, conform
from muster.pipeline.tables.commit_pauses import numbered, with_pauses
from muster.pipeline.tables.group_changes import LOG_CHANGES, log_changes
from muster.pipeline.tables.journal_rebalances import told_epochs
from muster.pipeline.tables.journal_words import told_bumps, told_rebalances
from muster.pipeline.tables.rebalances import with_episodes
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle.consumer_epochs import epoch_rebalances
from tests.pipeline.oracle.journal_rebalances import journal_rebalances

_MEMBER: Final = ("identity", "member_id", "client_id", "client_host", "session_timeout_ms", "topics", "assigned")


_PLACE: Final = (*LOG, "log_offset")


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
    of_epochs = told_bumps(
        epoch_rebalances(group_epochs, member_epochs), told_epochs(journal), settings.journal_match_ms
    )
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
