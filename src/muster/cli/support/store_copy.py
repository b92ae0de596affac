"""`muster store copy FROM TO`: from a data directory to a PostgreSQL, or back. What is shown meanwhile, and the exit code."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.extras import install_command

if TYPE_CHECKING:
    from muster.topics.copying.contract import Readable, Writable
    from muster.topics.copying.copy import Counted, Progress

COMMAND: Final = "muster store copy"
_BAR: Final = 30
_MEGABYTE: Final = 1_000_000


def add_copy_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="FROM", help="a data directory, or postgresql://...; no server may use it")
    parser.add_argument("target", metavar="TO", help="the same; empty, or what an interrupted copy left")
    parser.add_argument("--json", action="store_true", help="one JSON object a partition: its counts and checksum")


def copy(arguments: argparse.Namespace) -> int:
    from muster.log.contract import StorageError
    from muster.server.setting_sources import refuse_password
    from muster.topics.config_types import ConfigError

    try:
        for place in (arguments.source, arguments.target):
            refuse_password(COMMAND, place)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return USAGE
    try:
        counted = _copied(arguments.source, arguments.target)
    except ImportError:
        print(f"{COMMAND}: psycopg is not installed: {install_command('postgres')}", file=sys.stderr)
        return FAILED
    except (StorageError, OSError) as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return FAILED
    if arguments.json:
        for each in counted:
            print(json.dumps(asdict(each)))
    else:
        records, size = sum(each.records for each in counted), sum(each.size for each in counted)
        print(f"copied and compared {len(counted)} partitions, {records:,} records, {size / _MEGABYTE:,.1f} MB")
    return DONE


def _copied(source_place: str, target_place: str) -> list[Counted]:
    from muster.topics.copying.copy import copy_store

    source = _reading(source_place)
    try:
        target = _writing(target_place)
        is_complete = False
        try:
            counted = copy_store(source, target, _show if sys.stderr.isatty() else lambda progress: None)
            left_out = source.left_out()
            is_complete = True
        finally:
            target.release(is_complete=is_complete)
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr)
    finally:
        source.close()
    for each in left_out:
        print(f"left out: {each}; `muster cluster check` says what can be done", file=sys.stderr)
    return counted


def _is_database(place: str) -> bool:
    return place.startswith(("postgresql://", "postgres://"))


def _reading(place: str) -> Readable:
    if _is_database(place):
        from muster.topics.copying.postgres_side import PostgresReading

        return PostgresReading(place)
    from muster.topics.copying.file_side import DirectoryReading

    return DirectoryReading(place)


def _writing(place: str) -> Writable:
    if _is_database(place):
        from muster.topics.copying.postgres_side import PostgresWriting

        return PostgresWriting(place)
    from muster.topics.copying.file_side import DirectoryWriting

    return DirectoryWriting(place)


def _show(progress: Progress) -> None:
    share = min(1.0, progress.done_bytes / progress.all_bytes) if progress.all_bytes else 1.0
    bar = "#" * round(share * _BAR)
    line = (
        f"{progress.step} [{bar:<{_BAR}}] {share:4.0%} {progress.done_bytes / _MEGABYTE:,.1f} MB, {progress.partition}"
    )
    print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)
