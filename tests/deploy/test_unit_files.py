"""The systemd unit and the container files, judged by the tools that read them, as far as they are here."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from muster.cli.serve import _FLAGS
from muster.server.setting_keys import TABLE

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "systemd" / "muster.service"
DOCKERFILE = (DEPLOY / "docker" / "Dockerfile").read_text(encoding="utf-8")
EXPOSURE_AT_MOST = 20
"""Of 100, in the words of systemd-analyze: OK is below 45."""

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


@needs_systemd
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """With a program that exists in the place of the one that an installation has."""
    unit = tmp_path / "muster.service"
    unit.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/muster/bin/muster", shutil.which("true") or ""))
    ran = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True)
    assert (ran.returncode, [line for line in ran.stderr.splitlines() if "muster.service" in line]) == (0, [])


@needs_systemd
def test_the_unit_is_hardened() -> None:
    threshold = f"--threshold={EXPOSURE_AT_MOST}"
    ran = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", threshold, str(UNIT)], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr


def test_the_image_starts_the_server_with_flags_and_settings_that_there_are() -> None:
    (command,) = re.findall(r"^CMD \[(.*)\]", DOCKERFILE, flags=re.MULTILINE)
    flags = re.findall(r'"--([\w-]+)"', command)
    assert flags
    assert set(flags) <= set(_FLAGS)
    known = {"MUSTER_" + key.name.removeprefix("muster.").replace(".", "_").upper() for key in TABLE}
    (variables,) = re.findall(r"^ENV (.*)", DOCKERFILE, flags=re.MULTILINE)
    assert {name for name in re.findall(r"(\w+)=", variables) if name != "PATH"} <= known


def test_the_image_does_not_run_as_root_and_copies_what_exists() -> None:
    assert re.search(r"^USER 10001$", DOCKERFILE, flags=re.MULTILINE)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".git", ".venv", ".venv-*", ".pure", "**/*.so"} <= set(ignored), "what was built here stays here"
