"""`muster pipeline run`: flags become a source, a lake and a session.

Progress goes to stderr. Ctrl-C ends after the batch in work.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from muster.cli import pipeline_words as words
from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.cli.pipeline_answers import UsageError, span_of

if TYPE_CHECKING:
    from muster.pipeline.old.follow import Rhythm, Stop
    from muster.pipeline.old.jobs import RunSettings, Watch
    from muster.pipeline.old.jobs_ingest import Progress
    from muster.pipeline.old.jobs_sources import RunSource
    from muster.pipeline.old.lake import LakeWriter
    from muster.pipeline.session import SessionSettings

_SHORT_JOB_RECORDS = 3_000_000
"""Below, Java's optimising compiler costs more than it gives."""
_IDLE_MS = 5 * 60_000
"""With --follow and nothing new, tables that are younger are left as they are: only ages would change."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--from",
        dest="directories",
        metavar="DIR",
        action="append",
        help="a data directory; repeat it for several disks",
    )
    source.add_argument("--bootstrap", metavar="HOST:PORT", help="a running broker, Muster or Kafka")
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
    parser.add_argument("--lake", metavar="PATH", required=True, help="where the tables go; made if it is not there")
    parser.add_argument(
        "--table-format",
        choices=("parquet", "delta"),
        help="delta keeps Delta's transaction logs beside the files (what the lake has; parquet for a new one)",
    )
    parser.add_argument("--cluster", metavar="NAME", help="name the cluster (its own id)")
    parser.add_argument("--follow", action="store_true", help="go on until Ctrl-C")
    parser.add_argument("--every", metavar="SPAN", default="10s", help="with --follow: how often to read (10s)")
    parser.add_argument(
        "--gold-every", metavar="SPAN", default="60s", help="with --follow: how often to make gold (60s)"
    )
    parser.add_argument("--batch-records", metavar="N", type=int, help="at most N offsets of a log partition a batch")
    parser.add_argument(
        "--offsets-retention", metavar="SPAN", default="7d", help="the broker's offsets.retention.minutes (7d)"
    )
    parser.add_argument(
        "--at", metavar="MS", type=int, help="the moment the tables speak of, in milliseconds since 1970"
    )
    parser.add_argument(
        "--allowed-lag",
        metavar="N",
        type=int,
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
    spark.add_argument(
        "--conf", metavar="NAME=VALUE", action="append", default=[], help="any Spark setting; repeatable"
    )
    spark.add_argument("--packages", metavar="MAVEN", action="append", default=[], help="Maven packages; repeatable")


def run(arguments: argparse.Namespace) -> int:
    try:
        from muster.pipeline.old.jobs_failure import JobError
        from muster.pipeline.old.lake import Lake
        from muster.pipeline.old.manifest import LakeError
        from muster.pipeline.session import SessionError, require_packages
        from muster.pipeline.sources.failure import SourceError
    except ImportError as error:
        return _say(f"this needs {error.name}: pip install 'muster-kafka[pipeline]'", USAGE)
    try:
        require_packages()
        settings = _run_settings(arguments)
        _rhythm(arguments)
        source = _source(arguments)
        lake = Lake.open_or_create(arguments.lake, arguments.table_format)
        with lake.write() as writer:
            return _run(arguments, source, writer, settings)
    except (UsageError, LakeError) as error:
        return _say(str(error), USAGE)
    except (SessionError, SourceError, JobError) as error:
        return _say(str(error), FAILED)
    except KeyboardInterrupt:
        return _say("interrupted; nothing half-done is visible, the same command goes on where it was", FAILED)


def _run(arguments: argparse.Namespace, source: RunSource, writer: LakeWriter, settings: RunSettings) -> int:
    from muster.pipeline.old.follow import Patience, Stop, follow
    from muster.pipeline.old.jobs import gold_round, read_round
    from muster.pipeline.old.jobs_failure import JobError
    from muster.pipeline.session import open_session
    from muster.pipeline.sources.failure import SourceError

    stop = Stop()
    watch = _watch(stop)
    behind = 0
    _tell(f"starting Spark on {arguments.master}")
    with (
        open_session(_session(arguments, source, writer)) as spark,
        # Inside the session: Spark has a handler of its own for Ctrl-C, which would cut the batch in work short.
        stop.on_signals(lambda: _tell("stopping after the batch in work; Ctrl-C again interrupts it")),
    ):

        def read() -> None:
            nonlocal behind
            progress = read_round(spark, writer, source, settings, watch)
            behind = progress.behind
            _summary(progress)

        def make_gold() -> None:
            began = time.monotonic()
            if gold_round(spark, writer, source, settings, watch, provisional=behind > 0):
                _tell(f"tables published, revision {writer.manifest.revision}, {time.monotonic() - began:.1f} s")
            else:
                _tell("the tables are up to date")

        if arguments.follow:
            patience = Patience((SourceError, JobError), lambda error: _tell(f"{error}; trying again"))
            follow(read, make_gold, stop, _rhythm(arguments), time.monotonic, patience)
            _tell("stopped; the same command goes on here")
            return DONE
        read()
        if stop():
            return _say("stopped before the tables were made; the same command goes on here", FAILED)
        make_gold()
    return DONE


def _rhythm(arguments: argparse.Namespace) -> Rhythm:
    from muster.pipeline.old.follow import Rhythm

    return Rhythm(span_of(arguments.every, "--every") / 1000, span_of(arguments.gold_every, "--gold-every") / 1000)


def _watch(stop: Stop) -> Watch:
    from muster.pipeline.old.jobs import Watch

    began = time.monotonic()

    def batch(progress: Progress) -> None:
        rate = progress.records / max(time.monotonic() - began, 0.001)
        _tell(
            f"batch {progress.batches}: {words.plural(progress.records, 'record')} read, {progress.behind:,} behind, {rate:,.0f}/s"
        )

    return Watch(batch=batch, step=lambda name: _tell(f"making {name}"), stopped=stop)


def _summary(progress: Progress) -> None:
    for warning in progress.warnings:
        _tell(f"warning: {warning}")
    if not progress.batches:
        _tell("nothing new in the log")


def _source(arguments: argparse.Namespace) -> RunSource:
    from muster.pipeline.old.jobs_sources import broker_source, directory_source
    from muster.pipeline.sources.broker_security import security_in

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
    return connector_is_there(tuple(arguments.packages), _settings_by_name(arguments))


def _packages(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Asked for and not to be found, the connector is fetched: the one of our Spark's version."""
    from muster.pipeline.sources.connector_logs import connector_is_there, own_package

    packages = tuple(arguments.packages)
    if arguments.reader != "connector" or connector_is_there(packages, _settings_by_name(arguments)):
        return packages
    return (*packages, own_package())


def _run_settings(arguments: argparse.Namespace) -> RunSettings:
    from muster.pipeline.old.jobs import RunSettings
    from muster.pipeline.tables.settings import GoldSettings

    if arguments.allowed_lag < 0:
        raise UsageError(f"--allowed-lag must be 0 or more, not {arguments.allowed_lag}")
    gold = GoldSettings(
        now_ms=0,
        offsets_retention_ms=span_of(arguments.offsets_retention, "--offsets-retention"),
        allowed_lag=arguments.allowed_lag,
        clock_skew_ms=span_of(arguments.clock_skew, "--clock-skew"),
    )
    settings = RunSettings(gold=gold, speaks_of_ms=arguments.at, idle_ms=_IDLE_MS if arguments.follow else 0)
    if arguments.batch_records is None:
        return settings
    if arguments.batch_records < 1:
        raise UsageError(f"--batch-records must be 1 or more, not {arguments.batch_records}")
    return replace(settings, batch_records=arguments.batch_records)


def _session(arguments: argparse.Namespace, source: RunSource, writer: LakeWriter) -> SessionSettings:
    from muster.pipeline.old.jobs_ingest import records_ahead
    from muster.pipeline.session import SessionSettings

    # Rows pass through Java only where its own connector fetches them; else it hands out tasks, which any compiler does.
    by_java = getattr(source, "by_connector", False)
    much = by_java and (arguments.follow or records_ahead(writer, source) >= _SHORT_JOB_RECORDS)
    return SessionSettings(
        master=arguments.master,
        app_name="muster pipeline",
        driver_memory=arguments.driver_memory,
        short_job=not much,
        tiny_job=not by_java,
        packages=_packages(arguments),
        extra=_settings_by_name(arguments),
    )


def _settings_by_name(arguments: argparse.Namespace) -> dict[str, str]:
    return dict(_assignment(text) for text in arguments.conf)


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--conf {text}: give NAME=VALUE")
    return name, value


def _tell(line: str) -> None:
    print(f"muster pipeline: {line}", file=sys.stderr, flush=True)


def _say(line: str, code: int) -> int:
    _tell(line)
    return code
