"""A lake in, a file out. The command `muster pipeline report` calls this."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from muster.pipeline.lake.reader import Lake
from muster.pipeline.report.page import render
from muster.pipeline.report.read import read_tables


@dataclass(frozen=True, slots=True)
class Report:
    path: Path
    size: int


def write_report(
    lake_path: str | os.PathLike[str], out_path: str | os.PathLike[str], *, generated_ms: int | None = None
) -> Report:
    """Read the lake, write the page, say where it is. A reader of the file never sees half of it.

    LakeError: the lake cannot be read; OSError: the page cannot be written.
    """
    lake = Lake.open(lake_path)
    made_ms = time.time_ns() // 1_000_000 if generated_ms is None else generated_ms
    page = render(read_tables(lake, made_ms), made_ms).encode("utf-8")
    target = Path(out_path)
    unfinished = target.with_name(target.name + ".tmp")
    unfinished.write_bytes(page)
    unfinished.replace(target)
    return Report(target, len(page))
