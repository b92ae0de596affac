"""Records taken out of batches by columns are those that the wire's own decoder finds one by one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from muster.pipeline.sources.batch_scan import scan_batches
from muster.pipeline.sources.record_columns import read_headers, read_records
from muster.wire.batch import Record, decode_records, encode_batch, iterate_batches

_small = st.one_of(st.none(), st.binary(max_size=8))
_bytes = st.one_of(_small, st.integers(0, 20_000).map(bytes))
_times = st.one_of(st.integers(0, 10), st.integers(-(2**40), 2**40))
_headers = st.sampled_from([(), (), (("h", b"v"),), (("a", None), ("b", b""))])
_record = st.tuples(_times, _bytes, _bytes, _headers)
_batch = st.tuples(st.lists(_record, min_size=1, max_size=6), st.sampled_from([0, 0, 1, 2, 3, 4]))


@settings(max_examples=60, deadline=None)
@given(st.lists(_batch, max_size=5), st.integers(1, 60))
def test_any_batches_read_by_columns_as_one_by_one(batches: list[tuple[list[tuple], int]], times: int) -> None:
    """Repeated so that both ways of finding records are taken: all batches in step, and one batch alone."""
    buf = b""
    offset = 0
    for _ in range(times):
        for rows, codec in batches:
            records = [Record(offset + index, *row) for index, row in enumerate(rows)]
            buf += encode_batch(records, compression=codec)
            offset += len(rows)
    scan = scan_batches(buf)
    assert (scan.end, scan.problems, scan.lost) == (len(buf), [], False)
    found = read_records(buf, scan.positions, read_headers(buf, scan.positions))
    assert found.broken == []
    expected = [record for at, header in iterate_batches(buf) for record in decode_records(buf, header, at)]
    assert found.offsets.tolist() == [record.offset for record in expected]
    assert found.timestamps.tolist() == [record.timestamp_ms for record in expected]
    assert found.keys.to_pylist() == [record.key for record in expected]
    assert found.values.to_pylist() == [record.value for record in expected]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_scanned_without_an_exception(content: bytes) -> None:
    scan = scan_batches(content)
    assert 0 <= scan.end <= len(content)


@settings(max_examples=150, deadline=None)
@given(st.lists(_record, min_size=1, max_size=5), st.data())
def test_records_area_with_any_byte_changed_never_raises(rows: list[tuple], data: st.DataObject) -> None:
    """As from a writer that seals nonsense with a right checksum: the batch is broken or reads as the wire reads it."""
    batch = bytearray(encode_batch([Record(index, *row) for index, row in enumerate(rows)]))
    at = data.draw(st.integers(61, len(batch) - 1))
    batch[at] = data.draw(st.integers(0, 255))
    good = encode_batch([Record(9, 1, b"good", b"record")])
    buf = bytes(batch) + good
    positions = [0, len(batch)]
    found = read_records(buf, positions, read_headers(buf, positions))
    assert found.keys.to_pylist()[-1] == b"good"
    assert all(index == 0 for index, _ in found.broken)
