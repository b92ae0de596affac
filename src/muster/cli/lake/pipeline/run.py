"""`muster pipeline run`: flags become a source, a lake and a session.

Progress goes to stderr. Ctrl-C ends after the batch in work.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from muster.cli.exit_codes import DONE, FAILED, INTERRUPTED, USAGE
from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_argument
from muster.cli.support.connection_flags import BOOTSTRAP_VARIABLE
from muster.cli.support.numbers import int32, int64, moment_ms, port
from muster.cli.support.spark_flags import add_setting_arguments, named_settings
from muster.cli.support.time_spans import parse_span
from muster.cli.support.usage_error import UsageError
from muster.extras import install_command

if TYPE_CHECKING:
    from muster.pipeline.lake.compact import Compacted
    from muster.pipeline.lake.location import Location
    from muster.pipeline.round_settings import Done
    from muster.pipeline.session import SessionSettings
    from muster.pipeline.sources.run_source import RunSource
    from muster.pipeline.stopping import Stop
    from muster.pipeline.stream import PipelineQuery, Progress, QuerySettings, Watch
    from muster.pipeline.tables.settings import GoldSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=not os.environ.get(BOOTSTRAP_VARIABLE))
    source.add_argument(
        "--from",
        dest="directories",
        metavar="DIR",
        action="append",
        help="a data directory; repeat it for several disks",
    )
    source.add_argument(
        "--bootstrap", metavar="HOST:PORT", help=f"a running broker, Muster or Kafka (default: {BOOTSTRAP_VARIABLE})"
    )
    parser.add_argument(
        "--command-config", metavar="FILE", help="with --bootstrap: Kafka's client properties for TLS and SASL"
    )
    parser.add_argument(
        "--reader",
        choices=("auto", "own", "connector"),
        default="auto",
        help="with --bootstrap: Muster's own reader, or Spark's Kafka connector; auto takes the connector where it is named "
        "(--packages, --conf spark.jars) or among Spark's jars (auto)",
    )
    add_lake_argument(parser, "where the tables go, made if it is not there: a path, hdfs://..., s3a://...")
    parser.add_argument("--cluster", metavar="NAME", help="name the cluster (its own id)")
    parser.add_argument("--follow", action="store_true", help="go on until Ctrl-C")
    parser.add_argument("--every", metavar="SPAN", default="10s", help="with --follow: how often to read (10s)")
    parser.add_argument(
        "--gold-every", metavar="SPAN", default="60s", help="with --follow: how often to make gold (60s)"
    )
    parser.add_argument(
        "--compact-every",
        metavar="SPAN",
        default="24h",
        help="with --follow: how often to merge small files and drop what is older than its retention, as "
        "`muster pipeline compact` does without flags; 0 or never: not at all (24h)",
    )
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="first make every table anew from the lake's own log table; refused once retention has dropped rows of it, and for a "
        "lake of another layout version",
    )
    parser.add_argument(
        "--batch-records",
        metavar="N",
        type=int32,
        help="at most N records of a log partition a batch (500000); a half of it with more than 16 log partitions, a third with "
        "more than 32 and so on, because 16 tasks hold the new rows; with the connector N offsets of those of a task together",
    )
    parser.add_argument(
        "--offsets-retention", metavar="SPAN", default="7d", help="the broker's offsets.retention.minutes (7d)"
    )
    parser.add_argument(
        "--at", metavar="MS", type=moment_ms, help="the moment the tables speak of, in milliseconds since 1970"
    )
    parser.add_argument(
        "--allowed-lag",
        metavar="N",
        type=int64,
        default=0,
        help="so many records behind count as none (0; 1 for transactions)",
    )
    parser.add_argument(
        "--clock-skew",
        metavar="SPAN",
        default="0s",
        help="how far the brokers' clocks may be apart; widens brackets (0s)",
    )
    _add_spark_arguments(parser)


def _add_spark_arguments(parser: argparse.ArgumentParser) -> None:
    spark = parser.add_argument_group("Spark")
    spark.add_argument(
        "--master", default="local[*]", help="local[N], spark://HOST:PORT, yarn, k8s://... or sc://HOST:PORT (local[*])"
    )
    spark.add_argument("--driver-memory", metavar="SIZE", default="1g", help="heap of the driver's Java (1g)")
    add_setting_arguments(spark)
    spark.add_argument(
        "--ui", metavar="PORT", nargs="?", type=port, const=0, help="show Spark's web page, on this port (any free one)"
    )


def run(arguments: argparse.Namespace) -> int:
    if not arguments.directories and not arguments.bootstrap:
        arguments.bootstrap = os.environ[BOOTSTRAP_VARIABLE]
    try:
        from muster.pipeline.failure import JobError
        from muster.pipeline.lake.errors import LakeError, StoreError
        from muster.pipeline.session import SessionError, require_packages
        from muster.pipeline.session_cache import cache_directory
        from muster.pipeline.session_python import keep_bytecode
        from muster.pipeline.sources.failure import SourceError
    except ImportError as error:
        return _say(f"this needs {error.name}: {install_command('pipeline')}", USAGE)
    try:
        require_packages()
        keep_bytecode(cache_directory())
        return _run(arguments)
    except (SessionError, SourceError, JobError, StoreError) as error:
        return _say(str(error), FAILED)
    except (UsageError, LakeError) as error:
        return _say(str(error), USAGE)
    except KeyboardInterrupt:
        return _say("interrupted; nothing half-done is visible, the same command goes on where it was", INTERRUPTED)


def _run(arguments: argparse.Namespace) -> int:
    from muster.pipeline.lake.location import Location
    from muster.pipeline.lake.rounds import open_or_create
    from muster.pipeline.lake.writer_lock import only_writer
    from muster.pipeline.log_reading import waiting
    from muster.pipeline.round import RoundWriter
    from muster.pipeline.round_settings import RoundSettings
    from muster.pipeline.session import is_submitted, open_session, web_page
    from muster.pipeline.stopping import Stop
    from muster.pipeline.stream import PipelineQuery

    gold, query_settings = _gold_settings(arguments), _query_settings(arguments)
    location = Location.parse(arguments.lake, named_settings(arguments.conf))
    source = _source(arguments)
    open_or_create(location)
    stop = Stop()
    with only_writer(location) as still_writer:
        writer = RoundWriter(location, source, RoundSettings(gold, arguments.at))
        writer.check()
        pending = sum(sum(places.values()) for places in waiting(location, source).values())
        _tell(f"starting Spark on {'the master of spark-submit' if is_submitted() else arguments.master}")
        with (
            open_session(_session(arguments, location, pending)) as spark,
            # Inside the session: Spark has a handler of its own for Ctrl-C, which would cut the batch in work short.
            stop.on_signals(lambda: _tell("stopping after the batch in work; Ctrl-C again interrupts it")),
        ):
            if arguments.ui is not None:
                _tell(f"Spark's web page: {web_page(spark) or 'ask the server for its address'}")
            query = PipelineQuery(spark, location, source, writer, query_settings, _watch(), stop)
            return _steps(arguments, query, stop, still_writer)


def _steps(arguments: argparse.Namespace, query: PipelineQuery, stop: Stop, still_writer: Callable[[], None]) -> int:
    if arguments.rebuild:
        query.rebuild()
    if arguments.follow:
        query.follow(still_writer)
        _tell("stopped; the same command goes on here")
        return DONE
    if not query.run():
        return _say("stopped before the tables were made; the same command goes on here", FAILED)
    return DONE


def _watch() -> Watch:
    from muster.pipeline.stream import Watch

    began = time.monotonic()

    def progress(so_far: Progress) -> None:
        rate = so_far.records / max(time.monotonic() - began, 0.001)
        records = words.plural(so_far.records, "record")
        _tell(f"batch {so_far.rounds}: {records} read, {so_far.behind:,} behind, {rate:,.0f}/s")

    def gold(done: Done | None) -> None:
        if done is None:
            _tell("the tables are up to date")
        else:
            so_far = ", provisional: the log was not yet read to its end" if done.provisional else ""
            _tell(f"tables published, round {done.round}, {done.seconds:.1f} s{so_far}")

    def compacted(done: Compacted) -> None:
        _tell(f"compacted: {words.compaction(done)}")

    return Watch(progress=progress, gold=gold, compacted=compacted, warn=lambda text: _tell(f"warning: {text}"))


def _source(arguments: argparse.Namespace) -> RunSource:
    from muster.pipeline.sources.broker_security import security_in
    from muster.pipeline.sources.run_source import broker_source, directory_source

    if arguments.directories:
        for flag, is_given in (
            ("--command-config", arguments.command_config),
            ("--reader", arguments.reader != "auto"),
        ):
            if is_given:
                raise UsageError(f"{flag} is for a broker: it goes with --bootstrap, not with --from")
        return directory_source(tuple(arguments.directories), arguments.cluster, is_live=arguments.follow)
    given = {} if arguments.command_config is None else {"security": security_in(arguments.command_config)}
    return broker_source(arguments.bootstrap, arguments.cluster, by_connector=_by_connector(arguments), **given)


def _by_connector(arguments: argparse.Namespace) -> bool:
    from muster.pipeline.sources.connector_logs import connector_is_there

    if arguments.reader != "auto":
        return bool(arguments.reader == "connector")
    return connector_is_there(tuple(arguments.packages), named_settings(arguments.conf))


def _packages(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Asked for and not to be found, the connector is fetched: the one of our Spark's version."""
    from muster.pipeline.sources.connector_logs import connector_is_there, own_package

    packages = tuple(arguments.packages)
    if arguments.reader != "connector" or connector_is_there(packages, named_settings(arguments.conf)):
        return packages
    return (*packages, own_package())


def _gold_settings(arguments: argparse.Namespace) -> GoldSettings:
    from muster.pipeline.tables.settings import GoldSettings

    if arguments.allowed_lag < 0:
        raise UsageError(f"--allowed-lag must be 0 or more, not {arguments.allowed_lag}")
    return GoldSettings(
        now_ms=0,
        offsets_retention_ms=parse_span(arguments.offsets_retention, "--offsets-retention"),
        allowed_lag=arguments.allowed_lag,
        clock_skew_ms=parse_span(arguments.clock_skew, "--clock-skew"),
    )


def _query_settings(arguments: argparse.Namespace) -> QuerySettings:
    from muster.pipeline.stream import QuerySettings

    settings = QuerySettings(
        every_ms=parse_span(arguments.every, "--every"),
        gold_every_ms=parse_span(arguments.gold_every, "--gold-every"),
        compact_every_ms=_compact_every_ms(arguments.compact_every),
    )
    if arguments.batch_records is None:
        return settings
    if arguments.batch_records < 1:
        raise UsageError(f"--batch-records must be 1 or more, not {arguments.batch_records}")
    return replace(settings, offsets_per_partition=arguments.batch_records)


def _compact_every_ms(text: str) -> int | None:
    """None: never."""
    return None if text in ("0", "never") else parse_span(text, "--compact-every") or None


def _session(arguments: argparse.Namespace, location: Location, pending: int) -> SessionSettings:
    from muster.pipeline.lake.storage_options import spark_s3_settings
    from muster.pipeline.session import SessionSettings

    by_environment = spark_s3_settings(os.environ) if location.url.startswith("s3a:") else {}
    return SessionSettings(
        master=arguments.master,
        app_name="muster pipeline",
        driver_memory=arguments.driver_memory,
        pending_records=None if arguments.follow else pending + _to_fold_anew(arguments, location),
        ui_port=arguments.ui,
        lake_url=location.url,
        packages=_packages(arguments),
        extra={**by_environment, **named_settings(arguments.conf)},
    )


def _to_fold_anew(arguments: argparse.Namespace, location: Location) -> int:
    """Records that the lake has already: a rebuild folds them all, and is no small run where nothing is pending."""
    from muster.pipeline.lake.rounds import last_round

    last = last_round(location) if arguments.rebuild else None
    return 0 if last is None else last.records


def _tell(line: str) -> None:
    print(f"muster pipeline: {line}", file=sys.stderr, flush=True)


def _say(line: str, code: int) -> int:
    _tell(line)
    return code
