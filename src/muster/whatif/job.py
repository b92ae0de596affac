"""The what-if question as a Spark job: every group of a lake with every variant, each pair a row of its own.

Journal, commits and (where there is no journal) generations come from the lake's table `log`; the pairs are spread over the tasks,
and the replay runs inside of them. The only file here that imports Spark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from muster.core.internal_topics import GROUP_JOURNAL
from muster.pipeline.arrow_map import is_connect, map_arrow
from muster.pipeline.decode.consumer_group_rows import GROUP_EPOCH_TYPES, MEMBER_EPOCH_TYPES
from muster.pipeline.log_schema import COMMIT_TYPES
from muster.whatif.answer import REPLAYED_AS_RECORDED, Answer, Question, as_row, problem_row
from muster.whatif.arrivals import arrivals_of
from muster.whatif.figures import Figures
from muster.whatif.generations import ASSUMED, FROM_GENERATIONS, journal_of
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant, variant_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_GROUP_TYPE: Final = 2
_CONSUMER_TYPES: Final = (*GROUP_EPOCH_TYPES, *MEMBER_EPOCH_TYPES)
NO_JOURNAL: Final = "it is a consumer group (KIP-848) without a journal: its log has no history that could be replayed"
_KEY: Final = ("cluster", "group_id")
_COMMITTED: Final = pa.struct(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("first_ms", pa.int64()),
        ("first_offset", pa.int64()),
        ("last_ms", pa.int64()),
        ("last_offset", pa.int64()),
    ]
)
_TAKES: Final = pa.schema(
    [
        ("cluster", pa.string()),
        ("group_id", pa.string()),
        ("payloads", pa.list_(pa.string())),  # null: no journal
        ("generations", pa.list_(pa.string())),
        ("is_consumer", pa.bool_()),  # its log has records of the new protocol; else null
        ("committed", pa.list_(_COMMITTED)),
        ("changes", pa.string()),
    ]
)
_UNOWNED: Final = pa.struct(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("recorded_ms", pa.int64()),
        ("replayed_ms", pa.int64()),
    ]
)
GIVES: Final = pa.schema(
    [
        ("cluster", pa.string()),
        ("group_id", pa.string()),
        ("variant", pa.string()),
        *((f"{kind}_{each.name}", pa.int64()) for kind in ("recorded", "replayed") for each in fields(Figures)),
        ("partitions", pa.list_(_UNOWNED)),
        ("reproduced", pa.int64()),
        *((f"replayed_as_recorded_{name}", pa.int64()) for name in REPLAYED_AS_RECORDED),
        ("assumed", pa.string()),
        ("problem", pa.string()),
    ]
)
_TASKS_A_CORE: Final = 4
"""Groups differ in length: with several tasks a core the long ones are not waited for alone."""
_TASKS_OF_CONNECT: Final = 64
"""A Connect session does not tell how many cores there are."""
_BATCH: Final = ("spark.sql.execution.arrow.maxRecordsPerBatch", "32")
"""Each pair carries the whole recording of its group. Spark would put 10,000 of them into one batch."""
_NOBODY: Final = r'"group_created"|"result": ?"empty"'
"""In the text of an event: a replay can begin there, nobody is in the group."""
_SETTINGS: Final = r'"kind": ?"join_completed"'
"""In the text of an event: it has the settings of all members."""
_ASSIGNED: Final = r'"result": ?"stable"'
"""In the text of an event: everybody has an assignment. A replay can begin there if their settings are known by then."""


def what_if(spark: SparkSession, log: DataFrame, variants: Sequence[Variant], group: str | None = None) -> DataFrame:
    """`log`: that table of a lake. `group`: only these, `*` stands for anything. One row a group and variant."""
    from pyspark.sql import functions as F

    if group is not None:
        log = log.where(F.col("group_id").rlike(_pattern(group)))
    journals = _in_order(log.where(_is_event()), F.col("event.payload"), "payloads")
    stored = _in_order(log.where(_is_generation()), _generation(), "generations")
    newer = log.where(_is_of_consumer_group()).select(*_KEY).distinct().withColumn("is_consumer", F.lit(True))
    every = journals.join(stored, list(_KEY), "full_outer").join(newer, list(_KEY), "full_outer")
    # A group whose journal can be replayed needs its generations no more; they would only travel with it.
    needed = F.when(~F.coalesce(_has_beginning(), F.lit(False)), F.col("generations")).alias("generations")
    groups = every.select(*_KEY, "payloads", needed, "is_consumer").join(_committed(log), list(_KEY), "left")
    asked = spark.createDataFrame([(str(each),) for each in variants], "changes string")
    pairs = groups.crossJoin(F.broadcast(asked)).select(*_TAKES.names)
    spread = pairs.repartition(_tasks(spark), *_KEY, "changes").sortWithinPartitions(*_KEY)
    return map_arrow(spread, answer_rows, _TAKES, GIVES)


@contextmanager
def what_if_in_order(
    spark: SparkSession, log: DataFrame, variants: Sequence[Variant], group: str | None = None
) -> Iterator[DataFrame]:
    """The same, sorted by group and variant, while it is read. To sort, Spark looks at all rows twice: they are kept, so that every
    pair is replayed once."""
    name, most = _BATCH
    before = spark.conf.get(name)
    spark.conf.set(name, most)
    try:
        found = what_if(spark, log, variants, group).persist()
        try:
            yield found.orderBy(*_KEY, "variant")
        finally:
            found.unpersist()
    finally:
        spark.conf.set(name, before)


def _tasks(spark: SparkSession) -> int:
    return _TASKS_OF_CONNECT if is_connect(spark) else spark.sparkContext.defaultParallelism * _TASKS_A_CORE


def _is_event() -> Any:
    from pyspark.sql import functions as F

    return (F.col("log_topic") == GROUP_JOURNAL) & F.col("event").isNotNull() & F.col("group_id").isNotNull()


def _is_generation() -> Any:
    from pyspark.sql import functions as F

    is_stored = F.col("generation").isNotNull() | F.col("is_tombstone")
    return (F.col("record_type") == _GROUP_TYPE) & is_stored & F.col("group_id").isNotNull()


def _is_of_consumer_group() -> Any:
    from pyspark.sql import functions as F

    return F.col("record_type").isin(*_CONSUMER_TYPES) & F.col("group_id").isNotNull()


def _has_beginning() -> Any:
    """Whether a replay can begin somewhere in the journal, as far as the text of its events shows that: see `stretch`."""
    from pyspark.sql import functions as F

    unknown, settings_known, found = (F.lit(each) for each in range(3))

    def follow(state: Any, text: Any) -> Any:
        begins = text.rlike(_NOBODY) | ((state == settings_known) & text.rlike(_ASSIGNED))
        return F.when((state == found) | begins, found).when(text.rlike(_SETTINGS), settings_known).otherwise(state)

    return F.aggregate("payloads", unknown, follow) == found


def _generation() -> Any:
    from pyspark.sql import functions as F

    return F.to_json(F.struct(F.col("record_ms").alias("at_ms"), "generation"), {"ignoreNullFields": "false"})


def _in_order(rows: DataFrame, value: Any, name: str) -> DataFrame:
    """A group's values in log order: all of its records lie in one partition of the log."""
    from pyspark.sql import functions as F

    found = rows.groupBy(*_KEY).agg(
        F.sort_array(F.collect_list(F.struct("log_offset", value.alias("value")))).alias("all")
    )
    return found.select(*_KEY, F.col("all.value").alias(name))


def _committed(log: DataFrame) -> DataFrame:
    """Of every group the first and last commit of each of its partitions."""
    from pyspark.sql import functions as F

    is_commit = F.col("record_type").isin(*COMMIT_TYPES) & F.col("committed_offset").isNotNull()
    at = F.struct(F.coalesce("commit_ms", "record_ms").alias("ms"), F.col("committed_offset").alias("offset"))
    ends = (
        log.where(is_commit).groupBy(*_KEY, "topic", "partition").agg(F.min(at).alias("first"), F.max(at).alias("last"))
    )
    each = F.struct(
        "topic",
        "partition",
        F.col("first.ms").alias("first_ms"),
        F.col("first.offset").alias("first_offset"),
        F.col("last.ms").alias("last_ms"),
        F.col("last.offset").alias("last_offset"),
    )
    return ends.groupBy(*_KEY).agg(F.sort_array(F.collect_list(each)).alias("committed"))


def _pattern(group: str) -> str:
    return "^" + ".*".join(re.escape(part) for part in group.split("*")) + "$"


def answer_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The kernel: pairs of a group and a variant to their answers. Pairs of one group that follow each other share its reading."""
    cache = _QuestionCache()
    for batch in batches:
        # One at a time: each has the whole recording of its group.
        pairs = (batch.slice(number, 1).to_pylist()[0] for number in range(batch.num_rows))
        yield pa.RecordBatch.from_pylist([cache.row(pair) for pair in pairs], schema=GIVES)


class _QuestionCache:
    """The last group's recording as it was read, for its other variants."""

    def __init__(self) -> None:
        self._key: tuple[str, str] | None = None
        self._found: Question | CannotReplay

    def row(self, pair: dict[str, Any]) -> dict[str, Any]:
        key = (pair["cluster"], pair["group_id"])
        if key != self._key:
            self._key, self._found = key, _question(pair)
        found = self._found if isinstance(self._found, CannotReplay) else _answer(self._found, pair["changes"])
        if isinstance(found, CannotReplay):
            return {"cluster": pair["cluster"], **problem_row(pair["group_id"], pair["changes"], found)}
        return {"cluster": pair["cluster"], **as_row(found)}


def _question(pair: dict[str, Any]) -> Question | CannotReplay:
    try:
        if pair["payloads"] is None:
            return _from_generations(pair, ASSUMED)
        return Question(pair["group_id"], pair["payloads"], arrivals_of(pair["committed"]))
    except Exception as failure:
        return _without_journal(pair, _problem(failure))


def _without_journal(pair: dict[str, Any], problem: CannotReplay) -> Question | CannotReplay:
    """From the generations of a group whose journal cannot be replayed, if it has some.

    Those of a group that is or was one of the new protocol are of another time of its life than its journal.
    """
    if pair["payloads"] is None or pair["is_consumer"] or not pair["generations"]:
        return problem
    try:
        found = _from_generations(pair, f"{problem}, so it is replayed {FROM_GENERATIONS}")
    except Exception:
        return problem
    return problem if isinstance(found, CannotReplay) else found


def _from_generations(pair: dict[str, Any], assumed: str) -> Question | CannotReplay:
    generations = [json.loads(each) for each in pair["generations"] or ()]
    if pair["is_consumer"] and not any(each["generation"] for each in generations):
        return CannotReplay(NO_JOURNAL)
    events = journal_of(pair["group_id"], generations)
    return Question(pair["group_id"], events, arrivals_of(pair["committed"]), assumed)


def _answer(asked: Question, changes: str) -> Answer | CannotReplay:
    try:
        return asked.answer(variant_of(changes))
    except Exception as failure:
        return _problem(failure)


def _problem(failure: Exception) -> CannotReplay:
    """Anybody with the right to may write to the journal: one that makes no sense must not end the job for all other groups."""
    if isinstance(failure, CannotReplay):
        return failure
    return CannotReplay(f"its journal tells what cannot have been ({type(failure).__name__}: {failure})")
