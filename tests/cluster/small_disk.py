"""A disk of a few megabytes in memory that a test can fill to the last byte and empty again. Needs the right to mount."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_BALLAST = "ballast"


class SmallDisk:
    def __init__(self, megabytes: int) -> None:
        self._megabytes = megabytes
        self._at: Path | None = None

    def mount(self, at: Path) -> None:
        """`at` is made."""
        at.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={self._megabytes}m,mode=700", "none", str(at)]
        subprocess.run(command, check=True, capture_output=True)
        self._at = at

    def fill(self) -> None:
        """Until nothing fits any more."""
        with self._ballast.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                with suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass

    def empty(self) -> None:
        self._ballast.unlink(missing_ok=True)

    def unmount(self) -> None:
        assert self._at is not None
        subprocess.run(["umount", "--lazy", str(self._at)], check=True)

    @property
    def _ballast(self) -> Path:
        assert self._at is not None, "not mounted"
        return self._at / _BALLAST


@cache
def can_mount() -> bool:
    """Root of a container often may not."""
    if sys.platform != "linux":
        return False
    with tempfile.TemporaryDirectory(prefix="muster-mount-") as home:
        disk = SmallDisk(1)
        try:
            disk.mount(Path(home) / "disk")
        except (OSError, subprocess.CalledProcessError):
            return False
        disk.unmount()
        return True
