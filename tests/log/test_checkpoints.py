"""Kafka's small text files, as Kafka writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.log.checkpoints import CLEAN_OFFSETS, format_offsets, parse_epochs, parse_offsets
from muster.log.contract import LogConfig, StorageError
from muster.log.files import FileStore


def test_an_empty_checkpoint_has_no_entries() -> None:
    """A broker makes the file before it has anything to write into it."""
    assert parse_offsets(b"", "here") == {}
    assert parse_epochs(b"", "here") == []


def test_offsets_read_back_as_they_were_written() -> None:
    offsets = {("a", 0): 5, ("b-c", 12): 0}
    assert parse_offsets(format_offsets(offsets), "here") == offsets


@pytest.mark.parametrize("content", [b"\n", b"0\n", b"1\n0\n", b"0\n2\na 0 5\n", b"0\n1\na 5\n", b"\xff\n"])
def test_a_damaged_checkpoint_is_named_with_what_to_do(content: bytes) -> None:
    with pytest.raises(StorageError, match=r"^here: .*Restore it, or remove it"):
        parse_offsets(content, "here")


def test_a_directory_with_an_empty_cleaner_checkpoint_opens(tmp_path: Path) -> None:
    directory = tmp_path
    store = FileStore(str(directory), "os")
    store.open("t", 0, bytes(range(16)), LogConfig(cleanup_compact=True, cleanup_delete=False))
    store.close()
    (directory / CLEAN_OFFSETS).write_bytes(b"")
    again = FileStore(str(directory), "os")
    assert again.open("t", 0, bytes(range(16)), LogConfig(cleanup_compact=True)).end_offset == 0
    again.close()
