"""Builds what a release consists of and tries it: `make dist`.

The sdist, a wheel of plain Python and one that is compiled for this platform, all made from the sdist, as strangers would.
`twine check` reads their metadata; then each is installed into an empty environment, where `smoke` uses it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parent.parent
DIST: Final = ROOT / "dist"
PLAIN: Final = "-none-any.whl"
UV: Final = str(Path(sys.executable).with_name("uv"))


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    sdist = build("--sdist", str(ROOT), pure=True)
    pure = build("--wheel", str(sdist), pure=True)
    compiled = build("--wheel", str(sdist), pure=False)
    run([sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(pure), str(compiled)])
    for package, form, is_pure in ((sdist, "pure", True), (pure, "pure", True), (compiled, "compiled", False)):
        try_out(package, form, is_pure)
    print(f"in {DIST.relative_to(ROOT)}/: {', '.join(each.name for each in (sdist, pure, compiled))}")


def build(kind: str, source: str, *, pure: bool) -> Path:
    """The file that this step adds to dist/.

    It is made in a folder of its own: a compiled wheel that came out as plain Python has the name of the pure one.
    """
    environment = {**os.environ, "MUSTER_PURE": "1" if pure else ""}
    with TemporaryDirectory() as folder:
        run([UV, "build", kind, "--out-dir", folder, source], environment)
        made = sorted(path for path in Path(folder).iterdir() if path.suffix in (".whl", ".gz"))
        if len(made) != 1:
            sys.exit(f"make dist: {kind} of {source} made {[path.name for path in made]}, not one file")
        if not pure and made[0].name.endswith(PLAIN):
            sys.exit("make dist: the compiled wheel came out as plain Python; what the build said is above")
        return Path(shutil.move(made[0], DIST / made[0].name))


def try_out(package: Path, form: str, pure: bool) -> None:
    """Install it, with its dependencies and nothing else, and let `smoke` use it."""
    with TemporaryDirectory() as home:
        run([UV, "venv", "--quiet", "--python", sys.executable, home])
        python = str(Path(home, "bin", "python"))
        environment = {**os.environ, "MUSTER_PURE": "1" if pure else ""}
        run([UV, "pip", "install", "--quiet", "--python", python, str(package)], environment)
        run([python, str(ROOT / "tools" / "smoke.py"), form], {**os.environ, "MUSTER_PURE": ""}, home)
    print(f"{package.name}: installed into an empty environment and tried, {form}", flush=True)


def run(command: list[str], environment: dict[str, str] | None = None, directory: str | None = None) -> None:
    if subprocess.run(command, env=environment, cwd=directory, check=False).returncode:
        sys.exit(f"make dist: failed: {' '.join(command)}")


if __name__ == "__main__":
    main()
