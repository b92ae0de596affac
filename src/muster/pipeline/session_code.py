"""Our own code as one zip, so that it travels with a job to workers on other machines.

Workers still need what is not Python: pyarrow, pandas, cramjam and google-crc32c (docs/pipeline-at-scale.md). The zip's name
holds the hash of its content, so a worker never runs yesterday's code.
"""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import muster

_CARRIED = {".py", ".api", ".typed"}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes, whenever it is packed


def package_code(directory: Path) -> Path:
    """`muster` as a zip in that directory; made again only if its content changed."""
    root = Path(muster.__file__).parent
    files = sorted(file for file in root.rglob("*") if file.suffix in _CARRIED and "__pycache__" not in file.parts)
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
    unfinished = path.with_suffix(".tmp")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents:
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content)
    unfinished.replace(path)
