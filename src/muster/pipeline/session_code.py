"""Our own code as one zip, so that it travels with a job to workers on other machines.

Workers still need the packages that are not ours (docs/pipeline-deployment.md has the list). The zip's name holds the hash of its
content, so a worker never runs yesterday's code.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path

import muster

_LEFT_OUT = {".so", ".pyc", ".pyd"}  # compiled for this machine; everything has a form in Python
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes, whenever it is packed


def came_as_zip() -> Path | None:
    """The zip that we were imported from, if it was one (`spark-submit --py-files`)."""
    archive = getattr(muster.__loader__, "archive", None)
    return Path(archive).absolute() if archive else None


def package_code(directory: Path) -> Path:
    """`muster` as a zip in that directory; made again only if its content changed. What came as a zip is that zip."""
    came_as = came_as_zip()
    if came_as is not None:
        return came_as
    root = Path(muster.__file__).parent
    files = sorted(file for file in root.rglob("*") if file.is_file() and file.suffix not in _LEFT_OUT)
    contents = [(f"muster/{file.relative_to(root).as_posix()}", file.read_bytes()) for file in files]
    digest = hashlib.sha256()
    for name, content in contents:
        digest.update(f"{name}\n{len(content)}\n".encode())
        digest.update(content)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"muster-{muster.__version__}-{digest.hexdigest()[:12]}.zip"
    if not path.is_file():
        _write(path, contents)
    return path


def _write(path: Path, contents: list[tuple[str, bytes]]) -> None:
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")  # another session may start at the same time
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in contents:
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
