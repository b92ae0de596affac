"""Where a session keeps what the next one can use: the class archive, our code as a zip, bytecode; and Spark's log of a start.

The user's cache directory, or where none can be written to (containers often have no home, or a read-only one), or others can
write to it too, a directory of this user among the temporary files. Both hold code that is run.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from muster.pipeline.session_fit import SessionError


def cache_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """It is there, and this user can write to it, and nobody else."""
    home = environment.get("HOME")
    base = environment.get("XDG_CACHE_HOME") or (Path(home, ".cache") if home else None)
    if base and _is_made_ours(Path(base, "muster")):
        return Path(base, "muster")
    return _temporary_directory_of_this_user()


def is_writable(directory: Path) -> bool:
    """Made if it is not there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK)


def _temporary_directory_of_this_user() -> Path:
    try:
        path = Path(tempfile.gettempdir(), f"muster-{os.getuid()}")
        is_ours = _is_ours(path)
    except OSError as error:
        raise SessionError(f"no directory for temporary files can be written to: {error.strerror or error}") from None
    if not is_ours:
        raise SessionError(
            f"{path} is not a directory that this user alone can write to, and neither is there a home that it can:"
            " set XDG_CACHE_HOME to one"
        )
    return path


def _is_made_ours(directory: Path) -> bool:
    """Its parents are made too. Somebody else may have made it first: below a home or a cache directory that many share."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        return _is_ours(directory) and os.access(directory, os.W_OK)
    except OSError:
        return False


def _is_ours(directory: Path) -> bool:
    """Whether this user alone can write to it. Made if it is not there."""
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    found = directory.lstat()
    by_others = stat.S_IWGRP | stat.S_IWOTH
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & by_others
