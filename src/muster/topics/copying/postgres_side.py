"""A PostgreSQL as one side of a copy: read in one snapshot, written a few megabytes a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, LiteralString, TypeVar
from uuid import UUID

from muster.log.contract import StorageError
from muster.log.postgres.line import Line
from muster.log.postgres.pooler import require_sessions
from muster.log.postgres.schema import check
from muster.topics.catalog_document import DOCUMENT as TOPICS
from muster.topics.catalog_document import StoredTopic, decode_catalog
from muster.topics.copying.contract import StoredBatch, StoredPartition
from muster.topics.copying.mark import MARK, check_mark, encode_mark, refuse_half_copy
from muster.wire.batch import parse_header

if TYPE_CHECKING:
    import psycopg

R = TypeVar("R")

CONNECT_SECONDS: Final = 5
_WHERE: Final = "the database"
_COPY_LOCK: Final = 0x6D7573636F70
"""The advisory lock of whoever copies into a database."""
_ROWS_AT_ONCE: Final = 256
_PARTITIONS: Final = """
SELECT topic, partition, topic_id, epoch, start_offset, end_offset, clean_offset, has_transactions,
    (SELECT coalesce(sum(octet_length(content)), 0)::bigint FROM muster.batches WHERE partition_id = partitions.id)
FROM muster.partitions ORDER BY topic, partition
"""
_BATCHES: Final = """
SELECT segment_base, base_offset, next_offset, max_timestamp, appended_at_ms, content
FROM muster.batches JOIN muster.partitions ON partitions.id = partition_id
WHERE topic = %s AND partition = %s AND batches.next_offset > %s ORDER BY base_offset
"""
_MAKE: Final = """
INSERT INTO muster.partitions (topic, partition, topic_id, epoch, start_offset, end_offset, clean_offset, has_transactions)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (topic, partition) DO UPDATE SET topic_id = excluded.topic_id,
    epoch = excluded.epoch, clean_offset = excluded.clean_offset, has_transactions = excluded.has_transactions
"""
_STORE: Final = """
COPY muster.batches (partition_id, base_offset, next_offset, segment_base, max_timestamp, appended_at_ms, content)
FROM STDIN (FORMAT BINARY)
"""
_STORE_TYPES: Final = ("int8", "int8", "int8", "int8", "int8", "int8", "bytea")


_NO_LIMITS: Final = """
SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN
    ('statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')
"""
"""One side may have to wait for the other for hours. A statement, as in `log.postgres.line`; older databases lack some of them."""


def _require_sessions(url: str) -> None:
    first, second = Line(url, "store copy looks"), Line(url, "store copy looks")
    try:
        require_sessions(first, second)
    finally:
        first.close()
        second.close()


def connect(url: str, purpose: str) -> psycopg.Connection[Any]:
    import psycopg

    def open_one() -> psycopg.Connection[Any]:
        connection = psycopg.connect(
            url,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            application_name=f"muster store copy {purpose}",
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
        )
        connection.execute(_NO_LIMITS)
        connection.autocommit = False
        return connection

    return _ask(open_one)


def _ask(work: Callable[[], R]) -> R:
    """What the database says becomes one line."""
    import psycopg

    try:
        return work()
    except psycopg.Error as error:
        raise StorageError(f"{_WHERE}: {(str(error).strip() or type(error).__name__).splitlines()[0]}") from None


def _keep_nodes_away(connection: psycopg.Connection[Any]) -> None:
    """Nobody can register before this transaction ends. StorageError if a node lives already."""
    _ask(lambda: check(connection))
    connection.rollback()
    _ask(lambda: connection.execute("LOCK TABLE muster.nodes IN SHARE MODE"))
    living = connection.execute(
        "SELECT node_id FROM muster.nodes WHERE lease_until >= now() ORDER BY node_id"
    ).fetchall()
    if living:
        names = ", ".join(str(node_id) for (node_id,) in living)
        raise StorageError(f"{_WHERE}: nodes run on it ({names}): stop them first, or wait until their leases are over")


class PostgresReading:
    """A `Readable`: all of it as of the moment at which it was opened."""

    def __init__(self, url: str, *, is_target: bool = False) -> None:
        """`is_target`: what was just copied is read again, to be compared; whoever wrote it keeps nodes away."""
        import psycopg

        if not is_target:
            _require_sessions(url)
        self._connection = connect(url, "reads")
        try:
            self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            if not is_target:
                _keep_nodes_away(self._connection)
            row = _ask(lambda: self._connection.execute("SELECT cluster_id FROM muster.cluster").fetchone())
            self.cluster_id = str(row[0]) if row is not None else ""
            if not is_target:
                refuse_half_copy(_WHERE, _document(self._connection, MARK))
        except BaseException:
            self._connection.close()
            raise

    def documents(self) -> Mapping[str, bytes]:
        rows = _ask(
            lambda: self._connection.execute(
                "SELECT name, content FROM muster.documents WHERE name <> %s ORDER BY name", (MARK,)
            ).fetchall()
        )
        return {name: bytes(content) for name, content in rows}

    def partitions(self) -> Sequence[StoredPartition]:
        """Of topics that exist. What a deletion that was interrupted has left would become a topic again."""
        topics = self._topics()
        return [
            each
            for each in self._rows()
            if each.topic in topics
            and each.topic_id == topics[each.topic].topic_id
            and each.partition < topics[each.topic].partitions
        ]

    def left_out(self) -> Sequence[str]:
        """Releases up to 0.2 found logs by the names of topics alone, so these may be the topic's own."""
        topics = self._topics()
        return [
            f"{each}: its records are of topic id {UUID(bytes=each.topic_id)}, not of the topic that has the name"
            for each in self._rows()
            if each.size and each.topic in topics and each.topic_id != topics[each.topic].topic_id
        ]

    def _topics(self) -> dict[str, StoredTopic]:
        stored = decode_catalog(_document(self._connection, TOPICS))
        return {topic.name: topic for topic in stored.topics}

    def _rows(self) -> list[StoredPartition]:
        rows = _ask(lambda: self._connection.execute(_PARTITIONS).fetchall())
        return [
            StoredPartition(topic, partition, topic_id.bytes, max(epoch, 0), *facts)
            for topic, partition, topic_id, epoch, *facts in rows
        ]

    def batches(self, partition: StoredPartition, from_offset: int) -> Iterator[StoredBatch]:
        with self._connection.cursor(name="muster_copy", scrollable=False) as cursor:
            cursor.itersize = _ROWS_AT_ONCE
            _ask(lambda: cursor.execute(_BATCHES, (partition.topic, partition.partition, from_offset), binary=True))
            while rows := _ask(lambda: cursor.fetchmany(_ROWS_AT_ONCE)):
                for segment_base, base_offset, next_offset, max_timestamp, appended_at_ms, content in rows:
                    records = parse_header(bytes(content)).record_count
                    yield StoredBatch(
                        segment_base, base_offset, next_offset, records, max_timestamp, appended_at_ms, bytes(content)
                    )

    def close(self) -> None:
        self._connection.close()


class PostgresWriting:
    """A `Writable`. One connection keeps others away, the other one writes. What makes the copy usable, taking the mark away, is
    done by the first: if its session was lost, and others may have come, the copy stays one that is not complete."""

    def __init__(self, url: str) -> None:
        import psycopg

        self._url = url
        _require_sessions(url)
        self._guard = connect(url, "keeps nodes away")
        try:
            self._guard.isolation_level = psycopg.IsolationLevel.READ_COMMITTED  # it sees what the other one writes
            _keep_nodes_away(self._guard)
            row = self._guard.execute("SELECT pg_try_advisory_xact_lock(%s)", (_COPY_LOCK,)).fetchone()
            if row is None or not row[0]:
                raise StorageError(f"{_WHERE}: another `muster store copy` is writing to it")
            self._connection = connect(url, "writes")
        except BaseException:
            self._guard.close()
            raise
        self._connection.autocommit = True
        self._ids: dict[tuple[str, int], int] = {}

    def begin(self, cluster_id: str) -> None:
        mark = _document(self._connection, MARK)
        if mark is not None:
            check_mark(_WHERE, mark, cluster_id)
            return
        row = self._connection.execute(
            "SELECT (SELECT count(*) FROM muster.partitions), (SELECT count(*) FROM muster.documents)"
        ).fetchone()
        if row is not None and any(row):
            raise StorageError(
                f"{_WHERE}: is not empty: it holds {row[0]} partitions and {row[1]} documents; give one on which only"
                " `muster store migrate` was run"
            )
        self._write_document(MARK, encode_mark(cluster_id))

    def end_of(self, partition: StoredPartition) -> int:
        slot = (partition.topic, partition.partition)

        def make() -> tuple[int, int]:
            values = (
                *slot,
                UUID(bytes=partition.topic_id),
                partition.epoch,
                partition.start_offset,
                partition.start_offset,
                partition.clean_offset,
                partition.has_transactions,
            )
            self._connection.execute(_MAKE, values)
            row = self._connection.execute(
                "SELECT id, end_offset FROM muster.partitions WHERE topic = %s AND partition = %s", slot
            ).fetchone()
            assert row is not None, "it was just made"
            return int(row[0]), int(row[1])

        self._ids[slot], end = _ask(make)
        return end

    def append(self, partition: StoredPartition, batches: Iterable[StoredBatch]) -> None:
        partition_id = self._ids[partition.topic, partition.partition]

        def store() -> None:
            end = None
            with self._connection.transaction(), self._connection.cursor() as cursor:
                with cursor.copy(_STORE) as copy:
                    copy.set_types(_STORE_TYPES)
                    for batch in batches:
                        end = batch.next_offset
                        copy.write_row(
                            (
                                partition_id,
                                batch.base_offset,
                                batch.next_offset,
                                batch.segment_base,
                                batch.max_timestamp,
                                batch.appended_at_ms,
                                batch.content,
                            )
                        )
                self._set_end(partition_id, end)

        _ask(store)

    def _set_end(self, partition_id: int, end: int | None) -> None:
        self._connection.execute(
            "UPDATE muster.partitions SET end_offset = greatest(end_offset, %s) WHERE id = %s", (end, partition_id)
        )

    def finish(self, cluster_id: str, partitions: Sequence[StoredPartition], documents: Mapping[str, bytes]) -> None:
        def complete() -> None:
            with self._connection.transaction():
                for partition in partitions:
                    self._set_end(self._ids[partition.topic, partition.partition], partition.end_offset)
                for name, content in documents.items():
                    self._write_document(name, content)
                self._connection.execute("UPDATE muster.cluster SET cluster_id = %s", (cluster_id,))

        self._ask_guard("SELECT 1")
        _ask(complete)

    def _write_document(self, name: str, content: bytes) -> None:
        self._connection.execute(
            "INSERT INTO muster.documents (name, version, content) VALUES (%s, 1, %s)"
            " ON CONFLICT (name) DO UPDATE SET content = excluded.content, version = documents.version + 1",
            (name, content),
        )

    def reading(self) -> PostgresReading:
        return PostgresReading(self._url, is_target=True)

    def release(self, *, is_complete: bool) -> None:
        try:
            if is_complete:
                self._ask_guard("DELETE FROM muster.documents WHERE name = %s", MARK)
                _ask(self._guard.commit)
        finally:
            self._connection.close()
            self._guard.close()

    def _ask_guard(self, statement: LiteralString, *values: str) -> None:
        import psycopg

        try:
            self._guard.execute(statement, values)
        except psycopg.Error as error:
            raise StorageError(
                f"{_WHERE}: the session that kept nodes and other copies away was lost"
                f" ({(str(error).strip() or type(error).__name__).splitlines()[0]}): run this again, it goes on where it was"
            ) from None


def _document(connection: psycopg.Connection[Any], name: str) -> bytes | None:
    row = _ask(lambda: connection.execute("SELECT content FROM muster.documents WHERE name = %s", (name,)).fetchone())
    return bytes(row[0]) if row is not None else None
