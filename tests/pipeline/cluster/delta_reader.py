"""A program for a Spark with Delta's own package: reads Delta tables and leaves their rows as Arrow files.

Run by the Python of another environment, without anything of ours. Arguments: a JSON object of table names and URLs, the
directory for the files, and Spark settings.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa


def main() -> None:
    from pyspark.sql import SparkSession

    urls, directory, settings = json.loads(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])
    builder = SparkSession.builder.master("local[1]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    for table, url in urls.items():
        rows = spark.read.format("delta").load(url).toArrow()
        with pa.OSFile(str(directory / f"{table}.arrow"), "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
    spark.stop()


if __name__ == "__main__":
    main()
