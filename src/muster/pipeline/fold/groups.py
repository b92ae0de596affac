"""Everything about the groups of one log partition: what new rows mean, given what is known already.

New records and events change the state; what is closed then becomes finished rows; the rest is open and shown as it
stands. Finished and open rows together are what a look through the whole history would give. How the rows were cut into
batches does not matter: `fold(fold(s, a), b) == fold(s, a + b)`.

| table | its rows are finished |
|---|---|
| s_group_generation, s_member, s_assignment, s_group_epoch, s_member_epoch, b_journal_event, g_assignment_balance | at once |
| g_rebalance, g_rebalance_pause | when the rebalance is closed (`closing`) |
| g_rebalance_episode | when a rebalance of a later episode is closed |
| g_member | an hour after a member that is not static has gone |
| g_member_churn | two days after the day |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from muster.pipeline.fold.classic_members import fold_classic_members
from muster.pipeline.fold.closing import closed_blocks, fold_closed, forget_closed, is_closed
from muster.pipeline.fold.consumer_members import fold_consumer_members
from muster.pipeline.fold.days import close_days, count_closed, fold_days
from muster.pipeline.fold.epochs import fold_epochs, settle_bumps
from muster.pipeline.fold.generations import fold_generations
from muster.pipeline.fold.group_facts import epoch_facts, event_facts
from muster.pipeline.fold.group_frames import Clocks, Frames, GroupRows, away, here, known_state, table_rows
from muster.pipeline.fold.group_kinds import GROUP_KINDS
from muster.pipeline.fold.group_state import fold_group_states, touched_groups
from muster.pipeline.fold.journal_rounds import fold_journal
from muster.pipeline.fold.members import finish_members, member_rows
from muster.pipeline.fold.open_rebalances import fold_pauses, open_changes, paused_rebalances
from muster.pipeline.tables.columns import Frame
from muster.pipeline.tables.episodes import episode_digests, finished_episodes, joined_digests
from muster.pipeline.tables.member_churn import added_days, finished_days, rebalance_days
from muster.pipeline.tables.settings import GoldSettings

__all__ = ["Clocks", "GroupRows", "fold_groups", "pause_records"]

KINDS_OF_GROUPS: Final = ("group", *GROUP_KINDS)


def fold_groups(
    state: Mapping[str, Frame], rows: GroupRows, pairs: Frame, clocks: Clocks, settings: GoldSettings
) -> tuple[Frames, Frames, Frames]:
    """(new state by kind, finished rows by table, open rows by table), all without cluster and log partition.

    `pairs` are neighbouring commits of a position (`fold.spans`) of which the second is new in this batch
    and between which a record of `pause_records` lies.
    """
    known = known_state(state, KINDS_OF_GROUPS)
    now = dict(known)
    facts = _fold_rows(now, rows)
    closed, still_open = _close(now, here(pairs), clocks, settings)
    finished = {table: table_rows(frame, table) for table, frame in (facts | closed).items() if not frame.is_empty()}
    changed = {kind: frame for kind, frame in now.items() if frame is not known[kind] or kind not in state}
    folded = {**state, **{kind: away(frame) for kind, frame in changed.items()}}
    return {kind: folded[kind] for kind in KINDS_OF_GROUPS}, finished, _open_rows(now, still_open, settings)


def pause_records(state: Mapping[str, Frame], rows: GroupRows) -> Frame:
    """(group_id, log_offset) of records that pauses may be measured around: those of open rebalances, and all new ones."""
    bumps = state["bump"]
    return pl.concat(
        [
            *(
                frame.select("group_id", "log_offset")
                for frame in (state["rebalance"], bumps, rows.generations, rows.epochs)
            ),
            bumps.select("group_id", log_offset="arrived_offset"),
        ]
    ).drop_nulls()


def _fold_rows(state: Frames, rows: GroupRows) -> Frames:
    """What is new becomes part of the state; facts that are finished at once come back."""
    facts: Frames = {}
    records: Frame | None = None
    if not rows.generations.is_empty():
        found = fold_generations(state, rows.generations)
        fold_classic_members(state, found)
        facts |= found.facts()
        records = found.records
    if not rows.epochs.is_empty():
        group_epochs, member_epochs = epoch_facts(rows.epochs)
        fold_epochs(state, group_epochs, member_epochs)
        fold_consumer_members(state, member_epochs)
        facts |= {"s_group_epoch": group_epochs, "s_member_epoch": member_epochs}
    events: Frame | None = None
    if not rows.events.is_empty():
        events = event_facts(rows.events)
        fold_journal(state, events)
        facts["b_journal_event"] = events
    fold_days(state, records=records, events=events)
    if facts:
        fold_group_states(state, touched_groups(rows.generations, rows.epochs, rows.events))
    return facts


def _close(state: Frames, pairs: Frame, clocks: Clocks, settings: GoldSettings) -> tuple[Frames, Frame]:
    """(finished rows, rebalances that stay open): what nothing later can change is taken out of the state."""
    settle_bumps(state, clocks)
    facts: Frames = {}
    changes = open_changes(state, settings)
    if not changes.is_empty():
        fold_pauses(state, pairs, changes)
    blocks = closed_blocks(state, clocks, settings)
    if not blocks.is_empty():
        over = is_closed(changes, "ended_ms", blocks)
        closed, pauses = paused_rebalances(state, changes.filter(over))
        changes = changes.filter(~over)
        forget_closed(state, blocks, settings.journal_match_ms)
        facts = {"g_rebalance": closed, "g_rebalance_pause": pauses}
        facts["g_rebalance_episode"] = fold_closed(state, closed, settings)
        count_closed(state, closed)
        fold_pauses(state, pairs.clear(), changes)
    facts["g_member"] = finish_members(state, clocks, settings)
    facts["g_member_churn"] = close_days(state, clocks)
    return facts, changes


def _open_rows(state: Frames, changes: Frame, settings: GoldSettings) -> Frames:
    """`changes` are the open rebalances. Tables without open rows may be missing."""
    rows: Frames = {}
    digests, days = state["last_episode"], state["day"]
    if not changes.is_empty():
        rebalances, pauses = paused_rebalances(state, changes)
        rows = {"g_rebalance": rebalances, "g_rebalance_pause": pauses}
        digests = joined_digests(digests.drop("log_partition"), episode_digests(rebalances))
        days = added_days([days.drop("log_partition"), rebalance_days(rebalances)])
    if not digests.is_empty():
        rows["g_rebalance_episode"] = finished_episodes(digests, settings)
    if not days.is_empty():
        rows["g_member_churn"] = finished_days(days)
    if not state["member"].is_empty():
        rows["g_member"] = member_rows(state, state["member"], rows.get("g_rebalance"))
    return {table: table_rows(frame, table) for table, frame in rows.items()}
