"""Builds the server's container image with the first of docker, podman and buildah that works here: `make image`.

A machine without any of them is no failure: what was not done is said. tests/deploy checks the Dockerfile everywhere.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
DOCKERFILE: Final = "deploy/docker/Dockerfile"
NAME: Final = "muster"
BUILDS: Final = {
    "docker": ("build",),
    "podman": ("build",),
    "buildah": ("bud", "--format", "docker", "--isolation", "chroot"),
}
"""docs/install.md says why buildah is asked in this way."""
RUNS: Final = frozenset({"docker", "podman"})


def main() -> None:
    program = builder()
    if program is None:
        print(f"image: not run: none of {', '.join(BUILDS)} works here")
        return
    run([program, *BUILDS[Path(program).name], "-f", DOCKERFILE, "-t", NAME, "."])
    if Path(program).name in RUNS:
        run([program, "run", "--rm", NAME, "--version"])


def builder() -> str | None:
    """One that answers: docker needs a daemon, the others namespaces."""
    for name in BUILDS:
        program = shutil.which(name)
        if program is not None and subprocess.run([program, "info"], check=False, capture_output=True).returncode == 0:
            return program
    return None


def run(command: list[str]) -> None:
    print("image:", *command, flush=True)
    if subprocess.run(command, check=False, cwd=ROOT).returncode:
        sys.exit(f"image: failed: {' '.join(command)}")


if __name__ == "__main__":
    main()
