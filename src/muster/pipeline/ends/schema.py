"""The columns of the table `ends`: one row a topic partition, with the steps of its end offset in the order of time.

Within a topic epoch neither offsets nor times fall along the steps, so a search in them needs no sorting. `s_leo` is these steps, a
row each (`end_steps`): it is derived when it is read, so that a round does not write every step of every partition twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.schemas import TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_text, _flag = pa.string(), pa.bool_()
_int, _long = pa.int32(), pa.int64()

TABLE: Final = "ends"
TOPIC_PARTITION: Final = ("cluster", "topic", "partition")

MAX_STEPS: Final = 512
"""Steps of one partition. Beyond, older ones are thinned out (`thinning`). Every round reads and writes all of them."""
RING: Final = 10
"""Sampled ends of one partition that are remembered as they were, flat ones too: Burrow's ring."""

BATCH_BEGIN: Final = "batch_begin"
"""Sampler of a step: the end offset when a batch was appended that was there before the first sample."""
BATCH_END: Final = "batch_end"
"""Sampler of a step: the end offset behind that batch."""

MISSED_ONCE: Final = "missed_once"
"""Sampler of a partition that the last round did not find. Between two leaders a partition may be left out once: its end counts."""
MISSED: Final = "missed"
"""Sampler of a partition that round after round does not find: its end is not known now, only what it was."""
MISSED_AFTER_MS: Final = 90_000
"""An end is known for so long at least, however fast rounds follow one another."""

STEP: Final = pa.struct(
    [
        ("leo", _long),
        ("log_start", _long),
        ("begin_ms", _long),  # the end offset was this at some moment in [begin_ms, end_ms]
        ("end_ms", _long),
        ("topic_epoch", _int),  # counts up when the topic was deleted and made again
        ("sampler", _text),
        ("exact", _flag),  # whatever lies between the step before and this one was appended at end_ms
        ("start_moved", _flag),  # log_start was another one in the sample before
    ]
)

ENDS: Final = pa.schema(
    [
        ("cluster", _text),
        ("topic", _text),
        ("partition", _int),
        # the newest sample
        ("topic_id", _text),
        ("topic_epoch", _int),
        ("leo", _long),
        ("lso", _long),
        ("readable_end", _long),
        ("log_start", _long),
        ("leader_epoch", _int),
        ("begin_ms", _long),
        ("end_ms", _long),
        ("sampler", _text),
        # the samples before it
        ("ring", pa.list_(_long)),  # the last sampled end offsets, newest last
        ("steps", pa.list_(STEP)),
    ]
)


def end_steps(ends: DataFrame) -> DataFrame:
    """`s_leo` of the table `ends`."""
    from pyspark.sql import functions as F

    rows = ends.select(*TOPIC_PARTITION, F.explode("steps").alias("step"))
    return rows.select(*TOPIC_PARTITION, "step.*").select(TABLES["s_leo"].names)
