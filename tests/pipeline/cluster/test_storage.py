"""What the pipeline builds on, each on HDFS and S3 from workers that share no directory with the driver.

Parquet by Spark, a stream with its checkpoint and `foreachBatch`, `mapInArrow` with our own code on the workers, and a commit and
a read by delta-rs of the files that Spark wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Schema
from deltalake.transaction import AddAction, create_table_with_add_actions

from muster.pipeline.lake.location import Location
from muster.pipeline.session import SessionSettings, open_session
from tests.pipeline.cluster.hadoop import Hadoop
from tests.pipeline.cluster.runs import SMALL
from tests.pipeline.cluster.s3 import S3

Stores = tuple[Any, dict[str, Location]]


@pytest.fixture(scope="module")
def stores(hdfs: Hadoop, bucket: S3, private_master: str) -> Iterator[Stores]:
    """A session on the private workers, and where it can write."""
    extra = {**SMALL, **bucket.spark_settings}
    with open_session(SessionSettings(master=private_master, extra=extra)) as spark:
        urls = {"hdfs": f"{hdfs.url}/proof", "s3a": f"{bucket.url}/proof"}
        yield spark, {name: Location.parse(url, extra) for name, url in urls.items()}


def _kernel() -> Any:
    """Made inside a function, so that it is pickled whole: the workers have no `tests` to import it from."""

    def with_our_code(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        import muster
        from muster.pipeline.log_schema import LOG

        for batch in batches:
            rows = [f"{muster.__file__} {len(LOG)}"] * batch.num_rows
            yield pyarrow.RecordBatch.from_arrays([batch.column(0), pyarrow.array(rows)], names=["id", "where"])

    return with_our_code


@pytest.mark.parametrize("storage", ["hdfs", "s3a"])
def test_parquet_stream_and_delta_commit(stores: Stores, storage: str) -> None:
    spark, location = stores[0], stores[1][storage]
    root = location.url
    spark.range(0, 1000, 1, 4).write.parquet(f"{root}/input")
    written: list[int] = []

    def write(batch: Any, batch_id: int) -> None:
        batch.mapInArrow(_kernel(), "id long, where string").write.parquet(f"{root}/table/batch={batch_id}")
        written.append(batch_id)

    rows = spark.readStream.schema("id long").option("maxFilesPerTrigger", 2).parquet(f"{root}/input")
    query = rows.writeStream.foreachBatch(write).option("checkpointLocation", f"{root}/_checkpoint")
    query.trigger(availableNow=True).start().awaitTermination()
    assert written == [0, 1]

    table = spark.read.parquet(f"{root}/table")
    assert table.count() == 1000
    (where,) = {row.where for row in table.select("where").distinct().collect()}
    assert ".zip/muster/" in where, "our code did not come from the zip that travels"

    _commit(location, _files(spark, f"{root}/table"))
    delta = DeltaTable(f"{location.delta_url}/table", storage_options=location.options)
    read = delta.to_pyarrow_table(columns=["id", "batch"])
    assert sorted(read["id"].to_pylist()) == list(range(1000))
    assert set(read["batch"].to_pylist()) == {"0", "1"}


def _commit(location: Location, files: list[tuple[str, int]]) -> None:
    actions = [
        AddAction(path.removeprefix(f"{location.url}/table/"), size, {"batch": _batch(path)}, 1, True, "{}")
        for path, size in files
    ]
    schema = Schema.from_arrow(pa.schema([("id", pa.int64()), ("where", pa.string()), ("batch", pa.string())]))
    create_table_with_add_actions(
        f"{location.delta_url}/table", schema, actions, "append", ["batch"], storage_options=location.options
    )


def _batch(path: str) -> str:
    return path.split("batch=")[1].split("/")[0]


def _files(spark: Any, url: str) -> list[tuple[str, int]]:
    path = spark._jvm.org.apache.hadoop.fs.Path(url)
    found = path.getFileSystem(spark._jsc.hadoopConfiguration()).listFiles(path, True)
    files = []
    while found.hasNext():
        status = found.next()
        if status.getPath().getName().endswith(".parquet"):
            files.append((status.getPath().toString(), status.getLen()))
    return files
