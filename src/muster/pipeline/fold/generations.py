"""New group records (type 2) against the last one of each group: finished generations, and the rebalances that they ended."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from muster.pipeline.fold.group_facts import assignment_facts, generation_facts, member_facts
from muster.pipeline.fold.group_frames import Frames, of_kind, replaced
from muster.pipeline.tables.balance import assignment_balance
from muster.pipeline.tables.columns import GROUP, Frame, newest
from muster.pipeline.tables.generations import compared_generations
from muster.pipeline.tables.group_changes import LOG_CHANGES, Known, log_changes, members_of


@dataclass(frozen=True, slots=True)
class Generations:
    """What the new records say, a row a record, a member, and an assigned partition."""

    records: Frame
    members: Frame
    assignments: Frame

    def facts(self) -> Frames:
        return {
            "s_group_generation": self.records,
            "s_member": self.members,
            "s_assignment": self.assignments,
            "g_assignment_balance": assignment_balance(self.records, self.members, self.assignments),
        }


def fold_generations(state: Frames, rows: Frame) -> Generations:
    """Kinds `last_generation` and `rebalance` of `state` are replaced; a new rebalance is open."""
    new = generation_facts(rows)
    before = state["last_generation"].join(new.select(GROUP), on=GROUP, how="semi")
    both = pl.concat([before.with_columns(_new=False), new.with_columns(_new=True)], how="diagonal_relaxed")
    records = compared_generations(both).filter("_new")
    members = member_facts(records)
    found = Generations(records, members, assignment_facts(members))
    state["rebalance"] = pl.concat([state["rebalance"], _changes(found, before)])
    last = of_kind(newest(records, GROUP, "log_offset"), "last_generation")
    state["last_generation"] = replaced(state["last_generation"], last, *GROUP)
    return found


def _changes(found: Generations, before: Frame) -> Frame:
    """A row of the kind `rebalance` for every record that may have ended one."""
    rows = list(log_changes(found.records.iter_rows(named=True), _known(before)))
    changes = pl.DataFrame(pl.from_arrow(pa.Table.from_pylist(rows, schema=LOG_CHANGES)))
    owner = found.assignments.group_by("log_offset", "topic", "partition").agg(owner=pl.col("identity").min())
    owned = owner.group_by("log_offset").agg(owned=pl.struct("topic", "partition", "owner"))
    return of_kind(changes.join(owned, on="log_offset", how="left"), "rebalance")


def _known(before: Frame) -> Known:
    """The life of each group so far and who is in it. What follows a tombstone is another life, so nobody asks who was in it."""
    return {
        (row["cluster"], row["group_id"]): (row["group_life"], members_of(row["members"]))
        for row in before.iter_rows(named=True)
    }
