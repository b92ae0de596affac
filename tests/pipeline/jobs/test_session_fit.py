"""The file that a worker writes to try the lake is gone afterwards, however the trial ends. Without Spark: a stand-in writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline import session_fit
from muster.pipeline.session_fit import SessionError, check_fitness
from muster.pipeline.session_settings import SessionSettings


class Session:
    """Of Spark's session and writer as much as the probe calls. `ends` is called when half of the files are written."""

    def __init__(self, ends: Callable[[], None]) -> None:
        self._ends = ends

    def range(self, *_: int) -> Session:
        return self

    def selectExpr(self, _: str) -> Session:
        return self

    @property
    def write(self) -> Session:
        return self

    def text(self, url: str) -> None:
        root = Path(url.removeprefix("file://"))
        (root / "_temporary" / "0").mkdir(parents=True)
        (root / "_temporary" / "0" / "part-0.txt").write_text("0")
        self._ends()
        (root / "part-0.txt").write_text("0")


def check(lake: Path, ends: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_fit, "probe_workers", lambda *_, **__: None)
    session: Any = Session(ends)
    check_fitness(session, SessionSettings("spark://elsewhere:7077", lake_url=f"file://{lake}"))


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    (tmp_path / "kept").touch()
    return tmp_path


def test_lake_that_can_be_written_is_left_as_it_was(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(lake, lambda: None, monkeypatch)
    assert [entry.name for entry in lake.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    ("error", "told"), [(RuntimeError("no space left"), SessionError), (KeyboardInterrupt(), KeyboardInterrupt)]
)
def test_write_that_ends_half_way_leaves_nothing(
    error: BaseException, told: type[BaseException], lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end() -> None:
        raise error

    with pytest.raises(told):
        check(lake, end, monkeypatch)
    assert [entry.name for entry in lake.iterdir()] == ["kept"]
