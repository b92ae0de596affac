"""The data directory: who holds it, which partitions are in it, whether the last stop was clean.

Knows names and marks, not what is inside a log. `files` is built on it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import stat
from typing import Final

from muster.log.contract import StorageError
from muster.log.disk import WRITE_FLAGS, Disk, replace_file

CLEAN_MARK: Final = ".kafka_cleanshutdown"
_CLEAN_MARK_CONTENT: Final = b'{"version":0,"brokerEpoch":-1}'
_LOCK: Final = ".lock"
_DELETED_SUFFIX: Final = "-delete"
_MAX_NAME_BYTES: Final = 255
_PARTITION_NAME = re.compile(r"(?P<topic>[A-Za-z0-9._-]{1,249})-(?P<partition>0|[1-9][0-9]{0,9})")
_DELETED_NAME = re.compile(r".+\.[0-9a-f]{32}-delete")
_JOURNAL_NAME = re.compile(r"muster\.sync\.(?P<owner>[0-9]+)\.(?P<number>[0-9]+)")
_DOCUMENT_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


PRIVATE_DOCUMENTS: Final = frozenset({"node-secret.json", "users.json"})
"""Documents that nobody but the server's own user may read, whatever `muster.data.permissions` says."""

logger = logging.getLogger(__name__)


class DirectoryLock:
    """At most one server on a directory, also across processes; freed by the system if the holder dies."""

    def __init__(self, directory: str, disk: Disk | None = None) -> None:
        self._path = os.path.join(directory, _LOCK)
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | WRITE_FLAGS, (disk or Disk()).file_mode)
        except OSError as error:
            if os.path.islink(self._path):
                raise StorageError(
                    f"{self._path}: is a symbolic link, which the server never makes. Remove it"
                ) from error
            raise StorageError(
                f"{directory}: cannot be written to ({_LOCK}: {error.strerror}). Give this user the right to, or give the"
                " server another directory"
            ) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._fd, 32, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            who = f"process {holder}" if holder else "another process"
            raise StorageError(
                f"{directory}: in use by {who}. Stop that one or give this server another directory"
            ) from None
        os.truncate(self._fd, 0)
        os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        os.truncate(self._fd, 0)
        os.close(self._fd)


def prepare_directory(directory: str, disk: Disk | None = None) -> None:
    """Make it if it is not there. One that is there keeps its rights: it may be somebody else's too."""
    try:
        os.makedirs(directory, mode=(disk or Disk()).directory_mode, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{directory}: cannot be made a data directory: {error.strerror}") from error


def warn_if_open_to_others(directory: str, disk: Disk) -> None:
    """One line if more users may look into the directory than the settings want."""
    mode, allowed = stat.S_IMODE(os.stat(directory).st_mode), disk.directory_mode
    if mode & ~allowed & 0o077:
        logger.warning(
            "%s: has mode %04o, so that other users of this machine may look into it; 'chmod %o' keeps them out",
            directory,
            mode,
            mode & (allowed | 0o7000),
        )


def partition_directories(directory: str) -> set[tuple[str, int]]:
    """The logs that are there. What an interrupted deletion left is cleared away."""
    found: set[tuple[str, int]] = set()
    try:
        with os.scandir(directory) as scan:
            entries = list(scan)
    except OSError as error:
        raise StorageError(f"{directory}: cannot be read: {error.strerror}") from error
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            continue
        if _DELETED_NAME.fullmatch(entry.name):
            remove_tree(entry.path)
        elif match := _PARTITION_NAME.fullmatch(entry.name):
            found.add((match["topic"], int(match["partition"])))
    return found


def partition_name(name: str) -> tuple[str, int] | None:
    """Topic and partition, if a directory of this name is a log's."""
    match = _PARTITION_NAME.fullmatch(name)
    return (match["topic"], int(match["partition"])) if match is not None else None


def is_log_name(topic: str, partition: int) -> bool:
    """Whether a log can have this topic and partition."""
    return partition_name(f"{topic}-{partition}") == (topic, partition) and topic not in (".", "..")


def partition_path(directory: str, topic: str, partition: int) -> str:
    name = f"{topic}-{partition}"
    if not is_log_name(topic, partition):
        raise StorageError(f"{name!r} cannot be a log's directory: topic names are 1 to 249 of A-Z a-z 0-9 . _ -")
    return os.path.join(directory, name)


def deleted_path(directory: str, topic: str, partition: int) -> str:
    """Kafka's name for a log that is going away; a long topic name is cut so that it still fits."""
    suffix = f"-{partition}.{os.urandom(16).hex()}{_DELETED_SUFFIX}"
    return os.path.join(directory, topic[: _MAX_NAME_BYTES - len(suffix)] + suffix)


def remove_tree(path: str) -> None:
    """As much of it as can be; what stays goes at the next start."""
    import shutil

    shutil.rmtree(path, ignore_errors=True)


def journal_path(directory: str, owner: int, number: int) -> str:
    """A file of the sync journal. `owner` tells apart those of the workers that share the directory."""
    return os.path.join(directory, f"muster.sync.{owner}.{number}")


def journal_files(directory: str, owner: int | None = None) -> list[str]:
    """The files of the sync journal in the order in which they were written; of one owner, or of all."""
    found: list[tuple[int, int, str]] = []
    for name in os.listdir(directory):
        match = _JOURNAL_NAME.fullmatch(name)
        if match is not None and owner in (None, int(match["owner"])):
            found.append((int(match["owner"]), int(match["number"]), os.path.join(directory, name)))
    return [path for _, _, path in sorted(found)]


def document_path(directory: str, name: str) -> str:
    if not _DOCUMENT_NAME.fullmatch(name):
        raise StorageError(f"{name!r} cannot be a document's name: letters, digits, '.', '_' and '-' only")
    return os.path.join(directory, name)


def has_clean_mark(directory: str) -> bool:
    return os.path.exists(os.path.join(directory, CLEAN_MARK))


def take_clean_mark(directory: str) -> bool:
    """Whether the last stop was clean. The mark goes at once and for good: from here on only another clean stop counts."""
    path = os.path.join(directory, CLEAN_MARK)
    try:
        os.unlink(path)
        # A mark that a power failure brings back would let a torn tail pass as whole.
        Disk().sync_directory(directory)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StorageError(f"{path}: cannot be removed: {error.strerror}") from error
    return True


def leave_clean_mark(directory: str, disk: Disk) -> None:
    """Say that the last stop was clean: everything is written, synced and told in the checkpoints."""
    path = os.path.join(directory, CLEAN_MARK)
    try:
        replace_file(disk, path, _CLEAN_MARK_CONTENT)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}") from error
