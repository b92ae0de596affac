"""Records of types that nobody here decodes come out in the data quality, not only in the decoder's counts (trap 12)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muster.core.records import OffsetCommitted
from muster.log.record_codec import encode_record
from muster.wire.batch import encode_pairs, with_offset_and_epoch
from tests.pipeline.stream.lakes import LakeRun, source_of

AT_MS = 1_700_000_000_000
SHARE_GROUP_MEMBER, FROM_THE_FUTURE = b"\x00\x0a\x00\x01g", b"\x00\x63what"


def test_unknown_records_are_counted_where_they_lie(spark: Any, tmp_path: Path) -> None:
    """KIP-932 writes types 9 to 16 into the same log; what comes after them is not invented yet."""
    folder = tmp_path / "data" / "__consumer_offsets-0"
    folder.mkdir(parents=True)
    pairs = [
        encode_record(OffsetCommitted("g", "t", 0, 5, 0, "", AT_MS, -1)),
        (SHARE_GROUP_MEMBER, b"\x00\x00"),
        (FROM_THE_FUTURE, b"\x00\x00"),
        (FROM_THE_FUTURE, None),
    ]
    (folder / f"{0:020d}.log").write_bytes(with_offset_and_epoch(encode_pairs(pairs, AT_MS), 0, 0))
    lake = LakeRun(spark, tmp_path / "lake", source_of(tmp_path / "data", "c")).run()
    (quality,) = lake.arrow("g_data_quality").to_pylist()
    assert (quality["records"], quality["unknown_records"], quality["quarantined"]) == (4, 3, 0)
    assert lake.arrow("g_lag")["committed"].to_pylist() == [5]
