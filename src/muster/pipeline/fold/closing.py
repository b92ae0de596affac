"""When a rebalance is closed: nothing that will be read later can change its row.

Pauses end an hour after it at the latest. The journal's words are looked for among events of about the same time, and which of them
belong to a record may depend on its neighbours of the same generation (a group that is deleted and comes again at once). So
rebalances close in blocks: those that may share an event, and whatever ended between them. Blocks follow one another in time.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.fold.group_frames import Clocks, Frames, of_kind
from muster.pipeline.fold.open_rebalances import ended_bumps
from muster.pipeline.tables.columns import GROUP, Frame
from muster.pipeline.tables.commit_pauses import PAUSE_LIMIT_MS
from muster.pipeline.tables.episodes import episode_digests, finished_episodes, joined_digests
from muster.pipeline.tables.journal_rebalances import is_epoch
from muster.pipeline.tables.journal_words import matched_bumps
from muster.pipeline.tables.members import departures
from muster.pipeline.tables.settings import GoldSettings

_GENERATION = (*GROUP, "generation")


def closed_blocks(state: Frames, clocks: Clocks, settings: GoldSettings) -> Frame:
    """(group, `start_ms`, `end_ms`) of the blocks that are closed."""
    ends = pl.concat(
        [
            state["rebalance"].select(*_GENERATION, at_ms="ended_ms"),
            state["telling"].select(*GROUP, generation="j_generation", at_ms="j_ended_ms"),
            *([ended_bumps(state).select(*_GENERATION, at_ms="ended_ms")] if len(state["bump"]) else []),
        ]
    ).drop_nulls("at_ms")
    # A block ends with one of these: most of the time none is old enough, which is quickly seen.
    if not ends.select(closing(clocks, settings, pl.col("at_ms")).any()).item():
        return ends.select(GROUP).clear().with_columns(start_ms=pl.lit(0, pl.Int64), end_ms=pl.lit(0, pl.Int64))
    chains = _chains(ends, settings.journal_match_ms)
    before = pl.col("end_ms").cum_max().shift().over(GROUP)
    begins = (pl.col("start_ms") > before).fill_null(True)
    chains = chains.sort(*GROUP, "start_ms", "end_ms").with_columns(_block=begins.cum_sum().over(GROUP))
    blocks = chains.group_by(*GROUP, "_block").agg(pl.col("start_ms").min(), pl.col("end_ms").max()).drop("_block")
    return blocks.filter(closing(clocks, settings, pl.col("end_ms")))


def closing(clocks: Clocks, settings: GoldSettings, at: pl.Expr) -> pl.Expr:
    """Whether what happened then is old enough. Twice the time, as an event is read a little after it happened."""
    return clocks.passed(at, PAUSE_LIMIT_MS, 2 * settings.journal_match_ms)


def _chains(ends: Frame, match_ms: int) -> Frame:
    """Records and events of one generation, each close enough to the next to be taken for one."""
    rows = ends.sort(*_GENERATION, "at_ms")
    far = (pl.col("at_ms").diff().over(_GENERATION) > match_ms).fill_null(False)
    rows = rows.with_columns(_chain=far.cum_sum().over(_GENERATION))
    return rows.group_by(*_GENERATION, "_chain").agg(start_ms=pl.col("at_ms").min(), end_ms=pl.col("at_ms").max())


def is_closed(rows: Frame, at: str, blocks: Frame) -> pl.Series:
    """Whether the time `at` of each row lies in one of the closed blocks of its group."""
    found = (
        rows.select(*GROUP, pl.col(at).alias("_at"))
        .with_row_index("_row")
        .sort("_at")
        .join_asof(
            blocks.sort("start_ms"),
            left_on="_at",
            right_on="start_ms",
            by=list(GROUP),
            strategy="backward",
            check_sortedness=False,
        )
        .sort("_row")
    )
    return found.select((pl.col("_at") <= pl.col("end_ms")).fill_null(False)).to_series()


def forget_closed(state: Frames, blocks: Frame, match_ms: int) -> None:
    """Takes what closed blocks consist of out of the state."""
    for kind, at in (("rebalance", "ended_ms"), ("telling", "j_ended_ms")):
        state[kind] = state[kind].filter(~is_closed(state[kind], at, blocks))
    if not state["bump"].is_empty():
        bumps = ended_bumps(state)
        _forget_words(state, bumps.filter(is_closed(bumps, "ended_ms", blocks)), bumps, match_ms)
        is_counted = state["bump"].select(*GROUP, "log_offset", _counted=pl.col("aborted_generations"))
        rows = bumps.filter(~is_closed(bumps, "ended_ms", blocks)).join(is_counted, on=[*GROUP, "log_offset"])
        state["bump"] = of_kind(rows.with_columns(aborted_generations="_counted"), "bump")


def _forget_words(state: Frames, closed: Frame, bumps: Frame, match_ms: int) -> None:
    """The journal's words about a closed epoch go with it: a later life of the group may have an epoch of the same number."""
    words = state["telling"].with_row_index("_told")
    of_epochs = words.filter(is_epoch()).sort(*GROUP, "j_log_offset")
    if closed.is_empty() or of_epochs.is_empty():
        return
    finished = bumps.filter(pl.col("ended_ms").is_not_null())
    pairs = matched_bumps(finished, of_epochs.drop("_told"), match_ms)
    gone = finished.with_row_index("_row").join(
        closed.select(*GROUP, "log_offset"), on=[*GROUP, "log_offset"], how="semi"
    )
    taken = (
        of_epochs.rename({"_told": "_place"})
        .with_row_index("_told")
        .join(pairs.join(gone.select("_row"), on="_row", how="semi"), on="_told", how="semi")
    )
    state["telling"] = words.join(taken.select(_told="_place"), on="_told", how="anti").drop("_told")


def fold_closed(state: Frames, closed: Frame, settings: GoldSettings) -> Frame:
    """What closed rebalances leave behind: episodes and departures of members. Finished episodes come back.

    An episode is finished when a rebalance of a later one is closed.
    """
    digests = joined_digests(state["last_episode"].drop("log_partition"), episode_digests(closed))
    is_last = pl.col("episode") == pl.col("episode").max().over(GROUP)
    state["last_episode"] = of_kind(digests.filter(is_last), "last_episode")
    gone = departures(closed).select(*GROUP, "identity", gone_ms="_gone_ms", cause="_inferred")
    state["departure"] = of_kind(
        pl.concat([state["departure"].select(gone.columns), gone]).unique([*GROUP, "identity"], keep="last"),
        "departure",
    )
    return finished_episodes(digests.filter(~is_last), settings)
