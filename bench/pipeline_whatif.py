"""What-if on Spark: many groups with many variants on `local[1]`, `local[2]` and a standalone cluster of two workers.

A part of `make bench-pipeline`. Prints pairs of a group and a variant a second, recorded events a second, how that grows with the
cores, and whether all places give the same rows. `python -m bench.pipeline_whatif 200` takes fewer groups than 1,000, and
`python -m bench.pipeline_whatif 1000 local[2] standalone` only these places.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from muster.core.internal_topics import GROUP_JOURNAL
from muster.pipeline.log_schema import log_spark_schema
from muster.pipeline.session import SessionSettings, open_session
from muster.whatif.job import what_if, what_if_in_order
from muster.whatif.variants import Variant, parse_grid
from tests.pipeline.jobs.standalone import standalone_cluster
from tests.whatif.random_group import RandomGroup

GROUPS = 1_000
STANDALONE = "standalone"
PLACES = ("local[2]", STANDALONE, "local[1]")
SEEDS = 50
"""Different histories; the groups have them in turn."""
GRID = parse_grid(["session.timeout.ms=3000,6000,20000", "group.initial.rebalance.delay.ms=0,3000", "static"])
VARIANTS = [
    *GRID.variants[:16],
    Variant(assignor="cooperative-sticky"),
    Variant(max_poll_ms=5_000),
    Variant(members=1),
    Variant(remote_assignor="uniform"),
]


def write_log(spark: Any, groups: int, directory: Path) -> int:
    """The journals as Parquet, so that every place reads the same; how many events."""
    histories = [
        [event.to_json() for event in RandomGroup(seed, length_ms=60_000).run().journal] for seed in range(SEEDS)
    ]
    rows = [
        {
            "cluster": "c",
            "log_topic": GROUP_JOURNAL,
            "group_id": f"g{number}",
            "log_offset": offset,
            "event": {"payload": json.dumps({**event, "group": f"g{number}"})},
        }
        for number in range(groups)
        for offset, event in enumerate(histories[number % SEEDS])
    ]
    spark.createDataFrame(rows, log_spark_schema()).write.parquet(str(directory))
    return len(rows)


def measure(spark: Any, directory: Path) -> tuple[float, str, int]:
    """Seconds, a digest of the rows, and their number."""
    log = spark.read.parquet(str(directory))
    what_if(spark, log, VARIANTS[:1], "g1").collect()  # Python workers have started
    began = time.perf_counter()
    with what_if_in_order(spark, log, VARIANTS) as found:  # as the command reads them
        rows = list(found.toLocalIterator())
    took = time.perf_counter() - began
    lines = [json.dumps(row.asDict(recursive=True), sort_keys=True) for row in rows]
    return took, hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16], len(lines)


@contextmanager
def session_at(place: str, directory: Path) -> Iterator[Any]:
    if place != STANDALONE:
        with open_session(SessionSettings(master=place)) as spark:
            yield spark
        return
    directory.mkdir()
    with (
        standalone_cluster(directory, workers=2) as master,
        open_session(SessionSettings(master=master, extra={"spark.cores.max": "2"})) as spark,
    ):
        yield spark


def main(groups: int = GROUPS, places: Sequence[str] = PLACES) -> None:
    print(f"what-if: {groups:,} groups x {len(VARIANTS)} variants", flush=True)
    found: dict[str, tuple[float, str]] = {}
    with tempfile.TemporaryDirectory() as made:
        directory = Path(made, "log")
        events = 0
        for place in places:
            with session_at(place, Path(made, "cluster")) as spark:
                events = events or write_log(spark, groups, directory)
                took, digest, rows = measure(spark, directory)
            found[place] = (took, digest)
            replayed = events * len(VARIANTS)
            speed = f"{rows / took:8,.0f} pairs/s  {replayed / took:10,.0f} events/s"
            print(f"  {place:10} {took:7.1f} s  {speed}  {rows:,} rows {digest}", flush=True)
    is_same = len({digest for _, digest in found.values()}) == 1
    print(f"  the rows are {'the same' if is_same else 'NOT THE SAME'} everywhere")
    if {"local[1]", "local[2]"} <= found.keys():
        print(f"  two cores are {found['local[1]'][0] / found['local[2]'][0]:.2f} times as fast as one")
    if not is_same:
        sys.exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else GROUPS, sys.argv[2:] or PLACES)
