"""When a lake that is followed is compacted: by what the lake says, also after a restart, and never as a reason to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.cli.lake.pipeline.compact import LAYERS
from muster.pipeline import regular_compaction
from muster.pipeline.lake.errors import StoreError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.retention import Retention
from muster.pipeline.regular_compaction import AGAIN_MS, RegularCompaction
from tests.pipeline.lake.delta_lakes import AT_MS, publish, rows_of

DAY_MS = 86_400_000


class Clock:
    now_ms = AT_MS

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def lake(tmp_path: Path) -> Location:
    for minute in range(3):
        publish(tmp_path, appended={"g_lag_history": rows_of("g_lag_history", [{"minute_ms": AT_MS + minute}])})
    return Location.parse(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def warned() -> list[str]:
    return []


def test_lake_that_never_was_is_compacted_at_once_then_when_it_is_time(
    lake: Location, clock: Clock, warned: list[str]
) -> None:
    regular = RegularCompaction(lake, DAY_MS, clock)
    assert regular.is_due(warned.append)
    done = regular.run(warned.append)
    assert done is not None
    assert (done.files_before, done.files_after) == (3, 1)
    assert Lake.open(lake).arrow("g_lag_history").num_rows == 3
    clock.now_ms += DAY_MS - 1
    assert not regular.is_due(warned.append)
    assert not RegularCompaction(lake, DAY_MS, clock).is_due(warned.append), "nor for a run that begins now"
    clock.now_ms += 1
    assert regular.is_due(warned.append)
    assert RegularCompaction(lake, DAY_MS, clock).is_due(warned.append)
    assert warned == []


def test_rounds_that_follow_do_not_forget_when_it_was(lake: Location, clock: Clock, warned: list[str]) -> None:
    RegularCompaction(lake, DAY_MS, clock).run(warned.append)
    publish(lake.delta_url)
    assert not RegularCompaction(lake, DAY_MS, clock).is_due(warned.append)


def test_compaction_that_fails_is_a_warning_and_is_tried_again(
    lake: Location, clock: Clock, warned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError("g_lag_history cannot be compacted: 503 Slow Down")

    regular = RegularCompaction(lake, DAY_MS, clock)
    with monkeypatch.context() as broken:
        broken.setattr(regular_compaction, "compact", fail)
        assert regular.run(warned.append) is None
    assert warned == [
        "the lake was not compacted: g_lag_history cannot be compacted: 503 Slow Down; trying again later"
    ]
    assert not regular.is_due(warned.append), "not with every round"
    clock.now_ms += AGAIN_MS
    assert regular.is_due(warned.append)
    assert regular.run(warned.append) is not None


def test_store_that_does_not_say_when_it_was_is_a_warning(
    lake: Location, clock: Clock, warned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> int:
        raise StoreError("cannot be read")

    monkeypatch.setattr(regular_compaction, "compacted_at", fail)
    regular = RegularCompaction(lake, DAY_MS, clock)
    assert not regular.is_due(warned.append)
    assert not regular.is_due(warned.append)
    assert len(warned) == 1


def test_where_it_is_switched_off_it_is_never_due(lake: Location, clock: Clock, warned: list[str]) -> None:
    assert not RegularCompaction(lake, None, clock).is_due(warned.append)


def test_command_keeps_rows_as_long_as_a_followed_lake_does() -> None:
    assert Retention(**{f"{layer}_days": days for layer, days in LAYERS}) == Retention()
