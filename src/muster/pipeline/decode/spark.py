"""Decoding on Spark: one DataFrame for each table that single records make.

Rows are chosen by the first two bytes of their key where Spark reads them, so that each table's pass hands only its own rows to
Python; markers never leave the JVM. A pass keeps the order and the partitions of what it reads: no shuffle. Of 2M records the
pass for offsets took 18 s, one for members 1 s; one pass with a tagged union would cost the former for every table taken out
of it. Jobs that write files decode where they read instead (`decode_batch`): rows then make no detour through Java.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from muster.pipeline.decode.batch import OFFSETS_TOPIC, decode_batch
from muster.pipeline.decode.consumer_group_rows import GROUP_EPOCH_TYPES, MEMBER_EPOCH_TYPES
from muster.pipeline.decode.keys import GROUP_TYPE, OFFSET_TYPES
from muster.pipeline.decode.row_schemas import ROW_TABLES, row_spark_schema
from muster.pipeline.schemas import TABLES

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_TYPES_OF: Final[dict[str, tuple[int, ...]]] = {
    "s_offset_commit": OFFSET_TYPES,
    "s_group_generation": (GROUP_TYPE,),
    "s_member": (GROUP_TYPE,),
    "s_assignment": (GROUP_TYPE,),
    "s_group_epoch": GROUP_EPOCH_TYPES,
    "s_member_epoch": MEMBER_EPOCH_TYPES,
}
_DECODED_TYPES: Final = (*OFFSET_TYPES, GROUP_TYPE, *GROUP_EPOCH_TYPES, *MEMBER_EPOCH_TYPES)


def decode_bronze(bronze: DataFrame, partition_count: int | None = None) -> dict[str, DataFrame]:
    """Every table of `ROW_TABLES` from `b_log_record` rows. Lazy: a table that nobody reads costs nothing."""
    from pyspark.sql import functions as F

    records = bronze.select(*TABLES["b_log_record"].names).where(F.col("log_topic") == OFFSETS_TOPIC)
    plain = records.where(~F.coalesce(F.col("is_control"), F.lit(False)))
    tables = {table: _pass(plain.where(_has_type(types)), table, partition_count) for table, types in _TYPES_OF.items()}
    tables["unknown_type"] = _pass(plain.where(~_has_type(_DECODED_TYPES)), "unknown_type", partition_count)
    tables["b_quarantine"] = _pass(plain, "b_quarantine", partition_count)
    markers = records.where(F.col("is_control") & F.col("control_type").isNotNull())
    tables["txn_marker"] = markers.select(*ROW_TABLES["txn_marker"].names)
    return tables


def _has_type(types: tuple[int, ...]) -> Column:
    from pyspark.sql import functions as F

    starts = [F.lit(number.to_bytes(2, "big")) for number in types]
    return F.coalesce(F.substring("key", 1, 2).isin(*starts), F.lit(False))


def _pass(records: DataFrame, table: str, partition_count: int | None) -> DataFrame:
    return records.mapInArrow(decoder_of(table, partition_count), row_spark_schema(table))


def decoder_of(
    table: str, partition_count: int | None = None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` wants: bronze batches in, rows of one table out."""

    def decode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = decode_batch(batch, partition_count)[table]
            if rows.num_rows:
                yield rows

    return decode
