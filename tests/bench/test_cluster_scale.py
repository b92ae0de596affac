"""`python -m bench.cluster_scale` goes through all its stages, with a cluster as small as can be."""

from __future__ import annotations

import re
from struct import pack

import pytest

from bench import cluster_scale
from tests.cluster.cable import StatementCount

QUERY = b"Q" + pack(">I", 12) + b"BEGIN; \0"
PARSE, EXECUTE = b"P" + pack(">I", 9) + b"s\0x\0\0", b"E" + pack(">I", 9) + bytes(5)


@pytest.mark.parametrize("size", range(1, 12))
def test_statements_are_counted_however_their_bytes_are_cut(size: int) -> None:
    sent = pack(">II", 16, 3 << 16) + b"user\0\0Q\0" + QUERY + PARSE + EXECUTE + EXECUTE + b"X" + pack(">I", 4)
    count = StatementCount()
    for at in range(0, len(sent), size):
        count.feed(sent[at : at + size])
    assert count.statements == 3


@pytest.mark.xdist_group("cluster")
def test_two_nodes_and_twenty_groups_are_filled_left_alone_killed_and_added_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster_scale, "IDLE_SECONDS", 1)
    monkeypatch.setattr(cluster_scale, "LEASE_MS", 1_500)
    assert cluster_scale.main(["--nodes", "2", "--partitions", "6", "--groups", "20"]) == 0
    table = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")][1:]
    assert [re.split("[,:]", what)[0].removeprefix("| ") for what, _ in table] == [
        "commits of ten offsets",
        "the database on disk",
        "memory of a node",
        *["idle"] * 4,
        "SIGKILL of a node that leads 3 coordinator partitions",
        "a node is added",
    ]
    sent = re.match(r"(\d+) a second", table[3][1])
    assert sent is not None
    assert int(sent[1]) > 0
