"""`make dist` puts one file of each form into dist/, and says so when the compiled one came out as plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import dist

SDIST, PURE, COMPILED = "muster-1.tar.gz", "muster-1-py3-none-any.whl", "muster-1-cp311-cp311-linux_x86_64.whl"


class Builds:
    """Stands in for uv: writes the files that the next build makes, beside the .gitignore that uv always writes."""

    def __init__(self, *made: list[str]) -> None:
        self.left = list(made)
        self.commands: list[list[str]] = []
        self.pure: list[str] = []

    def __call__(self, command: list[str], environment: dict[str, str]) -> None:
        self.commands.append(command)
        self.pure.append(environment["MUSTER_PURE"])
        folder = Path(command[command.index("--out-dir") + 1])
        for name in (*self.left.pop(0), ".gitignore"):
            (folder / name).write_text("made")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(dist, "DIST", tmp_path)
    return tmp_path


def test_every_form_is_built_and_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds = Builds([SDIST], [PURE], [COMPILED])
    monkeypatch.setattr(dist, "run", builds)
    sdist = dist.build("--sdist", "here", pure=True)
    made = [sdist, dist.build("--wheel", str(sdist), pure=True), dist.build("--wheel", str(sdist), pure=False)]
    assert made == [folder / SDIST, folder / PURE, folder / COMPILED]
    assert sorted(folder.iterdir()) == sorted(made)
    assert builds.pure == ["1", "1", ""]
    assert not any("--quiet" in command for command in builds.commands), "what the build says is to be seen"


def test_a_compiled_wheel_that_came_out_as_plain_python_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dist, "run", Builds([PURE], [PURE]))
    dist.build("--wheel", SDIST, pure=True)
    with pytest.raises(SystemExit, match="the compiled wheel came out as plain Python; what the build said is above"):
        dist.build("--wheel", SDIST, pure=False)


def test_a_build_that_makes_nothing_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dist, "run", Builds([]))
    with pytest.raises(SystemExit, match=r"--wheel of x made \[\], not one file"):
        dist.build("--wheel", "x", pure=True)
    assert list(folder.iterdir()) == []
