"""What the fold of groups must say: the same as the oracle, and the same however the log is cut."""

from __future__ import annotations

from typing import Any

import polars as pl

from tests.pipeline.fold.group_folds import Folding
from tests.pipeline.fold.group_logs import Row
from tests.pipeline.fold.group_oracle import FACTS, oracle

_PLACE = ("cluster", "log_partition")


def check_against_oracle(folding: Folding) -> None:
    """Finished and open rows of every table are the oracle's rows of all that was read so far."""
    expected = oracle(folding.so_far(), folding.settings)
    for table in FACTS:
        found, wanted = sorted_rows(folding.rows(table)), sorted_rows(expected[table].to_dicts())
        assert found == wanted, f"{table}\n{differences(found, wanted)}"
    groups = [{**row, "owners": sorted_rows(row["owners"] or [])} for row in folding.state["group"].to_dicts()]
    states = [
        {**row, "owners": sorted_rows(row["owners"] or []), "moved": None} for row in expected["group"].to_dicts()
    ]
    assert sorted_rows(groups) == sorted_rows(states)


def check_same(one: Folding, other: Folding) -> None:
    """The same was finished, and the same is known."""
    for table in FACTS:
        found, wanted = (
            sorted_rows([row for frame in each.finished.get(table, []) for row in frame.to_dicts()])
            for each in (one, other)
        )
        assert found == wanted, f"finished {table}\n{differences(found, wanted)}"
        found, wanted = sorted_rows(one.rows(table)), sorted_rows(other.rows(table))
        assert found == wanted, f"{table}\n{differences(found, wanted)}"
    for kind in one.state:
        found, wanted = (sorted_rows(_canonical(each.state[kind])) for each in (one, other))
        assert found == wanted, f"state {kind}\n{differences(found, wanted)}"


def _canonical(frame: pl.DataFrame) -> list[Row]:
    """Lists of partitions have no order."""
    rows = frame.to_dicts()
    for row in rows:
        for name in ("owned", "owners"):
            if row.get(name) is not None:
                row[name] = sorted_rows(row[name])
    return rows


def sorted_rows(rows: list[Row]) -> list[Row]:
    plain = [{name: value for name, value in row.items() if name not in _PLACE} for row in rows]
    return sorted(({name: row[name] for name in sorted(row)} for row in plain), key=repr)


def differences(found: list[Row], wanted: list[Row]) -> str:
    """Rows that only one of them has."""
    only: list[Any] = [f"found  {row}" for row in found if row not in wanted]
    only += [f"wanted {row}" for row in wanted if row not in found]
    return "\n".join(only)
