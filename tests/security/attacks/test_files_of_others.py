"""Another user of the machine reads the data directory, or puts a symbolic link under a name that the server writes to.

Everything was readable, `.lock` followed a link and truncated its target, and users' credentials could be read for a moment
while they were written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.log.checkpoints import RECOVERY_POINTS
from muster.log.contract import StorageError
from muster.log.directory import journal_path
from muster.log.disk import Disk, write_file
from muster.log.files import FileStore
from tests.log.batches import commit, open_log, put, stage
from tests.security.attacks.forged_frames import kill
from tests.server.groups.muster_process import MusterProcess


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(directory: Path) -> dict[str, int]:
    paths = [directory, *directory.rglob("*")]
    return {str(path.relative_to(directory)): stat.S_IMODE(path.stat().st_mode) for path in paths}


def used(data: Path, *flags: str) -> dict[str, int]:
    """The rights of everything that a server makes in its data directory."""
    with MusterProcess(data, *flags) as server:
        server.create_topic("orders", 2)
        with server.client("g") as client:
            for offset in range(3):
                client.commit("g", ("orders", 0, offset), ("orders", 1, offset))
        found = modes(data)
    assert {".", ".lock", "topics.json", "orders-0", "orders-1/partition.metadata"} <= set(found)
    return found


def test_nobody_else_may_read_anything(tmp_path: Path) -> None:
    for name, mode in used(tmp_path / "data").items():
        assert mode == (0o700 if (tmp_path / "data" / name).is_dir() else 0o600), f"{name} has mode {mode:o}"


def test_the_group_may_read_if_a_setting_says_so_and_nobody_may_write(tmp_path: Path) -> None:
    for name, mode in used(tmp_path / "data", "--set", "muster.data.permissions=group").items():
        assert mode == (0o750 if (tmp_path / "data" / name).is_dir() else 0o640), f"{name} has mode {mode:o}"


def test_a_directory_that_others_may_look_into_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tmp_path.chmod(0o755)
    FileStore(str(tmp_path)).close()
    assert f"{tmp_path}: has mode 0755" in caplog.text
    assert "'chmod 700'" in caplog.text
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755, "it may be somebody else's too"


def test_the_lock_does_not_follow_a_link(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("not the server's")
    data = tmp_path / "data"
    data.mkdir()
    (data / ".lock").symlink_to(precious)
    with pytest.raises(StorageError, match="is a symbolic link"):
        FileStore(str(data))
    assert precious.read_text() == "not the server's"


def test_a_document_does_not_follow_a_link(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("not the server's")
    store = FileStore(str(tmp_path / "data"))
    (tmp_path / "data" / "topics.json.tmp").symlink_to(precious)
    with pytest.raises(StorageError):
        store.write_document("topics.json", b"{}")
    kill(store)
    assert precious.read_text() == "not the server's"


@pytest.mark.parametrize("name", [f"{RECOVERY_POINTS}.tmp", ".kafka_cleanshutdown.tmp"])
def test_what_a_stop_writes_does_not_follow_a_link(tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("not the server's")
    data = tmp_path / "data"
    data.mkdir()
    (data / name).symlink_to(precious)
    store = FileStore(str(data))
    put(store, open_log(store), "v")
    with pytest.raises(StorageError):
        store.close()
    assert precious.read_text() == "not the server's"


def test_the_sync_journal_does_not_follow_a_link_and_commits_do_without_it(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("not the server's")
    data = tmp_path / "data"
    store = FileStore(str(data))
    logs = [open_log(store, partition=partition) for partition in range(2)]
    for log in logs:
        put(store, log, "v")
    Path(journal_path(str(data), 0, 1)).symlink_to(precious)
    for log in logs:
        stage(log, "together")
    assert [failure for _, failure in commit(store)] == [None, None]
    kill(store)
    assert precious.read_text() == "not the server's"


class WatchingDisk(Disk):
    """Sees the rights of a file before anything is written to it."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def write(self, fd: int, parts: object) -> int:
        self.seen.append(stat.S_IMODE(os.fstat(fd).st_mode))
        return super().write(fd, parts)  # type: ignore[arg-type]


def test_credentials_can_be_read_by_nobody_else_at_any_time(tmp_path: Path) -> None:
    leftover = tmp_path / "users.json.tmp"
    leftover.write_text("from a start that was broken off")
    leftover.chmod(0o644)
    reader = leftover.open("rb")
    disk = WatchingDisk()
    disk.is_group_readable = True
    store = FileStore(str(tmp_path), disk=disk)
    store.write_document("users.json", b"secret")
    store.close()
    assert disk.seen[0] == 0o600
    assert stat.S_IMODE((tmp_path / "users.json").stat().st_mode) == 0o600
    assert b"secret" not in reader.read(), "whoever had the old file open has nothing of the new one"
    reader.close()


def test_a_private_file_is_never_made_with_other_rights(tmp_path: Path) -> None:
    os.umask(0)
    write_file(Disk(), str(tmp_path / "secret"), b"secret", sync=False, private=True)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
