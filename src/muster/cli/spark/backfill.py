"""`muster spark backfill`: what a stopped query's checkpoint holds becomes the offsets of a group."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import note, run_and_report, usable_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.spark_flags import add_setting_arguments, settings_by_name
from muster.cli.support.tables import Column, show
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.spark.backfill import Plan
    from muster.spark.checkpoint import Checkpoint

_COMMAND: Final = "spark backfill"
_COLUMNS: Final = (
    Column("group", "group"),
    Column("topic", "topic"),
    Column("partition", "partition", right=True),
    Column("before", "before", right=True),
    Column("committed", "offset", right=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--checkpoint",
        metavar="PATH",
        required=True,
        help="checkpointLocation of the query: a directory, or a Hadoop URL",
    )
    parser.add_argument(
        "--group", metavar="NAME", required=True, help="the group to commit to; it must have no members"
    )
    parser.add_argument("--back", action="store_true", help="also where the group is further than the checkpoint")
    parser.add_argument("--dry-run", action="store_true", help="show what would be committed, and commit nothing")
    parser.add_argument("--json", action="store_true", help="a JSON object a partition")
    add_connection_arguments(parser)
    spark = parser.add_argument_group("Spark, for a checkpoint that is neither local nor on HDFS or S3")
    spark.add_argument("--master", default="local[1]", help="where Spark runs (local[1])")
    add_setting_arguments(spark)


def run(arguments: argparse.Namespace) -> int:
    from muster.pipeline.session import SessionError
    from muster.spark.failure import TrackingError

    if not arguments.group:
        note(_COMMAND, "--group is empty: give it a name")
        return 2
    return run_and_report(_COMMAND, lambda: _run(arguments), also=(TrackingError, SessionError))


def _run(arguments: argparse.Namespace) -> int:
    checkpoint = _checkpoint(arguments)

    async def work() -> int:
        async with usable_cluster(arguments) as cluster:
            return await _backfill(cluster, arguments, checkpoint)

    return asyncio.run(work())


def _checkpoint(arguments: argparse.Namespace) -> Checkpoint:
    from muster.spark.checkpoint_files import needs_spark, open_checkpoint, open_checkpoint_by_spark

    if not arguments.checkpoint:
        raise UsageError("--checkpoint is empty: name the checkpointLocation of the query")
    settings = settings_by_name(arguments.conf)
    if not needs_spark(arguments.checkpoint):
        return open_checkpoint(arguments.checkpoint, settings)
    from muster.pipeline.session import SessionSettings, open_session

    if arguments.packages:
        settings["spark.jars.packages"] = ",".join(arguments.packages)
    with open_session(
        SessionSettings(master=arguments.master, app_name="muster spark backfill", extra=settings)
    ) as spark:
        return open_checkpoint_by_spark(spark, arguments.checkpoint)


async def _backfill(cluster: Cluster, arguments: argparse.Namespace, checkpoint: Checkpoint) -> int:
    from muster.spark.backfill import commit_backfill, plan_backfill

    plan = await plan_backfill(cluster, arguments.group, checkpoint, may_go_back=arguments.back)
    if not arguments.dry_run:
        await commit_backfill(cluster, arguments.group, checkpoint, plan)
    for line in _notes(plan, checkpoint, is_dry=arguments.dry_run):
        note(_COMMAND, line)
    show(_COLUMNS, _rows(arguments.group, plan), as_json=arguments.json)
    return DONE


def _notes(plan: Plan, checkpoint: Checkpoint, *, is_dry: bool) -> list[str]:
    query = checkpoint.query
    done = "would be committed" if is_dry else "committed"
    notes = [f"micro-batch {query.batch_id} of query {query.query_id}: {len(plan.offsets)} partitions {done}"]
    if plan.unknown:
        notes.append(f"left out, for the cluster does not have them: {', '.join(map(str, plan.unknown))}")
    if checkpoint.other_sources:
        notes.append(f"{checkpoint.other_sources} of the query's sources read no topics")
    return notes


def _rows(group: str, plan: Plan) -> list[dict[str, Any]]:
    return [
        {
            "group": group,
            "topic": place.topic,
            "partition": place.partition,
            "before": plan.before.get(place),
            "offset": plan.offsets[place],
        }
        for place in sorted(plan.offsets)
    ]
