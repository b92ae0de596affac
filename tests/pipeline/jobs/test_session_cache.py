"""Where a session keeps what the next one can use: at home, or where that cannot be, in a directory that is this user's alone."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from muster.cli.exit_codes import FAILED
from muster.cli.main import main
from muster.pipeline import session
from muster.pipeline.java import Java
from muster.pipeline.session import SessionError, SessionSettings, open_session
from muster.pipeline.session_archive import ClassArchive
from muster.pipeline.session_cache import cache_directory
from muster.pipeline.session_code import package_code

_NOT_OURS = r"is not a directory that this user alone can write to.*set XDG_CACHE_HOME"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is ours among the temporary files, not made yet; below the user's home is a file, so nothing can be made there."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"muster-{os.getuid()}"


def test_the_users_own_cache_directory_is_taken_where_it_can_be_written_to(tmp_path: Path) -> None:
    assert cache_directory({"XDG_CACHE_HOME": str(tmp_path / "x"), "HOME": "/"}) == tmp_path / "x" / "muster"
    assert cache_directory({"HOME": str(tmp_path)}) == tmp_path / ".cache" / "muster"
    assert (tmp_path / ".cache" / "muster").is_dir()


def test_without_a_home_to_write_to_it_is_a_private_directory_among_the_temporary_files(temporary: Path) -> None:
    assert cache_directory() == temporary
    assert stat.S_IMODE(temporary.stat().st_mode) == 0o700
    assert cache_directory() == temporary, "the next session finds what this one kept"
    assert cache_directory({}) == temporary, "not below /tmp/.cache, which may be anybody's"


def test_a_session_starts_from_there(temporary: Path) -> None:
    """All that `open_session` puts into the cache directory, on any master."""
    log = cache_directory() / "spark.log"
    with session._stderr_into(log):
        os.write(2, b"said by Java")
    assert log.read_bytes() == b"said by Java"
    assert package_code(cache_directory()).parent == temporary
    java = Java(Path("/jdk"), 17, "17.0.1")
    assert session._java_environment(java, SessionSettings())["PYSPARK_PYTHON"].startswith(str(temporary))
    assert ClassArchive(java, "4.3.0", Path("/spark")).path.parent == temporary


def _writable_by_all(path: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


def _link_elsewhere(path: Path) -> None:
    path.symlink_to(path.parent, target_is_directory=True)


@pytest.mark.parametrize("made", [_writable_by_all, _link_elsewhere, Path.touch])
def test_a_directory_that_others_may_have_made_is_refused_in_a_line(
    temporary: Path, made: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    made(temporary)
    with pytest.raises(SessionError, match=_NOT_OURS):
        cache_directory()
    assert main(["pipeline", "run", "--from", str(temporary), "--lake", str(temporary / "lake")]) == FAILED
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("made", [_writable_by_all, _link_elsewhere, Path.touch])
def test_a_cache_directory_that_others_may_have_made_is_not_taken(
    temporary: Path, tmp_path: Path, made: Callable[[Path], None]
) -> None:
    shared = tmp_path / "shared"
    (shared / ".cache").mkdir(parents=True)
    made(shared / ".cache" / "muster")
    assert cache_directory({"HOME": str(shared)}) == temporary
    assert cache_directory({"XDG_CACHE_HOME": str(shared / ".cache")}) == temporary


def test_the_users_own_cache_directory_is_made_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        found = cache_directory({"HOME": str(tmp_path)})
        assert cache_directory({"HOME": str(tmp_path)}) == found
    finally:
        os.umask(before)
    assert stat.S_IMODE(found.stat().st_mode) == 0o700


def test_the_log_of_a_start_does_not_begin_with_what_an_earlier_one_said(tmp_path: Path) -> None:
    """In a container both have the same pid."""
    log = tmp_path / "spark-1.log"
    for said in (b"failed", b"failed again"):
        with session._stderr_into(log):
            os.write(2, said)
    assert log.read_bytes() == b"failed again"


def test_two_sessions_that_start_at_once_do_not_write_the_same_file(tmp_path: Path) -> None:
    packed = package_code(tmp_path)
    packed.unlink()
    of_another = packed.with_suffix(".tmp")
    of_another.write_bytes(b"half of it")
    assert package_code(tmp_path) == packed
    assert of_another.read_bytes() == b"half of it"
    assert sorted(tmp_path.iterdir()) == sorted([packed, of_another])


def test_a_full_disk_is_told_in_a_line_and_leaves_nothing(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    monkeypatch.setattr(session, "find_spec", lambda _: object())
    with (
        pytest.raises(SessionError, match=f"^our code cannot be packed into {temporary}: No space left on device$"),
        open_session(SessionSettings(master="sc://127.0.0.1:1")),
    ):
        raise AssertionError("it began")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("master", ["local[1]", "sc://127.0.0.1:1"])
def test_a_session_without_a_place_for_its_files_does_not_begin(temporary: Path, master: str) -> None:
    """Nor is a Connect server blamed for it."""
    if master.startswith("sc:"):
        pytest.importorskip("grpc", reason="Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    temporary.touch()
    with pytest.raises(SessionError, match=f"^{temporary} {_NOT_OURS}"), open_session(SessionSettings(master=master)):
        raise AssertionError("it began")


def test_a_directory_of_another_user_is_refused(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.getuid() + 1
    temporary.with_name(f"muster-{other}").mkdir(0o700)
    monkeypatch.setattr(os, "getuid", lambda: other)
    with pytest.raises(SessionError, match=f"muster-{other} is not a directory that this user alone can write to"):
        cache_directory()


def test_where_nothing_can_be_written_at_all_is_said(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "not" / "there"))
    with pytest.raises(SessionError, match="no directory for temporary files can be written to: No such file"):
        cache_directory()
