"""`muster produce TOPIC`: the lines of standard input, or of a file, as records.

What has been read is sent at once, so that lines typed on a terminal are written one by one and a big file in batches. Exit
codes: 0 everything is written; 1 something was refused, or a line was no record (it says which; those before it are written).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE, FAILED, INTERRUPTED
from muster.cli.produce.lines import BadLine, LineFormat, parse_headers
from muster.cli.support.cluster_command import note, run_and_report, usable_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.escapes import unescaped
from muster.cli.support.numbers import int32
from muster.cli.support.topic_places import known_topics
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.producing import NewRecord, Producer

_COMMAND: Final = "produce"
_CHUNK_BYTES: Final = 256 * 1024
_BATCH_BYTES: Final = 512 * 1024
"""A batch must fit into the broker's max.message.bytes, which is 1 MiB unless it was changed."""
_RECORD_OVERHEAD: Final = 24
_LONGEST_LINE: Final = 64 * 1024 * 1024
_PROGRESS_SECONDS: Final = 1.0
COMPRESSIONS: Final = ("none", "gzip", "snappy", "lz4", "zstd")

_EXAMPLES = """\
examples:
  muster produce orders < orders.txt                         a record a line, spread over the partitions in turn
  printf 'ada:1\\nbob:2\\n' | muster produce orders --key-separator :
  muster produce orders --file orders.jsonl --from-json --compression zstd
  muster consume orders --from-beginning --until-end --json | muster produce copy --from-json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("topic", metavar="TOPIC")
    parser.add_argument("--file", metavar="FILE", help="read this instead of standard input")
    parser.add_argument("--key-separator", metavar="TEXT", help=r"lines are KEY, this, VALUE; \t is a tab")
    parser.add_argument("--null", metavar="TEXT", help="a value or key that is this text is none (a tombstone)")
    parser.add_argument(
        "--from-json", action="store_true", help="lines are JSON objects as `muster consume --json` writes them"
    )
    parser.add_argument("--header", metavar="NAME=VALUE", action="append", default=[], help="for every record")
    parser.add_argument("--partition", metavar="N", type=int32, help="(default: by the key, or in turn)")
    parser.add_argument("--acks", choices=("all", "1", "0"), default="all", help="who has it before going on (all)")
    parser.add_argument("--compression", choices=COMPRESSIONS, default="none")
    parser.add_argument("--quiet", action="store_true", help="do not say how much was written")
    parser.add_argument("--json", action="store_true", help="a JSON object a record: where it is")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return run_and_report(_COMMAND, lambda: _produce(arguments))


def _produce(arguments: argparse.Namespace) -> int:
    """Reading blocks; the cluster is talked to in between. There is nothing to do for it while nothing is read."""
    lines = _line_format(arguments)
    descriptor = _opened(arguments)
    with asyncio.Runner() as runner:
        cluster = usable_cluster(arguments)
        writing = Writing(arguments, lines)
        try:
            runner.run(writing.begin(cluster))
            for chunk in read_lines(descriptor):
                runner.run(writing.write(chunk))
                writing.show_progress()
        except BadLine as error:
            writing.say_progress()
            note(_COMMAND, f"line {writing.lines + 1}: {error}")
            return FAILED
        except KeyboardInterrupt:
            writing.say_progress()
            return INTERRUPTED
        finally:
            runner.run(cluster.close())
    writing.say_progress()
    return DONE


class Writing:
    """How far it is."""

    def __init__(self, arguments: argparse.Namespace, form: LineFormat) -> None:
        self._topic: str = arguments.topic
        self._arguments = arguments
        self._form = form
        self._producer: Producer
        self.lines = 0
        self._bytes = 0
        self._shown_at = time.monotonic()

    async def begin(self, cluster: Cluster) -> None:
        from muster.client.producing import Producer

        (topic,) = await known_topics(cluster, [self._topic], "write to")
        partition, count = self._arguments.partition, len(topic.partitions)
        if partition is not None and not 0 <= partition < count:
            raise UsageError(f"--partition {partition}: topic {self._topic} has 0 to {count - 1}")
        self._producer = Producer(cluster, compression=self._arguments.compression, acks=self._arguments.acks)

    async def write(self, lines: list[bytes]) -> None:
        """BadLine after those before it were written; ClientError says which lines may not have been."""
        from muster.client.failure import ClientError

        records: list[NewRecord] = []
        bad: BadLine | None = None
        for line in lines:
            try:
                records.append(self._form.record(line))
            except BadLine as error:
                bad = error
                break
        at = 0
        for batch in batches(records):
            try:
                places = await self._producer.send(self._topic, batch)
            except ClientError as failure:
                first = self.lines + 1
                which = f"line {first}" if len(batch) == 1 else f"lines {first} to {first + len(batch) - 1}"
                detail = f"{failure.detail or 'refused'}; {which} may not be written, what came before is"
                raise ClientError(failure.code, failure.asked, detail, failure.hint) from None
            self._written(lines[at : at + len(batch)], places)
            at += len(batch)
        if bad is not None:
            raise bad

    def _written(self, lines: list[bytes], places: list[tuple[int, int]]) -> None:
        self.lines += len(lines)
        self._bytes += sum(map(len, lines))
        if self._arguments.json:
            for partition, offset in places:
                row = {"topic": self._topic, "partition": partition, "offset": offset if offset >= 0 else None}
                sys.stdout.write(json.dumps(row) + "\n")
            sys.stdout.flush()

    def show_progress(self) -> None:
        """On a terminal, once a second, over itself."""
        now = time.monotonic()
        if self._arguments.quiet or not sys.stderr.isatty() or now - self._shown_at < _PROGRESS_SECONDS:
            return
        self._shown_at = now
        print(f"\r{self._said()}", end="", file=sys.stderr, flush=True)

    def say_progress(self) -> None:
        if not self._arguments.quiet:
            start = "\r" if sys.stderr.isatty() else ""
            print(f"{start}{self._said()}", file=sys.stderr, flush=True)

    def _said(self) -> str:
        records = f"{self.lines:,} record" + ("" if self.lines == 1 else "s")
        size = f"{self._bytes:,} byte" + ("" if self._bytes == 1 else "s")
        if self._bytes >= 100_000:
            size = f"{self._bytes / 1e6:,.1f} MB"
        return f"{records} ({size}) written to {self._topic}"


def _line_format(arguments: argparse.Namespace) -> LineFormat:
    if arguments.from_json and (arguments.key_separator or arguments.null is not None):
        raise UsageError("--from-json says keys and nulls itself: leave --key-separator and --null out")
    separator = arguments.key_separator
    return LineFormat(
        key_separator=unescaped(separator, "--key-separator").encode() if separator is not None else None,
        null=arguments.null.encode() if arguments.null is not None else None,
        headers=parse_headers(arguments.header),
        partition=arguments.partition,
        as_json=arguments.from_json,
    )


def _opened(arguments: argparse.Namespace) -> int:
    if arguments.file is None:
        if sys.stdin.isatty() and not arguments.quiet:
            print(f"a line is a record of {arguments.topic}; Ctrl-D ends", file=sys.stderr, flush=True)
        return sys.stdin.fileno()
    try:
        descriptor = os.open(arguments.file, os.O_RDONLY)
    except OSError as error:
        raise UsageError(f"--file {arguments.file}: {error.strerror}") from None
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        raise UsageError(f"--file {arguments.file}: this is a directory")
    return descriptor


def read_lines(descriptor: int) -> Iterator[list[bytes]]:
    """The lines of what there is to read now, again and again; a last line without its end counts."""
    rest = b""
    while chunk := os.read(descriptor, _CHUNK_BYTES):
        *whole, rest = (rest + chunk).split(b"\n")
        if whole:
            yield whole
        if len(rest) > _LONGEST_LINE:
            raise BadLine(f"it is longer than {_LONGEST_LINE:,} bytes")
    if rest:
        yield [rest]


def batches(records: list[NewRecord]) -> Iterator[list[NewRecord]]:
    """Each small enough for a broker, whatever partitions its records go to; one that is too large is for the broker to refuse."""
    batch: list[NewRecord] = []
    size = 0
    for record in records:
        headers = sum(len(name) + len(value or b"") + 2 for name, value in record.headers)
        own = len(record.value or b"") + len(record.key or b"") + headers + _RECORD_OVERHEAD
        if batch and size + own > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += own
    if batch:
        yield batch
