"""Sums over groups of rows, by numpy over dictionary codes.

Not `Table.group_by`: that loads Arrow's query engine, and a page is made sooner than that.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_LOWEST: Final = np.iinfo(np.int64).min
_HIGHEST: Final = np.iinfo(np.int64).max


class Grouped:
    """The rows of a table by the values of some columns. Answers are lists in the order of `keys`."""

    def __init__(self, table: pa.Table, columns: list[str]) -> None:
        self._table = table
        codes = np.zeros(table.num_rows, np.int64)
        for column in columns:
            encoded = pc.dictionary_encode(table[column].combine_chunks(), null_encoding="encode")
            codes = codes * max(len(encoded.dictionary), 1) + encoded.indices.to_numpy(zero_copy_only=False)
        _, first, self._place = np.unique(codes, return_index=True, return_inverse=True)
        self.first_rows: pa.Table = table.take(pa.array(first))
        """The first row of each group, in the table's order."""
        self.keys: list[tuple[Any, ...]] = list(
            zip(*(self.first_rows[column].to_pylist() for column in columns), strict=True)
        )

    def counts(self) -> list[int]:
        return [int(count) for count in np.bincount(self._place, minlength=len(self.keys))]

    def largest(self, column: str) -> list[int | None]:
        """The largest number of each group; None where it has none."""
        numbers: list[int | None] = self.largest_array(column).to_pylist()
        return numbers

    def largest_array(self, column: str) -> pa.Array:
        found = np.full(len(self.keys), _LOWEST)
        np.maximum.at(found, self._place, self._numbers(column, _LOWEST))
        return pa.array(found, mask=found == _LOWEST)

    def smallest(self, column: str) -> list[int | None]:
        found = np.full(len(self.keys), _HIGHEST)
        np.minimum.at(found, self._place, self._numbers(column, _HIGHEST))
        return [None if value == _HIGHEST else int(value) for value in found]

    def totals(self, column: str) -> list[int]:
        found = np.zeros(len(self.keys), np.int64)
        np.add.at(found, self._place, self._numbers(column, 0))
        return [int(value) for value in found]

    def _numbers(self, column: str, instead_of_null: int) -> Any:
        numbers = pc.fill_null(self._table[column].cast(pa.int64()), int(instead_of_null))
        return numbers.to_numpy()
