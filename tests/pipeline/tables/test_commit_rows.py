"""Finished commits against the rule told in plain loops, on random logs with transactions, tombstones, holes and rewinds."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.schemas import TABLES
from tests.pipeline.oracle.commit_rows import NARROW, finished_commit_rows
from tests.pipeline.tables.rows import Row, arrow, commit

SEEDS = range(12)


def random_log(seed: int) -> tuple[list[Row], list[Row]]:
    """(commits, markers) of one log partition, which is a cluster of its own."""
    random = Random(seed)
    commits: list[Row] = []
    markers: list[Row] = []
    offset = -1
    for _ in range(random.randint(1, 120)):
        offset += random.choice((1, 1, 1, 1, 1, 1, 1, 1, 1, 4))  # compaction leaves holes
        at_ms = 1_000 + offset * 10 + random.randint(-30, 30)
        place: Row = {"cluster": str(seed), "group_id": random.choice("gh"), "topic": random.choice("tu")}
        place |= {"partition": random.randint(-1, 2)}
        match random.randint(0, 9):
            case 0:
                commits.append(commit(offset, None, at_ms, **place))
            case 1 | 2:
                pending = {"is_transactional": True, "producer_id": random.randint(1, 3)}
                commits.append(commit(offset, random.randint(0, 9), at_ms, **place, **pending))
            case 3:
                marker: Row = {"log_partition": 0, "log_offset": offset, "record_ms": at_ms, "producer_epoch": 0}
                marker |= {
                    "cluster": str(seed),
                    "producer_id": random.randint(1, 3),
                    "control_type": random.randint(0, 1),
                }
                markers.append(marker)
            case 4:
                commits.append(commit(offset, random.randint(0, 9), at_ms, **place, is_transactional=None))
            case _:
                commits.append(commit(offset, random.randint(0, 9), at_ms, **place))
    return commits, markers


def told_in_loops(commits: list[Row], markers: list[Row], faithful_from: int) -> list[Row]:
    """Analytics 2.4, one record after the other."""
    rows = [{**_with_end(row, markers), "faithful": row["log_offset"] >= faithful_from} for row in commits]
    chains: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        row |= dict.fromkeys(("prev_offset", "prev_commit_ms", "next_commit_ms", "newer"))
        row |= {"is_duplicate": False, "is_rewind": False}
    for row in sorted(rows, key=lambda row: row["applied_at"]):
        chain = chains.setdefault((row["group_id"], row["topic"], row["partition"]), [])
        if row["is_effective"] and chain and row["log_offset"] < chain[-1]["log_offset"]:
            row |= {"is_effective": False, "effective_ms": None}  # the coordinator has applied a newer one
        if row["is_effective"]:
            if chain and chain[-1]["applied_at"] == row["applied_at"]:
                chain.pop().update(is_effective=False, effective_ms=None)  # its own transaction has replaced it
            chain.append(row)
    for chain in chains.values():
        for index, row in enumerate(chain):
            erased = any(later["is_tombstone"] for later in chain[index + 1 :])
            row["newer"] = None if erased else len(chain) - 1 - index
            if index:
                before, offset = chain[index - 1], row["committed_offset"]
                row["prev_offset"], row["prev_commit_ms"] = before["committed_offset"], before["commit_ms"]
                before["next_commit_ms"] = row["record_ms"] if row["commit_ms"] is None else row["commit_ms"]
                if offset is not None and before["committed_offset"] is not None:
                    row["is_duplicate"] = offset == before["committed_offset"]
                    row["is_rewind"] = offset < before["committed_offset"]
    return [{name: row.get(name) for name in TABLES["s_offset_commit"].names} for row in rows]


def _with_end(row: Row, markers: list[Row]) -> Row:
    if not row["is_transactional"]:
        state = "unknown" if row["is_transactional"] is None else "none"
        counts = {"txn_state": state, "effective_ms": row["record_ms"], "is_effective": True}
        return {**row, **counts, "applied_at": row["log_offset"]}
    behind = [m for m in markers if m["producer_id"] == row["producer_id"] and m["log_offset"] > row["log_offset"]]
    if behind and behind[0]["control_type"] == 1:
        counts = {"txn_state": "committed", "effective_ms": behind[0]["record_ms"], "is_effective": True}
        return {**row, **counts, "applied_at": behind[0]["log_offset"]}
    state = "aborted" if behind else "open"
    return {**row, "txn_state": state, "effective_ms": None, "is_effective": False, "applied_at": row["log_offset"]}


def finished(commits: list[Row], markers: list[Row], faithful_from: int, batch_rows: int) -> list[Row]:
    table = arrow("s_offset_commit", commits, decoded=True)
    marks = pa.Table.from_pylist(markers, schema=ROW_TABLES["txn_marker"])
    found = finished_commit_rows(
        lambda: table.select(NARROW).to_batches(max_chunksize=batch_rows),
        lambda: table.to_batches(max_chunksize=batch_rows),
        marks,
        faithful_from,
    )
    return [row for batch in found for row in batch.to_pylist()]


@pytest.mark.parametrize("seed", SEEDS)
def test_same_rows_as_the_rule_however_the_log_is_cut_into_batches(seed: int) -> None:
    commits, markers = random_log(seed)
    expected = told_in_loops(commits, markers, faithful_from=7)
    for batch_rows in (1, 7, 1_000):
        assert finished(commits, markers, 7, batch_rows) == expected


def test_log_without_commits_gives_no_rows() -> None:
    assert finished([], [], 0, 10) == []


def test_texts_that_come_as_dictionaries_stay_so() -> None:
    """What is written to a file needs no second look at every text."""
    table = arrow("s_offset_commit", [commit(0, 1, 10), commit(1, 2, 20)], decoded=True)
    at = table.schema.get_field_index("group_id")
    batches = table.set_column(at, "group_id", table["group_id"].dictionary_encode()).to_batches()
    (rows,) = finished_commit_rows(lambda: batches, lambda: batches, ROW_TABLES["txn_marker"].empty_table(), 0)
    assert pa.types.is_dictionary(rows.schema.field("group_id").type)
    assert rows.column("group_id").to_pylist() == ["g", "g"]
