"""A data directory that cannot be used is said in one sentence with the path, not in a traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from muster.log.contract import StorageError
from muster.log.directory import CLEAN_MARK
from muster.log.disk import Disk
from muster.log.files import FileStore


def test_a_directory_whose_lock_cannot_be_made_is_refused_with_the_reason(tmp_path: Path) -> None:
    """The tests may run as root, who may write anywhere: a directory in the lock's place stands in for a read-only one."""
    (tmp_path / ".lock").mkdir()
    with pytest.raises(StorageError) as refused:
        FileStore(str(tmp_path))
    assert str(tmp_path) in str(refused.value)
    assert "cannot be written to" in str(refused.value)


def test_a_clean_mark_that_cannot_be_removed_is_refused_and_the_lock_is_free_again(tmp_path: Path) -> None:
    (tmp_path / CLEAN_MARK).mkdir()
    with pytest.raises(StorageError, match="cannot be removed"):
        FileStore(str(tmp_path))
    (tmp_path / CLEAN_MARK).rmdir()
    FileStore(str(tmp_path)).close()


def test_the_removal_of_the_clean_mark_is_durable_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power failure must not bring the mark back: the next start would trust a torn tail."""
    FileStore(str(tmp_path)).close()
    assert (tmp_path / CLEAN_MARK).exists()
    synced: list[tuple[str, bool]] = []
    sync_directory = Disk.sync_directory

    def noted(disk: Disk, path: str) -> None:
        synced.append((path, os.path.exists(os.path.join(path, CLEAN_MARK))))
        sync_directory(disk, path)

    monkeypatch.setattr(Disk, "sync_directory", noted)
    FileStore(str(tmp_path))._release_directory()
    assert synced == [(str(tmp_path), False)]
