"""What a release and a new contributor's editor read: changelog, workflow, hooks and compose file name only what there is."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

import muster

ROOT = Path(__file__).parents[2]
PYTHONS = ["3.11", "3.12", "3.13"]
RUNNERS = {
    "linux x86-64": {"ubuntu-latest", "ubuntu-24.04", "ubuntu-22.04"},
    "linux arm": {"ubuntu-24.04-arm", "ubuntu-22.04-arm"},
    "macos x86-64": {"macos-15-intel"},
    "macos arm": {"macos-latest", "macos-15", "macos-14", "macos-26"},
}
"""GitHub's labels as of 2026: a job that asks for a retired one (macos-13 since December 2025) waits for ever."""

HOUSE_RULES = {
    "names": "test_names_in_backticks",
    "citations": "test_citations",
    "sizes": "test_files_stay_small",
    "broad excepts": "test_broad_excepts",
}


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def read_yaml(name: str) -> Any:
    return yaml.safe_load(text(name))


@pytest.fixture(scope="module")
def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", text("Makefile"), flags=re.MULTILINE))


def test_the_version_is_the_newest_release_of_the_changelog_or_the_one_that_comes_next() -> None:
    """Between two releases main has the next one's version with `.dev0`, and the changelog a section for it."""
    first, newest = re.findall(r"^## (.*)$", text("CHANGELOG.md"), flags=re.MULTILINE)[:2]
    version, _, is_coming = muster.__version__.partition(".dev")
    if is_coming:
        assert first == "Unreleased"
        assert _numbers(version) > _numbers(newest.partition(" ")[0])
    else:
        assert re.fullmatch(re.escape(version) + r" - \d{4}-\d\d-\d\d", first)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_a_release_is_tested_with_every_python_that_the_pages_promise(targets: set[str]) -> None:
    jobs = read_yaml(".github/workflows/release.yml")["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == PYTHONS
    assert {step.split()[1] for job in jobs.values() for step in _commands(job) if step.startswith("make ")} <= targets
    wheels = next(step["env"] for step in jobs["wheels"]["steps"] if "cibuildwheel" in step.get("uses", ""))
    assert re.findall(r"cp3(\d+)-", wheels["CIBW_BUILD"]) == [version.removeprefix("3.") for version in PYTHONS]
    assert all(version in text("docs/upgrading.md") for version in PYTHONS)
    assert all(f"python{version}" in text("CONTRIBUTING.md") for version in PYTHONS)


def test_nothing_is_released_that_the_release_before_cannot_be_upgraded_to() -> None:
    jobs = read_yaml(".github/workflows/release.yml")["jobs"]
    (job,) = (name for name, job in jobs.items() if "make upgrade-test" in _commands(job))
    assert job in jobs["release"]["needs"]
    (checkout,) = (step for step in jobs[job]["steps"] if "checkout" in step.get("uses", ""))
    assert checkout["with"]["fetch-depth"] == 0, "without all tags and commits there is no release before"


@pytest.mark.parametrize(("tag", "is_taken"), [("v1.2.3", True), ("v1.2.4", False), ("1.2.3", False), ("v1.2", False)])
def test_a_tag_that_is_not_the_version_ends_the_release(tmp_path: Path, tag: str, is_taken: bool) -> None:
    jobs = read_yaml(".github/workflows/release.yml")["jobs"]
    (step,) = [step for step in jobs["source"]["steps"] if step.get("if") == "github.ref_type == 'tag'"]
    assert "source" in jobs["release"]["needs"]
    code = text("src/muster/__init__.py").replace(f'"{muster.__version__}"', '"1.2.3"')
    (tmp_path / "src" / "muster").mkdir(parents=True)
    (tmp_path / "src" / "muster" / "__init__.py").write_text(code, encoding="utf-8")
    environment = {**os.environ, "GITHUB_REF_NAME": tag}
    ran = subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    said = "" if is_taken else f"the tag is {tag}, and muster.__version__ is 1.2.3\n"
    assert (ran.returncode == 0, ran.stderr) == (is_taken, said)


def test_jobs_ask_for_machines_that_there_are_and_wheels_for_one_of_each_platform() -> None:
    jobs = read_yaml(".github/workflows/release.yml")["jobs"]
    asked = jobs["wheels"]["strategy"]["matrix"]["os"]
    assert [len(labels & set(asked)) for labels in RUNNERS.values()] == [1, 1, 1, 1]
    others = [job["runs-on"] for name, job in jobs.items() if name != "wheels"]
    assert {*asked, *others} <= set().union(*RUNNERS.values())


def test_a_release_is_tested_with_the_programs_that_ci_installs() -> None:
    """Without them the tests of the alert rules and of kcat are skipped. A GitHub machine has a Chrome of its own."""
    wanted = set(" ".join(re.findall(r'missing="\$missing (.*)"', text(".ci/run"))).split())
    jobs = read_yaml(".github/workflows/release.yml")["jobs"]
    installed = {
        word for command in _commands(jobs["test"]) if "apt-get install" in command for word in command.split()
    }
    assert wanted - installed == {"chromium", "fonts-dejavu-core"}


def _commands(job: dict[str, Any]) -> list[str]:
    return [line for step in job["steps"] for line in step.get("run", "").splitlines()]


def test_hooks_before_a_commit_run_what_make_setup_installs() -> None:
    (local,) = read_yaml(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local", "nothing is fetched"
    for hook in local["hooks"]:
        program, *arguments = hook["entry"].split()
        assert program.startswith(".venv/bin/")
        assert all((ROOT / argument).exists() for argument in arguments if argument.startswith("tests/"))
    (house,) = (hook for hook in local["hooks"] if hook["id"] == "house")
    files = [Path(argument).stem for argument in house["entry"].split() if argument.startswith("tests/")]
    assert files == [HOUSE_RULES[word] for word in house["name"].split(", ")]


def test_editors_are_told_what_ruff_and_make_want() -> None:
    told = configparser.ConfigParser()
    told.read_string("[top]\n" + text(".editorconfig"))
    assert told["top"]["root"] == "true"
    assert (told["*"]["indent_size"], told["*"]["end_of_line"]) == ("4", "lf")
    assert told["Makefile"]["indent_style"] == "tab"


def test_who_finds_a_hole_is_told_where_to_report_it() -> None:
    page = text("SECURITY.md")
    assert "in private" in page
    assert all((ROOT / linked).exists() for linked in re.findall(r"\]\(([^)#:]+)", page))


def test_compose_mounts_and_builds_what_is_there() -> None:
    folder = ROOT / "deploy" / "docker"
    services = read_yaml("deploy/docker/compose.yaml")["services"]
    build = services["muster"]["build"]
    assert (folder / build["context"] / build["dockerfile"]).is_file()
    mounted = [volume.split(":")[0] for volume in services["prometheus"]["volumes"]]
    assert all((folder / path).is_file() for path in mounted)
    assert services["muster"]["cap_drop"] == ["ALL"]
