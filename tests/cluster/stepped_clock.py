"""A wall clock that can be set, forward and back, under a real process while it runs; only that process believes it.

A small library that is loaded before the C library does it (`stepped_clock.c`), so it needs a C compiler and Linux.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
COMPILER = shutil.which("cc") or shutil.which("gcc")
CAN_STEP = COMPILER is not None and sys.platform == "linux"


class SteppedClock:
    def __init__(self, home: Path, name: str) -> None:
        self._offset = home / f"{name}.clock"
        self._library = home / "stepped_clock.so"
        self.set_wrong_by(0)
        if not self._library.exists():
            assert COMPILER is not None
            command = [COMPILER, "-shared", "-fPIC", "-O1", "-o", str(self._library), str(SOURCE), "-ldl"]
            subprocess.run(command, check=True)

    @property
    def environment(self) -> dict[str, str]:
        """Of a process that goes by this clock."""
        return {"LD_PRELOAD": str(self._library), "STEPPED_CLOCK": str(self._offset)}

    def step(self, seconds: int) -> None:
        """From where it is now."""
        (wrong_by,) = struct.unpack("=q", self._offset.read_bytes())
        self.set_wrong_by(wrong_by + seconds)

    def set_wrong_by(self, seconds: int) -> None:
        with self._offset.open("r+b" if self._offset.exists() else "w+b", buffering=0) as file:
            file.write(struct.pack("=q", seconds))
