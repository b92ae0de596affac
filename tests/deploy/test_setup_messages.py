"""`pip install .` keeps what a build says to itself, so setup.py says on the terminal which form it made and how far it is."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def on_a_terminal(command: list[str], directory: Path) -> str:
    """What the terminal shows of a command whose own output goes elsewhere, as under pip."""
    child, terminal = pty.fork()
    if child == 0:
        done = subprocess.run(command, cwd=directory, env={**os.environ, "MUSTER_PURE": "1"}, capture_output=True)
        os._exit(done.returncode)
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:  # the other end was closed
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return shown.decode()


def test_the_form_that_was_built_is_said_on_the_terminal(tmp_path: Path) -> None:
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "src" / "muster").mkdir(parents=True)
    shutil.copy(ROOT / "src" / "muster" / "__init__.py", tmp_path / "src" / "muster")
    shown = on_a_terminal([sys.executable, "setup.py", "--quiet", "build_ext"], tmp_path)
    assert "muster: the hot core is not compiled, plain Python is used instead: MUSTER_PURE is set" in shown


@pytest.mark.parametrize("target", ["setup", "demo"])
def test_a_python_that_is_too_old_gets_one_line(tmp_path: Path, target: str) -> None:
    """A stand-in for one: it says that it is older than what make asks for."""
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/sh\nif [ "$1" = --version ]; then echo Python 3.9.2; else exit 1; fi\n')
    old.chmod(0o755)
    # The suite may itself run under make: its flags name a jobserver that this make cannot reach, and it would warn first.
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    ran = subprocess.run(["make", target, f"PYTHON={old}"], cwd=ROOT, env=alone, capture_output=True, text=True)
    assert ran.returncode != 0
    first, *_ = ran.stderr.splitlines()
    assert first == f"Muster needs Python 3.11 or later, and {old} is Python 3.9.2: make PYTHON=python3.12 ..."


def test_pip_on_an_older_python_gets_far_enough_to_say_which_one_is_needed() -> None:
    """What only newer Pythons have must not be asked for first: pip would name that package, and not what is wrong."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    oldest = project["project"]["requires-python"].removeprefix(">=")
    always = [each for each in project["build-system"]["requires"] if f"python_version >= '{oldest}'" not in each]
    assert [re.split(r"\W", each)[0] for each in always] == ["setuptools"]
