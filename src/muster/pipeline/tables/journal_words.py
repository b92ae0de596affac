"""Puts what the log and what the journal say about a rebalance together: same group, same generation, about the same time.

Where the journal knows a rebalance it is believed; the log says who came, who went and what moved. Either may lack the other's row.
Where the log shows more than the coordinator could see, the cause is the log's word:

| the journal says | the log shows | cause |
|---|---|---|
| new_member | nobody was there before (journals of 0.2 and before) | first_member |
| leader_rejoined, metadata_changed, rejoined | partitions that were not there before | partitions_grew |
| the same | other subscriptions | subscription_changed |
"""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.tables.columns import GROUP, Frame, schema_of

CHANGED: Final = tuple(
    name for name in schema_of("g_rebalance") if name not in ("episode", "pause_p50_ms", "pause_max_ms")
)
"""What is known of a rebalance before episodes and pauses are looked at."""
_ASKED: Final = ("leader_rejoined", "metadata_changed", "rejoined")
"""How a coordinator sees a member that found new partitions or reads other topics; assignment and subscription tell."""
_WHAT_WAS_ASKED_FOR: Final = ("partitions_grew", "subscription_changed")
_JOURNAL_CONFIDENCE, _REFINED_CONFIDENCE = 1.0, 0.9
_SAME: Final = (*GROUP, "generation")


def told_rebalances(changes: Frame, told: Frame, match_ms: int) -> Frame:
    """`changes` have the columns of `LOG_CHANGES`, `told` come from `journal_rebalances.told_rounds`.

    Columns: `CHANGED`, `gone_partitions`, `gone_session_ms`, and `end_offset`, the record that pauses are measured around.
    """
    matched = _matched(changes, told, match_ms)
    both = matched.filter("is_rebalance").select(**_with_the_journals_words())
    return pl.concat([both, _told_alone(told, matched)], how="diagonal")


def _matched(changes: Frame, told: Frame, match_ms: int) -> Frame:
    """A generation of an earlier life is not taken for this one's: every record is given the nearest event and no event twice.

    A group that is deleted and comes again at once has two of each.
    """
    changes, told = changes.with_row_index("_row"), told.with_row_index("_told")
    apart = (pl.col("ended_ms") - pl.col("j_ended_ms")).abs()
    near = changes.select("_row", *_SAME, "ended_ms").join(
        told.select("_told", *GROUP, "j_ended_ms", generation="j_generation"), on=_SAME
    )
    near = near.with_columns(_apart=apart).filter(pl.col("_apart") <= match_ms).sort("_apart", "_row", "_told")
    both = near.unique("_row", keep="first", maintain_order=True).unique("_told", keep="first", maintain_order=True)
    return changes.join(both.select("_row", "_told"), on="_row", how="left").join(
        told.drop(GROUP), on="_told", how="left"
    )


def told_bumps(bumps: Frame, told: Frame, match_ms: int) -> Frame:
    """Finished epochs of consumer groups (`consumer_epochs.finished_bumps`) with the journal's cause and trigger.

    `told` come from `journal_rebalances.told_epochs`. Without an event the log's inference stays.
    """
    if told.is_empty():
        return bumps
    pairs = matched_bumps(bumps, told, match_ms)
    words = told.with_row_index("_told").select("_told", "j_cause", "j_trigger")
    rows = bumps.with_row_index("_row").join(pairs, on="_row", how="left", maintain_order="left")
    rows = rows.join(words, on="_told", how="left", maintain_order="left")
    is_told = pl.col("j_cause").is_not_null()
    is_first = (pl.col("j_cause") == "new_member") & (pl.col("cause") == "first_member")
    return rows.with_columns(
        cause=pl.when(is_told & ~is_first).then("j_cause").otherwise("cause"),
        trigger_member=pl.when(is_told).then("j_trigger").otherwise("trigger_member"),
        source=pl.when(is_told).then(pl.lit("journal")).otherwise("source"),
        confidence=pl.when(is_told).then(_JOURNAL_CONFIDENCE).otherwise("confidence"),
    ).drop("_row", "_told", "j_cause", "j_trigger")


def matched_bumps(bumps: Frame, told: Frame, match_ms: int) -> Frame:
    """(`_row` of `bumps`, `_told` of `told`): the same epoch, raised at about the same time; each once at most, nearest first."""
    apart = (pl.col("started_ms") - pl.col("j_started_ms")).abs()
    near = (
        bumps.with_row_index("_row")
        .select("_row", *_SAME, "started_ms")
        .join(told.with_row_index("_told").select("_told", *GROUP, "j_started_ms", generation="j_generation"), on=_SAME)
    )
    near = near.with_columns(_apart=apart).filter(pl.col("_apart") <= match_ms).sort("_apart", "_row", "_told")
    both = near.unique("_row", keep="first", maintain_order=True).unique("_told", keep="first", maintain_order=True)
    return both.select("_row", "_told")


def _with_the_journals_words() -> dict[str, pl.Expr]:
    is_told, has_cause = pl.col("j_generation").is_not_null(), pl.col("j_cause").is_not_null()
    is_first = (pl.col("j_cause") == "new_member") & (pl.col("members_before") == 0)
    is_seen = pl.col("j_cause").is_in(_ASKED) & pl.col("cause").is_in(_WHAT_WAS_ASKED_FOR)
    told = pl.when(is_first).then(pl.lit("first_member")).when(is_seen).then("cause").otherwise("j_cause")
    confidence = pl.when(is_seen).then(_REFINED_CONFIDENCE).otherwise(_JOURNAL_CONFIDENCE)
    words = {
        "started_ms": pl.col("j_started_ms"),
        "join_phase_ms": pl.col("j_join_ms"),
        "sync_phase_ms": pl.when(is_told).then("j_sync_ms").otherwise("sync_phase_ms"),
        "client_reason": pl.col("j_reason"),
        "waited_for": pl.col("j_waited_for"),
        "waited_ms": pl.col("j_waited_ms"),
        "source": pl.when(is_told).then(pl.lit("journal")).otherwise(pl.lit("log")),
        "cause": pl.when(has_cause).then(told).otherwise("cause"),
        "trigger_member": pl.when(has_cause).then("j_trigger").otherwise("trigger_member"),
        "confidence": pl.when(has_cause).then(confidence).otherwise("confidence"),
        "aborted_generations": pl.coalesce("j_cut_short", "aborted_generations").cast(pl.Int32),
    }
    known = ("gone_partitions", "gone_session_ms")
    return {name: words.get(name, pl.col(name)) for name in (*CHANGED, *known)} | {"end_offset": pl.col("log_offset")}


def _told_alone(told: Frame, matched: Frame) -> Frame:
    """Its record was compacted away, or is not read yet. Who was in the group is not known: null, not zero (trap 33)."""
    alone = told.with_row_index("_told").join(matched.select("_told").drop_nulls(), on="_told", how="anti")
    return alone.select(
        *GROUP,
        generation="j_generation",
        started_ms="j_started_ms",
        ended_ms="j_ended_ms",
        join_phase_ms="j_join_ms",
        sync_phase_ms="j_sync_ms",
        cause="j_cause",
        trigger_member="j_trigger",
        client_reason="j_reason",
        waited_for="j_waited_for",
        waited_ms="j_waited_ms",
        source=pl.lit("journal"),
        confidence=pl.lit(_JOURNAL_CONFIDENCE),
        members_after="j_members",
        aborted_generations=pl.col("j_cut_short").cast(pl.Int32),
        protocol="j_protocol",
        faithful=pl.lit(False),
    )
