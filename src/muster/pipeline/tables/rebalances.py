"""`g_rebalance`: every completed generation with its cause, who and what moved, how long it took and who paused.

The log gives the rows, the journal what the log does not hold (analytics 2.6: join phase, trigger, reason). Keyed by (group_life,
generation), as generations start again when a group does (trap 31). Static members that came back are not here (trap 32).
"""

from __future__ import annotations

from typing import Final

import polars as pl
import pyarrow as pa

from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.columns import GROUP, LOG, Frame, conform
from muster.pipeline.tables.commit_pauses import numbered, with_pauses
from muster.pipeline.tables.consumer_epochs import epoch_rebalances
from muster.pipeline.tables.group_changes import rebalances_of
from muster.pipeline.tables.journal_rebalances import journal_rebalances
from muster.pipeline.tables.settings import GoldSettings

_SET_LATER: Final = ("episode", "pause_p50_ms", "pause_max_ms")
_PARTITIONS: Final = pa.list_(pa.struct([("topic", pa.string()), ("partition", pa.int32())]))
_CHANGES: Final = pa.schema(
    [
        *(field for field in TABLES["g_rebalance"] if field.name not in _SET_LATER),
        pa.field("gone_partitions", _PARTITIONS),
        pa.field("gone_session_ms", pa.int64()),
    ]
)
_MEMBER: Final = ("identity", "member_id", "client_id", "client_host", "session_timeout_ms", "topics", "assigned")
_PLACE: Final = (*LOG, "log_offset")
_SAME: Final = (*GROUP, "generation")


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
    histories = _histories(generations, members, assignments, journal, settings).sort(*GROUP, "log_offset")
    rows = list(rebalances_of(histories.iter_rows(named=True)))
    walked = pl.DataFrame(pl.from_arrow(pa.Table.from_pylist(rows, schema=_CHANGES)))
    of_epochs = epoch_rebalances(group_epochs, member_epochs)
    return numbered(_with_episodes(pl.concat([walked, of_epochs], how="diagonal"), settings))


def _histories(generations: Frame, members: Frame, assignments: Frame, journal: Frame, settings: GoldSettings) -> Frame:
    """A generation a row, its members and what they own inside, beside it what the journal says about it."""
    owned = assignments.group_by(*_PLACE, "member_id").agg(assigned=pl.struct("topic", "partition"))
    seats = (
        members.join(owned, on=[*_PLACE, "member_id"], how="left")
        .group_by(_PLACE, maintain_order=True)
        .agg(members=pl.struct(_MEMBER))
    )
    rows = generations.join(seats, on=_PLACE, how="left")
    return _matched(rows, journal_rebalances(journal), settings)


def _matched(rows: Frame, told: Frame, settings: GoldSettings) -> Frame:
    """Same group, same generation, about the same time: a generation of an earlier life is not taken for this one's.

    A group that is deleted and comes again at once has two of each: every record is given the nearest event and no event twice.
    """
    rows, told = rows.with_row_index("_row"), told.with_row_index("_told")
    apart = (pl.col("record_ms") - pl.col("j_ended_ms")).abs()
    could = rows.filter(pl.col("kind").is_in(["rebalance", "empty", "unknown_prev"]))
    near = could.join(told.with_columns(generation="j_generation"), on=_SAME).with_columns(_apart=apart)
    near = near.filter(pl.col("_apart") <= settings.journal_match_ms).sort("_apart", "_row", "_told")
    both = near.unique("_row", keep="first", maintain_order=True).unique("_told", keep="first", maintain_order=True)
    of_log, of_journal = rows.join(both, on="_row", how="anti"), told.join(both, on="_told", how="anti")
    return pl.concat([both.drop("_apart"), of_log, of_journal], how="diagonal").drop("_row", "_told")


def _with_episodes(changes: Frame, settings: GoldSettings) -> Frame:
    """Numbered within the group; a new one after a quiet time."""
    rows = changes.sort(*GROUP, "ended_ms", "generation")
    quiet_ms = pl.coalesce("started_ms", "ended_ms") - pl.col("ended_ms").shift().over(GROUP)
    is_new = (quiet_ms >= settings.episode_gap_ms).fill_null(False).cast(pl.Int32)
    return rows.with_columns(_new=is_new).with_columns(episode=pl.col("_new").cum_sum().over(GROUP) + 1).drop("_new")
