"""A record whose value is itself a sound record batch, and a server that is killed while it writes it.

The batch inside made recovery take the torn end for damage in the middle, and nothing at all was served. It takes no malice: topics
may carry Kafka's batches. A member's metadata goes to `__consumer_offsets` in the same way.
"""

from __future__ import annotations

import os
from pathlib import Path

from muster.core.hashing import partition_for
from muster.wire.batch import Record, encode_batch, with_offset_and_epoch
from muster.wire.errors import NONE
from tests.security.attacks.asking import list_latest, produce, said
from tests.server.groups.muster_process import MusterProcess

FIRST = "00000000000000000000.log"


def batches_inside(offsets: range) -> bytes:
    """Sound batches with the offsets that the log gives out next."""
    inner = encode_batch([Record(0, 1_000, b"k", b"inner")])
    return b"".join(with_offset_and_epoch(inner, offset, 0) for offset in offsets)


def test_a_torn_record_that_holds_batches_is_cut_and_everything_is_served(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with MusterProcess(data) as server:
        server.create_topic("mine", 1)
        with server.client("g") as client:
            assert client.commit("g", ("mine", 0, 7)) == [NONE]
            assert produce(client, "mine", 0, b"first") == (NONE, 0)
            whole = (data / "mine-0" / FIRST).stat().st_size
            assert produce(client, "mine", 0, batches_inside(range(50)) + bytes(5_000)) == (NONE, 1)
    # A write that a signal ends leaves its beginning: how much of it is chance.
    for left in (40, 61, 200, 2_000, 5_000):
        os.truncate(data / "mine-0" / FIRST, whole + left)
        with MusterProcess(data) as server, server.client("g") as client:
            assert client.committed("g", "mine") == 7
            assert list_latest(client, "mine", 0) == (NONE, 1)
            assert produce(client, "mine", 0, batches_inside(range(50)) + bytes(5_000)) == (NONE, 1)
    assert said(data).count("of an unfinished write at position") == 5


def test_a_torn_group_record_that_holds_batches_is_cut_and_the_group_is_served(tmp_path: Path) -> None:
    data = tmp_path / "data"
    log = data / f"__consumer_offsets-{partition_for('g', 4)}" / FIRST
    with MusterProcess(data) as server:
        server.create_topic("orders", 1)
        with server.client("g") as client:
            assert client.commit("g", ("orders", 0, 7)) == [NONE]
            hostile = batches_inside(range(1, 100))
            joined = client.enter("g", protocols=[("range", hostile)]).answer()
            before = log.stat().st_size
            plan = [(joined.member_id, hostile)]
            assert client.sync("g", joined.generation_id, joined.member_id, plan).answer().error_code == NONE
            assert log.stat().st_size > before + len(hostile)
    os.truncate(log, before + len(hostile))
    for journal in data.glob("muster.sync.*"):
        journal.unlink()  # it is written after the log
    with MusterProcess(data) as server, server.client("g") as client:
        assert client.committed("g") == 7
