"""A test that fails once is run again and named; one that fails twice fails the run. The list of the named is kept short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house import steady

SUITE = """
import pytest
from pathlib import Path

def first_time(name):
    mark = Path(__file__).with_name(name)
    if mark.exists():
        return False
    mark.touch()
    return True

def test_steady(): pass

def test_unlucky(): assert not first_time("unlucky")

@pytest.mark.xdist_group("together")
def test_unlucky_in_a_group(): assert not first_time("group")

@pytest.mark.parametrize("text", ["a@b", "c"])
def test_unlucky_parameter(text): assert not first_time(text)

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("text", ["d@e"])
def test_unlucky_parameter_in_a_group(text): assert not first_time(text)
"""
UNLUCKY = [
    "test_suite.py::test_unlucky",
    "test_suite.py::test_unlucky_in_a_group",
    "test_suite.py::test_unlucky_parameter[a@b]",
    "test_suite.py::test_unlucky_parameter[c]",
    "test_suite.py::test_unlucky_parameter_in_a_group[d@e]",
]
IN_TWO_PROCESSES = ("-n", "2", "--dist", "loadgroup")


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a suite of its own; its list is `unsteady.txt`."""
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "MUSTER_PURE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # a process starts in a third of the time
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p xdist\n")
    (tmp_path / "test_suite.py").write_text(SUITE)
    return tmp_path


def run(suite: Path, *arguments: str) -> int:
    return steady.run(arguments or IN_TWO_PROCESSES, suite, suite / "unsteady.txt")


def kept(suite: Path) -> list[str]:
    return sorted(steady.names_on(suite / "unsteady.txt"))


def test_what_passes_alone_is_named_at_the_end_and_kept(suite: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(suite) == 0
    assert kept(suite) == UNLUCKY
    said = capfd.readouterr().out.splitlines()[-1]
    assert sorted(said.removeprefix("UNSTEADY: ").split(", ")) == UNLUCKY
    assert run(suite) == 0  # nothing fails now; what is on the list stays there
    assert kept(suite) == UNLUCKY
    assert "UNSTEADY" not in capfd.readouterr().out


def test_what_fails_twice_fails_the_run_and_is_not_called_unsteady(
    suite: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with (suite / "test_suite.py").open("a") as file:
        file.write("\n\ndef test_broken(): assert False\n")
    assert run(suite) == steady.TESTS_FAILED
    assert kept(suite) == UNLUCKY
    assert "test_broken" not in capfd.readouterr().out.splitlines()[-1]


def test_only_what_failed_is_run_again(suite: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(suite, "-k", "steady or unlucky_parameter", "-v") == 0
    first, second = capfd.readouterr().out.split("once more, alone and in order")
    assert ("test_steady" in first, "test_steady" in second) == (True, False)
    assert kept(suite) == UNLUCKY[2:]


def test_tests_of_one_group_are_run_by_one_worker(suite: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Sessions and servers are shared that way. pytest-xdist 3.8.0 does not do it with pytest 9.2.0."""
    grouped = (
        "import pytest\n@pytest.mark.xdist_group('g')\n@pytest.mark.parametrize('n', range(9))\ndef test_it(n): pass\n"
    )
    (suite / "test_suite.py").write_text(grouped)
    assert run(suite, *IN_TWO_PROCESSES, "-v") == 0
    passed = [line for line in capfd.readouterr().out.splitlines() if " PASSED " in line]
    assert (len(passed), len({line.split()[0] for line in passed})) == (9, 1)


def test_name_is_on_the_list_once_and_says_the_form(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSTER_PURE", "1")
    for _ in range(2):
        (suite / "unlucky").unlink(missing_ok=True)
        assert run(suite, "-k", "test_unlucky and not parameter and not group") == 0
    assert kept(suite) == ["test_suite.py::test_unlucky (pure)"]


def test_many_failures_are_no_bad_luck_and_not_run_again(suite: Path, capfd: pytest.CaptureFixture[str]) -> None:
    many = f"import pytest\n@pytest.mark.parametrize('n', range({steady.BAD_LUCK + 1}))\ndef test_it(n): assert False\n"
    (suite / "test_suite.py").write_text(many)
    assert run(suite) == steady.TESTS_FAILED
    assert "once more" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("variable", "name"),
    [("", "the suite"), ("MUSTER_NO_REPEATS", "without repeats"), ("MUSTER_PURE", "in plain Python")],
)
def test_how_long_a_pass_took_is_said_under_its_name(
    suite: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, variable: str, name: str
) -> None:
    monkeypatch.delenv("MUSTER_NO_REPEATS", raising=False)
    if variable:
        monkeypatch.setenv(variable, "1")
    assert run(suite, "-k", "test_steady") == 0
    assert re.fullmatch(rf"{name}: \d+ min \d+ s, \d+ s of CPU", capfd.readouterr().out.splitlines()[-1])


def test_bytecode_is_kept_where_nothing_may_be_written_beside_the_sources(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    looks = "import sys\ndef test_it(): assert (sys.dont_write_bytecode, sys.pycache_prefix) == (False, f'{sys.prefix}/bytecode')\n"
    (suite / "test_suite.py").write_text(looks)
    assert run(suite, "-k", "test_it") == 0
    assert not [*suite.rglob("*.pyc")]


def test_suite_that_cannot_be_collected_is_not_run_again(suite: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (suite / "test_suite.py").write_text("import nothing_of_this_name\n")
    assert run(suite, "-v") not in (0, steady.TESTS_FAILED)
    assert "once more" not in capfd.readouterr().out


def test_nothing_chosen_is_told_by_pytests_own_code(suite: Path) -> None:
    assert run(suite, "-k", "nobody") == pytest.ExitCode.NO_TESTS_COLLECTED


def test_list_of_unsteady_tests_is_short() -> None:
    """Luck is seen, not suffered: find out why these failed once, mend it, and take their lines out of tests/unsteady.txt."""
    names = steady.names_on()
    assert len(names) <= steady.MOST, names
    assert [name for name in names if not (steady.ROOT / name.partition("::")[0]).exists()] == []
