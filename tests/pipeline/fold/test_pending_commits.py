"""Commits inside transactions, folded in any cut, against the coordinator's own rule (analytics 2.4) over random logs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.pipeline.fold.test_commits import cut, fold_all, log_frame
from tests.pipeline.oracle.coordinator_replay import Replay
from tests.pipeline.tables.rows import Row, commit

SEEDS = range(40)
PRODUCERS = (1, 2, 3)


def transactional_log(seed: int) -> tuple[list[Row], list[Row]]:
    """(commits, markers): a few positions and producers, most commits in transactions, some of which never end."""
    random = Random(seed)
    commits: list[Row] = []
    markers: list[Row] = []
    for offset in range(random.randint(1, 150)):
        at_ms = 1_000 + offset * 10
        place: Row = {"group_id": random.choice("gh"), "partition": random.randint(0, 1)}
        chance = random.random()
        if chance < 0.55:
            pending = {"is_transactional": True, "producer_id": random.choice(PRODUCERS)}
            commits.append(commit(offset, random.randint(0, 99), at_ms, **place, **pending))
        elif chance < 0.75:
            ended = {"producer_id": random.choice(PRODUCERS), "control_type": random.randint(0, 1)}
            markers.append({"log_partition": 0, "log_offset": offset, "record_ms": at_ms, **ended})
        elif chance < 0.82:
            commits.append(commit(offset, None, at_ms, **place))
        else:
            commits.append(commit(offset, random.randint(0, 99), at_ms, **place))
    return commits, markers


def position_of(row: Row) -> tuple[Any, ...]:
    return row["group_id"], row["topic"], row["partition"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pieces", [1, 3, 30])
def test_current_and_pending_offsets_are_the_coordinators_in_any_cut(seed: int, pieces: int) -> None:
    commits, markers = transactional_log(seed)
    expected = Replay().play([*commits, *markers])
    rows = fold_all(cut(log_frame(commits, markers), Random(seed + pieces), pieces)).positions.to_dicts()
    current = {position_of(row): row["window"][-1]["log_offset"] for row in rows if row["window"]}
    assert current == {position: row["log_offset"] for position, row in expected.current.items()}
    pending = {
        (each["producer_id"], position_of(row)): each["log_offset"]  # in log order: the last one is what will count
        for row in rows
        for each in row["pending"] or ()
    }
    assert pending == {
        (producer, position): row["log_offset"]
        for producer, wanted in expected.pending.items()
        for position, row in wanted.items()
    }


def test_random_logs_have_pending_applied_aborted_and_overtaken_commits() -> None:
    """Otherwise the test above would show little."""
    seen: set[str] = set()
    for seed in SEEDS:
        commits, markers = transactional_log(seed)
        replay = Replay().play([*commits, *markers])
        if any(replay.pending.values()):
            seen.add("pending")
        if any(row["is_transactional"] for row in replay.current.values()):
            seen.add("applied")
        kept = {row["log_offset"] for row in replay.current.values()}
        last = {position_of(row): row["log_offset"] for row in commits}
        if kept - set(last.values()):
            seen.add("a later record does not count")
    assert seen == {"pending", "applied", "a later record does not count"}
