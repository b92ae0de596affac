"""`make bench-pipeline`: what is beyond its floor fails the command, and logs have as many partitions as are asked for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench import pipeline
from bench.pipeline_log import append_log, write_log
from muster.pipeline.sources.log_directories import LogFolder
from muster.pipeline.sources.segment_end_offsets import folder_end_offsets

_FINE = {"decode": 1.0, "cpu": 1.0, "clock": 1.0, "worker_mb": 500.0, "java_mb": 500.0, "lake_mb": 9.0}
_FINE |= {"round_cpu": 5.0, "round_clock": 1.0, "micro": 1.0}


@pytest.mark.parametrize(("largest_round", "code"), [(5.0, 0), (50.0, 1)])
def test_what_is_beyond_its_floor_fails_the_command(
    largest_round: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cost of a round against that on a smaller lake; the sizes of both are said."""

    def child(what: str, data: str, *_: str) -> dict[str, float]:
        is_largest = what == "round" and sizes[data] == 8_000_000
        return {**_FINE, "round_cpu": largest_round} if is_largest else dict(_FINE)

    def write(data: Path, records: int, *_: int) -> int:
        sizes[str(data)] = records
        return records

    def nothing(*_: Any, **__: Any) -> None:
        pass

    sizes: dict[str, int] = {}
    instead = {"_small_run": lambda _: 1.0, "_lag_seconds": lambda _: 0.1, "_show_others": nothing}
    instead |= {"_child": child, "write_log": write, "append_log": nothing}
    for name, function in instead.items():
        monkeypatch.setattr(pipeline, name, function)
    assert pipeline.main((2_000_000, 8_000_000)) == code
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "ratio" in line]
    assert "lakes of 8,000,000 and of 2,000,000 records" in line
    assert ("BEYOND THE FLOOR" in line) == bool(code)


def test_log_has_as_many_partitions_as_are_asked_for(tmp_path: Path) -> None:
    assert write_log(tmp_path, 500, log_partitions=50) >= 500
    before = {path: path.stat().st_size for path in tmp_path.glob("__consumer_offsets-*/*.log")}
    assert len(before) == 50
    assert 100 <= append_log(tmp_path, 100, seed=1) < 200
    assert 0 < sum(path.stat().st_size > size for path, size in before.items()) <= 5


def test_topics_have_as_many_minutes_of_history_as_are_asked_for(tmp_path: Path) -> None:
    write_log(tmp_path, 500, log_partitions=4, followed_minutes=90)
    folder = LogFolder("events.topic-7", 19, str(tmp_path / "events.topic-7-19"))
    times = folder_end_offsets([folder])["end_ms"].to_pylist()
    assert [after - before for before, after in pairwise(times[:90])] == [60_000] * 89
