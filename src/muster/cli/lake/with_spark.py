"""What the commands share that have Spark read a lake: its flags, and the session that their work is done in."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from muster.cli.exit_codes import FAILED
from muster.cli.lake.answers import run_on_lake
from muster.cli.support.cluster_command import note
from muster.cli.support.spark_flags import add_setting_arguments, named_settings

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake


def add_spark_arguments(parser: argparse.ArgumentParser) -> None:
    spark = parser.add_argument_group("Spark")
    spark.add_argument("--master", default="local[*]", help="where Spark runs (local[*])")
    add_setting_arguments(spark)


def run_on_spark(command: str, arguments: argparse.Namespace, work: Callable[[Any, Lake], int]) -> int:
    """Do the work in a session that reaches the lake, and return its exit code. A place without a lake is refused before Java
    starts."""

    def in_session() -> int:
        from muster.pipeline.lake.location import Location
        from muster.pipeline.lake.reader import Lake
        from muster.pipeline.lake.storage_options import spark_s3_settings
        from muster.pipeline.session import SessionError, SessionSettings, open_session

        given = named_settings(arguments.conf)
        location = Location.parse(arguments.lake, given)
        lake = Lake.open(location)
        by_environment = spark_s3_settings(os.environ) if location.url.startswith("s3a:") else {}
        settings = SessionSettings(
            master=arguments.master,
            app_name=f"muster {command}",
            pending_records=lake.round.records,
            packages=tuple(arguments.packages),
            extra={**by_environment, **given},
        )
        try:
            with open_session(settings) as spark:
                return work(spark, lake)
        except SessionError as error:
            note(command, str(error))
            return FAILED

    return run_on_lake(command, in_session)
