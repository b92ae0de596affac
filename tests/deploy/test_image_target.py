"""`make image` builds with what there is, and says so where nothing can build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONTEXT = "-f deploy/docker/Dockerfile -t muster ."


def image(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.image"], cwd=ROOT, env={"PATH": str(path)}, capture_output=True, text=True
    )


def install(path: Path, name: str, *, fails_at: str = "nothing") -> None:
    """A stand-in that writes down what it is asked."""
    program = path / name
    program.write_text(f'#!/bin/sh\necho "{name} $*" >> {path}/asked\n[ "$1" != {fails_at} ]\n', encoding="utf-8")
    program.chmod(0o755)


def asked(path: Path) -> list[str]:
    return (path / "asked").read_text(encoding="utf-8").splitlines()


def test_a_machine_that_has_none_says_that_nothing_was_run(tmp_path: Path) -> None:
    told = image(tmp_path)
    assert (told.returncode, told.stdout) == (0, "image: not run: none of docker, podman, buildah works here\n")


def test_a_docker_without_its_daemon_is_passed_over(tmp_path: Path) -> None:
    install(tmp_path, "docker", fails_at="info")
    assert "not run" in image(tmp_path).stdout
    install(tmp_path, "buildah")
    assert image(tmp_path).returncode == 0
    built = f"buildah bud --format docker --isolation chroot {CONTEXT}"
    assert asked(tmp_path)[1:] == ["docker info", "buildah info", built]
    assert built in (ROOT / "docs/install.md").read_text(encoding="utf-8")


def test_an_image_is_built_and_run_once(tmp_path: Path) -> None:
    install(tmp_path, "docker")
    assert image(tmp_path).returncode == 0
    assert asked(tmp_path) == ["docker info", f"docker build {CONTEXT}", "docker run --rm muster --version"]


def test_a_build_that_fails_fails_the_target(tmp_path: Path) -> None:
    install(tmp_path, "podman", fails_at="build")
    told = image(tmp_path)
    assert told.returncode == 1
    assert "image: failed: " in told.stderr
    assert asked(tmp_path)[-1] == f"podman build {CONTEXT}"
