"""`muster log dump PATH...`: every batch and record of segment files, as text or JSON lines.

Exit codes: 0 everything was sound, 1 a batch was not (it is said where; other files are still shown), 2 a path that is no
segment file or partition directory.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any, Protocol

from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.cli.log.words import RecordKind, batch_fields, batch_words, record_fields, record_words
from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from muster.log.contract import StorageError
from muster.log.disk import Disk
from muster.log.segment_batches import checked_batches
from muster.wire.batch import BatchHeader, decode_records
from muster.wire.batch import Record as BatchRecord
from muster.wire.errors import WireError

_KINDS = {CONSUMER_OFFSETS: RecordKind.GROUPS, TRANSACTION_STATE: RecordKind.TRANSACTIONS}
_SEGMENT_ENDINGS = (".log", ".log.cleaned", ".log.swap", ".log.deleted")


class _Printer(Protocol):
    def begin(self, path: str) -> None: ...

    def batch(self, header: BatchHeader, position: int) -> None: ...

    def record(self, header: BatchHeader, record: BatchRecord, kind: RecordKind) -> None: ...

    def undecodable(self, header: BatchHeader, problem: str) -> None: ...


class _Text:
    def begin(self, path: str) -> None:
        print(path)

    def batch(self, header: BatchHeader, position: int) -> None:
        print(f"batch {header.base_offset}..{header.last_offset} at {position}: {batch_words(header)}")

    def record(self, header: BatchHeader, record: BatchRecord, kind: RecordKind) -> None:
        print(f"  {record_words(header, record, kind)}")

    def undecodable(self, header: BatchHeader, problem: str) -> None:
        print(f"  undecodable: {problem}")


class _JsonLines:
    def __init__(self) -> None:
        self._path = ""

    def begin(self, path: str) -> None:
        self._path = path

    def batch(self, header: BatchHeader, position: int) -> None:
        self._print({"kind": "batch", "file": self._path, "position": position, **batch_fields(header)})

    def record(self, header: BatchHeader, record: BatchRecord, kind: RecordKind) -> None:
        self._print({"kind": "record", "file": self._path, **record_fields(header, record, kind)})

    def undecodable(self, header: BatchHeader, problem: str) -> None:
        fields = {"offset": header.base_offset, "type": "undecodable", "problem": problem}
        self._print({"kind": "record", "file": self._path, **fields})

    def _print(self, fields: dict[str, Any]) -> None:
        print(json.dumps(fields, ensure_ascii=False))


def dump(paths: list[str], *, as_json: bool, kind: RecordKind | None) -> int:
    """`kind` None: what the names of the directories say."""
    printer: _Printer = _JsonLines() if as_json else _Text()
    code = DONE
    for path in paths:
        try:
            files = list(_segment_files(path))
        except (OSError, ValueError) as error:
            print(f"muster log dump: {error}", file=sys.stderr)
            return USAGE
        for file in files:
            try:
                _dump_file(file, printer, kind or _kind_by_name(file))
            except BrokenPipeError:  # whoever was reading has seen enough, as `head` does
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return code
            except (StorageError, WireError, OSError) as error:
                print(f"muster log dump: {error}", file=sys.stderr)
                code = FAILED
    return code


def _segment_files(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        os.stat(path)
        if not path.endswith(_SEGMENT_ENDINGS):
            raise ValueError(f"{path}: is no segment file; its name should end in .log")
        yield path
        return
    names = sorted(name for name in os.listdir(path) if name.endswith(".log"))
    if not names:
        raise ValueError(f"{path}: has no .log files; name a partition's directory, such as data/orders-0")
    for name in names:
        yield os.path.join(path, name)


def _kind_by_name(file: str) -> RecordKind:
    directory = os.path.basename(os.path.dirname(os.path.abspath(file)))
    return _KINDS.get(directory.rpartition("-")[0], RecordKind.PLAIN)


def _dump_file(path: str, printer: _Printer, kind: RecordKind) -> None:
    printer.begin(path)
    position = 0
    for header, batch in checked_batches(Disk(), path, os.stat(path).st_size):
        printer.batch(header, position)
        try:
            records = decode_records(batch, header)
        except WireError as error:  # the checksum is right: it was written so
            printer.undecodable(header, str(error))
        else:
            for record in records:
                printer.record(header, record, kind)
        position += header.size
