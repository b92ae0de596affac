"""What the pipeline builds on, each on HDFS and S3 from workers that share no directory with the driver.

Parquet by Spark, a stream with its checkpoint and `foreachBatch`, `mapInArrow` with our own code on the workers, and a commit and
a read by delta-rs of the files that Spark wrote.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Schema
from deltalake.transaction import AddAction, create_table_with_add_actions

from muster.pipeline.session import SessionSettings, open_session
from tests.pipeline.cluster.hadoop import hadoop
from tests.pipeline.cluster.needs import Missing
from tests.pipeline.cluster.private_workers import private_cluster
from tests.pipeline.cluster.s3 import s3


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, dict[str, str]]]:
    root = tmp_path_factory.mktemp("cluster")
    hidden = tmp_path_factory.mktemp("hidden")
    try:
        with hadoop(root / "hadoop") as files, s3(root / "s3") as bucket, private_cluster(root, [hidden]) as master:
            settings = SessionSettings(
                master=master,
                extra={
                    "spark.executor.memory": "512m",
                    "spark.cores.max": "2",
                    "spark.driver.host": "127.0.0.1",
                    **bucket.spark_settings,
                },
            )
            os.environ.update(bucket.environment)
            with open_session(settings) as spark:
                yield spark, {"hdfs": files.url, "s3a": bucket.url, "hidden": str(hidden)}
    except Missing as missing:
        pytest.skip(str(missing))


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
def test_parquet_stream_and_delta_commit(cluster: tuple[Any, dict[str, str]], storage: str) -> None:
    spark, urls = cluster
    root = f"{urls[storage]}/proof"
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

    url = root.replace("s3a://", "s3://")
    actions = [
        AddAction(
            path=path.removeprefix(f"{root}/table/"),
            size=size,
            partition_values={"batch": _batch(path)},
            modification_time=1,
            data_change=True,
            stats="{}",
        )
        for path, size in _files(spark, f"{root}/table")
    ]
    schema = Schema.from_arrow(pa.schema([("id", pa.int64()), ("where", pa.string()), ("batch", pa.string())]))
    create_table_with_add_actions(f"{url}/table", schema, actions, "append", ["batch"])
    read = DeltaTable(f"{url}/table").to_pyarrow_table(columns=["id", "batch"])
    assert sorted(read["id"].to_pylist()) == list(range(1000))
    assert set(read["batch"].to_pylist()) == {"0", "1"}


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
