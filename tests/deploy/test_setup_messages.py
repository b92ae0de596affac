"""`pip install .` keeps what a build says to itself, so setup.py says on the terminal which form it made and how far it is."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# By name, for nothing types them.
setuptools = import_module("setuptools")
build_ext = import_module("setuptools.command.build_ext").build_ext


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


@pytest.fixture
def build_script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """setup.py as a module, which builds nothing."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(setuptools, "setup", lambda **_: None)
    monkeypatch.setattr(sys, "argv", ["setup.py"])
    spec = spec_from_file_location("build_script", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_before_the_long_silence_of_mypyc_it_is_said_what_happens(
    build_script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MUSTER_PURE", raising=False)
    monkeypatch.setattr(sys, "argv", ["setup.py", "bdist_wheel"])
    happened: list[str] = []
    monkeypatch.setattr(build_script, "say", happened.append)
    monkeypatch.setattr(build_script, "compiled_files", lambda: ["a.py", "b.py"])

    def mypycify(*_: object, **__: object) -> list[Any]:
        happened.append("mypycify")
        return []

    monkeypatch.setattr(import_module("mypyc.build"), "mypycify", mypycify)
    assert build_script.extensions() == []
    said, *then = happened
    assert said.startswith("mypyc translates the hot core to C, 2 modules")
    assert then == ["mypycify"]


@pytest.mark.parametrize("files", [1, 7, 10, 203])
def test_every_tenth_of_the_work_is_said_once(build_script: Any, files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads compile side by side: none of them may be forgotten or counted twice."""
    said: list[str] = []
    monkeypatch.setattr(build_script, "say", said.append)
    progress = build_script.Progress(files)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(files):
            pool.submit(progress.one_more)
    head, *lines = said
    assert head.startswith(f"compiling the hot core, {files} files on ")
    done = [int(line.split()[0]) for line in lines]
    assert [f"{number} of {files} files compiled" for number in done] == lines
    assert done == sorted(set(done))
    assert done[-1] == files
    assert len(done) == min(files, 10)


def test_files_are_compiled_side_by_side_and_only_those_that_changed(
    build_script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "muster.h").touch()
    sources = [f"{number}.c" for number in range(20)]
    for source in sources:
        (tmp_path / source).touch()
    compiled: list[str] = []

    class Compiler:
        def compile(self, sources: list[str], output_dir: str = "") -> None:
            compiled.extend(sources)
            for source in sources:
                (tmp_path / source).with_suffix(".o").touch()

        def object_filenames(self, sources: list[str], output_dir: str) -> list[str]:
            return [source.replace(".c", ".o") for source in sources]

    def build() -> list[str]:
        """What the terminal is told."""
        said: list[str] = []
        made: list[str] = []
        monkeypatch.setattr(build_script, "say", said.append)
        monkeypatch.setattr(build_ext, "build_extensions", lambda self: made.extend(self.compiler.compile(sources)))
        command = build_script.BuildOrFallBack(setuptools.Distribution())
        command.compiler = Compiler()
        command.build_extensions()
        assert made == [source.replace(".c", ".o") for source in sources]
        return said

    assert build()[-1] == "20 of 20 files compiled"
    assert sorted(compiled) == sorted(sources)
    compiled.clear()
    later = (tmp_path / "3.o").stat().st_mtime + 10
    os.utime(tmp_path / "3.c", (later, later))
    assert build()[-1] == "20 of 20 files compiled"
    assert compiled == ["3.c"]


def test_the_demo_ends_with_the_seconds_since_make_began(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what make installs first: a release promises how long a fresh clone takes."""
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    planned = subprocess.run(["make", "--dry-run", "demo"], cwd=ROOT, env=alone, capture_output=True, text=True)
    *_, last = planned.stdout.splitlines()
    began = re.fullmatch(r"\S+/python -m demo (\d+)", last)
    assert began is not None
    demo = import_module("demo.__main__")
    monkeypatch.setattr(demo.time, "time", lambda: int(began[1]) + 93.4)
    assert demo.total(0.0, [began[1]]) == "     93 s in all, with what was installed for it"
    assert demo.total(int(began[1]) + 90.0, []) == "     3 s in all"


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
