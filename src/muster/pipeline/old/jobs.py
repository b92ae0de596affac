"""One round of the pipeline: read what is new, sample the ends, make silver and gold. Thin: the work is in the two jobs it calls.

Called by `muster pipeline run` once, and again and again by `follow`. Time comes from a clock that is passed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from muster.pipeline.old.jobs_ends import add_end_offsets
from muster.pipeline.old.jobs_failure import clear_errors
from muster.pipeline.old.jobs_ingest import BATCH_RECORDS, Progress, ingest
from muster.pipeline.old.jobs_publish import newest_ms, publish
from muster.pipeline.old.jobs_sources import RunSource
from muster.pipeline.old.lake import LakeWriter, now_ms
from muster.pipeline.tables.settings import GoldSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class RunSettings:
    batch_records: int = BATCH_RECORDS
    gold: GoldSettings = GoldSettings(now_ms=0)  # noqa: RUF009  # frozen, and its moment is set by each round
    speaks_of_ms: int | None = None
    """The moment that gold speaks of; by default now, and for a directory the newest time in it."""
    idle_ms: int = 0
    """Where nothing is new, gold of a running broker is made again only when it is older than this."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how a round goes."""

    batch: Callable[[Progress], None] = lambda _: None
    step: Callable[[str], None] = lambda _: None
    stopped: Callable[[], bool] = lambda: False


def read_round(
    spark: SparkSession, writer: LakeWriter, source: RunSource, settings: RunSettings, watch: Watch
) -> Progress:
    """Everything that is new in the logs."""
    with clear_errors("reading the log"):
        return ingest(
            spark, writer, source, batch_records=settings.batch_records, watch=watch.batch, stopped=watch.stopped
        )


def gold_round(
    spark: SparkSession,
    writer: LakeWriter,
    source: RunSource,
    settings: RunSettings,
    watch: Watch,
    provisional: bool = False,
    clock: Callable[[], int] = now_ms,
) -> bool:
    """How far the topics go, then silver and gold. False if the tables are already those of everything that there is.

    The ends are sampled after the logs were read: none is older than a commit that it is compared with (trap 20).
    """
    watch.step("end offsets")
    is_done = _is_published(writer) and settings.speaks_of_ms in (None, writer.manifest.gold_at_ms)
    now = clock() if source.is_live else newest_ms(writer)
    is_young = not source.is_live or now - writer.manifest.gold_at_ms < settings.idle_ms
    added = add_end_offsets(writer, source, now, only_changes=is_done and is_young)
    if is_done and not added:
        return False
    moment = settings.speaks_of_ms
    if moment is None:
        moment = clock() if source.is_live else newest_ms(writer)
    with clear_errors("making the tables"):
        publish(spark, writer, replace(settings.gold, now_ms=moment, provisional=provisional), watch.step)
    return True


def _is_published(writer: LakeWriter) -> bool:
    """Nothing was read since gold was made."""
    return writer.manifest.gold_of_revision == writer.manifest.revision - 1
