"""A lake to read without Java: the tables of its last round, as Arrow.

A lake that was opened stays at its round: every table is read at the version that the round names, whatever is published meanwhile.
Files may hold more columns than the table (a round writes all its tables in one go) or fewer (they are older than a column); rows
come with exactly the contract's columns. Not through `pyarrow.dataset`: it imports pandas, which takes longer than an answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from muster.pipeline.arrow_scalar import arrow_scalar
from muster.pipeline.lake.delta import open_named, table_files
from muster.pipeline.lake.errors import LakeError, StoreError, reason, store_errors
from muster.pipeline.lake.files import REACHABLE, DataFile, component
from muster.pipeline.lake.location import OLD_MANIFEST, Location
from muster.pipeline.lake.opening import open_parquet
from muster.pipeline.lake.rounds import Round, known_rounds, old_layout
from muster.pipeline.lake.tables import VIEWS, is_table, partition_columns, schema_of

_REMOTE_THREADS: Final = 8
_MANY_ROWS: Final = 131_072

Since = tuple[str, int]
"""Column and the smallest value that is wanted; what is unknown is not."""


class Lake:
    """The tables of one round. `round` is the newest that was published when the lake was opened."""

    def __init__(self, location: Location, this_round: Round) -> None:
        self.location = location
        self.round = this_round
        self._files: dict[str, list[DataFile]] = {}

    def __repr__(self) -> str:
        return f"<Lake {self.location} round {self.round.round}>"

    @classmethod
    def open(cls, url: str | os.PathLike[str] | Location, settings: Mapping[str, str] | None = None) -> Lake:
        """A lake that is there; what is not one is refused with the reason. `settings` are Spark's, for access to its store."""
        location = url if isinstance(url, Location) else Location.parse(url, settings)
        rounds = known_rounds(location)
        if not rounds:
            raise _no_lake(location)
        return cls(location, rounds[-1])

    @property
    def tables(self) -> list[str]:
        """The tables that have been committed, by name."""
        return sorted(self.round.versions)

    def table_files(self, table: str) -> list[DataFile]:
        """The files of a table as of this round; none if it was never committed."""
        if table in VIEWS:
            raise LakeError(f"{table} is made from the log when it is asked for: `muster pipeline sql` has it")
        if not is_table(table):
            raise LakeError(f"{self.location} has no table {table}")
        if table not in self._files:
            self._files[table] = self._find_files(table)
        return self._files[table]

    def _find_files(self, table: str) -> list[DataFile]:
        version = self.round.versions.get(table)
        if version is None:
            return []
        with store_errors(f"{table} of {self.location} cannot be opened at version {version}", REACHABLE):
            return table_files(open_named(self.location, table, version))

    def arrow(self, table: str, columns: Sequence[str] | None = None, since: Since | None = None) -> pa.Table:
        """Every row of a table, or those `since` wants, with the columns of the contract or some of them."""
        schema = _chosen(table, columns)
        files = self.table_files(table)
        if self.location.local is None and len(files) > 1:
            with ThreadPoolExecutor(_REMOTE_THREADS) as pool:
                parts = list(pool.map(lambda file: list(self._read(table, file, schema, since)), files))
        else:
            parts = [list(self._read(table, file, schema, since)) for file in files]
        return pa.concat_tables([pa.Table.from_batches([], schema), *(rows for part in parts for rows in part)])

    def batches(
        self, table: str, columns: Sequence[str] | None = None, since: Since | None = None
    ) -> Iterator[pa.Table]:
        """The same rows piece by piece, for a table that need not fit into memory."""
        schema = _chosen(table, columns)
        for file in self.table_files(table):
            yield from self._read(table, file, schema, since)

    def _read(self, table: str, file: DataFile, schema: pa.Schema, since: Since | None) -> Iterator[pa.Table]:
        try:
            with open_parquet(self.location, table, file) as source:
                opened = pq.ParquetFile(source)
                held = [name for name in schema.names if name in opened.schema_arrow.names]
                extra = [] if since is None or since[0] in held else [since[0]]
                wanted = [n for n in range(opened.num_row_groups) if since is None or _reaches(opened, n, *since)]
                for batch in opened.iter_batches(_MANY_ROWS, row_groups=wanted, columns=held + extra):
                    rows = pa.Table.from_batches([batch])
                    if since is not None:
                        rows = rows.filter(_at_least(rows[since[0]], since[1]))
                    yield _conformed(rows, schema, _directories(table, file))
        except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError, KeyError) as error:
            kind = StoreError if isinstance(error, OSError) else LakeError
            raise kind(f"{table} of {self.location} cannot be read: {file.path}: {reason(error)}") from None


def _no_lake(location: Location) -> LakeError:
    if location.local is not None:
        if not location.local.is_dir():
            return LakeError(f"no lake at {location}: make one with `muster pipeline run --from DIR --lake {location}`")
        return LakeError(f"{location} holds no lake: make one with `muster pipeline run --lake {location}`")
    from muster.pipeline.lake.files import entries

    if OLD_MANIFEST in {name for name, _ in entries(location)}:
        return old_layout(location)
    return LakeError(f"no lake at {location}: make one with `muster pipeline run --from DIR --lake {location}`")


def _chosen(table: str, columns: Sequence[str] | None) -> pa.Schema:
    try:
        schema = schema_of(table)
    except KeyError:
        raise LakeError(f"a lake has no table {table}") from None
    return schema if columns is None else pa.schema([schema.field(name) for name in columns])


def _directories(table: str, file: DataFile) -> dict[str, str | None]:
    return {column: component(file.path, column) for column in partition_columns(table)}


def _conformed(rows: pa.Table, schema: pa.Schema, directories: Mapping[str, str | None]) -> pa.Table:
    columns = []
    for field in schema:
        if field.name in directories:
            columns.append(_repeated(directories[field.name], rows.num_rows))
        elif field.name in rows.column_names:
            column = rows[field.name]
            columns.append(column if column.type == field.type else column.cast(field.type))
        else:
            columns.append(pa.nulls(rows.num_rows, field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def _repeated(text: str | None, times: int) -> pa.Array:
    return pa.nulls(times, pa.string()) if text is None else pa.repeat(arrow_scalar(text), times)


def _reaches(file: pq.ParquetFile, row_group: int, column: str, least: int) -> bool:
    """False only if the file itself says that all its values are smaller."""
    at = _leaf(file, column)
    statistics = file.metadata.row_group(row_group).column(at).statistics if at is not None else None
    return statistics is None or not statistics.has_min_max or statistics.max >= least


def _leaf(file: pq.ParquetFile, column: str) -> int | None:
    """Where a plain column is among the file's leaves; nested columns before it have several."""
    schema = file.schema
    return next((n for n in range(len(schema)) if schema.column(n).path == column), None)


def _at_least(column: pa.ChunkedArray, least: int) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    return pc.greater_equal(column, arrow_scalar(least))
