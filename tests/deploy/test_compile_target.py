"""`make compile` knows what is compiled for which environment: those of several Pythons share one src."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.forms import plain_by_accident

ROOT = Path(__file__).parents[2]
SUFFIXES = {".venv": ".cpython-311-here.so", ".venv-python3.12": ".cpython-312-here.so"}
STAND_IN = """#!/bin/sh
case "$1" in
-c) echo {suffix} ;;
setup.py) {build} ;;
esac
"""
"""A Python that says the suffix of its extensions and 'compiles' two files, or finds no compiler."""
_DEMO = re.compile(r"\.venv/bin/python -m demo \d+")
"""With the second in which make began."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "setup.py"):
        (tmp_path / name).touch()
    for room in ("wire", "core", "log", "topics", "runtime", "server"):
        (tmp_path / "src" / "muster" / room).mkdir(parents=True)
    for environment, suffix in SUFFIXES.items():
        install(tmp_path / environment, suffix, f"touch src/muster__mypyc{suffix} src/muster/core/shard{suffix}")
        (tmp_path / environment / ".ready").touch()
    return tmp_path


def install(environment: Path, suffix: str, build: str) -> None:
    python = environment / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(STAND_IN.format(suffix=suffix, build=build), encoding="utf-8")
    python.chmod(0o755)


def compile_for(checkout: Path, python: str, *, pure: bool = False) -> str:
    return make(checkout, "compile", f"PYTHON={python}", *(["MUSTER_PURE=1"] if pure else []))


def make(checkout: Path, *arguments: str) -> str:
    # The suite may itself run under make, and with MUSTER_PURE.
    names = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MUSTER_PURE")
    alone = {name: value for name, value in os.environ.items() if name not in names}
    return subprocess.run(
        ["make", *arguments], cwd=checkout, env=alone, capture_output=True, text=True, check=True
    ).stdout


def compiled(checkout: Path) -> set[str]:
    return {str(path.relative_to(checkout / "src")) for path in checkout.glob("src/**/*.so")}


def of(environment: str) -> set[str]:
    return {f"muster__mypyc{SUFFIXES[environment]}", f"muster/core/shard{SUFFIXES[environment]}"}


def test_another_python_leaves_what_the_first_one_compiled(checkout: Path) -> None:
    compile_for(checkout, "python3")
    (checkout / "src" / f"muster/core/gone{SUFFIXES['.venv']}").touch()  # of a file that is compiled no more
    (checkout / ".venv" / ".compiled").unlink()
    compile_for(checkout, "python3")
    compile_for(checkout, "python3.12")
    assert compiled(checkout) == of(".venv") | of(".venv-python3.12")
    assert "Nothing to be done" in compile_for(checkout, "python3")
    compile_for(checkout, "python3.12", pure=True)
    assert compiled(checkout) == of(".venv")


def test_what_another_environment_of_the_same_python_has_deleted_is_compiled_again(checkout: Path) -> None:
    install(checkout / ".venv-python3.12", SUFFIXES[".venv"], "exit 1")
    compile_for(checkout, "python3")
    compile_for(checkout, "python3.12", pure=True)
    assert compiled(checkout) == set()
    compile_for(checkout, "python3")
    assert compiled(checkout) == of(".venv")


def test_the_suite_refuses_plain_python_where_make_has_compiled(checkout: Path) -> None:
    environment = checkout / ".venv"
    assert plain_by_accident(environment, checkout, {}) is None
    compile_for(checkout, "python3")
    why = plain_by_accident(environment, checkout, {})
    assert why is not None
    assert f"src/muster__mypyc{SUFFIXES['.venv']} was built" in why
    assert plain_by_accident(environment, checkout, {"MUSTER_PURE": "1"}) is None
    (checkout / ".pure").touch()
    assert plain_by_accident(environment, checkout, {}) is None


def test_a_machine_without_a_compiler_tests_plain_python(checkout: Path) -> None:
    install(checkout / ".venv", SUFFIXES[".venv"], ":")
    compile_for(checkout, "python3")
    assert (checkout / ".venv" / ".compiled").exists()
    assert plain_by_accident(checkout / ".venv", checkout, {}) is None
    assert "Nothing to be done" in compile_for(checkout, "python3")


def test_the_demo_of_a_fresh_clone_compiles_nothing(checkout: Path) -> None:
    """Nobody waits a minute for a compiler to see what Muster is. It takes what is there, and makes what it needs only once."""
    (checkout / ".venv" / ".ready").unlink()
    steps = make(checkout, "-n", "demo")
    assert "'.[demo,pipeline]'" in steps
    assert "build_ext" not in steps
    assert _DEMO.fullmatch(steps.splitlines()[-1])
    (checkout / ".venv" / ".demo_ready").touch()
    (only_step,) = make(checkout, "-n", "demo").splitlines()
    assert _DEMO.fullmatch(only_step)


def test_the_demo_of_a_checkout_that_is_set_up_runs_in_the_compiled_form(checkout: Path) -> None:
    steps = make(checkout, "-n", "demo")
    assert "pip install" not in steps
    assert "setup.py --quiet build_ext --inplace" in steps
    assert _DEMO.fullmatch(steps.splitlines()[-1])
