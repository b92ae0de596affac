"""The tables of now of some log partitions: what Spark brings to a task goes in, wide rows of every table come out.

Knows Arrow and how to split rows; what is made of them is in `standing`, `groups` and `history`. A task's rows are held as a whole:
memory goes with its positions, which `tasks` of `now_input` divides. The history is made of some positions at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

import polars as pl
import pyarrow as pa

from muster.pipeline.fold.commits import newest_positions
from muster.pipeline.fold.state import EXTENT, GROUP, POSITION
from muster.pipeline.now.groups import OF_GROUPS, tables_of_groups
from muster.pipeline.now.history import HISTORY, Sampled, history_of, stretches_now
from muster.pipeline.now.input import END, INPUT, PLACE, WAITING
from muster.pipeline.now.positions import current_positions, with_expected
from muster.pipeline.now.schema import MINUTE
from muster.pipeline.now.standing import stand
from muster.pipeline.now.topic_ends import TopicEnds
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.wide import wide_batches, wide_schema

Kernel: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

NOW: Final = "now"
STRETCHES_AT_ONCE: Final = 250_000
WIDE: Final = wide_schema([*(TABLES[name] for name in (*OF_GROUPS, HISTORY)), MINUTE])
_KINDS: Final = {
    kind: pa.schema([*(INPUT.field(name) for name in PLACE), *columns])
    for kind, columns in (
        ("position", POSITION),
        ("extent", EXTENT),
        ("group", GROUP),
        ("minute", WAITING),
        ("end", END),
    )
}
"""The columns of each kind of row that goes in."""


def now_kernel(settings: GoldSettings, sampled: Sampled | None) -> Kernel:
    """For `mapInArrow`, over rows of `now_input`. `sampled` None: the history of the lag is not asked for."""

    def kernel(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kinds = _by_kind(batches)
        ends = TopicEnds.of(kinds["end"])
        positions, extents, groups = (_frame(kinds[kind]) for kind in ("position", "extent", "group"))
        positions = newest_positions(positions, PLACE)
        current = current_positions(positions)
        standing = stand(with_expected(current, groups, ends), ends, settings)
        for table, found in tables_of_groups(standing, groups, extents, positions, settings).items():
            yield from wide_batches(WIDE, table, NOW, found.to_arrow())
        if sampled is None:
            return
        for waiting, held in slices_of_history(_frame(kinds["minute"]), current):
            stretches = stretches_now(waiting, held, sampled)
            for (table, part), rows in history_of(ends, stretches, settings, sampled).items():
                yield from wide_batches(WIDE, table, part, rows)

    return kernel


def slices_of_history(waiting: pl.DataFrame, current: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Both, some positions at a time: a first read has many stretches of each, and a stretch takes half a kilobyte on its way."""
    stretches = int(waiting["stretches"].list.len().sum()) + current.height
    slices = max(1, -(-stretches // STRETCHES_AT_ONCE))
    number = pl.struct("group_id", "topic", "partition").hash() % slices
    for turn in range(slices):
        yield waiting.filter(number == turn), current.filter(number == turn)


def _by_kind(batches: Iterable[pa.RecordBatch]) -> dict[str, pa.Table]:
    """The rows of each kind in columns of its own, cut out of each batch at once: null columns of others are not kept."""
    found = {kind: [schema.empty_table()] for kind, schema in _KINDS.items()}
    for batch in batches:
        rows = pa.Table.from_batches([batch])
        for kind, schema in _KINDS.items():
            of_kind = rows.filter(rows[kind].is_valid())
            if of_kind.num_rows:
                found[kind].append(_unpacked(of_kind, kind, schema))
    return {kind: pa.concat_tables(parts) for kind, parts in found.items()}


def _unpacked(rows: pa.Table, kind: str, schema: pa.Schema) -> pa.Table:
    """The fields of the kind's struct, or of the one in its list, as columns behind the place."""
    column = rows[kind].combine_chunks()
    values = column.flatten() if pa.types.is_list(column.type) else column
    place = [rows[name].combine_chunks() for name in PLACE]
    fields = list(schema)[len(place) :]
    return pa.Table.from_arrays([*place, *(values.field(each.name).cast(each.type) for each in fields)], schema=schema)


def _frame(rows: pa.Table) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(rows))
